import { accessOf } from "../guards/permissions.ts";
import { placeholderEntries } from "../guards/placeholders.ts";
import { CALLS_PER_REPLY_MAX, CALLS_PER_REPLY_MAX_LARGE } from "../limits.ts";
import type { Entry, EntryDraft, ProposedCall } from "../log/entry.ts";
import { COMPLETE, toolNamed, callName, stepName } from "../log/names.ts";
import { canonicalJson, type Json } from "../log/json.ts";
import type { ModelReply, ReplyPart, Usage } from "../log/model.ts";
import type { ToolFailure } from "../log/tool.ts";
import { ASK_HUMAN } from "../entries/question.ts";
import { failedResult, settledEntry, type CallResult } from "../entries/settle.ts";
import { workingPhase } from "../state/run/phase.ts";
import { markCall, thoughtWords } from "../state/call-digest.ts";
import type { State } from "../state/state.ts";
import { answer, complete, type Check, type ReplyContext } from "./answer.ts";
import { isBookkeeping, isPure } from "./internal-tools.ts";
import { answerWithCalls, unusableEntries, withoutPlan, writtenCall } from "./written-call.ts";
import { guardEntryOf } from "../entries/verdict.ts";

/**
 * Turns a reply into entries: calls accepted or refused with a reason, or an answer that ends the run. If the reply was
 * cut by length, none of its calls run; an answer that accompanies calls is held, and the calls run.
 */
export function judgeReply(
  state: State,
  received: ModelReply<Usage>,
  readTo: number,
  at: number,
  entries: readonly Entry[],
  means: Pick<ReplyContext, "check" | "cite" | "words">,
): EntryDraft[] {
  const reply = { ...received, parts: received.parts.map(underItsName) };
  const { run } = state;
  const phase = run === null ? null : workingPhase(run.phase);
  if (run === null || phase?.at !== "thinking" || phase.open === null)
    throw new Error("a reply without an open step");
  const context: ReplyContext = { state, run, open: phase.open, readTo, reply, at, entries, ...means };
  const step = stepName(run.run, phase.open.n);
  const final = phase.why === "final";
  const calls = final ? [] : propose(context, step, means.check);
  const replied = modelReplied(context, step, calls);
  if (reply.finish === "aborted") return [replied];
  if (calls.length > 0)
    return [
      replied,
      ...placeholderEntries(run, calls, state.head + 1),
      ...settleAtOnce(context, step, calls),
    ];
  const dropped =
    final && reply.parts.some((part) => part.type === "call") ? [callsDropped(context, step)] : [];
  const thoughts =
    (final ? null : (unusableEntries(context, step) ?? withoutPlan(context, step))) ??
    writtenCall(context, step, final) ??
    answer(context, step, final ? (phase.reason ?? "budget") : null);
  return [replied, ...dropped, ...thoughts];
}

/** Resolves an alias of a built-in; later code sees only its real name. */
const underItsName = <Part extends { readonly type: string }>(part: Part): Part =>
  "tool" in part && typeof part.tool === "string" ? { ...part, tool: toolNamed(part.tool) } : part;

/** A forced answer has no tools. */
function callsDropped({ run }: ReplyContext, step: string): EntryDraft<"verdict"> {
  const hint = "No tools are left: nothing of what you called was run. Answer in words.";
  return guardEntryOf(run, step, "after_reply", { code: "CALLS_DROPPED", rule: "budget", hint }, "note");
}

function modelReplied(
  context: ReplyContext,
  step: string,
  calls: readonly ProposedCall[],
): EntryDraft<"model_replied"> {
  const { reply, open, readTo, run } = context;
  let index = 0;
  const parts: ReplyPart[] = [];
  for (const part of reply.parts) {
    if (part.type !== "call") {
      parts.push(part);
      continue;
    }
    const call = calls[index++];
    if (call === undefined) continue;
    const options = part.options === undefined ? {} : { options: part.options };
    parts.push({ type: "call", call: call.call, tool: call.tool, input: part.input, ...options });
  }
  const { finish, usage, model, ms, firstTokenMs } = reply;
  const body = {
    attempt: open.attempt,
    base: open.base,
    readTo,
    parts,
    calls,
    finish,
    ...(reply.parse === undefined ? {} : { parse: reply.parse }),
    words: thoughtWords(parts.map((part) => (part.type === "text" ? part.text : "")).join(" ")),
    usage,
    model,
    ms,
    firstTokenMs,
  };
  return { kind: "model_replied", run: run.run, step, body };
}

