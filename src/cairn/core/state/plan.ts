import { shortened } from "../text/cut.ts";
import { ownValue } from "../log/json.ts";
import {
  PLAN_EVIDENCE,
  PLAN_FAILURES,
  PLAN_GOAL_CHARS_MAX,
  PLAN_REPLIES,
  PLAN_REVISIONS_MAX,
  PLAN_SHOWN_CHARS_MAX,
  PLAN_TEXT_CHARS_MAX,
} from "../limits.ts";
import type { Entry } from "../log/entry.ts";
import type { ItemKind, ItemStatus, Plan } from "../log/plan.ts";
import type { Profile } from "../log/verdict.ts";
import { escapeMarkers } from "../text/untrusted.ts";

/**
 * The plan of a run: a list that the model sets with update_plan and that the log advances. Its texts are in the last
 * `plan_changed` entry; the state has its items by ID, and the outcome of their calls since.
 */

export const UPDATE_PLAN = "update_plan";

export interface ItemState {
  readonly id: string;
  readonly kind: ItemKind;
  readonly tool: string | null;
  readonly status: ItemStatus;
  /** failed results since it was planned so */
  readonly failures: number;
  /** an ok result came since it is being done */
  readonly proven: boolean;
  readonly seqs: readonly number[];
}

/** Part of a live run's state; null before its first plan. */
export interface PlanState {
  /** entry that holds its texts */
  readonly seq: number;
  readonly rev: number;
  readonly items: readonly ItemState[];
  /** an item failed, and a new plan is wanted */
  readonly replan: boolean;
  /** which item each call of the last reply is for */
  readonly calls: { readonly [call: string]: string };
}

export const PLAN_ID_CHARS_MAX = 24;
/** The name of an item in the words of a reply. Only the ids of the plan are looked for among them. */
const NAMED_ITEM = new RegExp(`\\[([A-Za-z0-9][A-Za-z0-9_.-]{0,${PLAN_ID_CHARS_MAX - 1}})\\]`, "g");

/** Calls that prove nothing and fail nothing: bookkeeping, sends, and the end. */
const NO_WORK = new Set([
  UPDATE_PLAN,
  "store_memory",
  "retrieve_memory",
  "read_observation",
  "ask_human",
  "complete",
]);

/** Returns the plan after an entry of its run; unrelated entries leave it unchanged. */
export function changePlan(plan: PlanState | null, entry: Entry): PlanState | null {
  switch (entry.kind) {
    case "plan_changed":
      return setPlan(plan, entry);
    case "model_replied":
      return plan === null ? null : beginCalls(plan, entry);
    case "call_settled":
      return plan === null ? null : settleItem(plan, entry);
    case "verdict":
      // Asked for once.
      return plan !== null && entry.body.code === "REPLAN" ? { ...plan, replan: false } : plan;
    case "answer":
      if (plan === null || entry.body.source === "mechanical") return plan;
      return {
        ...plan,
        items: plan.items.map((item) =>
          item.kind === "deliver" && isOpen(item) ? { ...item, status: "done", seqs: [entry.seq] } : item,
        ),
      };
    default:
      return plan;
  }
}

function setPlan(before: PlanState | null, { seq, body }: Entry<"plan_changed">): PlanState {
  const items = body.items.map((item): ItemState => {
    const old = before?.items.find((one) => one.id === item.id);
    // A failed item that is planned anew starts anew.
    const isSame = old !== undefined && old.status !== "failed";
    return {
      id: item.id,
      kind: item.kind,
      tool: item.tool ?? null,
      status: item.status,
      failures: isSame ? old.failures : 0,
      proven: isSame && old.proven && item.status === "doing" && old.status === "doing",
      seqs: item.seqs.slice(-PLAN_EVIDENCE),
    };
  });
  const replan = before !== null && body.rev === before.rev && before.replan;
  return { seq, rev: body.rev, items, replan, calls: before?.calls ?? {} };
}

/**
 * Assigns the calls of a reply to items: the one named as `[p2]`, else one that uses the tool, else the only item in
 * progress if it has no tool.
 */
function beginCalls(plan: PlanState, { body }: Entry<"model_replied">): PlanState {
  const text = body.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const named = new Set([...text.matchAll(NAMED_ITEM)].map((match) => match[1]));
  const calls: Record<string, string> = {};
  let items = plan.items;
  for (const { call, tool, refused } of body.calls) {
    if (refused !== null || NO_WORK.has(tool)) continue;
    const able = items.filter(isOpen);
    const doing = able.filter((item) => item.status === "doing");
    const spoken = able.filter((item) => named.has(item.id));
    const item =
      spoken.find((one) => one.tool === tool) ??
      (spoken.length === 1 ? spoken[0] : undefined) ??
      doing.find((one) => one.tool === tool) ??
      able.find((one) => one.tool === tool) ??
      (doing.length === 1 && doing[0]?.tool === null ? doing[0] : undefined);
    if (item === undefined) continue;
    calls[call] = item.id;
    if (item.status === "open")
      items = items.map((one) => (one === item ? { ...one, status: "doing", proven: false } : one));
  }
  return { ...plan, items, calls };
}

