import { runId, runName } from "../../core/log/names.ts";
import type { SessionView } from "../../session/api/session-api.ts";
import type { Answer } from "../../protocol/api.ts";
import { decisionView, type ApprovalView } from "../../protocol/approval.ts";
import { isoTime } from "../../protocol/stream/ui-chunk.ts";

/** Reads of the index of sessions (migrations/0002). A copy that may lag: for the truth, ask the session. */

export interface SessionQuery {
  /** null sees everyone's */
  readonly owner: string | null;
  readonly q: string | null;
  readonly archived: boolean;
  readonly status: SessionView["status"] | null;
  readonly limit: number;
  /** of the last one of the page before */
  readonly before: Cursor | null;
}

/** Newest first: by time, then by name. */
export interface Cursor {
  readonly at: number;
  readonly id: string;
}

export type ListedSession = SessionView & { readonly snippet?: string };

export interface SessionPage {
  readonly items: readonly ListedSession[];
  readonly next: Cursor | null;
}

const WORDS_MAX = 8;
const SNIPPET_WORDS = 16;

/** Only the name of a child has this sign. */
const NO_CHILD = "instr(id, '~') = 0";

/** The words of a search, each as an FTS5 prefix query; none when there is nothing to look for. */
function searchTerms(q: string): string[] {
  return (q.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, WORDS_MAX).map((word) => `"${word}"*`);
}

export async function listSessions(db: D1Database, query: SessionQuery): Promise<SessionPage> {
  const { owner, q, archived, status, limit, before } = query;
  const words = q === null ? [] : searchTerms(q);
  // A search for nothing that can be found finds nothing.
  if (q !== null && words.length === 0) return { items: [], next: null };
  // Child runs are listed under the run that started them.
  const where = ["archived = ?", NO_CHILD];
  const values: (string | number)[] = [archived ? 1 : 0];
  const add = (condition: string, ...more: (string | number)[]): void => {
    where.push(condition);
    values.push(...more);
  };
  if (owner !== null) add("owner = ?", owner);
  if (status !== null) add("status = ?", status);
  if (before !== null) add("(updated_at, id) < (?, ?)", before.at, before.id);
  for (const word of words) {
    add(
      "id IN (SELECT t.session_id FROM session_fts f JOIN session_texts t ON t.id = f.rowid WHERE session_fts MATCH ?)",
      word,
    );
  }
  const { results } = await db
    .prepare(
      `SELECT id, updated_at, view FROM sessions WHERE ${where.join(" AND ")} ORDER BY updated_at DESC, id DESC LIMIT ?`,
    )
    .bind(...values, limit + 1)
    .all<{ id: string; updated_at: number; view: string }>();
  const page = results.slice(0, limit);
  const last = page.at(-1);
  const snippets = words.length === 0 ? null : await snippetsOf(db, page, words);
  return {
    items: page.map(({ id, view }) => {
      const session = JSON.parse(view) as SessionView;
      const snippet = snippets?.get(id);
      return snippet === undefined ? session : { ...session, snippet };
    }),
    next: results.length > limit && last !== undefined ? { at: last.updated_at, id: last.id } : null,
  };
}

/** Returns for each session the newest text that contains one of the words. */
async function snippetsOf(
  db: D1Database,
  page: readonly { readonly id: string }[],
  words: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { results } = await db
    .prepare(
      `SELECT t.session_id AS id, t.seq AS seq, snippet(session_fts, 0, '', '', '…', ${SNIPPET_WORDS}) AS snippet
       FROM session_fts JOIN session_texts t ON t.id = session_fts.rowid
       WHERE session_fts MATCH ?1 AND t.session_id IN (SELECT value FROM json_each(?2)) ORDER BY t.seq`,
    )
    .bind(words.join(" OR "), JSON.stringify(page.map(({ id }) => id)))
    .all<{ id: string; seq: number; snippet: string }>();
  return new Map(results.map(({ id, snippet }) => [id, snippet]));
}

export interface InboxQuery {
  /** null sees everyone's */
  readonly reader: string | null;
  /** null: every state */
  readonly state: ApprovalView["state"] | null;
  readonly session: string | null;
  readonly limit: number;
  readonly before: Cursor | null;
}

/** fields that rows of earlier versions are without, and the text, which is never stored */
const LATER_FIELDS = ["changes", "warnings", "batch", "draft", "decision"] as const;

/** Approvals of all sessions (migrations/0004), the last asked first. Of a `Place` the id is `<session>/<approval>`. */
export async function listApprovals(
  db: D1Database,
  query: InboxQuery,
): Promise<{ readonly items: readonly ApprovalView[]; readonly next: Cursor | null }> {
  const { reader, state, session, limit, before } = query;
  const [beforeSession = "", beforeId = ""] = before?.id.split("/") ?? [];
  const conditions: [condition: string, ...values: (string | number)[]][] = [
    ...(reader === null ? [] : [[READABLE, reader] as [string, string]]),
    ...(state === null ? [] : [["state = ?", state] as [string, string]]),
    ...(session === null ? [] : [["session_id = ?", session] as [string, string]]),
  ];
  if (before !== null)
    conditions.push(["(asked_at, session_id, id) < (?, ?, ?)", before.at, beforeSession, beforeId]);
  const where = ["TRUE", ...conditions.map(([condition]) => condition)].join(" AND ");
  const { results } = await db
    .prepare(
      `SELECT session_id, id, asked_at, view FROM approvals WHERE ${where}
       ORDER BY asked_at DESC, session_id DESC, id DESC LIMIT ?`,
    )
    .bind(...conditions.flatMap(([, ...values]) => values), limit + 1)
    .all<{ session_id: string; id: string; asked_at: number; view: string }>();
  const page = results.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ view }) => {
      const stored = JSON.parse(view) as Partial<ApprovalView> &
        Omit<ApprovalView, (typeof LATER_FIELDS)[number]>;
      const approval = { changes: [], warnings: [], batch: null, draft: null, ...stored };
      return { ...approval, decision: decisionView(approval) };
    }),
    next:
      results.length > limit && last !== undefined
        ? { at: last.asked_at, id: `${last.session_id}/${last.id}` }
        : null,
  };
}

