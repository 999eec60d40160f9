import { correction } from "../dialects/offer.ts";
import { requestOf } from "../guards/review/decide.ts";
import type { EntryDraft } from "../log/entry.ts";
import { readJson, isObject, type Json } from "../log/json.ts";
import { brokenBy } from "../log/model.ts";
import { grantOf, specOf } from "../entries/grant.ts";
import { guardEntryOf, verdictEntry } from "../entries/verdict.ts";
import { UPDATE_PLAN } from "../state/plan.ts";
import { readMarker } from "../text/markers.ts";
import { askAgain, type ReplyContext } from "./answer.ts";

const TEXT_CALL = "TEXT_CALL";
const ANSWER_BEFORE_RESULTS = "ANSWER_BEFORE_RESULTS";

/**
 * Returns the entries of a reply that writes a call as text, or null: such a reply is no answer. The model is shown the
 * expected form once; the next such reply before any call ends the run without a model's words. `final`: the answer is
 * forced.
 */
export function writtenCall(context: ReplyContext, step: string, final: boolean): EntryDraft[] | null {
  const { run, entries, reply } = context;
  if (reply.finish === "length" || reply.finish === "content-filter") return null;
  const grant = grantOf(entries);
  const tool = findTextCall(textOf(context), (name) => grant.has(name));
  if (tool === null || asksForCode(requestOf(run, entries))) return null;
  const expected = final
    ? "No tools are left: answer the person in words."
    : "Make it a tool call of its own, as the tools are offered to you, not in the text of your reply; or answer the person in words.";
  const held = askAgain(
    context,
    step,
    TEXT_CALL,
    `You wrote a call of ${tool} as text, so nothing was run. ${expected}`,
  );
  const called = entries.findLastIndex(
    (entry) => entry.kind === "model_replied" && entry.body.calls.length > 0,
  );
  if (final || !entries.slice(called + 1).some((entry) => hasCode(entry, TEXT_CALL))) return held;
  const hint = `A call of ${tool} was written as text twice, and never made.`;
  const verdict = { code: "INVALID_OUTPUT", rule: "text_call", evidence: { seqs: [] }, hint };
  return [...held, verdictEntry(run, "after_reply", verdict, "end")];
}

/**
 * Returns the entries of a reply that its dialect cannot read, or null: the model is shown the faults and the expected
 * form, the second time with an example. The third in a row is handled before the next step.
 */
export function unusableEntries(context: ReplyContext, step: string): EntryDraft[] | null {
  const { run, entries, reply } = context;
  const faults = brokenBy(reply.parse);
  if (reply.parse === undefined || faults.length === 0) return null;
  if (reply.finish === "length" || reply.finish === "content-filter") return null;
  const isAgain = run.failures.unusableReplies > 0;
  const [tool = null] = isAgain ? grantOf(entries).keys() : [];
  return askAgain(context, step, "UNUSABLE", correction(reply.parse.dialect, faults, tool));
}

/**
 * Returns the entries of a reply without calls in a step that offers only the plan, or null: nothing was done yet, so
 * it is no answer. The run continues with all its tools.
 */
export function withoutPlan({ run, entries }: ReplyContext, step: string): EntryDraft[] | null {
  if (run.plan !== null || !specOf(entries).planFirst) return null;
  const begun = entries.findLast((entry) => entry.kind === "step_started" && entry.step === step);
  const offered = begun?.kind === "step_started" ? begun.body.patch?.tools : undefined;
  if (offered?.length !== 1 || offered[0] !== UPDATE_PLAN) return null;
  const hint =
    "That was the step for the plan, so it is taken for none. All your tools are there now: do the work, then answer.";
  return [guardEntryOf(run, step, "after_reply", { code: "NO_PLAN", rule: "plan.first", hint }, "reask")];
}

/** An answer that accompanies calls is held while they run; the model is told so once per run. */
export function answerWithCalls(context: ReplyContext, step: string): EntryDraft[] {
  const isReported = context.entries.some((entry) => hasCode(entry, ANSWER_BEFORE_RESULTS));
  const isMarked = readMarker(textOf(context)).candidate !== null;
  if (isReported || (!isMarked && context.reply.parse?.answer === undefined)) return [];
  return askAgain(
    context,
    step,
    ANSWER_BEFORE_RESULTS,
    `Your ${isMarked ? "FINAL_ANSWER" : "answer"} stood beside calls, so it was held back: their results may change it. Give the answer in a reply without calls when nothing is left to call.`,
  );
}