function settleItem(plan: PlanState, { seq, body }: Entry<"call_settled">): PlanState {
  const { call, tool, status } = body;
  if (NO_WORK.has(tool)) return plan;
  // A call that was proposed together with the plan belongs to the item that uses its tool.
  const own = ownValue(plan.calls, call) ?? plan.items.find((item) => isOpen(item) && item.tool === tool)?.id;
  const begun = plan.items.map((item) =>
    item.id === own && item.status === "open" ? { ...item, status: "doing" as const, proven: false } : item,
  );
  if (status === "ok") {
    const items = begun.map((item) =>
      item.status === "doing" && item.kind !== "deliver"
        ? {
            ...item,
            proven: true,
            seqs:
              item.id === own || own === undefined ? [...item.seqs, seq].slice(-PLAN_EVIDENCE) : item.seqs,
          }
        : item,
    );
    return { ...plan, items };
  }
  if ((status !== "error" && status !== "unknown") || own === undefined) return plan;
  let { replan } = plan;
  const items = begun.map((item) => {
    if (item.id !== own || !isOpen(item)) return item;
    const failures = item.failures + 1;
    if (failures < PLAN_FAILURES) return { ...item, failures };
    replan = replan || plan.rev < PLAN_REVISIONS_MAX;
    return { ...item, failures, status: "failed" as const };
  });
  return { ...plan, items, replan };
}

export const isOpen = (item: Pick<ItemState, "status">): boolean =>
  item.status === "open" || item.status === "doing";

/** Returns the present plan: the texts of its entry, with the status of its items since. */
export function currentPlan(state: PlanState, stored: Plan): Plan {
  const items = stored.items.map((item) => {
    const now = state.items.find((one) => one.id === item.id);
    return now === undefined ? item : { ...item, status: now.status, seqs: now.seqs };
  });
  return { ...stored, items };
}

/** Classes of runs that are asked for a plan, and those that may not have one. */
const PLANNED: readonly Profile[] = ["complex", "research", "time_capsule"];

const UNPLANNED: readonly Profile[] = ["trivial", "simple", "heartbeat", "lean"];

/** True if a run of this class is offered update_plan. */
export const mayPlan = (profile: Profile): boolean => !UNPLANNED.includes(profile);

/**
 * Returns the next step's duty to the plan: `want` gives PLAN_WANTED, `write` stores the goal as the only item,
 * `replan` gives REPLAN. `canPlan`: update_plan is granted.
 */
export function planDue(
  profile: Profile,
  plan: PlanState | null,
  replies: number,
  canPlan: boolean,
): "want" | "write" | "replan" | null {
  if (plan !== null) return plan.replan && canPlan ? "replan" : null;
  if (!canPlan || !PLANNED.includes(profile)) return null;
  if (replies >= PLAN_REPLIES) return "write";
  return replies === 0 ? "want" : null;
}

/** The plan that the core writes where the model sets none. */
export function goalPlan(goal: string): Plan {
  const text = goal.replace(/\s+/g, " ").trim();
  const item = {
    id: "p1",
    text: shortened(text.length < 3 ? "Answer the request" : text, PLAN_TEXT_CHARS_MAX),
    // Done by the answer: a model that made no plan has promised nothing beyond it.
    kind: "deliver",
    status: "open",
    seqs: [],
  } as const;
  return { rev: 1, goal: shortened(text, PLAN_GOAL_CHARS_MAX), items: [item] };
}

/** The plan as the model is shown it at every step, within 1,200 characters: what is still to do before what is over. */
export function renderPlan(plan: Plan): string {
  const head = `plan ${plan.rev}: ${line(plan.goal, 160)}`;
  const lines = plan.items.map((item) => {
    const words = [`- [${item.id}] ${item.status} ${item.kind}: ${line(item.text, 90)}`];
    if (item.tool !== undefined) words.push(`tool=${line(item.tool, 40)}`);
    if (isOpen(item) && item.doneWhen !== undefined) words.push(`done when ${line(item.doneWhen, 60)}`);
    if (item.status === "failed" && item.fallback !== undefined)
      words.push(`else ${line(item.fallback, 60)}`);
    return words.join("; ");
  });
  const whole = [head, ...lines].join("\n");
  if (whole.length <= PLAN_SHOWN_CHARS_MAX) return whole;
  // Too long: every item stays with its ID and status, and as much of its text as fits.
  const ids = plan.items.reduce((sum, item) => sum + item.id.length, 0);
  const space = Math.max(
    1,
    Math.floor((PLAN_SHOWN_CHARS_MAX - 80 - ids) / Math.max(1, plan.items.length)) - 26,
  );
  return [
    `plan ${plan.rev}: ${line(plan.goal, 60)}`,
    ...plan.items.map((item) => `- [${item.id}] ${item.status} ${item.kind}: ${line(item.text, space)}`),
  ].join("\n");
}

const line = (text: string, chars: number): string =>
  shortened(escapeMarkers(text.replace(/\s+/g, " ")).replaceAll("<", "‹").trim(), chars);
