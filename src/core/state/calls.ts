import type { Entry } from "../log/entry.ts";
import { waitsForPerson, type Call, type LiveRun, type Phase } from "./state.ts";

/** The calls of a live run's step, whatever phase they stand in. */

/** A phase change that there is not: a bug, so it throws and the commit rolls back. */
export class PhaseError extends Error {
  constructor(entry: Entry, phase: string) {
    super(`${entry.kind} at ${entry.seq} does not fit phase ${phase}`);
    this.name = "PhaseError";
  }
}

/** The phase that works: a wait for a retry stands before it and has no entry of its own when it is over. */
export function working(phase: Phase): Exclude<Phase, { at: "waiting_retry" }> {
  return phase.at === "waiting_retry" ? phase.back : phase;
}

export function callsOf(run: LiveRun): readonly Call[] {
  const phase = working(run.phase);
  return phase.at === "thinking" ? [] : phase.calls;
}

export function callOf(run: LiveRun, entry: Entry & { body: { call: string } }): Call {
  const call = callsOf(run).find((item) => item.call === entry.body.call);
  if (call === undefined) throw new PhaseError(entry, run.phase.at);
  return call;
}

export function changeCall(
  run: LiveRun,
  entry: Entry & { body: { call: string } },
  to: (call: Call) => Partial<Call>,
): LiveRun {
  const target = callOf(run, entry);
  const calls = callsOf(run).map((call) => (call === target ? { ...call, ...to(call) } : call));
  const phase = working(run.phase);
  if (waitsForPerson(phase) || phase.at === "ending") return { ...run, phase: { ...phase, calls } };
  return { ...run, phase: { at: "acting", calls } };
}