function textOf({ reply }: ReplyContext): string {
  return reply.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function hasCode(entry: ReplyContext["entries"][number], code: string): boolean {
  return entry.kind === "verdict" && entry.body.code === code;
}

/**
 * A call written in a reply as text instead of being made: as JSON, as a tagged block, as a line of Python, or as an
 * `Action:`. It counts at the beginning or end of a reply, where it addresses the runtime; in the middle of a text it
 * addresses a person.
 */

/** Returns the tool that the text calls, or null. `offered` checks whether a name is a tool of this run. */
export function findTextCall(text: string, offered: (tool: string) => boolean): string | null {
  const named = namesIn(text).map((name) => name.split(/[.:/]/).at(-1) ?? name);
  return named.find(offered) ?? null;
}

/** True if a person asks to be shown such a text: then it is the answer. */
export function asksForCode(request: string): boolean {
  return /\b(?:json|yaml|python|code|snippet|syntax|payload|schema)\b|\b(?:tool|function)[_ -]?calls?\b/iu.test(
    request,
  );
}

const TAG = /<\/?(?:tool_call|function_call|tool_code|tool_use|invoke|function)\b[^<>\n]{0,200}>/giu;
const TAGGED = /^[ \t]*<(?:tool_call|function_call|tool_code|tool_use|invoke|function)\b/imu;
const TAG_NAME = /<(?:function|invoke|tool_call)(?:=|\s+name=)["']?([\w.:/-]{1,80})/giu;
const ACTION = /^[ \t]*Action:[ \t]*`?([\w.:/-]{1,80})`?[ \t]*\n+[ \t]*Action Input:/imu;
const PYTHON = /^(?:\w+[ \t]*=[ \t]*)?(?:await[ \t]+)?(?:print\([ \t]*)?((?:\w+\.)*\w+)\([\s\S]*\)[;]?$/u;
const FENCE = /^[ \t]*```/u;

interface Block {
  readonly text: string;
  readonly fenced: boolean;
}

function namesIn(text: string): readonly string[] {
  const blocks = blocksOf(text);
  const edges = [...new Set([blocks[0], blocks.at(-1)])].filter((block) => block !== undefined);
  // A fenced block in the middle of a text is a quotation.
  const open = blocks.map((block) => (block.fenced ? "" : block.text)).join("\n\n");
  const tagged = [open, ...edges.map((block) => block.text)].filter((one) => TAGGED.test(one));
  return [
    ...edges.flatMap((block) => namesInBlock(block.text)),
    ...tagged.flatMap((one) => [
      ...[...one.matchAll(TAG_NAME)].map((found) => found[1] ?? ""),
      ...one.split(TAG).flatMap((inner) => namesInBlock(inner.trim())),
    ]),
    ACTION.exec(open)?.[1] ?? "",
  ];
}

/** Splits text into blocks at empty lines and fences. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let fenced = false;
  const close = (): void => {
    const block = lines.join("\n").trim();
    if (block !== "") blocks.push({ text: block, fenced });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const fence = FENCE.test(line);
    if (!fence && (fenced || line.trim() !== "")) lines.push(line);
    else close();
    if (fence) fenced = !fenced;
  }
  close();
  return blocks;
}

function namesInBlock(block: string): string[] {
  const bare = /^`[^`\n]+`$/u.test(block) ? block.slice(1, -1) : block;
  if (/^[[{]/u.test(bare)) return namesInJson(bare);
  const lines = bare.split("\n").filter((line) => !/^\s*(?:#|import\b|from\b|$)/u.test(line));
  const name = PYTHON.exec(lines.join("\n").trim())?.[1];
  return name === undefined ? [] : [name];
}

function namesInJson(text: string): string[] {
  const value = readJson(text, Infinity);
  if (value === undefined) return [];
  const calls = Array.isArray(value) ? value : [value];
  return calls.flatMap((call: Json) => nameOfCall(call) ?? []);
}

const NAMES = ["name", "tool", "tool_name", "action", "function"];
const INPUTS = ["arguments", "args", "parameters", "params", "input", "action_input", "tool_input"];
const CALL_FIELDS = new Set([...NAMES, ...INPUTS, "id", "type", "thought", "reasoning", "call_id"]);

/** The name in an object that is a call and nothing else. */
function nameOfCall(value: Json): string | null {
  if (!isObject(value) || !Object.keys(value).every((key) => CALL_FIELDS.has(key) || key === "tool_calls"))
    return null;
  const { tool_calls: nested, function: inner } = value;
  if (Array.isArray(nested)) return nested.map((call: Json) => nameOfCall(call)).find(Boolean) ?? null;
  if (isObject(inner)) return nameOfCall(inner);
  const name = NAMES.map((key) => value[key]).find((one) => typeof one === "string");
  return typeof name === "string" ? name : null;
}
