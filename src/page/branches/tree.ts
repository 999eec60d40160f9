import type { Answer } from "../../cairn/protocol/api.ts";

/** Runs below a run of a conversation as a tree, from the list that `GET /api/runs/:id/tree` has of them. Pure. */

export type TreeRun = Answer<"RunTree">["items"][number];

export interface TreeNode {
  readonly run: TreeRun;
  readonly below: readonly TreeNode[];
}

/** True if the tool starts a run: its approvals and questions belong to that run. */
export const isStarter = (tool: string): boolean => tool === "run_agent" || tool.startsWith("agent_");

/** Those that the run `top` has started, each with those below it, in the order in which they were started. */
export function treeOf(items: readonly TreeRun[], top: string): readonly TreeNode[] {
  return items
    .filter(({ parentRunId }) => parentRunId === top)
    .map((run) => ({ run, below: treeOf(items, run.id) }));
}

type Status = TreeRun["status"];

const STATUS_WORDS: Readonly<Record<Status, readonly [one: string, several: string]>> = {
  queued: ["queued", "queued"],
  running: ["running", "running"],
  paused: ["needs you", "need you"],
  completed: ["answered", "answered"],
  failed: ["failed", "failed"],
  cancelled: ["stopped", "stopped"],
};

/** The status of a run in a word or two. */
export function statusWords({ status, waitingFor }: Pick<TreeRun, "status" | "waitingFor">): string {
  if (status === "running" && waitingFor?.kind === "provider") return "waiting for its model";
  if (status === "paused" && waitingFor?.kind === "approval") return "needs a decision";
  if (status === "paused" && waitingFor?.kind === "answer") return "needs an answer";
  if (status === "paused" && waitingFor?.kind === "client") return "waiting for its page";
  return STATUS_WORDS[status][0];
}

export const isOver = ({ status }: Pick<TreeRun, "status">): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

/** All of them, those of lower levels too. */
export const flat = (nodes: readonly TreeNode[]): readonly TreeRun[] =>
  nodes.flatMap(({ run, below }) => [run, ...flat(below)]);

/** `3 sub-runs: 1 running, 1 needs you, 1 answered` */
export function treeWords(nodes: readonly TreeNode[]): string {
  const runs = flat(nodes);
  const counts = (Object.keys(STATUS_WORDS) as Status[]).flatMap((status) => {
    const count = runs.filter((run) => run.status === status).length;
    return count === 0 ? [] : [`${count} ${STATUS_WORDS[status][count === 1 ? 0 : 1]}`];
  });
  return `${runs.length} ${runs.length === 1 ? "sub-run" : "sub-runs"}: ${counts.join(", ")}`;
}
