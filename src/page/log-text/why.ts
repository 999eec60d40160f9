import { oneLine } from "../parts/one-line.ts";
import type { BodyOf } from "../../cairn/core/log/entry.ts";
import type { Event } from "../../cairn/protocol/views.ts";
import { endSentence } from "./ends.ts";
import {
  objectiveIn,
  GUARD_WORDS,
  guardWords,
  lowerFirst,
  MODEL_ERROR_WORDS,
  QUOTE_CHARS,
  TOOL_ERROR_WORDS,
  unstopped,
} from "./codes.ts";

/** Why a run stopped, waits or works on, and why a call was not run: one sentence each, from the log alone. */

export interface Why {
  readonly tone: "plain" | "good" | "bad" | "waits";
  readonly sentence: string;
  /** when what it waits for is over by itself; ISO 8601 */
  readonly until: string | null;
}

/** Explains the state of one run from its entries in order. `now`: milliseconds since the epoch. */
export function whyOf(entries: readonly Event[], now: number): Why {
  const ended = entries.findLast((entry) => entry.kind === "run_ended");
  if (ended !== undefined) return whyEnded(ended.body, entries);
  if (!entries.some((entry) => entry.kind === "run_started"))
    return { tone: "waits", sentence: "Queued: another run is in progress.", until: null };
  const stopped = entries.findLast(
    (entry) => entry.kind === "command_queued" && entry.body.command === "cancel",
  );
  if (stopped?.kind === "command_queued")
    return {
      tone: "waits",
      sentence: `${stopped.body.actor} stopped it: it ends after the current action.`,
      until: null,
    };
  return whyWaiting(entries, now) ?? { tone: "plain", sentence: whyWorking(entries), until: null };
}

/** The reason why the run waits now; null while a model or a tool works. */
function whyWaiting(entries: readonly Event[], now: number): Why | null {
  const approval = openApproval(entries);
  if (approval !== null) {
    const { title, needed, approvers } = approval.body;
    const who =
      approval.votes > 0
        ? `${approval.votes} of ${needed} people have approved`
        : needed > 1
          ? `Needs ${needed} approvals:`
          : "Needs approval:";
    const more = approval.votes > 0 ? ", waiting for the others" : "";
    const others = approval.escalated
      ? `; nobody decided in time, so it is asked of ${approvers.join(", ")} too`
      : "";
    return {
      tone: "waits",
      sentence: `${who} ${unstopped(title)}${more}${others}.`,
      until: iso(approval.expiresAt),
    };
  }
  const question = entries.findLast(
    (entry) => entry.kind === "human_asked" || entry.kind === "human_answered",
  );
  if (question?.kind === "human_asked") {
    const { text, call, expiresAt } = question.body;
    const why = call === null ? "It keeps repeating itself, so it asks what to do" : "Needs an answer";
    return { tone: "waits", sentence: `${why}: “${oneLine(text, QUOTE_CHARS)}”`, until: iso(expiresAt) };
  }
  const client = entries.findLast(({ kind }) => kind === "client_asked" || kind === "client_answered");
  if (client?.kind === "client_asked") {
    const { tool, expiresAt } = client.body;
    const sentence = `Waits for the page that brought ${tool}: it runs there.`;
    return { tone: "waits", sentence, until: iso(expiresAt) };
  }
  const last = entries.findLast(
    (entry) =>
      entry.kind !== "user_message" &&
      (entry.kind !== "command_queued" || entry.body.command === "retry_now") &&
      entry.kind !== "policy_revoked",
  );
  if (last?.kind === "model_failed" && last.body.until !== null && now < last.body.until) {
    const why = `${lowerFirst(MODEL_ERROR_WORDS[last.body.class])} (${unstopped(last.body.message)})`;
    return {
      tone: "waits",
      sentence: `Waiting before the model is asked again: ${why}.`,
      until: iso(last.body.until),
    };
  }
  if (last?.kind === "verdict" && last.body.until !== null && now < last.body.until) {
    const { code, call, hint, until } = last.body;
    const title = call === null ? null : titleOf(entries, call);
    const sentence =
      code === "RETRY_LATER"
        ? `Waiting before “${title}” is tried again: ${lowerFirst(unstopped(hint))}.`
        : `Waiting: ${lowerFirst(unstopped(code === "POLL_TOO_SOON" ? hint : guardWords(code)))}.`;
    return { tone: "waits", sentence, until: iso(until) };
  }
  return null;
}

const iso = (at: number): string => new Date(at).toISOString();

