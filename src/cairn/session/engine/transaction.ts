import { ANSWER_NOW } from "../../core/entries/verdict.ts";
import { promptNote } from "../../prompt-notes.ts";
import { apply } from "../../core/state/apply.ts";
import { asKind, type BodyOf, type Entry, type EntryDraft } from "../../core/log/entry.ts";
import { RECOVERY_EARLY_SHARE, RECOVERY_MS, EARLY_ALARM_MS } from "../../core/limits.ts";
import type { Json } from "../../core/log/json.ts";
import { complaintOf, type Redact } from "../../core/text/redact.ts";
import { nextAlarm } from "../../core/loop/next.ts";
import { EMPTY_STATE, type Fact, type LiveRun, type State } from "../../core/state/state.ts";
import type { OpenQuestion } from "../../core/state/run/phase.ts";
import type { Audience, Background, Claim, Cursor, EngineBase, Store } from "./ports.ts";
import { logError, isLogged, logEvent } from "../../operator-log.ts";

/**
 * Owns the log: every change of a session is one transaction here. The clock is read once; the entries, the snapshot
 * and the next alarm are written together; and nothing is published before the transaction has returned.
 */
export class LogWriter {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #audience: Audience;
  readonly #redact: Redact;
  readonly #session: string;
  /** background work, created from this log */
  background: Background = NO_BACKGROUND;
  /** entries of the live run; refilled from the store when this isolate is new to it */
  #entries: RunEntries | null = null;
  #unpublished: Entry[] = [];
  /** the state after the last unpublished entry */
  #reached: State = EMPTY_STATE;

  constructor({ session, store, clock, redact }: EngineBase, audience: Audience) {
    this.#session = session;
    this.#redact = redact;
    this.#store = store;
    this.#clock = clock;
    this.#audience = audience;
  }

  state(): State {
    return this.#store.loadCursor()?.state ?? EMPTY_STATE;
  }

  /**
   * Returns the cached state, without a read of the disk. It may be old after another process has written, so nothing is decided
   * by it alone.
   */
  cachedState(): State {
    return this.#store.loadState() ?? EMPTY_STATE;
  }

  /** Returns the next wake time of the session, for the loop or for background work; null without work. */
  due(state: State, at: number): number | null {
    return earlier(nextAlarm(state, at), this.background.due(state));
  }

  /** Forgets all cached data, because the disk was emptied. */
  forget(): void {
    this.#entries = null;
    this.#unpublished = [];
    this.#reached = EMPTY_STATE;
  }

