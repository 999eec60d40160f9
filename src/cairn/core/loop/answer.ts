import type { SendTo } from "../address.ts";
import { decideFinish, reviewSubject, type Finish } from "../guards/review/decide.ts";
import { citationRuleOf, citeAnswer, type Cite } from "../guards/review/citations.ts";
import type { ReviewVerdict } from "../guards/review/review.ts";
import { runReceipt } from "../guards/review/run-receipt.ts";
import type { PlainWords } from "../guards/words.ts";
import { type BodyOf, type Entry, type EntryDraft } from "../log/entry.ts";
import { COMPLETE } from "../log/names.ts";
import { readJson, isObject, type Json } from "../log/json.ts";
import { addUsage, type ModelReply, type RawCall, type Usage } from "../log/model.ts";
import type { ToolCard, ToolFailure } from "../log/tool.ts";
import { specOf } from "../entries/grant.ts";
import { failedResult, type CallResult } from "../entries/settle.ts";
import { forceEntry, faultEntry, verdictEntry, guardEntryOf } from "../entries/verdict.ts";
import { stopChildren } from "../family/tree.ts";
import { awaits, WORK_PENDING } from "../state/run/children.ts";
import { activeGap } from "../state/apply.ts";
import type { LiveRun, State } from "../state/state.ts";
import type { OpenStep } from "../state/run/phase.ts";
import { ANSWER_FIRST } from "../prompt/prompt.ts";
import { readMarker } from "../text/markers.ts";
import { runEnded } from "./run-ended.ts";
import { callSummaries } from "./call-summaries.ts";

/** Returns the card and parsed input of a proposed call, or why it cannot run. */
export type Check = (call: RawCall) =>
  | {
      readonly ok: true;
      readonly card: ToolCard;
      readonly input: Json;
      readonly costMax?: number;
      readonly sendTo?: SendTo;
    }
  | { readonly ok: false; readonly card: ToolCard | null; readonly failure: ToolFailure };

/** A reply under review, with its context. */
export interface ReplyContext {
  readonly state: State;
  readonly run: LiveRun;
  readonly open: OpenStep;
  readonly readTo: number;
  readonly reply: ModelReply<Usage>;
  readonly at: number;
  /** of the run, up to this reply */
  readonly entries: readonly Entry[];
  readonly check: Check;
  readonly cite: Cite;
  readonly words: PlainWords;
}

/** Context for judging an answer by `complete`; other calls of the same reply may precede it. */
export type Completing = Pick<
  ReplyContext,
  "state" | "run" | "readTo" | "at" | "entries" | "cite" | "words"
> & {
  /** usage that the run was not charged with yet */
  readonly reply: Pick<ModelReply<Usage>, "usage">;
};

type SentBack = Exclude<Finish, { do: "accept" }>;

/** Handles a call of `complete`: its answer ends the run, or is sent back as the call's result. */
export function complete(
  context: Completing,
  step: string,
  input: Json,
  settle: (result: CallResult) => readonly EntryDraft[],
): EntryDraft[] {
  if (inputIsPending(context)) return [...settle(failedResult("refused", INPUT_PENDING))];
  const pending = workPending(context, step);
  if (pending !== null) return [...settle(failedResult("refused", CHILDREN_PENDING)), pending];
  const value = readComplete(input);
  const { finish, fault } = review(context, value.text);
  if (finish.do !== "accept") {
    const hint = "verdict" in finish ? finish.verdict.hint : "";
    const failure = { ...NOT_ACCEPTED, hint };
    return [...settle(failedResult("refused", failure)), ...sendBack(context, step, finish)];
  }
  const observation = JSON.stringify({ ok: true });
  return [
    ...fault,
    ...settle({ status: "ok", observation, chars: observation.length, failure: null, ms: 0 }),
    ...end(context, step, {
      ...value,
      source: "complete",
      shown: false,
      outcome: "completed",
      reason: null,
    }),
  ];
}

/**
 * Handles a reply without calls: an answer that ends the run or is sent back. A forced one ends it, with its own text
 * or the mechanical answer.
 */
