import type { BodyOf, EntryDraft } from "../log/entry.ts";
import { isObject, type Json } from "../log/json.ts";
import { questionName, stepName } from "../log/names.ts";
import type { QuestionRecord, AnswerRecord } from "../log/people/question.ts";
import type { Verdict } from "../log/verdict.ts";
import { waitLeft } from "../state/run/used.ts";
import type { LiveRun } from "../state/state.ts";
import type { Call, OpenQuestion, WaitingHuman } from "../state/run/phase.ts";
import { settleCall, type CallResult } from "./settle.ts";

/** Questions to a person: the only thing that pauses a run for words. One at a time, each answered once. */

export const ASK_HUMAN = "ask_human";

/** Asks what a call of ask_human asks. Its input has passed the tool's schema. */
export function askEntry(run: LiveRun, call: Call, input: Json, at: number): EntryDraft<"human_asked"> {
  const given = isObject(input) ? input : {};
  const text = (name: string): string | null => {
    const value = given[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const options = Array.isArray(given["options"])
    ? given["options"].filter((item) => typeof item === "string")
    : [];
  return createQuestion(run, at, {
    question: questionName(call.call),
    call: call.call,
    text: text("question") ?? "",
    form: options.length > 0 ? "choice" : "text",
    options,
    context: text("context"),
    default: text("default"),
  });
}

/** Asks a person what to do about a run that goes round in circles: what was seen, and where. */
export function escalateEntry(
  run: LiveRun,
  { code, rule, hint, evidence }: Verdict,
  wording: string | null,
  at: number,
): EntryDraft<"human_asked"> {
  const tools = [...new Set(evidence.names)];
  const what = tools.length === 0 ? "" : ` with ${tools.join(", ")}`;
  return createQuestion(run, at, {
    question: questionName(stepName(run.run, run.step)),
    call: null,
    text: wording ?? `I keep trying the same thing${what} and get no further. What should I do?`,
    form: "text",
    options: [],
    context: `${rule}, seen in ${evidence.seqs.map((seq) => `entry ${seq}`).join(", ")}`,
    default: null,
    about: { code, rule, hint, tools, seqs: evidence.seqs },
  });
}

function createQuestion(
  run: LiveRun,
  at: number,
  record: Omit<QuestionRecord, "expiresAt" | "otherwise">,
): EntryDraft<"human_asked"> {
  const { waitMs, otherwise } = run.policy.questions;
  const body = { ...record, expiresAt: at + waitLeft(run, waitMs), otherwise };
  return { kind: "human_asked", run: run.run, step: stepName(run.run, run.step), body };
}

/** The question that a person may answer now, or null. */
export function questionOf(run: LiveRun | null, at: number): OpenQuestion | null {
  if (run === null || run.phase.at !== "waiting_human" || run.cancel !== null) return null;
  return at < run.phase.question.expiresAt ? run.phase.question : null;
}

/** Returns the entries of an answer: the answer, and the result of the call that asked. */
export function answerEntries(
  run: LiveRun,
  { question, calls }: WaitingHuman,
  answer: Pick<AnswerRecord, "value" | "actor" | "via" | "message" | "request">,
): EntryDraft[] {
  const { value, actor: by } = answer;
  return closing(run, question, calls, { ...answer, expired: false }, { value, by });
}

/** Returns the entries of an expired question: its default, or that there is no answer. */
export function expireEntries(
  run: LiveRun,
  { question, calls }: WaitingHuman,
  stored: BodyOf<"human_asked">,
): EntryDraft[] {
  const value = stored.default;
  const answer = {
    value,
    actor: "clock",
    via: "clock",
    message: null,
    request: null,
    expired: true,
  } as const;
  const output: Json = value === null ? { expired: true, note: NOBODY } : { expired: true, default: value };
  return closing(run, question, calls, answer, output);
}

/** Result text for the model when a question expires without an answer. */
export const NOBODY =
  "Nobody answered in time. Go on without an answer as well as you can, and say so at the end.";

function closing(
  run: LiveRun,
  { question, call: name }: OpenQuestion,
  calls: readonly Call[],
  answer: Omit<AnswerRecord, "question" | "call">,
  output: Json,
): EntryDraft[] {
  const step = stepName(run.run, run.step);
  const entry: EntryDraft = {
    kind: "human_answered",
    run: run.run,
    step,
    body: { question, call: name, ...answer },
  };
  const call = calls.find((item) => item.call === name);
  if (call === undefined) return [entry];
  const observation = JSON.stringify(output);
  const result: CallResult = { status: "ok", observation, chars: observation.length, failure: null, ms: 0 };
  return [entry, ...settleCall(run, calls, call, result)];
}

/**
 * An answer as the question wants it, or null where it has to be one of its options and is none. Chosen by its number, too;
 * in a chat message words of one's own are taken as well, since there is no list to choose from.
 */
export function readAnswer(record: BodyOf<"human_asked">, value: Json, chat: boolean): string | null {
  if (typeof value !== "string") return null;
  const choice = value.trim();
  if (choice === "") return null;
  if (record.form === "text") return value;
  const same = (option: string): boolean => option.trim().toLowerCase() === choice.toLowerCase();
  const numbered = /^\d{1,2}$/.test(choice) ? record.options[Number(choice) - 1] : undefined;
  return record.options.find(same) ?? numbered ?? (chat ? value : null);
}
