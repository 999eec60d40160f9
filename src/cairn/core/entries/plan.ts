import { PLAN_ITEMS_MAX, PLAN_REVISIONS_MAX } from "../limits.ts";
import type { Entry, EntryDraft } from "../log/entry.ts";
import type { Json, JsonObject } from "../log/json.ts";
import { stepName } from "../log/names.ts";
import type { Plan, PlanItem } from "../log/plan.ts";
import type { ToolFailure } from "../log/tool.ts";
import { NO_SHAPE, markOutput } from "../state/call-digest.ts";
import { changePlan, currentPlan, goalPlan, UPDATE_PLAN, type PlanState } from "../state/plan.ts";
import { isStrangers } from "../state/safety.ts";
import type { LiveRun } from "../state/state.ts";
import type { Call } from "../state/run/phase.ts";
import { readPlanInput, type PlanInput } from "./plan-input.ts";
import { failedResult, settleCall, type CallResult } from "./settle.ts";

/** Returns the present plan of a run with its texts; null if it has none yet. */
export function planOf({ plan }: Pick<LiveRun, "plan">, entries: readonly Entry[]): Plan | null {
  if (plan === null) return null;
  const entry = entries.findLast((entry) => entry.seq === plan.seq);
  return entry?.kind === "plan_changed" ? currentPlan(plan, entry.body) : null;
}

/** The item of the plan that each call of a run was for, where it was for one. */
export function itemsOfCalls(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const items = new Map<string, string>();
  let plan: PlanState | null = null;
  for (const entry of entries) {
    plan = changePlan(plan, entry);
    if (entry.kind === "model_replied")
      for (const [call, item] of Object.entries(plan?.calls ?? {})) items.set(call, item);
  }
  return items;
}

/** The entries of a call of update_plan: the plan as it is from now on, then the result. Nothing changes where it is refused. */
export function settlePlan(
  run: LiveRun,
  calls: readonly Call[],
  call: Call,
  input: Json,
  now: Plan | null,
): EntryDraft[] {
  const read = readPlanInput(input, now);
  const made = read.ok
    ? updatePlan(run.plan, now, read.input)
    : fail("plan_shape", read.message, "Send the whole list again.");
  if (!made.ok) return settleCall(run, calls, call, failedResult("error", made.failure));
  const observation = JSON.stringify(made.output);
  const mark = markOutput(UPDATE_PLAN, NO_SHAPE, input, made.output);
  const result: CallResult = {
    status: "ok",
    observation,
    chars: observation.length,
    failure: null,
    ms: 0,
    mark,
  };
  const wasDone = new Set(now?.items.flatMap((item) => (item.status === "done" ? [item.id] : [])));
  const done = made.plan.items.flatMap(({ id, status }) =>
    status === "done" && !wasDone.has(id) ? [id] : [],
  );
  const body = { ...made.plan, by: "model", call: call.call, claims: made.claims, done } as const;
  const changed: EntryDraft = { kind: "plan_changed", run: run.run, step: stepName(run.run, run.step), body };
  return [changed, ...settleCall(run, calls, call, result)];
}

/** The plan that the core writes where the model sets none: the request itself, without the words of strangers in it. */
export function writtenPlan(run: LiveRun, entries: readonly Entry[], step: string): EntryDraft {
  const message = entries.find((entry) => entry.seq === run.request.inputSeq);
  const { parts, source } =
    message?.kind === "user_message" ? message.body : { parts: [], source: "api" as const };
  const own = parts.flatMap((part) =>
    part.type === "text" && !isStrangers(source, part) ? [part.text] : [],
  );
  const goal = own.join("\n").trim();
  const body = {
    ...goalPlan(goal === "" ? GOAL_OF_MATERIAL : goal),
    by: "core",
    call: null,
    claims: [],
  } as const;
  return { kind: "plan_changed", run: run.run, step, body };
}

const GOAL_OF_MATERIAL = "Handle the input of this run.";

/** Validates changes by update_plan. The model sends the whole list; the core preserves items that may not be lost. */

