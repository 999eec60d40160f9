import { startOf } from "../../core/text/cut.ts";
import type { BodyOf, Entry, EntryKind } from "../../core/log/entry.ts";
import type { State } from "../../core/state/state.ts";
import { liveStatus, RUN_STATUS } from "../../protocol/views.ts";
import type { Store } from "../engine/ports.ts";
import type { Statement } from "../storage/index-db.ts";
import { wordsAt } from "../api/log-reader.ts";

/** Runs of a session, written to the run index of all sessions (D1, migrations/0006). */

const OBJECTIVE_CHARS_MAX = 200;

const STATUS_KINDS: readonly EntryKind[] = ["run_queued", "run_started", "run_ended"];

/** True if an entry changes the status of a run. */
export const changesRunStatus = (entry: Entry): boolean => STATUS_KINDS.includes(entry.kind);

/**
 * Writes the runs of these rows, and the live one, as they are now. One that is queued in them is written whole; of the
 * others only what has changed, so that nothing is written for a run that is as it was.
 */
export function runStatements(
  session: string,
  owner: string,
  rows: readonly Entry[],
  state: State,
  store: Pick<Store, "entriesBetween">,
): Statement[] {
  const changes = new Map<string, RunChange>();
  if (state.run !== null) changes.set(state.run.run, { ...UNKNOWN });
  for (const { run, at, ...row } of rows) {
    if (run === null) continue;
    const change = changes.get(run) ?? { ...UNKNOWN };
    changes.set(run, change);
    if (row.kind === "run_queued") change.queued = { at, body: row.body };
    if (row.kind === "run_started") change.startedAt = at;
    if (row.kind === "run_ended") change.ended = { at, body: row.body };
  }
  const now = [...changes].map(([run, { queued, startedAt, ended }]) => ({
    number: Number(run.slice(1)),
    status: ended === null ? liveNow(run, state) : RUN_STATUS[ended.body.class],
    outcome: ended?.body.class ?? null,
    reason: ended?.body.reason ?? null,
    startedAt,
    endedAt: ended?.at ?? null,
    asked:
      queued === null
        ? null
        : {
            agent: queued.body.spec.agent,
            objective: beginning(wordsAt(store, queued.body.inputSeq)),
            source: queued.body.source,
            requester: queued.body.actor,
            model: queued.body.model,
            createdAt: queued.at,
          },
  }));
  const whole = now.filter(({ asked }) => asked !== null);
  const changed = now.filter(({ asked }) => asked === null);
  return [
    ...(whole.length === 0 ? [] : [[INSERT, session, owner, JSON.stringify(whole)] as const]),
    ...(changed.length === 0 ? [] : [[UPDATE, session, JSON.stringify(changed)] as const]),
  ];
}

/** Takes the runs of a session out of the index. */
export const forgetRuns = (session: string): Statement => ["DELETE FROM runs WHERE session_id = ?1", session];

interface RunChange {
  queued: { readonly at: number; readonly body: BodyOf<"run_queued"> } | null;
  startedAt: number | null;
  ended: { readonly at: number; readonly body: BodyOf<"run_ended"> } | null;
}

const UNKNOWN: RunChange = { queued: null, startedAt: null, ended: null };

function liveNow(run: string, { run: live, queue }: State): "queued" | "running" | "paused" {
  if (live?.run === run) return liveStatus(live);
  // A long log is followed in pieces: the end of a run may be in the next.
  return queue.some((item) => item.run === run) ? "queued" : "running";
}

/** Not half of a pair at the cut. */
const beginning = (text: string): string => startOf(text, OBJECTIVE_CHARS_MAX);

const INSERT = `INSERT INTO runs (session_id, owner, number, status, outcome, reason, started_at, ended_at, agent, objective, source, requester, model, created_at)
  SELECT ?1, ?2, value ->> 'number', value ->> 'status', value ->> 'outcome', value ->> 'reason', value ->> 'startedAt', value ->> 'endedAt',
    value ->> '$.asked.agent', value ->> '$.asked.objective', value ->> '$.asked.source', value ->> '$.asked.requester', value ->> '$.asked.model',
    value ->> '$.asked.createdAt' FROM json_each(?3) WHERE true
  ON CONFLICT (session_id, number) DO UPDATE SET owner = excluded.owner, status = excluded.status, outcome = excluded.outcome, reason = excluded.reason,
    started_at = excluded.started_at, ended_at = excluded.ended_at, agent = excluded.agent, objective = excluded.objective, source = excluded.source,
    requester = excluded.requester, model = excluded.model, created_at = excluded.created_at`;

const UPDATE = `UPDATE runs SET status = now.value ->> 'status', outcome = now.value ->> 'outcome', reason = now.value ->> 'reason',
    started_at = COALESCE(now.value ->> 'startedAt', started_at), ended_at = now.value ->> 'endedAt'
  FROM json_each(?2) AS now
  WHERE session_id = ?1 AND number = now.value ->> 'number'
    AND (status <> now.value ->> 'status' OR started_at IS NOT COALESCE(now.value ->> 'startedAt', started_at))`;
