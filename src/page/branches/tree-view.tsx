import { useMemo } from "react";
import type { Answer } from "../../cairn/protocol/api.ts";
import { useAnswer } from "../api.ts";
import { costText, tokensText } from "../parts/amount-text.ts";
import { Revealed } from "../parts/revealed.tsx";
import { branchHref, branchOf } from "./branch.ts";
import { StopBranch } from "./stop-branch.tsx";
import { isOver, statusWords, treeOf, treeWords, type TreeNode, type TreeRun } from "./tree.ts";
import "./branches.css";

/** Between looks at a tree that is at work. */
const LOOK_MS = 3_000;
/** and at one in which all that goes on waits for a person: each look wakes every session of it */
const WAIT_MS = 15_000;

/**
 * Tree of the runs below a live run: which works, which waits for a person or in a queue, the cost of each, and a
 * stop button for each branch. `run`: its full ID.
 */
export function TreeView({ run }: { readonly run: string }) {
  const { data } = useAnswer<Answer<"RunTree">>(`/api/runs/${run}/tree`, {
    refreshInterval: (known) => (known !== undefined && onlyWaits(known) ? WAIT_MS : LOOK_MS),
    keepPreviousData: true,
  });
  const tree = useMemo(() => treeOf(data?.items ?? [], run), [data, run]);
  if (data === undefined || tree.length === 0) return null;
  const { tokens, costUsd } = data.total;
  return (
    <details className="tree" open>
      <summary>
        <h2 className="small soft">{treeWords(tree)}</h2>
        <span className="small soft tree-cost">in all {usedText(tokens, costUsd)}</span>
      </summary>
      <Nodes nodes={tree} />
    </details>
  );
}

/** The run at the top waits for those below it. */
const onlyWaits = ({ items }: Answer<"RunTree">): boolean => {
  const live = items.filter((item) => !isOver(item));
  const above = new Set(live.map(({ parentRunId }) => parentRunId));
  return live.every(({ id, status }) => status === "paused" || above.has(id));
};

const usedText = (tokens: number, costUsd: number): string =>
  [tokensText(tokens), costText(costUsd)].filter((part) => part !== null).join(" · ");

function Nodes({ nodes }: { readonly nodes: readonly TreeNode[] }) {
  return (
    <ul>
      {nodes.map(({ run, below }) => (
        <li key={run.id}>
          <div className="tree-run" data-status={run.status}>
            <Objective session={run.sessionId} words={run.objective} />
            <span className="soft small tree-cost">{usedText(run.tokens, run.costUsd)}</span>
            <span className="tag" data-tone={TONES[run.status]}>
              {statusWords(run)}
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

const TONES: Readonly<Record<TreeRun["status"], string | undefined>> = {
  queued: undefined,
  running: "none",
  paused: "waits",
  completed: "good",
  failed: "bad",
  cancelled: undefined,
};