function propose(context: ReplyContext, step: string, check: Check): ProposedCall[] {
  const raw = context.reply.parts.filter((part) => part.type === "call");
  const asks = raw.some((part) => part.tool === ASK_HUMAN && check(part).ok);
  // Bookkeeping calls run first; `complete` then ends the run.
  const hasOthers =
    raw.filter((part) => part.tool === COMPLETE).length === 1 &&
    raw.every((part) => part.tool === COMPLETE || isBookkeeping(part.tool));
  const proposed: ProposedCall[] = [];
  for (const [index, part] of raw.entries()) {
    const checked = check(part);
    const failure = refusal(context, { count: raw.length, index, asks, hasOthers }, checked);
    const card = checked.card;
    const input = checked.ok ? checked.input : part.input;
    const duplicateOf = failure === null ? findDuplicate(proposed, part.tool, input) : null;
    proposed.push({
      call: callName(step, index),
      tool: part.tool,
      title: card?.title ?? part.tool,
      input,
      effect: card?.effect ?? "read",
      gate: card?.gate ?? "never",
      refused: failure,
      duplicateOf,
      // A call that cannot run is not compared with others.
      ...(checked.ok && part.tool !== COMPLETE
        ? {
            mark: markCall(checked.card.traits, checked.card.shape, input),
            traits: checked.card.traits,
            access: accessOf(checked.card),
            ...(checked.card.starts === undefined ? {} : { starts: checked.card.starts }),
            ...(checked.card.client === undefined ? {} : { client: checked.card.client }),
            ...(checked.costMax === undefined ? {} : { costMax: checked.costMax }),
            ...(checked.sendTo === undefined ? {} : { sendTo: checked.sendTo }),
          }
        : {}),
    });
  }
  return proposed;
}

/**
 * Finds an equal earlier call whose result still applies: only reads are between the two. A change in between makes the
 * second one a new call.
 */
function findDuplicate(proposed: readonly ProposedCall[], tool: string, input: Json): string | null {
  if (isPure(tool)) return null;
  const text = canonicalJson(input);
  for (const other of proposed.toReversed()) {
    if (other.refused !== null) continue;
    if (other.tool === tool && canonicalJson(other.input) === text) return other.duplicateOf ?? other.call;
    if (other.effect !== "read" || isPure(other.tool)) return null;
  }
  return null;
}

function refusal(
  context: ReplyContext,
  position: {
    readonly count: number;
    readonly index: number;
    readonly asks: boolean;
    readonly hasOthers: boolean;
  },
  checked: ReturnType<Check>,
): ToolFailure | null {
  const { reply, run } = context;
  const { count, index, asks, hasOthers } = position;
  const isLarge = run.profile === "complex" || run.profile === "research";
  const callsMax = isLarge ? CALLS_PER_REPLY_MAX_LARGE : CALLS_PER_REPLY_MAX;
  const refuse = (code: string, message: string, hint: string): ToolFailure => ({
    class: "policy",
    code,
    message,
    retryable: false,
    hint,
  });
  if (reply.finish === "length") {
    return refuse(
      "truncated",
      "The reply was cut off by its length limit, so none of its calls ran.",
      "Ask for fewer or shorter calls.",
    );
  }
  if (index >= callsMax) {
    return refuse(
      "too_many_calls",
      `At most ${callsMax} calls of a reply run.`,
      "Ask for the rest in the next step.",
    );
  }
  if (!checked.ok) return checked.failure;
  if (asks && checked.card.effect !== "read" && checked.card.traits.kind !== "bookkeeping") {
    return refuse(
      "ask_first",
      "Nothing is changed while a person is being asked.",
      "Look at the answer first, then make the change that is right.",
    );
  }
  if (checked.card.name === COMPLETE && count > 1 && !hasOthers) {
    return refuse(
      "complete_alone",
      "complete ends the run, so no work stands beside it.",
      "Finish the other calls, then call complete by itself.",
    );
  }
  return null;
}

/** Refused calls are settled in the commit of their reply; `complete` alone is an answer. */
function settleAtOnce(context: ReplyContext, step: string, calls: readonly ProposedCall[]): EntryDraft[] {
  const { run } = context;
  const settle = (call: ProposedCall, result: CallResult): EntryDraft =>
    settledEntry(run, step, call, result, 0, null);
  const only = calls.length === 1 ? calls[0] : undefined;
  if (only !== undefined && only.tool === COMPLETE && only.refused === null)
    return complete(context, step, only.input, (result) => [settle(only, result)]);
  const refused = calls.flatMap((call) =>
    call.refused === null ? [] : [settle(call, failedResult("refused", call.refused))],
  );
  return [...refused, ...answerWithCalls(context, step)];
}
