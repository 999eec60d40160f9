import type { IndexDb } from "../storage/index-db.ts";
import type { Entry } from "../../core/log/entry.ts";
import { addUsage, type Usage, NO_USAGE } from "../../core/log/model.ts";
import { openBudgetQuestion } from "../../core/loop/receive-extension.ts";
import { type State } from "../../core/state/state.ts";
import { loadRun } from "../api/log-reader.ts";
import type { SessionView } from "../api/session-api.ts";
import type { Background } from "../engine/ports.ts";
import { NEVER_INDEXED, type Indexed, type Meta } from "../storage/meta.ts";
import type { SqlStore } from "../storage/store.ts";
import { approvalIn, emptyInbox, inboxStatements } from "./approval-index.ts";
import { type Statement } from "../storage/index-db.ts";
import { waitingStatements } from "./inbox-items.ts";
import { forgetRuns, changesRunStatus, runStatements } from "./run-index.ts";

/**
 * Copies a session to the index of sessions, which every list and search reads (D1, migrations/0002). Owns the one row
 * `indexed`, which records how far the index has followed. It differs from the session as long as the index lags, so a
 * lost write is repeated by the alarm and by every wake. Never delays a run.
 */

export interface SessionIndexDeps {
  readonly session: string;
  readonly store: SqlStore;
  readonly state: () => State;
  readonly view: (meta: Meta, state: State) => SessionView;
  readonly db: IndexDb;
  readonly clock: () => number;
  /** Runs the body in a transaction and arms the alarm for what is due then. */
  readonly rearm: (body: () => void) => void;
  /** a fault, for the operator's log */
  readonly report: (error: unknown) => void;
}

/** delay of the alarm that repeats a lost write */
const LAG_MS = 2_000;

const RETRY_MS = 5_000;

const RETRY_MS_MAX = 60 * 60_000;

/** after so many failures in a row only a wake for something else tries again */
const TRIES_MAX = 12;

/** rows of the log that one write follows */
const ROWS_AT_ONCE = 2_000;

const PAGE_ROWS = 100;

/** characters of texts in one write; D1 takes values of up to 2 MB */
const CHARS_AT_ONCE = 400_000;

export class SessionIndex implements Background {
  readonly #deps: SessionIndexDeps;
  #writing: Promise<void> | null = null;
  #leaving = false;

  constructor(deps: SessionIndexDeps) {
    this.#deps = deps;
  }

