import type { Entry, EntryDraft, Outcome } from "./entries.ts";
import { effectsOf, foundBy } from "./honest-facts.ts";
import { isOpen, type ReviewItem } from "./guard/open-items.ts";
import { MECHANICAL_ANSWER_CHARS_MAX } from "./limits.ts";
import { readMarker } from "./marker.ts";
import type { ModelErrorClass } from "./model.ts";
import type { LiveRun } from "./state.ts";

/**
 * What was found, done and not done, why, and what the person can do (guards 7.4). Never claims success, asks no model, and
 * has at most MECHANICAL_ANSWER_CHARS_MAX characters; what the person can do is never what is cut. `plan`: the items of the
 * run's plan, if it has one. `open`: lines of a review that was refused too often.
 */
export function honestText(
  run: LiveRun,
  rows: readonly EntryDraft[],
  failures: readonly Failed[],
  outcome: Outcome,
  reason: string,
  plan: readonly ReviewItem[] = [],
  open: readonly string[] = [],
): string {
  const lines: string[] = [headline(run, failures, outcome, reason)];
  const held = heldText(run, rows);
  if (held !== "") lines.push(held);
  const { done, failed, unknown } = effectsOf(run.run, rows);
  const found = foundBy(run.run, rows);
  if (found.length > 0) lines.push(`Found: ${found.join("; ")}.`);
  if (done.length > 0) lines.push(`Done: ${done.join("; ")}.`);
  const items = plan.filter(isOpen).map((item) => item.text.replace(/[.\s]+$/u, ""));
  const undone = [...new Set([...items.slice(0, UNDONE_MAX), ...failed.slice(-UNDONE_MAX), ...open])];
  if (undone.length > 0) lines.push(`Not done: ${undone.join("; ")}.`);
  if (unknown.length > 0) {
    lines.push(
      `It is not known whether this happened, so look before you ask for it again: ${unknown.join("; ")}.`,
    );
  }
  return withEnd(lines.filter((line) => line !== "").join("\n\n"), advice(failures, outcome, reason));
}

/** open items and failures that are named, of each */
const UNDONE_MAX = 5;

function withEnd(text: string, end: string): string {
  const room = MECHANICAL_ANSWER_CHARS_MAX - (end === "" ? 0 : end.length + 2);
  const cut = text.length <= room ? text : `${text.slice(0, room - 1).replace(/[\uD800-\uDBFF]$/u, "")}…`;
  return end === "" ? cut : `${cut}\n\n${end}`;
}

function heldText(run: LiveRun, rows: readonly EntryDraft[]): string {
  const row = rows.find((entry) => "seq" in entry && entry.seq === run.held);
  if (row?.kind !== "model_replied") return "";
  const text = row.body.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return readMarker(text).shown.trim().slice(0, 500);
}

export interface Failed {
  readonly model: string;
  readonly class: ModelErrorClass;
  readonly message: string;
}

/** Every model of the run that was given up, in the order in which they were tried, with its last failure. */
export function failuresOf(run: LiveRun, rows: readonly Entry[]): Failed[] {
  const queued = rows.find((row) => row.kind === "run_queued" && row.run === run.run);
  const models = queued?.kind === "run_queued" ? [queued.body.model, ...queued.body.fallbacks] : [];
  const given = rows.flatMap((row) =>
    row.kind === "model_failed" && row.run === run.run && row.body.then !== "retry" ? [row.body] : [],
  );
  return given.map(({ class: failed, message }, index) => ({
    model: models[index] ?? run.model,
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
    return "What you ask for is not permitted to you here. Someone with the right to it can have it done.";
  if (reason === "guard_error") return "Checks of the runtime failed too often to go on.";
  if (reason === "context") return "This conversation has grown too large for the model.";
  if (reason === "recovery_exhausted") return "The work was interrupted too often to go on.";
  if (reason.startsWith("budget:"))
    return "The limits of this run are spent, and the model gave no closing answer.";
  if (reason.startsWith("review:"))
    return "I stopped here, because my answers did not hold up against what was really done.";
  return "I could not bring this to an end.";
}

function advice(failures: readonly Failed[], outcome: Outcome, reason: string): string {
  if (outcome === "cancelled" || outcome === "superseded" || outcome === "denied") return "";
  if (reason.startsWith("provider:") && failures.some((failure) => failure.class === "auth"))
    return "Check the model's key in the configuration, then ask again.";
  // Asking again would send the same conversation again, and more.
  if (reason === "context") return "Start a new session to go on, and ask for less at once.";
  return "Ask again to go on from here, or look at the events of this run for the details.";
}
