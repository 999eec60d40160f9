import type { Entry, EntryDraft, Outcome } from "./entries.ts";
import { MECHANICAL_ANSWER_CHARS_MAX } from "./limits.ts";
import { readMarker } from "./marker.ts";
import type { ModelErrorClass } from "./model.ts";
import type { LiveRun } from "./state.ts";

/** Done, not done, why, and what the person can do. Never claims success. */
export function honestText(
  run: LiveRun,
  rows: readonly EntryDraft[],
  failures: readonly Failed[],
  outcome: Outcome,
  reason: string,
): string {
  const lines: string[] = [headline(run, failures, outcome, reason)];
  const held = heldText(run, rows);
  if (held !== "") lines.push(held);
  const { done, failed, unknown } = effectsOf(run, rows);
  if (done.length > 0) lines.push(`Done: ${done.join("; ")}.`);
  if (failed.length > 0) lines.push(`Not done: ${failed.slice(-5).join("; ")}.`);
  if (unknown.length > 0) {
    lines.push(
      `It is not known whether this happened, so look before you ask for it again: ${unknown.join("; ")}.`,
    );
  }
  lines.push(advice(failures, outcome, reason));
  return lines
    .filter((line) => line !== "")
    .join("\n\n")
    .slice(0, MECHANICAL_ANSWER_CHARS_MAX);
}

/** What the calls of the run came to. A failure that a later call of the same tool has mended is no news. */
function effectsOf(
  run: LiveRun,
  rows: readonly EntryDraft[],
): {
  readonly done: readonly string[];
  readonly failed: readonly string[];
  readonly unknown: readonly string[];
} {
  const titles = new Map<string, { title: string; effect: string }>();
  const done: string[] = [];
  const unknown: string[] = [];
  let failed: { tool: string; text: string }[] = [];
  for (const row of rows) {
    if (row.run !== run.run) continue;
    if (row.kind === "model_replied") for (const call of row.body.calls) titles.set(call.call, call);
    if (row.kind !== "call_settled") continue;
    const { tool, status, failure } = row.body;
    const { title, effect } = titles.get(row.body.call) ?? { title: tool, effect: "read" };
    if (status === "ok") {
      failed = failed.filter((other) => other.tool !== tool);
      if (effect !== "read") done.push(title);
    } else if (status === "unknown") unknown.push(title);
    else if (status !== "cancelled")
      failed.push({ tool, text: `${title}: ${failure?.message.slice(0, 150) ?? status}` });
  }
  return { done, failed: failed.map((one) => one.text), unknown };
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
  if (outcome === "superseded") return "Stopped, because a newer message replaced this one.";
  if (reason.startsWith("provider:") && failures.length > 1) {
    const each = failures.map((failure) => `- ${failure.model}: ${failure.message}`);
    return ["None of the models answered.", ...each].join("\n");
  }
  if (reason.startsWith("provider:"))
    return `The model gave no answer. ${failures[0]?.message ?? `(${reason.slice(9)})`}`;
  if (reason === "recovery_exhausted") return "The work was interrupted too often to go on.";
  if (reason.startsWith("budget:"))
    return "The limits of this run are spent, and the model gave no closing answer.";
  return "I could not bring this to an end.";
}

function advice(failures: readonly Failed[], outcome: Outcome, reason: string): string {
  if (outcome === "cancelled" || outcome === "superseded") return "";
  if (reason.startsWith("provider:") && failures.some((failure) => failure.class === "auth"))
    return "Check the model's key in the configuration, then ask again.";
  // Asking again would send the same conversation again, and more.
  if (reason === "provider:context_overflow")
    return "Start a new session to go on, and ask for less at once.";
  return "Ask again to go on from here, or look at the events of this run for the details.";
}