  due(state: State): number | null {
    const meta = this.#deps.store.loadMeta();
    if (meta === null || this.#leaving || isOnlyVisited(meta, state)) return null;
    const { token, tries, retryAt } = this.#deps.store.loadIndexed();
    if (token === tokenOf(meta, state) || tries > TRIES_MAX) return null;
    return Math.max(retryAt, state.at + LAG_MS, (meta.changedAt ?? 0) + LAG_MS);
  }

  /** Brings the index up to the session as it is now. Never throws: what fails is tried again later. */
  async flush(): Promise<void> {
    // The write in progress may have read an older state.
    await this.#writing;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }

  /**
   * Takes the session out of the index, for good. Throws when that could not be written. A session whose isolate dies
   * before it is erased is still there, so it must come back into the index: that is written down first.
   */
  async leave(): Promise<void> {
    const { session, store, db, clock, rearm } = this.#deps;
    rearm(() => store.saveIndexed({ ...NEVER_INDEXED, retryAt: clock() + RETRY_MS }));
    this.#leaving = true;
    try {
      await this.#writing;
      await db.batch([
        ["DELETE FROM session_texts WHERE session_id = ?1", session],
        ["DELETE FROM sessions WHERE id = ?1", session],
        ...emptyInbox(session),
        forgetRuns(session),
      ]);
    } catch (error) {
      this.#leaving = false;
      throw error;
    }
  }

  /** The session is gone; another of its name may come. */
  left(): void {
    this.#leaving = false;
  }

  async #write(): Promise<void> {
    const { store, state, db, clock, rearm, report } = this.#deps;
    const meta = store.loadMeta();
    if (meta === null || this.#leaving) return;
    const before = store.loadIndexed();
    const now = state();
    const token = tokenOf(meta, now);
    if (isOnlyVisited(meta, now)) return;
    if (before.token === token || clock() < before.retryAt) return;
    let after: Indexed;
    try {
      // One that was indexed as an older one is followed anew, from its beginning.
      const known = before.token === "" || before.token.startsWith(`${INDEX_VERSION} `);
      const news = this.#news(meta, now, known ? before.seq : 0);
      await db.batch(news.statements);
      // A long log is followed in several writes: the last of them makes it whole.
      const whole = news.seq >= now.head;
      after = { token: whole ? token : known ? before.token : "", seq: news.seq, tries: 0, retryAt: 0 };
    } catch (error) {
      report(error);
      const wait = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** before.tries);
      after = { ...before, tries: before.tries + 1, retryAt: clock() + wait };
    }
    // Deleted while it was written, or even made anew.
    if (this.#leaving || store.loadMeta()?.createdAt !== meta.createdAt) return;
    rearm(() => store.saveIndexed(after));
  }

  #news(meta: Meta, state: State, after: number): { statements: Statement[]; seq: number } {
    const { session, view } = this.#deps;
    const texts: { seq: number; text: string }[] = [];
    const hidden: number[] = [];
    const usage: UsageRow[] = [];
    const approvals = new Set<string>();
    const statusEntries: Entry[] = [];
    const seq = this.#follow(after, state.head, (entry) => {
      const text = textOf(entry);
      if (text !== "") texts.push({ seq: entry.seq, text });
      const approval = approvalIn(entry);
      if (approval !== null) approvals.add(approval);
      if (changesRunStatus(entry)) statusEntries.push(entry);
      if (entry.kind === "answer_hidden") hidden.push(...this.#answersOf(state, entry.body.run, entry.seq));
      if (entry.kind === "run_ended" && entry.run !== null)
        usage.push(...usageRows(loadRun(this.#deps.store, state, entry.run, entry.seq)));
      if (entry.kind === "titled") usage.push(titleUsage(entry, meta.owner));
      // The view of an approval is about as large as its request.
      return text.length + (approval === null ? 0 : JSON.stringify(entry.body).length);
    });
    const shown = view(meta, state);
    const createdAt = meta.createdAt;
    const statements: Statement[] = [
      [
        `INSERT INTO sessions (id, owner, status, archived, created_at, updated_at, view) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, status = excluded.status,
           archived = excluded.archived, created_at = excluded.created_at, updated_at = excluded.updated_at, view = excluded.view`,
        session,
        shown.owner,
        shown.status,
        shown.archived ? 1 : 0,
        createdAt,
        Date.parse(shown.updatedAt),
        JSON.stringify(shown),
      ],
      [
        `INSERT INTO session_texts (session_id, seq, text) SELECT ?1, value ->> 'seq', value ->> 'text' FROM json_each(?2) WHERE true
         ON CONFLICT (session_id, seq) DO UPDATE SET text = excluded.text WHERE text <> excluded.text`,
        session,
        JSON.stringify([{ seq: 0, text: shown.title }, ...texts]),
      ],
    ];
    if (state.cleared > 0)
      statements.push([
        "DELETE FROM session_texts WHERE session_id = ?1 AND seq BETWEEN 1 AND ?2",
        session,
        state.cleared,
      ]);
    if (hidden.length > 0)
      statements.push([
        "DELETE FROM session_texts WHERE session_id = ?1 AND seq IN (SELECT value FROM json_each(?2))",
        session,
        JSON.stringify(hidden),
      ]);
    if (usage.length > 0)
      statements.push([
        `INSERT OR REPLACE INTO session_usage
           (session_id, created_at, run, model, owner, subject, ended_at, steps, input_tokens, output_tokens, cost_micros)
         SELECT ?1, ?2, value ->> 'run', value ->> 'model', ?3, value ->> 'subject', value ->> 'endedAt', value ->> 'steps',
           value ->> 'inputTokens', value ->> 'outputTokens', value ->> 'costMicros' FROM json_each(?4)`,
        session,
        createdAt,
        shown.owner,
        JSON.stringify(usage),
      ]);
    statements.push(...inboxStatements(session, shown.owner, approvals, state, this.#deps.store));
    statements.push(...runStatements(session, shown.owner, statusEntries, state, this.#deps.store));
    statements.push(...waitingStatements(session, shown.owner, state, this.#deps.store));
    return { statements, seq };
  }

  /** Gives rows after a seq to `take`, which answers how many characters it took. The seq of the last one given. */
  #follow(after: number, head: number, take: (entry: Entry) => number): number {
    let seq = after;
    let space = CHARS_AT_ONCE;
    while (seq < head && seq - after < ROWS_AT_ONCE && space > 0) {
      const page = this.#deps.store.entriesBetween(seq + 1, Math.min(seq + PAGE_ROWS, head));
      if (page.length === 0) return head;
      for (const entry of page) {
        space -= take(entry);
        seq = entry.seq;
        if (space <= 0) break;
      }
    }
    return seq;
  }

  /** A run is looked for back from where it is spoken of: from the end of a long log each of many would cost all of it. */
  #answersOf(state: State, run: string, upTo: number): number[] {
    const rows = loadRun(this.#deps.store, state, run, upTo);
    return rows.flatMap((row) => (row.kind === "answer" ? [row.seq] : []));
  }
}

/** True if a socket took the session ID without any message or setting: opening an empty page makes no session. */
function isOnlyVisited(meta: Meta, state: State): boolean {
  const { title, metadata, changedAt } = meta;
  return state.head === 0 && title === "" && metadata === undefined && changedAt === undefined;
}

/** of what is written: a session that was indexed as an older one is written again at its next wake */
const INDEX_VERSION = "v3";

/**
 * Returns a token of the indexed fields, which change when a run starts, waits or ends, or when a person changes the
 * session.
 */
function tokenOf(meta: Meta, state: State): string {
  const { run, queue, runs, ended, cleared } = state;
  const phase = run?.phase;
  const waits =
    phase?.at === "waiting_approval"
      ? `${phase.approval.approval} ${phase.approval.digest} ${phase.approval.expiresAt} ${phase.approval.votes?.length ?? 0}`
      : phase?.at === "waiting_human"
        ? phase.question.question
        : phase?.at === "waiting_client"
          ? phase.client.call
          : "";
  const budget = openBudgetQuestion(run)?.question ?? "";
  return `${INDEX_VERSION} ${meta.version} ${runs} ${queue.length} ${run?.run ?? ""} ${ended.at(-1)?.run ?? ""} ${cleared} ${waits} ${budget} ${meta.title}`;
}

function textOf(entry: Entry): string {
  if (entry.kind === "answer") return entry.body.text;
  if (entry.kind !== "user_message") return "";
  return entry.body.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

export interface UsageRow {
  readonly run: string;
  readonly model: string;
  /** who asked for the run */
  readonly subject: string;
  readonly endedAt: number;
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** millionths of a US dollar */
  readonly costMicros: number;
}

/** Returns usage of an ended run, by model; lost attempts are charged to the model that it began with. */
/** The call that titled the session belongs to no run; only the owner is charged. */
function titleUsage({ at, body: { model, usage } }: Entry<"titled">, owner: string): UsageRow {
  const { inputTokens, outputTokens, cost } = usage;
  return {
    run: "title",
    model,
    subject: owner,
    endedAt: at,
    steps: 0,
    inputTokens,
    outputTokens,
    costMicros: cost ?? 0,
  };
}

export function usageRows(rows: readonly Entry[]): UsageRow[] {
  const queued = rows.find((row) => row.kind === "run_queued");
  const ended = rows.find((row) => row.kind === "run_ended");
  if (queued?.kind !== "run_queued" || ended?.kind !== "run_ended" || queued.run === null) return [];
  const first = queued.body.model;
  const models = new Map<string, { usage: Usage; steps: number }>([[first, { usage: NO_USAGE, steps: 0 }]]);
  const of = (model: string) => models.get(model) ?? { usage: NO_USAGE, steps: 0 };
  const fallbacks = [...queued.body.fallbacks];
  // By the name that the deployment calls it by, which is the one that has a price.
  let model = first;
  for (const row of rows) {
    if (row.kind === "step_started") {
      ({ model } = row.body);
      models.set(model, { ...of(model), steps: of(model).steps + 1 });
    }
    if (row.kind === "model_replied" || row.kind === "model_failed") {
      models.set(model, { ...of(model), usage: addUsage(of(model).usage, row.body.usage) });
      if (row.kind === "model_failed" && row.body.then === "fallback") model = fallbacks.shift() ?? model;
    }
  }
  const sum = [...models.values()].reduce((all, { usage }) => addUsage(all, usage), NO_USAGE);
  const rest: Usage = {
    ...NO_USAGE,
    inputTokens: Math.max(0, ended.body.usage.inputTokens - sum.inputTokens),
    outputTokens: Math.max(0, ended.body.usage.outputTokens - sum.outputTokens),
    cost: Math.max(0, (ended.body.usage.cost ?? 0) - (sum.cost ?? 0)),
  };
  models.set(first, { ...of(first), usage: addUsage(of(first).usage, rest) });
  const { run } = queued;
  return [...models].map(([name, { usage, steps }]) => ({
    run,
    model: name,
    subject: queued.body.actor,
    endedAt: ended.at,
    steps,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    costMicros: usage.cost ?? 0,
  }));
}