export type Replanned =
  | {
      readonly ok: true;
      readonly plan: Plan;
      readonly output: JsonObject;
      readonly claims: readonly string[];
    }
  | { readonly ok: false; readonly failure: ToolFailure };

const CLAIM_HINT =
  "An item is done when a result came while it was being done. Set it to doing, do it, then say that it is done.";
const DELIVER_HINT = "This item is done by your answer itself.";
const FAILED_HINT = "It failed. Change how it is to be done, or drop it with a reason.";
const SPENT_HINT =
  "It failed, and the plan was made anew three times. Say in your answer that it is not done.";

/**
 * Returns the plan after the request. `state` and `now` (by `currentPlan`) are null before the first plan. Refused as a
 * whole: duplicate IDs, an item dropped without a reason, more than 12 items. Refused by item: `done` without an ok
 * result since `doing` (PLAN_CLAIM), and an unchanged failed item. Done items and items missing from the list are
 * preserved.
 */
export function updatePlan(state: PlanState | null, now: Plan | null, input: PlanInput): Replanned {
  const ids = input.items.map((item) => item.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    return fail("plan_ids", `The id ${twice} is given twice.`, "Give each item an id of its own.");
  const unreasoned = input.items.find(
    (item) => item.status === "dropped" && (item.reason ?? "").trim() === "",
  );
  if (unreasoned !== undefined)
    return fail(
      "plan_reason",
      `${unreasoned.id} is dropped without a reason.`,
      "Say in reason why it is not needed.",
    );
  const refused: { id: string; code: string; hint: string }[] = [];
  let changedFailed = false;
  const requested = input.items.map((item): PlanItem => {
    const old = now?.items.find((one) => one.id === item.id);
    const known = state?.items.find((one) => one.id === item.id);
    if (old?.status === "done") return old;
    const refuse = (hint: string, code: string, current: PlanItem): PlanItem => {
      refused.push({ id: item.id, code, hint });
      return current;
    };
    if (old?.status === "failed") {
      if (state !== null && state.rev >= PLAN_REVISIONS_MAX) return refuse(SPENT_HINT, "PLAN_FAILED", old);
      if (item.status === "failed") return old;
      if (item.status === "done" || !(item.status === "dropped" || isChanged(old, item)))
        return refuse(FAILED_HINT, "PLAN_FAILED", old);
      changedFailed = true;
      return { ...item, seqs: old.seqs };
    }
    const seqs = known?.seqs ?? [];
    if (item.status !== "done") return { ...item, seqs };
    if (item.kind === "deliver")
      return refuse(DELIVER_HINT, "PLAN_CLAIM", { ...item, status: old?.status ?? "open", seqs });
    if (known?.status === "doing" && known.proven) return { ...item, seqs };
    return refuse(CLAIM_HINT, "PLAN_CLAIM", { ...item, status: old?.status ?? "open", seqs });
  });
  const left = (now?.items ?? []).filter((item) => !ids.includes(item.id));
  const items = [...left, ...requested];
  if (items.length > PLAN_ITEMS_MAX)
    return fail(
      "plan_too_long",
      `That makes ${items.length} items with those that are kept.`,
      `Keep it to ${PLAN_ITEMS_MAX}.`,
    );
  const rev = now === null ? 1 : now.rev + (changedFailed ? 1 : 0);
  const plan: Plan = { rev, goal: input.goal, items };
  const output: JsonObject = {
    ok: true,
    rev,
    items: items.map(({ id, status }) => ({ id, status })),
    ...(left.length === 0 ? {} : { kept: left.map((item) => item.id) }),
    ...(refused.length === 0 ? {} : { refused }),
  };
  return {
    ok: true,
    plan,
    output,
    claims: refused.filter((one) => one.code === "PLAN_CLAIM").map((one) => one.id),
  };
}

const isChanged = (old: PlanItem, item: Omit<PlanItem, "seqs">): boolean =>
  (["text", "tool", "fallback", "doneWhen", "kind"] as const).some((field) => old[field] !== item[field]);

function fail(code: string, message: string, hint: string): Replanned {
  return { ok: false, failure: { class: "invalid_args", code, message, retryable: false, hint } };
}
