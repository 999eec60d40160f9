import { DAY_CAPS, dayOf, type DayCaps } from "../guards/budget/admit.ts";
import { leftOf, accountOf, entryOf, limitsOf, amountsOf } from "../guards/budget/amounts.ts";
import { reservedWallMs } from "../guards/budget/reserve.ts";
import { CHILD_DEPTH_MAX, CHILD_SHARE_MAX, CHILDREN_PER_RUN_MAX, TREE_SESSIONS_MAX } from "../limits.ts";
import type { Amount, Share } from "../log/child.ts";
import type { ToolFailure } from "../log/tool.ts";
import { NO_CHILDREN } from "../state/run/children.ts";
import { callsOf, type Call } from "../state/run/phase.ts";
import type { LiveRun, State } from "../state/state.ts";

/** Computes the budget that a run may give to a child, or why it may start none. */

export type Shared =
  | { readonly ok: true; readonly share: Share }
  | { readonly ok: false; readonly failure: ToolFailure };

/** Returns the depth of a run: 0 for one without a parent. */
export const depthOf = ({ request }: Pick<LiveRun, "request">): number => request.parent?.depth ?? 0;

/** Sessions that may still be made below this run, all levels together. */
export function sessionsLeft({ request, children }: LiveRun): number {
  const given = request.parent?.sessions ?? TREE_SESSIONS_MAX - 1;
  const { sessions, open } = children ?? NO_CHILDREN;
  return given - sessions - open.reduce((sum, { share }) => sum + share.sessions + 1, 0);
}

/**
 * Returns the share of a call that starts a child: the remaining budget, divided equally among this call, other calls
 * of the batch that start one, and the run itself; so a single child gets half. `requested` is cut to what the run can
 * give. A repeated call gets the share that was reserved for it.
 */
export function shareOf(
  state: State,
  run: LiveRun,
  call: Pick<Call, "call">,
  requested: Partial<Amount>,
  at: number,
  caps: DayCaps = DAY_CAPS,
): Shared {
  const known = run.children?.open.find((one) => one.call === call.call);
  if (known !== undefined) return { ok: true, share: known.share };
  const started = run.children?.started ?? 0;
  if (depthOf(run) >= CHILD_DEPTH_MAX) return refuse("too_deep", TOO_DEEP);
  if (started >= CHILDREN_PER_RUN_MAX)
    return refuse("too_many_children", `A run starts at most ${CHILDREN_PER_RUN_MAX} others.`);
  const sessions = sessionsLeft(run);
  if (sessions < 1)
    return refuse("tree_full", "This run and those above and below it have started as many as they may.");
  const parts = startsLeft(run, call) + 1;
  const { amount, short } = amountOf(state, run, requested, parts, { at, caps });
  if (short !== null)
    return refuse("share_too_small", `What is left of this run is too little for another: ${short}.`);
  return { ok: true, share: { ...amount, sessions: sessionsBelow(run, sessions, parts) } };
}

/** Calls of the reply that are to start a child yet, this one included. */
function startsLeft(run: LiveRun, { call }: Pick<Call, "call">): number {
  const open = callsOf(run).filter(
    (other) =>
      other.starts === true &&
      other.duplicateOf === null &&
      (other.state.at === "open" || other.state.at === "decided"),
  );
  return Math.max(1, open.length + (open.some((other) => other.call === call) ? 0 : 1));
}

function amountOf(
  state: State,
  run: LiveRun,
  requested: Partial<Amount>,
  parts: number,
  { at, caps }: { readonly at: number; readonly caps: DayCaps },
): { readonly amount: Amount; readonly short: string | null } {
  const account = accountOf(state, run, at);
  const left = leftOf(account);
  // The child has its own day: its cap is its share of this session's remaining day.
  const { used, limit } = dayOf(state, at, caps);
  const today = (name: "tokens" | "cost"): number =>
    Math.min(left[name], limit[name] - used[name] - account.open[name]);
  const reserve = {
    ...left,
    steps: left.steps - (account.ends === "fail" ? 0 : 1),
    wall: left.wall - reservedWallMs(account),
    tokens: today("tokens"),
    cost: today("cost"),
  };
  const wanted = entryOf(requested);
  const { outputTokens: _reply, ...amount } = limitsOf({
    ...amountsOf((name) =>
      Math.max(
        0,
        Math.floor(Math.min(wanted[name] ?? reserve[name] / parts, reserve[name] * CHILD_SHARE_MAX)),
      ),
    ),
    outputTokens: 0,
  });
  const short =
    amount.steps < 1
      ? `${Math.max(0, left.steps)} steps are left`
      : amount.tokens < 1
        ? `${Math.max(0, reserve.tokens)} tokens are left`
        : amount.activeMs < 1_000
          ? `${Math.max(0, Math.floor(left.wall / 1_000))} seconds are left`
          : null;
  return { amount, short };
}

/** One is the child itself; one at the deepest level has none below it. */
function sessionsBelow(run: LiveRun, left: number, parts: number): number {
  const depth = depthOf(run) + 1;
  if (depth >= CHILD_DEPTH_MAX) return 0;
  const most = depth === CHILD_DEPTH_MAX - 1 ? CHILDREN_PER_RUN_MAX : TREE_SESSIONS_MAX;
  return Math.max(0, Math.min(most, Math.floor(left / parts) - 1));
}

const TOO_DEEP = `A run stands at most ${CHILD_DEPTH_MAX} levels below the first, and this one does.`;

const refuse = (code: string, message: string): Shared => ({
  ok: false,
  failure: {
    class: "policy",
    code,
    message,
    retryable: false,
    hint: "Do this part yourself, or answer with what is there.",
  },
});