export function answer(context: ReplyContext, step: string, forced: string | null): EntryDraft[] {
  const { reply } = context;
  const text = reply.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const { shown, candidate } = readMarker(text);
  const tagged = reply.parse?.answer;
  const final = candidate ?? tagged ?? shown.trim();
  const written = writtenValue(context, final);
  const value = { confidence: null, summary: null, value: written.value };
  if (forced !== null) {
    // An empty answer is requested once more; then next() writes one without a model.
    if (final === "" || saysNothing(context, final)) return [];
    const outcome = "completed_partial";
    return end(context, step, {
      ...value,
      text: final,
      source: "forced",
      shown: final === shown.trim(),
      outcome,
      reason: forced,
    });
  }
  if (reply.finish === "length")
    return askAgain(
      context,
      step,
      "REPLY_CUT",
      "Your reply was cut off by its length limit. Say it shorter.",
    );
  if (reply.finish === "content-filter")
    return askAgain(
      context,
      step,
      "FILTERED",
      "Your reply was withheld by a content filter. Say it another way.",
    );
  const { finish, fault, candidate: wanted, isSilent } = review(context, final);
  // For a heartbeat, silence is a valid end.
  const isOver = context.run.profile === "heartbeat" && finish.do === "accept";
  if (wanted === "" && isSilent && !isOver)
    return askAgain(
      context,
      step,
      "EMPTY",
      "Your reply was empty. Call a tool, or answer the person in words.",
    );
  if (inputIsPending(context))
    return askAgain(
      context,
      step,
      "INPUT_PENDING",
      "The person has written something new: read it, then answer.",
    );
  const pending = workPending(context, step);
  if (pending !== null) return [pending];
  if (isWordBetween(context, step))
    return askAgain(context, step, "GOAL_GOES_ON", "The person has your words. Go on with the goal.");
  if (finish.do !== "accept") return sendBack(context, step, finish);
  if (written.fault !== null) return askAgain(context, step, "OUTPUT_INVALID", written.fault);
  const ended = end(context, step, {
    ...value,
    text: finish.text,
    source: candidate !== null ? "marker" : tagged === undefined ? "plain" : "tag",
    shown: finish.text === final && (candidate !== null || final === shown.trim()),
    outcome: "completed",
    reason: null,
  });
  return [...fault, ...ended];
}

/** In a capsule, true for the reply to a person's message, which does not end the goal. */
const isWordBetween = ({ run, entries }: ReplyContext, step: string): boolean =>
  run.profile === "time_capsule" &&
  entries.some(
    (entry) => entry.kind === "verdict" && entry.body.code === ANSWER_FIRST && entry.step === step,
  );

interface Reviewed {
  readonly finish: Finish;
  /** candidate answer: the text, or the one that accompanied earlier calls */
  readonly candidate: string;
  /** it has sent nothing in messages either, and its answer is to be its message */
  readonly isSilent: boolean;
  /** the entry of a review that threw: it is recorded, and the answer passes */
  readonly fault: readonly EntryDraft[];
}

function review({ run, entries, cite, words }: Completing, answer: string): Reviewed {
  try {
    const subject = reviewSubject(run, entries, answer, words, cite);
    const isSilent = subject.deliver === "reply" && subject.deliveries.length === 0;
    return { finish: decideFinish(subject, words), candidate: subject.candidate, isSilent, fault: [] };
  } catch (error) {
    const fault = faultEntry(run, "before_finish", error);
    return { finish: { do: "accept", text: answer }, candidate: answer, isSilent: true, fault: [fault] };
  }
}

/** "On it" is no answer. */
function saysNothing({ run, entries, words }: ReplyContext, answer: string): boolean {
  const { request, calls } = reviewSubject(run, entries, answer, words);
  return words.qualityOf(answer, { request, results: calls.map((call) => call.result) }) === "ack";
}

const INPUT_PENDING: ToolFailure = {
  class: "policy",
  code: "input_pending",
  message: "The person has written something new.",
  retryable: true,
  hint: "Read it, then finish.",
};

const NOT_ACCEPTED: ToolFailure = {
  class: "policy",
  code: "sent_back",
  message: "The answer was not accepted.",
  retryable: true,
};

const CHILDREN_PENDING: ToolFailure = {
  class: "policy",
  code: "work_pending",
  message: "A run that you have started is still at work.",
  retryable: true,
  hint: "Its report comes by itself. Read it, then finish.",
};

/** `WORK_PENDING` [wait], before_finish 3: work that this run started is still running, or its report was not read. */
function workPending({ run, readTo }: Completing, step: string): EntryDraft | null {
  const { children } = run;
  if (children === undefined) return null;
  const isUnread = children.unread.some((seq) => seq > readTo);
  if (!awaits(children) && !isUnread) return null;
  const hint = "The report of a run that you have started belongs to the answer: read it, then answer.";
  const verdict = { code: WORK_PENDING, rule: "children", hint };
  // A report that has arrived is read at once.
  return guardEntryOf(run, step, "before_finish", verdict, isUnread ? "reask" : "wait");
}

/** Input that joined while the model answered must be read before the run may end. */
function inputIsPending({ run, readTo }: Completing): boolean {
  return run.input.unread.some((seq) => seq > readTo);
}

