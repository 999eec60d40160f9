import { startOf } from "../text/cut.ts";
import type { Amount, ChildReport, TreeUsed } from "../log/child.ts";
import type { BodyOf, Entry, EntryDraft, Outcome } from "../log/entry.ts";
import { addUsage, NO_USAGE, type Usage } from "../log/model.ts";
import { CHILD_ANSWER_CHARS_MAX } from "../limits.ts";
import { NO_AMOUNT, NO_CHILDREN, sumOf, type OpenChild } from "../state/run/children.ts";
import type { Receipt } from "../log/receipt.ts";
import type { LiveRun } from "../state/state.ts";

/** The end of a run in a tree: its descendants stop, and its parent is notified. */

/** Stops the live children of an ended run: nobody awaits their reports. */
export function stopChildren(run: LiveRun, step: string | null): EntryDraft<"child_stopped">[] {
  const open = run.children?.open ?? [];
  return open.flatMap(({ call, child, stopped }): EntryDraft<"child_stopped">[] =>
    child === null || stopped !== undefined
      ? []
      : [{ kind: "child_stopped", run: run.run, step, body: { call, child } }],
  );
}

/** Returns usage of a run in a tree, including all descendants; an empty object for a run outside any tree. */
export function treeOf(
  run: LiveRun,
  own: { readonly usage: Usage; readonly activeMs: number },
): { readonly tree?: TreeUsed } {
  if (run.children === undefined && run.request.parent === undefined) return {};
  const below = run.children ?? NO_CHILDREN;
  const { usage, activeMs } = own;
  const used = {
    steps: run.step,
    activeMs,
    toolCalls: run.used.toolCalls,
    messages: run.output.sends,
    tokens: usage.inputTokens + usage.outputTokens,
    cost: usage.cost ?? 0,
  };
  const { tainted, private: hidden } = run.safety.taint;
  // Live children will not report their usage: their whole shares count.
  const held = below.open.map(({ share }) => share);
  return {
    tree: {
      used: held.reduce<Amount>(sumOf, sumOf(used, below.used)),
      usage: addUsage(usage, below.usage),
      sessions: held.reduce((sum, { sessions }) => sum + sessions + 1, 1 + below.sessions),
      ...(tainted === null ? {} : { tainted: true }),
      ...(hidden === null ? {} : { private: true }),
    },
  };
}

/** Returns a child's report to its parent, from the entries of its run; null until it has ended. */
export function reportOf(child: string, entries: readonly Entry[]): ChildReport | null {
  const ended = entries.findLast((entry) => entry.kind === "run_ended");
  if (ended === undefined) return null;
  const answer = entries.findLast((entry) => entry.kind === "answer");
  const { outcome, reason, usage, tree } = ended.body;
  const {
    text = "",
    value = null,
    summary = null,
    citations,
    receipt,
  }: Partial<BodyOf<"answer">> = answer?.body ?? {};
  const items = citations?.items ?? [];
  return {
    child,
    outcome,
    reason,
    answer: startOf(text, CHILD_ANSWER_CHARS_MAX).toWellFormed(),
    ...(value === null ? {} : { value }),
    ...(summary === null ? {} : { summary }),
    used: tree?.used ?? NO_AMOUNT,
    usage: tree?.usage ?? usage,
    sessions: tree?.sessions ?? 1,
    tainted: tree?.tainted === true,
    private: tree?.private === true,
    ...(receipt === undefined || isEmpty(receipt) ? {} : { receipt }),
    ...(items.length === 0 ? {} : { citations: items }),
  };
}

const isEmpty = ({ changed, failed, unknown, more }: Receipt): boolean =>
  changed.length + failed.length + unknown.length + more === 0;

/** Report for a child that can no longer be reached. Its whole share counts as spent. */
export function lostReport(
  child: string,
  { share }: NonNullable<LiveRun["children"]>["open"][number],
  reason: "child_lost" | "child_deleted" = "child_lost",
): ChildReport {
  const outcome: Outcome = "failed_internal";
  const { sessions, ...used } = share;
  const usage = { ...NO_USAGE, cost: used.cost, estimated: true };
  return {
    child,
    outcome,
    reason,
    answer: "",
    used,
    usage,
    sessions: sessions + 1,
    tainted: false,
    private: false,
  };
}

/** Returns the child whose report is awaited; null if it was taken, or is no longer awaited. */
export function awaitedChild(run: LiveRun | null, { child }: Pick<ChildReport, "child">): OpenChild | null {
  if (run === null || run.cancel !== null) return null;
  return run.children?.open.find((one) => one.child === child) ?? null;
}
