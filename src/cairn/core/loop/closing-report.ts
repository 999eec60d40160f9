import { startOf } from "../text/cut.ts";
import { shortened } from "../text/cut.ts";
import { reviewCallsOf } from "../guards/review/evidence.ts";
import { isOpen, type ReviewItem, isWork, type ReviewCall } from "../guards/review/subject.ts";
import { FOUND_TITLES_MAX, MECHANICAL_ANSWER_CHARS_MAX } from "../limits.ts";
import type { Entry, EntryDraft, Outcome } from "../log/entry.ts";
import { isObject, type Json } from "../log/json.ts";
import type { ModelErrorClass } from "../log/model.ts";
import { readOutput } from "../state/call-digest.ts";
import type { LiveRun } from "../state/state.ts";
import { causeWords } from "../text/cause-words.ts";
import { readMarker } from "../text/markers.ts";

/**
 * The mechanical answer: findings, open items, the cause, and the person's options. The receipt above it, on every
 * interface, lists the actions. The text never claims success, uses no model, and has at most
 * MECHANICAL_ANSWER_CHARS_MAX characters; the person's options are never cut. `plan`: the items of the run's plan, if
 * it has one.
 */
export function closingText(
  run: LiveRun,
  entries: readonly EntryDraft[],
  failures: readonly Failed[],
  outcome: Outcome,
  reason: string,
  plan: readonly ReviewItem[] = [],
): string {
  const lines: string[] = [headline(run, failures, outcome, reason)];
  const held = heldText(run, entries);
  if (held !== "") lines.push(held);
  const found = foundBy(reviewCallsOf(run.run, entries));
  if (found.length > 0) lines.push(`Found: ${found.join("; ")}.`);
  const items = plan.filter(isOpen).map((item) => item.text.replace(/[.\s]+$/u, ""));
  const undone = items.slice(0, UNDONE_MAX);
  if (undone.length > 0) lines.push(`Not done: ${undone.join("; ")}.`);
  return withEnd(lines.filter((line) => line !== "").join("\n\n"), advice(failures, outcome, reason));
}

/** open items that are named */
const UNDONE_MAX = 5;
/** names of one finding */
const NAMES_MAX = 3;
const NAME_CHARS_MAX = 60;

/** Returns the newest substantive results of reads, each by the names that it found. */
function foundBy(calls: readonly ReviewCall[]): readonly string[] {
  const reads = calls.filter((call) => isWork(call) && call.effect === "read" && call.status === "ok");
  const results = reads.toReversed().flatMap(({ title, result, things }) => {
    const names = titlesIn(readOutput(result)) ?? things.map((thing) => thing.name);
    return names.length === 0 ? [] : [withNames(title, names)];
  });
  return [...new Set(results)].slice(0, FOUND_TITLES_MAX);
}

/** Titles of what a result lists; null where it is no such list. */
function titlesIn(value: Json): readonly string[] | null {
  const list = Array.isArray(value) ? value : Object.values(value ?? {}).find((one) => Array.isArray(one));
  if (!Array.isArray(list)) return null;
  const titles = list.flatMap((one: Json) => {
    const text = isObject(one) ? (one["title"] ?? one["name"]) : null;
    return typeof text === "string" && text !== "" ? [text] : [];
  });
  return titles.length === 0 ? null : titles;
}

function withNames(title: string, names: readonly string[]): string {
  const shown = [...new Set(names)].slice(0, NAMES_MAX).map((name) => `“${startOf(name, NAME_CHARS_MAX)}”`);
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : "";
  return `${title}: ${shown.join(", ")}${more}`;
}

function withEnd(text: string, end: string): string {
  const limit = MECHANICAL_ANSWER_CHARS_MAX - (end === "" ? 0 : end.length + 2);
  const cut = shortened(text, limit);
  return end === "" ? cut : `${cut}\n\n${end}`;
}

function heldText(run: LiveRun, entries: readonly EntryDraft[]): string {
  const entry = entries.find((entry) => "seq" in entry && entry.seq === run.output.latestText);
  if (entry?.kind !== "model_replied") return "";
  const text = entry.body.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return startOf(readMarker(text).shown.trim(), 500);
}

export interface Failed {
  readonly model: string;
  readonly class: ModelErrorClass;
  readonly message: string;
}

/** Every model of the run that was given up, in the order in which they were tried, with its last failure. */
export function failuresOf(run: LiveRun, entries: readonly Entry[]): Failed[] {
  const queued = entries.find((entry) => entry.kind === "run_queued" && entry.run === run.run);
  const models = queued?.kind === "run_queued" ? [queued.body.model, ...queued.body.fallbacks] : [];
  const given = entries.flatMap((entry) =>
    entry.kind === "model_failed" && entry.run === run.run && entry.body.then !== "retry" ? [entry.body] : [],
  );
  return given.map(({ class: failed, message }, index) => ({
    model: models[index] ?? run.models.current,
    class: failed,
    message,
  }));
}

function headline(run: LiveRun, failures: readonly Failed[], outcome: Outcome, reason: string): string {
  if (outcome === "cancelled") {
    const why = run.cancel?.reason ? `: ${run.cancel.reason}` : "";
    return `Stopped${run.cancel === null ? "" : ` by ${run.cancel.actor}`}${why}.`;
  }
  if (outcome === "expired") return "Nobody answered my question in time, so I stopped here.";
  if (outcome === "superseded") return "Stopped, because a newer message replaced this one.";
  if (reason.startsWith("provider:") && failures.length > 1) {
    const each = failures.map((failure) => `- ${failure.model}: ${failure.message}`);
    return ["None of the models answered.", ...each].join("\n");
  }
  if (reason.startsWith("provider:"))
    return `The model gave no answer. ${failures[0]?.message ?? `(${reason.slice(9)})`}`;
  if (outcome === "denied")
    return "You are not permitted to do this here. Someone with permission can have it done.";
  const cause = causeWords(reason);
  return cause === null
    ? "I could not bring this to an end."
    : `This run ended without an answer of the model, because ${cause}.`;
}

function advice(failures: readonly Failed[], outcome: Outcome, reason: string): string {
  if (outcome === "cancelled" || outcome === "superseded" || outcome === "denied") return "";
  if (reason.startsWith("provider:") && failures.some((failure) => failure.class === "auth"))
    return "Check the model's key in the configuration, then ask again.";
  if (reason === "provider:bad_request" || reason === "provider:no_reasoning")
    return "The provider refuses something that this conversation holds. Start a new session, or ask again with another model. An operator finds the refused field in the events of this run.";
  // Asking again would send the same conversation again, and more.
  if (reason === "context") return "Start a new session to go on, and ask for less at once.";
  return "Try again, or open the trace for details.";
}
