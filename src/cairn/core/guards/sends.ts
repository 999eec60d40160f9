import {
  CAPSULE_PROGRESS_MS,
  HEARTBEAT_SEND_MS,
  SEND_COOLDOWN_STEPS,
  SENDS_ALIKE,
  SENDS_ALIKE_IN_RUN,
  SENDS_STORED,
  SENDS_WINDOW_MS,
} from "../limits.ts";
import type { CallRecord, MessageMark } from "../log/mark.ts";
import type { Verdict } from "../log/verdict.ts";
import type { LoopMemory } from "../state/loop-memory.ts";
import { wasExecuted } from "../state/record-call.ts";
import type { LiveRun, Sent } from "../state/state.ts";
import { WITHHELD_HINT } from "./permissions.ts";

/**
 * Decides whether a message is worth sending, compared with messages that were or may have been delivered. A failed or
 * withheld message reached nobody and may be sent again unchanged.
 */

type SendCode = "SEND_DUPLICATE" | "SEND_SIMILAR" | "SEND_ONE_PER_STEP" | "SEND_COOLDOWN" | "PLACEHOLDER";

export type SendObjection =
  | { readonly act: "skip"; readonly verdict: Verdict<SendCode>; readonly stored: null }
  /** an answer that the person has: it counts as sent */
  | { readonly act: "reuse"; readonly verdict: Verdict<SendCode>; readonly stored: string };

type Message = CallRecord & { readonly message: MessageMark };
const isMessage = (call: CallRecord): call is Message => call.message !== undefined;

/** `sent`: of the session, to any place, the newest last. A message that is a copy of itself goes nowhere twice. */
export function checkSend(
  run: Pick<LiveRun, "loop" | "output" | "profile">,
  call: CallRecord,
  sent: readonly Sent[],
  now: { readonly step: number; readonly at: number },
): SendObjection | null {
  if (!isMessage(call)) return null;
  const { message, target, value } = call;
  const skip = (code: SendCode, rule: string, seqs: readonly number[], hint: string): SendObjection => {
    const evidence = { seqs, names: [call.tool] };
    return { act: "skip", verdict: { code, rule: `send.${rule}`, evidence, hint }, stored: null };
  };
  const { placeholders = [] } = message;
  if (placeholders.length > 0)
    return skip(
      "PLACEHOLDER",
      "placeholder",
      [],
      `This was not sent: ${placeholders.join(", ")} is to be filled in. Send it with the real words.`,
    );
  const delivered = run.loop.calls.filter(
    (one) => isMessage(one) && wasExecuted(one) && one.status !== "error",
  );
  const own = delivered.filter(isMessage).filter((one) => one.target === target);
  const copy = own.findLast((one) => one.value === value);
  if (copy !== undefined && message.kind === "final")
    return {
      act: "reuse",
      verdict: verdictOf("SEND_DUPLICATE", "copy", [copy.seq], "The person has this already."),
      stored: copy.id,
    };
  const recent = sent.filter((one) => one.to === target && now.at - one.at < SENDS_WINDOW_MS);
  if (copy !== undefined || recent.slice(-SENDS_STORED).some((one) => one.value === value))
    return skip(
      "SEND_DUPLICATE",
      "duplicate",
      copy === undefined ? [] : [copy.seq],
      "The same words were sent there already. Go on, or say what is new.",
    );
  if (message.kind === "final") return null;
  const inStep = own.findLast((one) => one.step === now.step);
  if (inStep !== undefined && !(inStep.message.kind === "ack" && message.kind !== "ack"))
    return skip(
      "SEND_ONE_PER_STEP",
      "step",
      [inStep.seq],
      "One message a step is enough. Go on with the work; what is left can stand in the next one.",
    );
  if (message.kind === "progress" && isPaced(run, now.at))
    return skip(
      "SEND_COOLDOWN",
      "capsule",
      [],
      "One word of progress in a quarter of an hour is enough. Go on with the goal, and keep this for the next one.",
    );
  const last = own.at(-1);
  if (last === undefined || message.kind === "question" || message.kind === "failure") return null;
  const isNew = hasNewsSince(run.loop, last.seq);
  const like = isNew ? null : alike(message, own, recent);
  if (like !== null)
    return skip(
      "SEND_SIMILAR",
      "similar",
      like,
      "This says nearly what was sent before. Do something new, then tell what came of it.",
    );
  return isNew ? null : cooldown(run, message, own, now.step, skip);
}

