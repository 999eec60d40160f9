import type { Actor } from "../../session/api/session-api.ts";
import type { Answer } from "../../protocol/api.ts";
import type { RunView } from "../../protocol/views.ts";
import { readRunId } from "../../core/log/names.ts";
import { TREE_SESSIONS_MAX } from "../../core/limits.ts";
import { err, ok } from "../../core/log/result.ts";
import type { ApiResult } from "../../session/api/session-api.ts";
import type { Deps } from "../deps.ts";

/** A run with all below it: each is read from its own session, the levels one after the other. */

type Tree = Answer<"RunTree">;
type Node = Tree["items"][number];

export async function readTree(
  { sessions }: Pick<Deps, "sessions">,
  actor: Actor,
  session: string,
  runId: string,
): Promise<ApiResult<Tree>> {
  const top = await sessions(session).readRun(actor, runId);
  if (!top.ok) return err(top.error);
  const missing: string[] = [];
  let left = TREE_SESSIONS_MAX;
  const below = async (run: RunView, depth: number): Promise<readonly Node[]> => {
    left -= 1;
    const children = run.childRuns.slice(0, Math.max(0, left));
    const found = await Promise.all(
      children.map(async ({ sessionId, runId: id }) => {
        const child = await sessions(sessionId).readRun(actor, id);
        if (child.ok) return below(child.value, depth + 1);
        missing.push(id);
        return [];
      }),
    );
    return [nodeOf(run, depth), ...found.flat()];
  };
  const items = await below(top.value, 0);
  const live = items.filter(({ outcome }) => outcome === null);
  return ok({
    items: [...items],
    missing: missing.toSorted(),
    total: {
      runs: items.length,
      live: live.length,
      waiting: live.filter(({ status }) => status === "paused").length,
      tokens: items.reduce((sum, { tokens }) => sum + tokens, 0),
      costUsd: items.reduce((sum, { costUsd }) => sum + costUsd, 0),
    },
  });
}

function nodeOf(run: RunView, depth: number): Node {
  const { id, sessionId, parentRunId, status, outcome, reason, agent, objective, waitingFor, steps } = run;
  const { createdAt, startedAt, endedAt } = run;
  const { inputTokens = 0, outputTokens = 0, costUsd = 0 } = usageOf(run);
  const call = parentRunId === null ? null : (readRunId(id)?.session.split("~").at(-1) ?? null);
  return {
    id,
    sessionId,
    parentRunId,
    call,
    depth,
    status,
    outcome,
    reason,
    agent,
    objective,
    waitingFor,
    steps,
    tokens: inputTokens + outputTokens,
    costUsd: costUsd ?? 0,
    createdAt,
    startedAt,
    endedAt,
  };
}

/** As protocol/stream/data-parts.ts makes it. */
const usageOf = ({
  usage,
}: RunView): { inputTokens?: number; outputTokens?: number; costUsd?: number | null } =>
  usage === null ? {} : (usage as ReturnType<typeof usageOf>);
