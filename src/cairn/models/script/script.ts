import { startOf } from "../../core/text/cut.ts";
import { toJson, isTooDeep, JSON_DEPTH_MAX, isObject } from "../../core/log/json.ts";
import type { ScriptedCall } from "./reply.ts";

/** One step of a script: its calls, and the wait before the reply that makes them. */
export interface Block {
  readonly calls: readonly ScriptedCall[];
  readonly waitMs: number;
}

/** A message that dictates the model's replies, in lines that begin with `/call`, `/then`, `/say` and `/wait`. */
export interface Script {
  /** blocks with calls, in order; step k of the run performs block k */
  readonly blocks: readonly Block[];
  /** text of the `/say` lines, or null */
  readonly say: string | null;
  /** wait of the blocks after the last call, before the answer */
  readonly answerWaitMs: number;
  /** unreadable lines, in words */
  readonly problems: readonly string[];
}

/** Begins the line of an answer that names an unreadable line of a script. */
export const SCRIPT_LINE_PROBLEM = "I could not read a line of the script";

/** Longest wait that a script may ask for, in milliseconds. */
const WAIT_MS_MAX = 20_000;
const QUOTE_CHARS_MAX = 160;
const LINE = /^[ \t]*\/(call|then|say|wait)(?=\s|$)[ \t]*(.*)$/u;

/**
 * Reads the script lines of a message: `/call <tool> <JSON>`, `/then`, `/say <text>`, `/wait <ms>`.
 * The message comes without untrusted text. Null when it has no such line.
 */
export function parseScript(message: string): Script | null {
  const lines = message.split(/\r?\n/u);
  if (!lines.some((line) => LINE.test(line))) return null;
  const blocks: { calls: ScriptedCall[]; waitMs: number }[] = [{ calls: [], waitMs: 0 }];
  const texts: string[] = [];
  const problems: string[] = [];
  for (const line of lines) {
    const [, command, rest = ""] = LINE.exec(line) ?? [];
    const block = blocks.at(-1);
    if (block === undefined) break;
    if (command === "then") blocks.push({ calls: [], waitMs: 0 });
    else if (command === "say") texts.push(rest.trim());
    else if (command === "wait") readWait(rest, block, problems);
    else if (command === "call") readCall(rest, block, problems);
  }
  const say = texts.join("\n").trim();
  if (texts.length > 0 && say === "") problems.push('"/say" needs a text');
  return { ...foldEmpty(blocks), say: say === "" ? null : say, problems };
}

function readWait(rest: string, block: { waitMs: number }, problems: string[]): void {
  const ms = Number(rest.trim());
  if (!Number.isInteger(ms) || ms < 0 || rest.trim() === "")
    problems.push(`"/wait ${cut(rest.trim())}" needs whole milliseconds, at most ${WAIT_MS_MAX}`);
  else block.waitMs = Math.min(WAIT_MS_MAX, block.waitMs + ms);
}

function readCall(rest: string, block: { calls: ScriptedCall[] }, problems: string[]): void {
  const [, name = "", text = ""] = /^(\S+)\s*([\s\S]*)$/u.exec(rest.trim()) ?? [];
  if (name === "") return void problems.push('"/call" needs the name of a tool');
  if (text.trim() === "") return void block.calls.push([name, {}]);
  try {
    const value: unknown = JSON.parse(text);
    const input = isTooDeep(value) ? null : toJson(value);
    const what =
      input === null && value !== null
        ? `is nested more than ${JSON_DEPTH_MAX} levels deep`
        : "is not a JSON object";
    if (isObject(input)) block.calls.push([name, input]);
    else problems.push(`the input of "/call ${cut(name)}" ${what}: ${cut(text)}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : "unreadable";
    problems.push(`the input of "/call ${cut(name)}" is not valid JSON (${why}): ${cut(text)}`);
  }
}

const cut = (text: string): string =>
  text.length > QUOTE_CHARS_MAX ? `${startOf(text, QUOTE_CHARS_MAX)}…` : text;

/** A reply without calls would be the answer, so the wait of a block without calls moves to the next one with calls. */
function foldEmpty(all: readonly Block[]): { blocks: Block[]; answerWaitMs: number } {
  const blocks: Block[] = [];
  let waitMs = 0;
  for (const block of all) {
    waitMs = Math.min(WAIT_MS_MAX, waitMs + block.waitMs);
    if (block.calls.length === 0) continue;
    blocks.push({ calls: block.calls, waitMs });
    waitMs = 0;
  }
  return { blocks, answerWaitMs: waitMs };
}