/** Returns the entry that has the model asked again: `hint` has the reason. */
export function askAgain(
  { run }: Pick<ReplyContext, "run">,
  step: string,
  code: string,
  hint: string,
): EntryDraft[] {
  return [guardEntryOf(run, step, "after_reply", { code, rule: code, hint }, "reask")];
}

/** Returns the entries for an answer that did not pass the review. */
function sendBack(context: Completing, step: string, finish: SentBack): EntryDraft[] {
  const { run } = context;
  const { verdict } = finish;
  const refused = refusal(context, step, verdict, finish.do === "refuse" ? finish.round : 0);
  switch (finish.do) {
    case "refuse":
      return [refused];
    case "force":
      return [refused, forceEntry(run, finish.code, `review:${verdict.code}`)];
    case "end": {
      const { reason, text } = finish;
      const cap = { ...verdict, code: finish.code, rule: reason };
      if (text === null) return [refused, verdictEntry(run, "before_finish", cap, "end")];
      const none = { confidence: null, summary: null, value: null };
      const candidate = { text, ...none, source: "plain", shown: false } as const;
      return [refused, ...end(context, step, { ...candidate, outcome: "completed_partial", reason })];
    }
  }
}

function refusal(
  { run }: Pick<ReplyContext, "run">,
  step: string,
  { code, hint }: ReviewVerdict,
  round: number,
): EntryDraft {
  return reviewEntry(run, step, { round, accept: false, codes: [code], text: hint });
}

function reviewEntry(
  { run }: LiveRun,
  step: string,
  decision: Omit<BodyOf<"review">, "by">,
): EntryDraft<"review"> {
  const { round, accept, codes, text } = decision;
  return { kind: "review", run, step, body: { round, accept, codes, by: "rules", text } };
}

/** Outcome of a run that ends with an answer. */
type Ending = Omit<BodyOf<"answer">, "receipt" | "calls" | "citations" | "warnings"> &
  Pick<BodyOf<"run_ended">, "outcome" | "reason">;

/** The entries of an accepted answer: review, answer, end. */
function end(context: Completing, step: string, ending: Ending): EntryDraft[] {
  const { state, run, entries, reply, at, cite } = context;
  const { outcome, reason, ...wanted } = ending;
  const rule = citationRuleOf(run, entries);
  // A mechanical answer cites nothing.
  const cited = wanted.source === "mechanical" ? null : citeAnswer(wanted.text, rule, cite);
  const text =
    cited === null
      ? wanted
      : { ...wanted, text: cited.text, shown: wanted.shown && cited.text === wanted.text };
  const { citations = null, warnings = [] } = cited ?? {};
  const accepted = reviewEntry(run, step, { round: 1, accept: true, codes: [], text: "accepted" });
  const usage = addUsage(run.used.usage, reply.usage);
  return [
    ...(ending.source === "forced" || ending.source === "mechanical" ? [] : [accepted]),
    {
      kind: "answer",
      run: run.run,
      step,
      body: {
        ...text,
        receipt: runReceipt(run, entries),
        ...callSummaries(run.run, entries),
        ...(citations === null ? {} : { citations }),
        ...(warnings.length === 0 ? {} : { warnings }),
      },
    },
    ...stopChildren(run, step),
    runEnded(run, outcome, reason, { usage, activeMs: run.used.activeMs + activeGap(state, at) }, step),
  ];
}

/** For a run that must answer with a value: returns the value in a text reply, or its fault. */
function writtenValue(
  { entries, check }: ReplyContext,
  reply: string,
): { readonly value: Json; readonly fault: string | null } {
  if (specOf(entries).output === null) return { value: null, fault: null };
  const text = /^```(?:json)?\n([\s\S]*)\n```$/u.exec(reply)?.[1] ?? reply;
  const value = readJson(text, Infinity);
  if (value === undefined)
    return {
      value: null,
      fault: "Call complete with the result as `value`, in the form that was asked for.",
    };
  const checked = check({ tool: COMPLETE, input: { value } });
  if (!checked.ok) return { value: null, fault: checked.failure.message };
  const input = isObject(checked.input) ? checked.input : {};
  return { value: input["value"] ?? null, fault: null };
}

/** Parses the answer of `complete`. A value without text is shown as its own text. */
function readComplete(input: Json): {
  text: string;
  confidence: number | null;
  summary: string | null;
  value: Json;
} {
  const fields = isObject(input) ? input : {};
  const { value = null } = fields;
  const words = value === null ? "" : JSON.stringify(value, null, 2);
  return {
    value,
    text: typeof fields["answer"] === "string" ? fields["answer"] : words,
    confidence: typeof fields["confidence"] === "number" ? fields["confidence"] : null,
    summary: typeof fields["summary"] === "string" ? fields["summary"] : null,
  };
}
