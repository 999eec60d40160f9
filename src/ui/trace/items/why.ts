import type { BodyOf } from "../../../core/log/entry.ts";
import type { Event } from "../../../wire/views.ts";
import { endSentence } from "../ends.ts";
import {
  GUARD_WORDS,
  guardWords,
  lowerFirst,
  MODEL_ERROR_WORDS,
  oneLine,
  QUOTE_CHARS,
  TOOL_ERROR_WORDS,
  unstopped,
} from "./words.ts";

/** Why a run stopped, waits or works on, and why a call was not run: one sentence each, from the log alone. */

export interface Why {
  readonly tone: "plain" | "good" | "bad" | "waits";
  readonly sentence: string;
  /** when what it waits for is over by itself; ISO 8601 */
  readonly until: string | null;
}

/** Of one run, by its rows in their order. `now`: milliseconds since the epoch. */
export function whyOf(rows: readonly Event[], now: number): Why {
  const ended = rows.findLast((row) => row.kind === "run_ended");
  if (ended !== undefined) return whyEnded(ended.body, rows);
  if (!rows.some((row) => row.kind === "run_started"))
    return { tone: "waits", sentence: "It waits for its turn: another run is at work.", until: null };
  const stopped = rows.findLast((row) => row.kind === "command_queued" && row.body.command === "cancel");
  if (stopped?.kind === "command_queued")
    return {
      tone: "waits",
      sentence: `${stopped.body.actor} stops it: it ends as soon as what runs allows.`,
      until: null,
    };
  return whyWaiting(rows, now) ?? { tone: "plain", sentence: whyWorking(rows), until: null };
}

/** What is waited for now; null while a model or a tool works. */
function whyWaiting(rows: readonly Event[], now: number): Why | null {
  const asked = openApproval(rows);
  if (asked !== null) {
    const { title, needed, approvers } = asked.body;
    const who =
      asked.votes > 0
        ? `${asked.votes} of ${needed} people have said yes to`
        : needed > 1
          ? `It waits for ${needed} people's yes:`
          : "It waits for a person's yes:";
    const more = asked.votes > 0 ? ", and it waits for the others" : "";
    const others = asked.escalated
      ? `; nobody decided in time, so it is asked of ${approvers.join(", ")} too`
      : "";
    return {
      tone: "waits",
      sentence: `${who} ${unstopped(title)}${more}${others}.`,
      until: iso(asked.expiresAt),
    };
  }
  const question = rows.findLast((row) => row.kind === "human_asked" || row.kind === "human_answered");
  if (question?.kind === "human_asked") {
    const { text, call, expiresAt } = question.body;
    const why = call === null ? "It repeats itself, so it asks what to do" : "It waits for an answer";
    return { tone: "waits", sentence: `${why}: “${oneLine(text, QUOTE_CHARS)}”`, until: iso(expiresAt) };
  }
  const last = rows.findLast(
    (row) => row.kind !== "user_said" && row.kind !== "command_queued" && row.kind !== "policy_revoked",
  );
  if (last?.kind === "model_failed" && last.body.until !== null && now < last.body.until) {
    const why = `${lowerFirst(MODEL_ERROR_WORDS[last.body.class])} (${unstopped(last.body.message)})`;
    return {
      tone: "waits",
      sentence: `It waits before it asks the model again: ${why}.`,
      until: iso(last.body.until),
    };
  }
  if (last?.kind === "verdict" && last.body.until !== null && now < last.body.until) {
    const { code, call, hint, until } = last.body;
    const title = call === null ? null : titleOf(rows, call);
    const sentence =
      code === "RETRY_LATER"
        ? `It waits before it tries “${title}” again: ${lowerFirst(unstopped(hint))}.`
        : `It waits: ${lowerFirst(unstopped(code === "POLL_TOO_SOON" ? hint : guardWords(code)))}.`;
    return { tone: "waits", sentence, until: iso(until) };
  }
  return null;
}

const iso = (at: number): string => new Date(at).toISOString();

/** The approval that nobody has decided yet, with who may decide it now. */
function openApproval(rows: readonly Event[]) {
  const asked = rows.findLast((row) => row.kind === "approval_requested");
  if (asked?.kind !== "approval_requested" || asked.body.policy !== undefined) return null;
  const { approval, needed } = asked.body;
  let { approvers, expiresAt, digest } = asked.body;
  let voters: readonly string[] = [];
  let escalated = false;
  for (const row of rows) {
    if (row.seq <= asked.seq || !("approval" in row.body) || row.body.approval !== approval) continue;
    if (row.kind === "approval_decided" || row.kind === "approval_cancelled") return null;
    if (row.kind === "approval_voted") {
      voters = row.body.digest === digest ? [...voters, row.body.actor] : [row.body.actor];
      digest = row.body.digest;
    }
    if (row.kind === "approval_escalated") {
      escalated = true;
      approvers = row.body.approvers;
      expiresAt = row.body.expiresAt;
    }
  }
  return { body: { ...asked.body, approvers, needed }, votes: voters.length, escalated, expiresAt };
}

function whyWorking(rows: readonly Event[]): string {
  const settled = new Set(rows.flatMap((row) => (row.kind === "call_settled" ? [row.body.call] : [])));
  const running = rows.flatMap((row) =>
    row.kind === "call_intended" && !settled.has(row.body.call) ? [titleOf(rows, row.body.call)] : [],
  );
  if (running.length > 0)
    return `It works: “${[...new Set(running)].join("”, “")}” ${running.length > 1 ? "run" : "runs"}.`;
  const step = rows.findLast((row) => row.kind === "step_started");
  if (step?.kind !== "step_started") return "It works: it has just begun.";
  const final = step.body.purpose === "final" ? " for its closing answer" : "";
  return `It works: the model is asked${final} (step ${step.body.n}).`;
}

/** The title of a call's tool, as its reply proposed it; the name of the call where that is not among the rows. */
export function titleOf(rows: readonly Event[], call: string): string {
  for (const row of rows) {
    if (row.kind !== "model_replied") continue;
    const found = row.body.calls.find((each) => each.call === call);
    if (found !== undefined) return found.title;
  }
  return call;
}

const TONES: Readonly<Record<BodyOf<"run_ended">["class"], Why["tone"]>> = {
  answered: "good",
  partial: "waits",
  failed: "bad",
  cancelled: "plain",
};

function whyEnded(ended: BodyOf<"run_ended">, rows: readonly Event[]): Why {
  return { tone: TONES[ended.class], sentence: endSentence(ended, rows), until: null };
}

/** Why a call did not do what was asked; null where it did. */
export function whyNotDone({ status, failure, skip }: BodyOf<"call_settled">): string | null {
  switch (status) {
    case "ok":
      return null;
    case "denied":
      return failure?.code === "approval_expired"
        ? "Not run: nobody decided in time."
        : `Not run: ${failure === null ? "a person said no" : unstopped(failure.message)}.`;
    case "cancelled":
      return "Not run to its end: the run was stopped.";
    case "unknown":
      return failure === null ? "Nobody knows whether it took effect." : `${unstopped(failure.message)}.`;
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
