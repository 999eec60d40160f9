import { openStep, workingPhase } from "../../core/state/run/phase.ts";
import { NO_USAGE } from "../../core/log/model.ts";
import type { EntryDraft } from "../../core/log/entry.ts";
import { labelEntry } from "../../core/loop/class-label.ts";
import { costOf, type Price } from "../../core/model-tables.ts";
import { stepName } from "../../core/log/names.ts";
import { type LiveRun, type State } from "../../core/state/state.ts";
import type { Store } from "./ports.ts";

/**
 * Returns the entries for an effect whose wake crashed: its calls are not running any more. `price`: of the requested
 * model.
 */
export function lostEntries(
  state: State,
  run: LiveRun,
  effect: string,
  store: Pick<Store, "loadDraft">,
  price: Price,
): EntryDraft[] {
  const phase = workingPhase(run.phase);
  const step = stepName(run.run, run.step);
  const lost = (
    name: string,
    what: "model" | "tool" | "preview",
    attempt: number,
    more: { readonly cost?: number } = {},
  ): EntryDraft => ({
    kind: "attempt_lost",
    run: run.run,
    step,
    body: { effect: name, what, attempt, ...more },
  });
  if (phase.at === "thinking" && phase.open !== null) {
    const partial = partialReply(state, run, step, store);
    const { attempt, reserved: tokens, maxOut } = phase.open;
    const cost = costOf(price, { input: tokens - maxOut, output: maxOut });
    return [lost(effect, "model", attempt, { cost }), ...(partial === null ? [] : [partial])];
  }
  if (phase.at !== "acting") return [];
  return phase.calls.flatMap((call) => {
    if (effect === `${call.call}.preview`) return [lost(call.call, "preview", call.previewInterruptions + 1)];
    const paid = call.costMax === undefined ? {} : { cost: call.costMax };
    return call.state.at === "running" ? [lost(call.call, "tool", call.attempts, paid)] : [];
  });
}

/** The call that was to name the class of the next run is not made again, and counts as all that it had set aside. */
export function lostLabel(state: State): EntryDraft[] {
  const { label } = state;
  return label?.settled === null ? [labelEntry(state, label.run, null, label.reserved)] : [];
}

/**
 * A stopped call that crashed before its commit: its saved text becomes a reply. Clients may have seen more than was
 * saved; they drop it with the lost attempt and get this instead.
 */
function partialReply(
  state: State,
  run: LiveRun,
  step: string,
  store: Pick<Store, "loadDraft">,
): EntryDraft | null {
  const open = openStep(run);
  if (run.cancel === null || open === null) return null;
  const { attempt } = open;
  const saved = store.loadDraft(step, attempt);
  if (saved.length === 0) return null;
  const parts = new Map<number, { type: "text" | "reasoning"; text: string }>();
  for (const { part, type, text } of saved) {
    parts.set(part, { type, text: (parts.get(part)?.text ?? "") + text });
  }
  const body = {
    attempt: attempt + 1,
    // the entry of the lost attempt, which opens this one and is charged for it
    base: state.head + 1,
    readTo: run.request.inputSeq,
    parts: [...parts.values()],
    calls: [],
    finish: "aborted",
    words: [],
    usage: { ...NO_USAGE, estimated: true, cost: 0 },
    model: run.models.current,
    ms: 0,
    firstTokenMs: null,
  } as const;
  return { kind: "model_replied", run: run.run, step, body };
}
