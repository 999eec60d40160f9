import { parentOf } from "../../core/log/names.ts";
import type { Answer } from "../../wire/api.ts";

/** Runs below a conversation as a tree, from the list that the index has of them. Pure. */

export type BelowRun = Answer<"Runs">["items"][number];

export interface TreeNode {
  readonly run: BelowRun;
  readonly below: readonly TreeNode[];
}

/** Whether a tool starts a run: what a call of it asks is another run's. */
export const isStarter = (tool: string): boolean => tool === "run_agent" || tool.startsWith("agent_");

/** Those that this run of the conversation has started, each with those below it, in the order in which they were started. */
export function treeOf(runs: readonly BelowRun[], root: string, run: string): readonly TreeNode[] {
  const oldest = runs.toSorted(
    (a, b) => a.createdAt.localeCompare(b.createdAt) || a.sessionId.localeCompare(b.sessionId),
  );
  const below = (session: string, of: (call: string) => boolean): readonly TreeNode[] =>
    oldest.flatMap((each) => {
      const above = parentOf(each.sessionId);
      if (above?.session !== session || !of(above.call)) return [];
      return [{ run: each, below: below(each.sessionId, () => true) }];
    });
  return below(root, (call) => call.startsWith(`${run}s`));
}

type Status = BelowRun["status"];

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  queued: "waits in the queue",
  running: "works",
  paused: "waits for a person",
  completed: "answered",
  failed: "failed",
  cancelled: "stopped",
};

export const isOver = ({ status }: Pick<BelowRun, "status">): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

/** All of them, those of lower levels too. */
export const flat = (nodes: readonly TreeNode[]): readonly BelowRun[] =>
  nodes.flatMap(({ run, below }) => [run, ...flat(below)]);

/** `3 other runs: 1 works, 1 waits for a person, 1 answered` */
export function treeWords(nodes: readonly TreeNode[]): string {
  const runs = flat(nodes);
  const counts = (Object.keys(STATUS_WORDS) as Status[]).flatMap((status) => {
    const count = runs.filter((run) => run.status === status).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? STATUS_WORDS[status] : PLURAL[status]}`];
  });
  return `${runs.length} other ${runs.length === 1 ? "run" : "runs"}: ${counts.join(", ")}`;
}

const PLURAL: Readonly<Record<Status, string>> = {
  ...STATUS_WORDS,
  queued: "wait in the queue",
  running: "work",
  paused: "wait for a person",
};
