import { useMemo } from "react";
import type { Answer } from "../../wire/api.ts";
import { useAnswer } from "../api.ts";
import { Revealed } from "../parts/markdown/revealed.tsx";
import { branchHref, branchOf } from "./branch.ts";
import { StopBranch } from "./stop-branch.tsx";
import { isOver, STATUS_WORDS, treeOf, treeWords, type TreeNode } from "./tree.ts";
import "./branches.css";

/** Between looks at a tree that is at work; the index that it is read from is a moment late itself. */
const LOOK_MS = 2_000;
/** a tree has at most fifty */
const RUNS_MAX = 100;

/**
 * What the live run of a conversation has started, and what that has started: which of it works, which waits for a person or in
 * a queue, and a stop for each branch.
 */
export function TreeView({ root, run }: { readonly root: string; readonly run: string }) {
  const { data } = useAnswer<Answer<"Runs">>(`/api/runs?below=${root}&limit=${RUNS_MAX}`, {
    refreshInterval: LOOK_MS,
    keepPreviousData: true,
  });
  const tree = useMemo(() => treeOf(data?.items ?? [], root, run), [data, root, run]);
  if (tree.length === 0) return null;
  return (
    <details className="tree" open>
      <summary>
        <h2 className="small soft">{treeWords(tree)}</h2>
      </summary>
      <Nodes nodes={tree} />
    </details>
  );
}

function Nodes({ nodes }: { readonly nodes: readonly TreeNode[] }) {
  return (
    <ul>
      {nodes.map(({ run, below }) => (
        <li key={run.id}>
          <div className="tree-run" data-status={run.status}>
            <Objective session={run.sessionId} words={run.objective} />
            <span className="tag" data-tone={TONES[run.status]}>
              {STATUS_WORDS[run.status]}
            </span>
            {isOver(run) ? null : <StopBranch session={run.sessionId} objective={run.objective} small />}
          </div>
          {below.length === 0 ? null : <Nodes nodes={below} />}
        </li>
      ))}
    </ul>
  );
}

function Objective({ session, words }: { readonly session: string; readonly words: string }) {
  const branch = branchOf(session);
  return (
    <a
      className="tree-words"
      dir="auto"
      href={branch === null ? undefined : branchHref(branch)}
      title="Trace"
    >
      <Revealed text={words} />
    </a>
  );
}

const TONES: Readonly<Record<TreeNode["run"]["status"], string | undefined>> = {
  queued: undefined,
  running: "none",
  paused: "waits",
  completed: "good",
  failed: "bad",
  cancelled: undefined,
};
