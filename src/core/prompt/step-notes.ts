import { activeGap } from "../state/apply.ts";
import type { Entry, EntryDraft } from "../log/entry.ts";
import { roomForNotes } from "./notes.ts";
import { writtenPlan } from "../rows/plan.ts";
import type { LiveRun, State } from "../state/state.ts";
import { NOTHING_HEARD, nudge } from "../guards/nudges.ts";
import { planDue, PLAN_WANTED_HINT, replanHint } from "../state/plan.ts";
import { guardConfig, type Profile, type Verdict } from "../state/loop-memory.ts";

/** What of the house these notes depend on. */
export interface NoteFacts {
  /** update_plan is granted */
  readonly canPlan: boolean;
  /** a tool that sends messages is granted */
  readonly canSend: boolean;
  /** a socket shows the steps to somebody */
  readonly isLive: boolean;
}

/**
 * The rows that come right before a step begins: the notes of guards 1.5, before_model 7, in their order and as many as the
 * request has room for, and the plan that the core writes where the model has set none.
 */
export function stepNotes(
  state: State,
  run: LiveRun,
  rows: readonly Entry[],
  { n, step }: { readonly n: number; readonly step: string },
  at: number,
  facts: NoteFacts,
): readonly EntryDraft[] {
  const { profile } = guardConfig(run);
  const due = planDue(profile, run.plan ?? null, n - 1, facts.canPlan);
  const verdicts = [planVerdict(run, due), nudgeVerdict(state, run, profile, n, at, facts)]
    .filter((verdict) => verdict !== null)
    .slice(0, roomForNotes(rows));
  return [
    ...(due === "write" ? [writtenPlan(run, rows, step)] : []),
    ...verdicts.map((verdict) => noteRow(run, step, verdict)),
  ];
}

function planVerdict({ plan }: LiveRun, due: ReturnType<typeof planDue>): Verdict | null {
  if (due === "want")
    return { code: "PLAN_WANTED", rule: "plan.wanted", evidence: { seqs: [] }, hint: PLAN_WANTED_HINT };
  if (due !== "replan" || plan === undefined) return null;
  const failed = plan.items.filter((item) => item.status === "failed");
  const evidence = { seqs: failed.flatMap((item) => item.seqs), names: failed.map((item) => item.id) };
  return { code: "REPLAN", rule: "plan.failed", evidence, hint: replanHint(plan) };
}

function nudgeVerdict(
  state: State,
  run: LiveRun,
  profile: Profile,
  n: number,
  at: number,
  { canSend, isLive }: NoteFacts,
): Verdict | null {
  const { step, activeMs, any, nudged, skipped } = run.heard ?? NOTHING_HEARD;
  return nudge({
    profile,
    step: n,
    silentSteps: n - 1 - step,
    quietMs: run.activeMs + activeGap(state, at) - activeMs,
    anyDelivery: any,
    isLive,
    sendSkipped: skipped > 0 && skipped === n - 1,
    nudged,
    canSend,
  });
}

/** Stands with the step that it is said before. */
function noteRow(run: LiveRun, step: string, { code, rule, evidence, hint }: Verdict): EntryDraft {
  const body = { point: "before_model", call: null, code, rule, act: "note", hint, until: null } as const;
  return { kind: "guard_fired", run: run.run, step, body: { ...body, evidence: evidence.seqs } };
}
