import { activeGap } from "./apply.ts";
import { working } from "./apply-run.ts";
import type { Entry, EntryDraft, Outcome } from "./entries.ts";
import { outcomeClass } from "./entries.ts";
import { runEnded } from "./judge.ts";
import { MECHANICAL_ANSWER_CHARS_MAX } from "./limits.ts";
import { readMarker } from "./marker.ts";
import type { ModelErrorClass } from "./model.ts";
import { stepName } from "./names.ts";
import { failedResult, settleCall, unknownResult, type Result } from "./settle.ts";
import type { Call, LiveRun, QueuedRun, State } from "./state.ts";
import { NO_USAGE } from "./state.ts";

/**
 * The end of a run that no model answers: every open call is settled, the person is told honestly what was done
 * and what was not, and the run has its one outcome (loop 1.6, guards 7.4).
 */
export function finish(
  state: State,
  rows: readonly Entry[],
  wanted: Outcome,
  reason: string,
  at: number,
): EntryDraft[] {
  const { run } = state;
  if (run === null) return [];
  const step = run.step === 0 ? null : stepName(run.run, run.step);
  const settled = settleOpenCalls(run);
  const useful = run.held !== null || run.anyOk;
  const stopped = outcomeClass(wanted) === "cancelled";
  const failures = failuresOf(run, rows);
  // Access was refused for good only when every model that was tried refused it (guards 2.7).
  const failed =
    wanted === "failed_auth" && failures.some((failure) => failure.class !== "auth")
      ? "failed_provider"
      : wanted;
  const outcome = !stopped && useful ? "completed_partial" : failed;
  const by = run.cancel;
  const cause = stopped && by !== null ? (by.reason ?? wanted) : reason;
  const said: EntryDraft = {
    kind: "answer",
    run: run.run,
    step,
    body: {
      text: honestText(run, rows, failures, outcome, reason),
      source: "mechanical",
      shown: false,
      confidence: null,
      summary: null,
    },
  };
  const ended = runEnded(run, outcome, cause, run.usage, run.activeMs + activeGap(state, at), step);
  return [...settled, ...(run.answer === null ? [said] : []), ended];
}

/** The end of a run that never started. */
export function finishQueued(queued: QueuedRun, outcome: Outcome, reason: string | null): EntryDraft[] {
  const text =
    outcome === "superseded" ? "Replaced by a newer message before it began." : "Stopped before it began.";
  return [
    {
      kind: "answer",
      run: queued.run,
      step: null,
      body: { text, source: "mechanical", shown: false, confidence: null, summary: null },
    },
    {
      kind: "run_ended",
      run: queued.run,
      step: null,
      body: {
        outcome,
        class: outcomeClass(outcome),
        reason: reason ?? outcome,
        steps: 0,
        usage: NO_USAGE,
        activeMs: 0,
      },
    },
  ];
}

function settleOpenCalls(run: LiveRun): EntryDraft[] {
  const phase = working(run.phase);
  if (phase.at !== "acting" && phase.at !== "waiting_approval") return [];
  const step = stepName(run.run, run.step);
  const rows: EntryDraft[] = [];
  if (phase.at === "waiting_approval") {
    const { approval, call } = phase.approval;
    const reason = "The run was stopped.";
    rows.push({ kind: "approval_cancelled", run: run.run, step, body: { approval, call, reason } });
  }
  const open = phase.calls.filter((call) => !call.settled);
  const heads = open.filter((call) => call.twin === null || !open.some((other) => other.call === call.twin));
  for (const call of heads) rows.push(...settleCall(run, phase.calls, call, stoppedResult(call)));
  return rows;
}

function stoppedResult(call: Call): Result {
  // An abort does not prove absence: an effect that had begun may have happened.
  if (call.attempts > 0 && call.effect !== "read")
    return unknownResult(call.tool, "It was stopped while it ran");
  return failedResult("cancelled", {
    class: "policy",
    code: "cancelled",
    message: `${call.tool} was not run: the run was stopped.`,
    retryable: false,
  });
}

/** Done, not done, why, and what the person can do. Never claims success. */
function honestText(
  run: LiveRun,
  rows: readonly Entry[],
  failures: readonly Failed[],
  outcome: Outcome,
  reason: string,
): string {
  const lines: string[] = [headline(run, failures, outcome, reason)];
  const held = heldText(run, rows);
  if (held !== "") lines.push(held);
  const done = new Map<string, string>();
  const open: string[] = [];
  const titles = new Map<string, { title: string; effect: string }>();
  for (const row of rows) {
    if (row.run !== run.run) continue;
    if (row.kind === "model_replied") for (const call of row.body.calls) titles.set(call.call, call);
    if (row.kind !== "call_settled") continue;
    const call = titles.get(row.body.call);
    const title = call?.title ?? row.body.tool;
    if (row.body.status === "ok" && call?.effect !== "read") done.set(row.body.call, title);
    if (row.body.status === "unknown") open.push(`${title}: it is not known whether this happened`);
    else if (row.body.status !== "ok")
      open.push(`${title}: ${row.body.failure?.message.slice(0, 150) ?? row.body.status}`);
  }
  if (done.size > 0) lines.push(`Done: ${[...done.values()].join("; ")}.`);
  if (open.length > 0) lines.push(`Not done: ${open.slice(-5).join("; ")}.`);
  lines.push(advice(failures, outcome, reason));
  return lines
    .filter((line) => line !== "")
    .join("\n\n")
    .slice(0, MECHANICAL_ANSWER_CHARS_MAX);
}

function heldText(run: LiveRun, rows: readonly Entry[]): string {
  const row = rows.find((entry) => entry.seq === run.held);
  if (row?.kind !== "model_replied") return "";
  const text = row.body.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return readMarker(text).shown.trim().slice(0, 500);
}

interface Failed {
  readonly model: string;
  readonly class: ModelErrorClass;
  readonly message: string;
}

/** Every model of the run that was given up, in the order in which they were tried, with its last failure. */
function failuresOf(run: LiveRun, rows: readonly Entry[]): Failed[] {
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
