import { asKind, type Entry } from "../core/log/entry.ts";
import { outcomeClass } from "../core/log/run.ts";
import { runId } from "../core/log/names.ts";
import type { Answer } from "./api.ts";

/** The runs that a run has started, from its own entries. */

export type ChildRunView = Answer<"Run">["childRuns"][number];

/** the run of a child session that its parent has started */
const FIRST = "r1";

export function childRunsOf(entries: readonly Entry[]): readonly ChildRunView[] {
  const reports = new Map(
    entries.flatMap((entry) => asKind(entry, "child_reported") ?? []).map(({ body }) => [body.call, body]),
  );
  const stopped = new Set(entries.flatMap((entry) => asKind(entry, "child_stopped")?.body.call ?? []));
  const hasEnded = entries.some(({ kind }) => kind === "run_ended");
  return entries.flatMap((entry) => {
    if (entry.kind !== "call_deferred") return [];
    const { call, child, wait } = entry.body;
    const report = reports.get(call);
    const isOver = stopped.has(call) || hasEnded;
    return [
      {
        runId: runId(child, FIRST),
        sessionId: child,
        call,
        wait,
        state: report === undefined ? (isOver ? "stopped" : "working") : "reported",
        outcome: report === undefined ? null : outcomeClass(report.outcome),
        reason: report?.reason ?? null,
        costUsd: report === undefined ? null : report.used.cost / 1_000_000,
        tokens: report?.used.tokens ?? null,
      },
    ];
  });
}
