import type { Entry, EntryDraft } from "../log/entry.ts";
import { changePlan, currentPlan, goalPlan, UPDATE_PLAN, type Plan, type PlanState } from "../state/plan.ts";
import { updatePlan, type PlanWish } from "./replan.ts";
import { markOutput } from "../state/result.ts";
import { NO_SHAPE } from "../state/call-digest.ts";
import type { Json } from "../log/json.ts";
import { stepName } from "../log/names.ts";
import { failedResult, settleCall, type Result } from "./settle.ts";
import type { Call, LiveRun } from "../state/state.ts";

/** The plan of a run as it stands, with its texts; null before it has one. */
export function planOf({ plan }: Pick<LiveRun, "plan">, rows: readonly Entry[]): Plan | null {
  if (plan === undefined) return null;
  const row = rows.findLast((entry) => entry.seq === plan.seq);
  return row?.kind === "plan_changed" ? currentPlan(plan, row.body) : null;
}

/** The item of the plan that each call of a run was for, where it was for one. */
export function itemsOfCalls(rows: readonly Entry[]): ReadonlyMap<string, string> {
  const items = new Map<string, string>();
  let plan: PlanState | null = null;
  for (const row of rows) {
    plan = changePlan(plan, row);
    if (row.kind === "model_replied")
      for (const [call, item] of Object.entries(plan?.calls ?? {})) items.set(call, item);
  }
  return items;
}

/** The rows of a call of update_plan: the plan as it is from now on, then the result. Nothing changes where it is refused. */
export function settlePlan(
  run: LiveRun,
  calls: readonly Call[],
  call: Call,
  input: Json,
  now: Plan | null,
): EntryDraft[] {
  // The schema of the tool has passed it (tools/builtin/plan.ts).
  const made = updatePlan(run.plan ?? null, now, input as unknown as PlanWish);
  if (!made.ok) return settleCall(run, calls, call, failedResult("error", made.failure));
  const observation = JSON.stringify(made.output);
  const mark = markOutput(UPDATE_PLAN, NO_SHAPE, input, made.output);
  const result: Result = { status: "ok", observation, chars: observation.length, failure: null, ms: 0, mark };
  const wasDone = new Set(now?.items.flatMap((item) => (item.status === "done" ? [item.id] : [])));
  const done = made.plan.items.flatMap(({ id, status }) =>
    status === "done" && !wasDone.has(id) ? [id] : [],
  );
  const body = { ...made.plan, by: "model", call: call.call, claims: made.claims, done } as const;
  const changed: EntryDraft = { kind: "plan_changed", run: run.run, step: stepName(run.run, run.step), body };
  return [changed, ...settleCall(run, calls, call, result)];
}

/** The plan that the core writes where the model sets none: the request itself. */
export function writtenPlan(run: LiveRun, rows: readonly Entry[], step: string): EntryDraft {
  const said = rows.find((row) => row.seq === run.said);
  const parts = said?.kind === "user_said" ? said.body.parts : [];
  const goal = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const body = { ...goalPlan(goal), by: "core", call: null, claims: [] } as const;
  return { kind: "plan_changed", run: run.run, step, body };
}
