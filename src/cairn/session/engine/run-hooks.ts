import { rolloutsOf, synthesis } from "../../core/family/rollouts.ts";
import { workingPhase } from "../../core/state/run/phase.ts";
import { grantOf, specOf } from "../../core/entries/grant.ts";
import type { Entry, EntryDraft } from "../../core/log/entry.ts";
import { askHook, hookView, narrowPatch } from "../../core/loop/hooks.ts";
import type { Json } from "../../core/log/json.ts";
import type { StepPatch } from "../../core/log/model.ts";
import { stepName } from "../../core/log/names.ts";
import { planDue, UPDATE_PLAN } from "../../core/state/plan.ts";
import type { LiveRun, State } from "../../core/state/state.ts";
import { promptNote } from "../../prompt-notes.ts";
import type { Transaction } from "./transaction.ts";
import type { Ports } from "./ports.ts";
import { verdictEntry } from "../../core/entries/verdict.ts";

/** Asks the hooks of the deployment inside the transactions of the loop. A hook that throws changes nothing. */

/** The patch of the step that begins: asked for once, then read from its entry. */
export function patchOf(
  tx: Transaction,
  run: LiveRun,
  step: { step: string; opened: boolean },
  ports: Ports,
): StepPatch {
  const entries = tx.entriesOf(run).current;
  if (step.opened) {
    const entry = entries.findLast((entry) => entry.kind === "step_started" && entry.step === step.step);
    return (entry?.kind === "step_started" ? entry.body.patch : null) ?? {};
  }
  // The answer is made of what the attempts report, whatever a hook wants.
  if (rolloutsOf(specOf(entries)) > 1) return synthesis(promptNote);
  const { hooks, tools } = ports;
  const { prepareStep } = hooks;
  // A required plan comes alone: the hook's choice of tools applies from the next step on.
  const first = wantsPlanAlone(run, entries) ? { tools: [UPDATE_PLAN] } : {};
  if (prepareStep === undefined) return first;
  const { value, fault } = askHook(run, entries, "prepareStep", () =>
    prepareStep(hookView(tx.state, run, entries, tx.at)),
  );
  if (fault !== null) tx.append([fault]);
  // The hook's text goes into the prompt at once, and into the entry.
  if (value === null) return first;
  const patch = narrowPatch(
    ports.redact(value as unknown as Json) as unknown as StepPatch,
    run,
    tools.offers().map((offer) => offer.name),
  );
  return { ...patch, ...first };
}

/** True if the new step is the first of a run that must write its plan before anything else. */
function wantsPlanAlone(run: LiveRun, entries: readonly Entry[]): boolean {
  if (run.step > 0 || !specOf(entries).planFirst) return false;
  return planDue(run.profile, run.plan, 0, grantOf(entries).has(UPDATE_PLAN)) === "want";
}

/** The entries of the first stop condition that holds before a new step; none while there is nothing to stop. */
export function stopEntries(tx: Transaction, run: LiveRun, ports: Ports): readonly EntryDraft[] {
  const conditions = ports.hooks.stopWhen ?? [];
  if (conditions.length === 0 || run.step === 0) return [];
  const entries = tx.entriesOf(run).current;
  const view = hookView(tx.state, run, entries, tx.at);
  for (const condition of conditions) {
    const rule = `stopWhen:${condition.name}`;
    const { value, fault } = askHook(run, entries, rule, () => condition.check(view));
    if (fault !== null) return [fault];
    if (value === null) continue;
    const hint = promptNote("stop-here", { reason: value.reason });
    const act = value.mode === "answer" ? "force" : "end";
    return [verdictEntry(run, "before_model", { code: "STOP_WHEN", rule, hint }, act)];
  }
  return [];
}

/** Returns the entries of the hook after a step, if the step has ended and the run continues. */
export function finishEntries(tx: Transaction, before: State, ports: Ports): readonly EntryDraft[] {
  const { onStepFinish } = ports.hooks;
  const { run } = tx.state;
  if (onStepFinish === undefined || run === null || run.cancel !== null || before.run?.run !== run.run)
    return [];
  if (!isBetweenSteps(run) || isBetweenSteps(before.run)) return [];
  const entries = tx.entriesOf(run).current;
  const view = hookView(tx.state, run, entries, tx.at);
  const { lastStep } = view;
  if (lastStep === null) return [];
  const { value, fault } = askHook(run, entries, "onStepFinish", () => onStepFinish(view, lastStep));
  if (fault !== null) return [fault];
  const step = stepName(run.run, run.step);
  const { hints = [], memory = [] } = value ?? {};
  const rule = `hook:${ports.hooks.name}`;
  const notes = hints.map((hint) =>
    verdictEntry(run, "after_result", { code: "HOOK_HINT", rule, hint }, "note"),
  );
  if (memory.length === 0) return notes;
  return [
    ...notes,
    { kind: "memory_changed", run: run.run, step, body: { call: null, tool: null, changes: memory } },
  ];
}

function isBetweenSteps(run: LiveRun): boolean {
  const phase = workingPhase(run.phase);
  return phase.at === "thinking" && phase.open === null;
}