/** The undecided approval, with the people who may decide it now. */
function openApproval(entries: readonly Event[]) {
  const requested = entries.findLast((entry) => entry.kind === "approval_requested");
  if (requested?.kind !== "approval_requested" || requested.body.policy !== undefined) return null;
  const { approval, needed } = requested.body;
  let { approvers, expiresAt, digest } = requested.body;
  let voters: readonly string[] = [];
  let escalated = false;
  for (const entry of entries) {
    if (entry.seq <= requested.seq || !("approval" in entry.body) || entry.body.approval !== approval)
      continue;
    if (entry.kind === "approval_decided" || entry.kind === "approval_cancelled") return null;
    if (entry.kind === "approval_voted") {
      voters = entry.body.digest === digest ? [...voters, entry.body.actor] : [entry.body.actor];
      digest = entry.body.digest;
    }
    if (entry.kind === "approval_escalated") {
      escalated = true;
      approvers = entry.body.approvers;
      expiresAt = entry.body.expiresAt;
    }
  }
  return { body: { ...requested.body, approvers, needed }, votes: voters.length, escalated, expiresAt };
}

function whyWorking(entries: readonly Event[]): string {
  const settled = new Set(
    entries.flatMap((entry) => (entry.kind === "call_settled" ? [entry.body.call] : [])),
  );
  const started = new Set(
    entries.flatMap((entry) => (entry.kind === "call_deferred" ? [entry.body.call] : [])),
  );
  const running = entries.flatMap((entry) =>
    entry.kind === "call_intended" && !settled.has(entry.body.call) && !started.has(entry.body.call)
      ? [titleOf(entries, entry.body.call)]
      : [],
  );
  if (running.length > 0)
    return `Working: “${[...new Set(running)].join("”, “")}” ${running.length > 1 ? "run" : "runs"}.`;
  const below = objectivesAtWork(entries);
  if (below.length > 0)
    return `Waiting for ${below.length === 1 ? "a sub-run" : `${below.length} sub-runs`}: “${below.join("”, “")}”.`;
  const step = entries.findLast((entry) => entry.kind === "step_started");
  if (step?.kind !== "step_started") return "Working: just started.";
  const final = step.body.purpose === "final" ? " for its closing answer" : "";
  return `Working: the model is asked${final} (step ${step.body.n}).`;
}

/** The objectives of unfinished runs that this run has started, if nothing else of it is running. */
function objectivesAtWork(entries: readonly Event[]): readonly string[] {
  const open = new Map<string, string>();
  let works = false;
  for (const { kind, body } of entries) {
    if (kind === "call_deferred") open.set(body.child, objectiveOf(entries, body.call));
    if (kind === "child_reported" || kind === "child_stopped") open.delete(body.child);
    // With its reply, and the start of each, a step has done its part; the next one begins anew.
    if (kind === "step_started") works = true;
    if (kind === "model_replied") works = false;
  }
  return works ? [] : [...open.values()];
}

const objectiveOf = (entries: readonly Event[], call: string): string =>
  objectiveIn(proposedOf(entries, call)?.input ?? null);

/** The title of a call's tool, as its reply proposed it; the name of the call where that is not among the entries. */
export const titleOf = (entries: readonly Event[], call: string): string =>
  proposedOf(entries, call)?.title ?? call;

function proposedOf(entries: readonly Event[], call: string) {
  for (const entry of entries) {
    if (entry.kind !== "model_replied") continue;
    const found = entry.body.calls.find((each) => each.call === call);
    if (found !== undefined) return found;
  }
  return null;
}

const TONES: Readonly<Record<BodyOf<"run_ended">["class"], Why["tone"]>> = {
  answered: "good",
  partial: "waits",
  failed: "bad",
  cancelled: "plain",
};

function whyEnded(ended: BodyOf<"run_ended">, entries: readonly Event[]): Why {
  return { tone: TONES[ended.class], sentence: endSentence(ended, entries), until: null };
}

/** Why a call did not do what was asked; null where it did. */
export function whyNotDone({ status, failure, skip }: BodyOf<"call_settled">): string | null {
  switch (status) {
    case "ok":
      return null;
    case "denied":
      return failure?.code === "approval_expired"
        ? "Not run: nobody decided in time."
        : `Not run: ${failure === null ? "a person declined" : unstopped(failure.message)}.`;
    case "cancelled":
      return "Not run to its end: the run was stopped.";
    case "unknown":
      return failure === null ? "Unknown whether it took effect." : `${unstopped(failure.message)}.`;
    case "refused":
      if (skip !== undefined && GUARD_WORDS[skip] !== undefined)
        return `Not run: ${lowerFirst(guardWords(skip))}.`;
      return failure === null ? "Not run." : `Not run: ${lowerFirst(unstopped(failure.message))}.`;
    case "error":
      return failure === null
        ? "It failed."
        : `It failed: ${lowerFirst(unstopped(failure.message))} (${TOOL_ERROR_WORDS[failure.class]}).`;
  }
}