  /**
   * Runs the body, which must not await, in one transaction of the storage: entries, cursor and the platform's alarm are stored
   * together or not at all. `callerSetsAlarm`: the body sets the alarm itself.
   */
  transact<Result>(callerSetsAlarm: boolean, body: (transaction: Transaction) => Result): Result {
    let transaction: Transaction | null = null;
    try {
      const result = this.#store.transaction(() => {
        const cursor = this.#store.loadCursor() ?? EMPTY_CURSOR;
        transaction = new Transaction(
          this.#store,
          cursor,
          Math.max(cursor.state.at, this.#clock()),
          this.#entries,
          this.#redact,
          this.background,
        );
        const value = body(transaction);
        if (transaction.changed) this.background.wrote?.(transaction.appended, transaction.state);
        if (!callerSetsAlarm && transaction.changed)
          transaction.arm(nextAlarm(transaction.state, transaction.at));
        transaction.save();
        return value;
      });
      const done = transaction as Transaction | null;
      this.#entries = done?.entries ?? null;
      if (done !== null && done.changed) {
        this.#unpublished.push(...done.appended);
        this.#reached = done.state;
      }
      return result;
    } catch (error) {
      // Drop the cache: it holds entries that were rolled back.
      this.#entries = null;
      throw error;
    }
  }

  /** Publishes committed entries that were not shown yet. Called only between transactions. */
  publish(): void {
    if (this.#unpublished.length === 0) return;
    const entries = this.#unpublished;
    this.#unpublished = [];
    logSteps(this.#session, entries, this.#entries?.current ?? []);
    try {
      this.#audience.committed(entries, this.#reached);
    } catch (error) {
      // A fault of a watcher must not reach the loop: the log has the entries that it missed.
      logError("an audience failed", complaintOf(error, this.#redact));
    }
  }
}

/** No background work. */
export const NO_BACKGROUND: Background = { due: () => null };

export const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

const EMPTY_CURSOR: Cursor = { state: EMPTY_STATE, claimNo: 0, claim: null, armedAt: null, alarmFloor: 0 };

/** The entries that prompts, arguments and answers are built from. */
export interface RunEntries {
  readonly run: string;
  /** input and answers of earlier runs */
  readonly history: readonly Entry[];
  readonly current: Entry[];
}

/** Returns the value of a fact from the entry that stored it last. */
export function factValue(store: Pick<Store, "entriesBetween">, { key, seq }: Fact): string {
  const entry = store.entriesBetween(seq, seq)[0];
  const facts = entry?.kind === "memory_changed" ? (entry.body.facts ?? []) : [];
  const stored = facts.findLast((change) => change.key === key);
  if (stored?.op !== "store") throw new Error(`entry ${seq} does not hold the fact ${key}`);
  return stored.value;
}

/** Returns the question from the entry that asked it. */
export function questionEntry(tx: Transaction, { seq }: OpenQuestion): BodyOf<"human_asked"> {
  const entry = tx.entryAt(seq);
  if (entry?.kind !== "human_asked") throw new Error(`entry ${seq} asks nothing`);
  return entry.body;
}

/** Returns the entries of a live run, and the messages of earlier runs, as this state shows them. */
export function readRunEntries(store: Pick<Store, "entriesBetween">, state: State, run: LiveRun): RunEntries {
  const current = store
    .entriesBetween(run.request.inputSeq, state.head)
    .filter((entry) => entry.run === run.run || entry.seq === run.request.inputSeq);
  const history = state.ended
    .flatMap(({ inputs, compacted, answer }) => [...inputs, compacted ?? null, answer])
    .filter((seq) => seq !== null)
    .toSorted((a, b) => a - b)
    .flatMap((seq) => store.entriesBetween(seq, seq));
  return { run: run.run, history, current };
}

/** Replaces the placeholder `ANSWER_NOW` in a hint by its text. */
const withHint = (draft: EntryDraft): EntryDraft =>
  draft.kind === "verdict" && draft.body.hint === ANSWER_NOW
    ? { ...draft, body: { ...draft.body, hint: promptNote("answer-now") } }
    : draft;

/** One transaction: it reads and writes the same state. */
export class Transaction {
  readonly at: number;
  readonly appended: Entry[] = [];
  state: State;
  entries: RunEntries | null;
  #store: Store;
  #redact: Redact;
  #cursor: Cursor;
  #background: Background;
  /** `early`: an alarm that is set already is kept if it fires at most this many milliseconds before `wanted` */
  #alarm: { readonly wanted: number | null; readonly early: number } | null = null;
  #touched = false;

  constructor(
    store: Store,
    cursor: Cursor,
    at: number,
    entries: RunEntries | null,
    redact: Redact,
    background: Background,
  ) {
    this.#redact = redact;
    this.#background = background;
    this.#store = store;
    this.#cursor = cursor;
    this.state = cursor.state;
    this.at = at;
    this.entries = entries;
  }

  get claim(): Claim | null {
    return this.#cursor.claim;
  }

  /** True if the session is new or deleted. Read it before any write: a late alarm of a deleted session must write nothing. */
  get isEmpty(): boolean {
    return this.#cursor === EMPTY_CURSOR;
  }

  get changed(): boolean {
    return this.appended.length > 0;
  }

  append(drafts: readonly EntryDraft[]): Entry[] {
    const entries: Entry[] = [];
    for (const draft of drafts) {
      // Redact first, because the state is derived from it: no entry, prompt or frame contains a secret.
      const body = this.#redact(withHint(draft).body as unknown as Json);
      const entry = { ...draft, body, seq: this.state.head + 1, at: this.at, v: 1 } as unknown as Entry;
      this.state = apply(this.state, entry);
      entries.push(entry);
      if (this.entries !== null && this.entries.run === entry.run) this.entries.current.push(entry);
    }
    this.#store.appendEntries(entries);
    this.appended.push(...entries);
    return entries;
  }

  /** Stores a redacted text outside the log. */
  saveText(ref: string, text: string): void {
    this.#store.saveBlob(ref, this.#redact(text));
  }

  /** The value of a stored fact, from the entry that stored it. */
  readonly valueOf = (fact: Fact): string => factValue(this.#store, fact);

  entryAt(seq: number): Entry | null {
    return this.#store.entriesBetween(seq, seq)[0] ?? null;
  }

  /** Returns the entries of the live run, and the messages of earlier runs. */
  entriesOf(run: LiveRun): RunEntries {
    if (this.entries?.run === run.run) return this.entries;
    this.entries = readRunEntries(this.#store, this.state, run);
    return this.entries;
  }

  /** Records that the alarm has fired: the next one must be later. An alarm stored for much later did not fire, so the clock counts. */
  alarmFired(): void {
    const { armedAt, alarmFloor } = this.#cursor;
    const fired = armedAt === null || armedAt > this.at + EARLY_ALARM_MS ? this.at : armedAt;
    this.#cursor = { ...this.#cursor, armedAt: null, alarmFloor: Math.max(alarmFloor, fired) };
    this.#touched = true;
  }

  take(effect: string): Claim {
    const claim: Claim = { no: this.#cursor.claimNo + 1, effect, at: this.at };
    this.#cursor = { ...this.#cursor, claimNo: claim.no, claim };
    return claim;
  }

  release(): void {
    if (this.#cursor.claim === null) return;
    this.#cursor = { ...this.#cursor, claim: null };
  }

  /** Sets the alarm; the last call in a transaction wins. Null deletes the alarm, unless background work is due. */
  arm(wanted: number | null): void {
    this.#alarm = { wanted, early: 0 };
  }

  /** Sets an alarm in case this process dies. An existing alarm stays while it is far enough in the future. */
  armRecovery(delay: number): void {
    this.#alarm = { wanted: this.at + delay, early: delay * RECOVERY_EARLY_SHARE };
  }

  save(): void {
    if (this.#alarm !== null) {
      this.#cursor = { ...this.#cursor, armedAt: this.#setAlarm(this.#alarm) };
      this.#touched = true;
    }
    if (this.changed || this.#touched) this.#store.saveCursor({ ...this.#cursor, state: this.state });
  }

  /** Sets the platform's alarm if its time differs. Returns the time of the alarm. */
  #setAlarm({ wanted, early }: { readonly wanted: number | null; readonly early: number }): number | null {
    const { alarmFloor, armedAt } = this.#cursor;
    const due = earlier(wanted, this.#background.due(this.state));
    if (due === null) {
      if (armedAt !== null || this.#touched) this.#store.deleteAlarm();
      return null;
    }
    const at = Math.max(due, this.at + 1, alarmFloor + 1);
    // Background work tolerates an early alarm: a wake that finds nothing due sets it again.
    const tolerance = wanted === null ? Math.min(RECOVERY_MS, (at - this.at) * RECOVERY_EARLY_SHARE) : early;
    // A past alarm is never kept: background work can fall due while an effect runs.
    if (tolerance > 0 && armedAt !== null && armedAt > this.at && armedAt <= at && armedAt >= at - tolerance)
      return armedAt;
    this.#store.setAlarm(at);
    return at;
  }
}

/**
 * Writes one log line for the operator for each step that these entries ended: its last call has a result, or its reply
 * had no calls. Uses only data in memory.
 */
function logSteps(session: string, committed: readonly Entry[], current: readonly Entry[]): void {
  if (!isLogged("info")) return;
  const moved = committed.flatMap(({ kind, step }) =>
    (kind === "model_replied" || kind === "call_settled") && step !== null ? [step] : [],
  );
  for (const step of new Set(moved)) {
    const entries = current.filter((entry) => entry.step === step);
    const begun = entries.find((entry) => entry.kind === "step_started");
    const reply = lastReply(entries);
    if (reply === null || begun === undefined) continue;
    const settled = entries.flatMap((entry) => (entry.kind === "call_settled" ? [entry] : []));
    const { model, usage, calls, ms } = reply.body;
    if (settled.length < calls.length) continue;
    logEvent("info", "step", {
      session,
      run: reply.run,
      step,
      model,
      tools: settled.map(({ body }) => ({ tool: body.tool, status: body.status, ms: body.ms })),
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      modelMs: ms,
      ms: (settled.at(-1)?.at ?? reply.at) - begun.at,
    });
  }
}

function lastReply(entries: readonly Entry[]): Entry<"model_replied"> | null {
  const last = entries.findLast((entry) => entry.kind === "model_replied");
  return last === undefined ? null : asKind(last, "model_replied");
}