export interface RunsQuery {
  /** null sees everyone's */
  readonly owner: string | null;
  readonly status: ListedRun["status"] | null;
  readonly session: string | null;
  readonly agent: string | null;
  readonly limit: number;
  readonly before: Cursor | null;
}

/** A run as the list has it: the Run itself is read from its session. */
export type ListedRun = Answer<"Runs">["items"][number];

interface RunRow {
  readonly session_id: string;
  readonly number: number;
  readonly agent: string;
  readonly status: ListedRun["status"];
  readonly outcome: ListedRun["outcome"];
  readonly reason: string | null;
  readonly objective: string;
  readonly source: string;
  readonly requester: string;
  readonly model: string;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** Runs of all sessions (migrations/0006), the newest first. Of a `Place` the id is `<session>/<number>`. */
export async function listRuns(
  db: D1Database,
  { owner, status, session, agent, limit, before }: RunsQuery,
): Promise<{ readonly items: readonly ListedRun[]; readonly next: Cursor | null }> {
  const [beforeSession = "", beforeNumber = ""] = before?.id.split("/") ?? [];
  const wanted = { owner, status, session_id: session, agent };
  const equal = Object.entries(wanted).filter((one): one is [string, string] => one[1] !== null);
  const isOfAll = session === null;
  const where = [
    isOfAll ? "instr(session_id, '~') = 0" : "TRUE",
    ...equal.map(([column]) => `${column} = ?`),
  ];
  const values: (string | number)[] = equal.map(([, value]) => value);
  if (before !== null) {
    where.push("(created_at, session_id, number) < (?, ?, ?)");
    values.push(before.at, beforeSession, Number(beforeNumber));
  }
  const { results } = await db
    .prepare(
      `SELECT session_id, number, agent, status, outcome, reason, objective, source, requester, model,
         created_at, started_at, ended_at FROM runs WHERE ${where.join(" AND ")}
       ORDER BY created_at DESC, session_id DESC, number DESC LIMIT ?`,
    )
    .bind(...values, limit + 1)
    .all<RunRow>();
  const page = results.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((row) => ({
      id: runId(row.session_id, runName(row.number)),
      sessionId: row.session_id,
      status: row.status,
      partial: row.outcome === "partial",
      outcome: row.outcome,
      reason: row.reason,
      objective: row.objective,
      source: row.source,
      requester: row.requester,
      agent: row.agent,
      model: row.model,
      createdAt: isoTime(row.created_at),
      startedAt: row.started_at === null ? null : isoTime(row.started_at),
      endedAt: row.ended_at === null ? null : isoTime(row.ended_at),
    })),
    next:
      results.length > limit && last !== undefined
        ? { at: last.created_at, id: `${last.session_id}/${last.number}` }
        : null,
  };
}

const READABLE =
  "(session_id, id) IN (SELECT session_id, id FROM approval_readers WHERE subject IN (?, '*'))";

export const USAGE_GROUPS = {
  day: "strftime('%Y-%m-%d', ended_at / 1000, 'unixepoch')",
  model: "model",
  subject: "subject",
  session: "session_id",
} as const;
export type UsageGroup = keyof typeof USAGE_GROUPS;

export interface UsageSum {
  readonly runs: number;
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

const SUMS = `COUNT(DISTINCT CASE WHEN run <> 'title' THEN session_id || ' ' || created_at || ' ' || run END) AS runs, COALESCE(SUM(steps), 0) AS steps,
  COALESCE(SUM(input_tokens), 0) AS inputTokens, COALESCE(SUM(output_tokens), 0) AS outputTokens,
  COALESCE(SUM(cost_micros), 0) / 1e6 AS costUsd`;

/** Returns usage of the runs that ended in a period (milliseconds, end exclusive). `owner` null: everyone's. */
export async function sumUsage(
  db: D1Database,
  query: {
    readonly owner: string | null;
    readonly from: number;
    readonly to: number;
    readonly by: UsageGroup;
  },
): Promise<{ readonly items: readonly (UsageSum & { readonly key: string })[]; readonly total: UsageSum }> {
  const { owner, from, to, by } = query;
  const where = `ended_at >= ?1 AND ended_at < ?2 AND (?3 IS NULL OR owner = ?3)`;
  const [items, total] = await db.batch<UsageSum & { key: string }>([
    db
      .prepare(
        `SELECT ${USAGE_GROUPS[by]} AS key, ${SUMS} FROM session_usage WHERE ${where} GROUP BY 1 ORDER BY 1 LIMIT 1000`,
      )
      .bind(from, to, owner),
    db.prepare(`SELECT ${SUMS} FROM session_usage WHERE ${where}`).bind(from, to, owner),
  ]);
  const none: UsageSum = { runs: 0, steps: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
  return { items: items?.results ?? [], total: total?.results[0] ?? none };
}
