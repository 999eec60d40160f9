import { ownValue } from "../../cairn/core/log/json.ts";
import { oneLine } from "../parts/one-line.ts";
import type { BodyOf, Limits, Outcome } from "../../cairn/core/log/entry.ts";
import { causeWords } from "../../cairn/core/text/cause-words.ts";
import type { Event } from "../../cairn/protocol/views.ts";
import {
  GUARD_WORDS,
  guardWords,
  lowerFirst,
  MODEL_ERROR_WORDS,
  QUOTE_CHARS,
  unstopped,
  upperFirst,
} from "./codes.ts";

/** Why a run ended as it did: one sentence, from its entries. */

/** Outcome texts that follow a reason: `…, so <this>`. */
const SO: Readonly<Record<Outcome, string>> = {
  completed: "it answered",
  completed_partial: "it gave a partial answer",
  failed_budget: "it ended without an answer from the model",
  failed_stuck: "it ended without a usable answer",
  failed_invalid_output: "it ended without a usable answer",
  failed_review: "it ended with a list of open items",
  failed_provider: "it ended without an answer",
  failed_auth: "it ended without an answer",
  failed_internal: "it ended without an answer",
  denied: "it ended",
  expired: "it ended",
  cancelled: "it ended",
  superseded: "it ended",
  skipped: "nothing was done",
};

/** The current limits of the run: initial, or from the last extension. */
export function limitsOf(entries: readonly Event[]): Limits | null {
  const reason = entries.flatMap((entry) =>
    (entry.kind === "run_started" || entry.kind === "verdict" || entry.kind === "command_queued") &&
    entry.body.limits !== undefined
      ? [entry.body.limits]
      : [],
  );
  return reason.at(-1) ?? null;
}

/** Calls that were refused, denied or failed, or whose outcome is unknown. */
export const notDone = (entries: readonly Event[]): number =>
  entries.filter(
    ({ kind, body }) => kind === "call_settled" && body.status !== "ok" && body.status !== "cancelled",
  ).length;

export function endSentence(ended: BodyOf<"run_ended">, entries: readonly Event[]): string {
  const { outcome, reason, steps } = ended;
  if (outcome === "cancelled") return stopSentence(reason, entries);
  if (outcome === "superseded") return "It was stopped, because a newer message took its place.";
  if (outcome === "skipped") return `It was not run${reason === null ? "" : `: ${unstopped(reason)}`}.`;
  const missed = notDone(entries);
  const but = missed === 0 ? "" : `; ${missed} of its calls ${missed === 1 ? "was" : "were"} not done`;
  if (outcome !== "completed" || reason !== null)
    return `${causeOf(reason, entries)}, so ${SO[outcome]}${but}.`;
  const back = entries.filter((entry) => entry.kind === "review" && !entry.body.accept).length;
  const review =
    back === 0
      ? "The answer passed its check"
      : `The answer passed its check after ${back === 1 ? "one rejected draft" : `${back} rejected drafts`}`;
  return `Answered in ${steps} ${steps === 1 ? "step" : "steps"}. ${review}${but}.`;
}

function stopSentence(reason: string | null, entries: readonly Event[]): string {
  const stop = entries.findLast(
    (entry) => entry.kind === "command_queued" && entry.body.command === "cancel",
  );
  const who = stop?.kind === "command_queued" ? `${stop.body.actor} stopped it` : "It was stopped";
  if (reason === "cleared") return `${who} by clearing the conversation.`;
  const why = reason === null || reason === "cancelled" ? "" : `: “${oneLine(reason, QUOTE_CHARS)}”`;
  return `${who}${why}.`;
}

/** The reason of an end or of a forced answer, as a clause. */
function causeOf(reason: string | null, entries: readonly Event[]): string {
  const [family = "", rest = ""] = splitOnce(reason ?? "");
  switch (family) {
    case "budget":
      return `${upperFirst(causeWords(reason) ?? family)}${limitText(rest, entries)}`;
    case "provider":
      return providerCause(rest, entries);
    case "review":
      return `${upperFirst(causeWords(family) ?? family)} (${guardWords(rest)})`;
    case "stopWhen":
      return `${upperFirst(causeWords(family) ?? family)} (${rest})`;
    case "invalid_output":
      return entries.some((entry) => entry.kind === "verdict" && entry.body.code === "REPLY_CUT_AGAIN")
        ? "The model's replies were cut off by their length limit"
        : upperFirst(causeWords(family) ?? family);
    default:
      return upperFirst(
        causeWords(reason) ??
          GUARD_WORDS[family.toUpperCase()] ??
          (family === "" ? "It could not be brought to an end" : `It stopped by “${reason}”`),
      );
  }
}

function splitOnce(text: string): readonly string[] {
  const at = text.indexOf(":");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** ` (15 of 15)` of the steps; the totals show the other amounts. */
function limitText(what: string, entries: readonly Event[]): string {
  if (what !== "steps") return "";
  const used = entries.filter(
    (entry) => entry.kind === "step_started" && entry.body.purpose === "step",
  ).length;
  const limits = limitsOf(entries);
  if (limits === null) return "";
  return ` (${used} of ${limits.steps}${used < limits.steps ? ", one of them kept for the answer" : ""})`;
}

function providerCause(rest: string, entries: readonly Event[]): string {
  if (rest === "model_down") return upperFirst(causeWords("provider:model_down") ?? rest);
  const failed = entries.findLast((entry) => entry.kind === "model_failed");
  const models = new Set(
    entries.flatMap((entry) =>
      entry.kind === "model_failed" && entry.body.model !== undefined ? [entry.body.model] : [],
    ),
  );
  const reason = failed?.kind === "model_failed" ? `: ${lowerFirst(unstopped(failed.body.message))}` : "";
  const known = ownValue(MODEL_ERROR_WORDS as Readonly<Record<string, string>>, rest) ?? rest;
  return models.size > 1
    ? `None of its ${models.size} models answered (${known}${reason})`
    : `The model gave no answer (${known}${reason})`;
}