function verdictOf(code: SendCode, rule: string, seqs: readonly number[], hint: string): Verdict<SendCode> {
  return { code, rule: `send.${rule}`, evidence: { seqs }, hint };
}

const hasNewsSince = ({ calls }: LoopMemory, seq: number): boolean =>
  calls.some((one) => one.kind === "work" && one.status === "ok" && one.fresh && one.seq > seq);

/** Seqs of what it is like; null where it is like nothing. */
function alike(
  { words, chars }: MessageMark,
  own: readonly Message[],
  recent: readonly Sent[],
): readonly number[] | null {
  if (words === null) return null;
  const isLike = (other: readonly string[] | null, share: number): boolean =>
    other !== null && shareOf(words, other) >= share;
  const { last, share, chars: charsMin } = SENDS_ALIKE;
  if (
    chars >= charsMin &&
    recent.slice(-last).some((one) => one.chars >= charsMin && isLike(one.words, share))
  )
    return [];
  if (chars < SENDS_ALIKE_IN_RUN.chars) return null;
  const found = own
    .slice(-SENDS_ALIKE_IN_RUN.last)
    .findLast(({ message }) => isLike(message.words, SENDS_ALIKE_IN_RUN.share));
  return found === undefined ? null : [found.seq];
}

/** Shared words, of the larger of the two. */
function shareOf(a: readonly string[], b: readonly string[]): number {
  const most = Math.max(a.length, b.length);
  return most === 0 ? 0 : a.filter((word) => b.includes(word)).length / most;
}

/** Nothing was done since the last word to the person; a hard nudge asks for one all the same. */
function cooldown(
  { output }: Pick<LiveRun, "output">,
  { kind }: MessageMark,
  own: readonly Message[],
  step: number,
  skip: (code: SendCode, rule: string, seqs: readonly number[], hint: string) => SendObjection,
): SendObjection | null {
  const ack = own.find((one) => one.message.kind === "ack");
  if (kind === "ack" && ack !== undefined)
    return skip(
      "SEND_COOLDOWN",
      "second_ack",
      [ack.seq],
      "The person knows that you are at work. Tell them what came of it, when something has.",
    );
  const last = own.findLast((one) => one.message.kind !== "ack");
  if (step <= 1 || last === undefined || step - last.step >= SEND_COOLDOWN_STEPS) return null;
  if (kind === "progress" && output.lastMessage.nudged === "NUDGE_HARD") return null;
  return skip(
    "SEND_COOLDOWN",
    "cooldown",
    [last.seq],
    "Nothing was done since the last message. Go on with the work, then tell what came of it.",
  );
}

/** In a time capsule, whether the person has had a word of progress a short while ago. */
export function isPaced({ profile, output }: Pick<LiveRun, "profile" | "output">, at: number): boolean {
  const { progressAt } = output.lastMessage;
  return profile === "time_capsule" && progressAt !== undefined && at - progressAt < CAPSULE_PROGRESS_MS;
}

/**
 * Withholds a heartbeat message without news, or too soon after another to the same target. Returns null if it may be
 * sent; otherwise the message is stored as a note.
 */
export function checkHeartbeatSend(
  { loop, request }: Pick<LiveRun, "loop" | "request">,
  call: { readonly call: string },
  sent: readonly Sent[],
  at: number,
): Verdict<"AUTONOMY_DENY"> | null {
  const entry = loop.calls.find((one) => one.id === call.call);
  if (request.source !== "heartbeat" || entry === undefined || !isMessage(entry)) return null;
  const deny = (rule: string, seqs: readonly number[]): Verdict<"AUTONOMY_DENY"> => ({
    code: "AUTONOMY_DENY",
    rule: `heartbeat.${rule}`,
    evidence: { seqs, names: [entry.tool] },
    hint: WITHHELD_HINT,
  });
  const delivered = loop.calls.findLast(
    (one) => isMessage(one) && wasExecuted(one) && one.status !== "error",
  );
  if (!hasNewsSince(loop, delivered?.seq ?? 0))
    return deny("no_news", delivered === undefined ? [] : [delivered.seq]);
  const last = sent.findLast((one) => one.heartbeat === true && one.to === entry.target);
  return last !== undefined && at - last.at < HEARTBEAT_SEND_MS ? deny("too_soon", []) : null;
}
