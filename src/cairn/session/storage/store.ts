import { startOf } from "../../core/text/cut.ts";
import { BLOB_CHARS_MAX, BLOB_ROW_CHARS, SNAPSHOT_ENTRIES } from "../../core/limits.ts";
import type { Entry } from "../../core/log/entry.ts";
import type { DraftPiece } from "../../core/log/model.ts";
import { fold, migrate } from "../../core/state/apply.ts";
import { EMPTY_STATE, type State } from "../../core/state/state.ts";
import type { Cursor, Store } from "../engine/ports.ts";
import { Cached, EntryCache } from "./cache.ts";
import { NEVER_INDEXED, type Indexed, type Meta } from "./meta.ts";
import { SourceRows } from "./sources.ts";

/** The little of a disk that the store needs: SQLite with the tables of a session, and one alarm, in one transaction. */
export interface Disk {
  /** Runs one statement; at most 100 values, none of them undefined. */
  exec(query: string, ...values: (string | number | null)[]): Record<string, string | number | null>[];
  transaction<Result>(body: () => Result): Result;
  setAlarm(at: number): void;
  deleteAlarm(): void;
  getAlarm(): Promise<number | null>;
}

/** Rows and alarm of one session. Each statement reads or writes by primary key, but for what was read outside; there is no secondary index. */
export class SqlStore implements Store {
  readonly #disk: Disk;
  readonly sources: SourceRows;
  /** the state that was read or written last: the log is only added to, so it is that of the cursor as long as their heads are one */
  #reached: State | null = null;
  /** seq of the last entry in the stored snapshot; 0 where there is none, null where this instance has not looked */
  #snapshotAt: number | null = null;
  /** whether a draft is stored; null where this instance has not looked */
  #drafted: boolean | null = null;
  readonly #caches: Cached<unknown>[] = [];
  readonly #rows = new EntryCache();
  readonly #state = this.keep(() => this.loadCursor()?.state ?? null);
  readonly #meta = this.keep(() => this.#readMeta());
  readonly #indexed = this.keep(() => this.#readIndexed());

  constructor(disk: Disk) {
    this.#disk = disk;
    this.sources = new SourceRows(disk);
  }

  transaction<Result>(body: () => Result): Result {
    try {
      return this.#disk.transaction(body);
    } catch (error) {
      // Cached rows may have been rolled back.
      this.#forget();
      throw error;
    }
  }

  /**
   * Caches a value of these rows until a transaction fails or the disk is emptied; its owner invalidates it after
   * writes.
   */
  keep<Value>(read: () => Value): Cached<Value> {
    const cached = new Cached(read);
    this.#caches.push(cached);
    return cached;
  }

  #forget(): void {
    this.#reached = null;
    this.#snapshotAt = null;
    this.#drafted = null;
    this.#rows.forget();
    for (const cached of this.#caches) cached.forget();
  }

  /** Empties the disk, alarm included. The next session of this name finds it as new. */
  erase(): void {
    this.#forget();
    this.#disk.transaction(() => {
      for (const table of this.#tables()) this.#disk.exec(`DELETE FROM ${table}`);
      this.#disk.deleteAlarm();
    });
  }

  /** All tables with data, also those of plugins that the project has no longer. */
  #tables(): string[] {
    return this.#disk
      .exec(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'table_versions'
           AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'`,
      )
      .map(({ name }) => String(name));
  }

  loadCursor(): Cursor | null {
    const row = this.#disk.exec("SELECT * FROM cursor WHERE one = 1")[0];
    if (row === undefined) return null;
    const state = this.#stateAt(Number(row["head"]));
    this.#state.set(state);
    const claim =
      row["claim_effect"] === null
        ? null
        : { no: Number(row["claim_no"]), effect: String(row["claim_effect"]), at: Number(row["claimed_at"]) };
    return {
      state,
      claimNo: Number(row["claim_no"]),
      claim,
      armedAt: row["armed_at"] === null ? null : Number(row["armed_at"]),
      alarmFloor: Number(row["alarm_floor"]),
    };
  }

  loadState(): State | null {
    return this.#state.get();
  }

  /** The state behind that entry: the one that memory has, or the snapshot with the entries after it folded in. */
  #stateAt(head: number): State {
    if (this.#reached?.head === head) return this.#reached;
    const row = this.#disk.exec("SELECT schema, state FROM snapshot WHERE one = 1")[0];
    const snapshot =
      row === undefined ? EMPTY_STATE : migrate(Number(row["schema"]), JSON.parse(String(row["state"])));
    this.#snapshotAt = snapshot.head;
    this.#reached = fold(snapshot, this.entriesBetween(snapshot.head + 1, head));
    return this.#reached;
  }

  /**
   * Saves the position in the log each time, and the state itself every SNAPSHOT_ENTRIES, because the log has the rest.
   */
  saveCursor(cursor: Cursor): void {
    const { state, claim, claimNo, armedAt, alarmFloor } = cursor;
    this.#disk.exec(
      `INSERT INTO cursor (one, head, claim_no, claim_effect, claimed_at, armed_at, alarm_floor) VALUES (1, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (one) DO UPDATE SET head = excluded.head, claim_no = excluded.claim_no, claim_effect = excluded.claim_effect,
         claimed_at = excluded.claimed_at, armed_at = excluded.armed_at, alarm_floor = excluded.alarm_floor`,
      state.head,
      claimNo,
      claim?.effect ?? null,
      claim?.at ?? null,
      armedAt,
      alarmFloor,
    );
    if (state.head >= (this.#snapshotAt ?? 0) + SNAPSHOT_ENTRIES) {
      this.#disk.exec(
        "INSERT OR REPLACE INTO snapshot (one, schema, state) VALUES (1, ?, ?)",
        state.schema,
        JSON.stringify(state),
      );
      this.#snapshotAt = state.head;
    }
    this.#reached = state;
    this.#state.set(state);
  }

  appendEntries(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const { seq, at, run, step, kind, v, body } = entry;
      const text = JSON.stringify(body);
      this.#disk.exec(
        "INSERT INTO entries (seq, at, run, step, kind, v, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
        seq,
        at,
        run,
        step,
        kind,
        v,
        text,
      );
      this.#rows.put({ seq, at, run, step, kind, v, body } as Entry, text.length);
      this.sources.index(entry);
    }
  }

  entriesAfter(after: number, limit: number): Entry[] {
    return this.#entries("SELECT * FROM entries WHERE seq > ? ORDER BY seq LIMIT ?", after, limit);
  }

  entriesBefore(before: number, limit: number): Entry[] {
    return this.#entries("SELECT * FROM entries WHERE seq < ? ORDER BY seq DESC LIMIT ?", before, limit);
  }

  entriesBetween(from: number, to: number): Entry[] {
    const known = this.#rows.between(from, to);
    if (known !== null) return known;
    const read = this.#disk.exec("SELECT * FROM entries WHERE seq BETWEEN ? AND ? ORDER BY seq", from, to);
    return read.map((row) => {
      const entry = entryOf(row);
      this.#rows.put(entry, String(row["body"]).length);
      return entry;
    });
  }

  seen(source: string, id: string): string | null {
    const row = this.#disk.exec("SELECT answer FROM seen WHERE source = ? AND id = ?", source, id)[0];
    return row === undefined ? null : String(row["answer"]);
  }

  remember(source: string, id: string, answer: string, at: number): void {
    this.#disk.exec("INSERT INTO seen (source, id, answer, at) VALUES (?, ?, ?, ?)", source, id, answer, at);
  }

  saveDraft(step: string, attempt: number, index: number, pieces: readonly DraftPiece[]): void {
    this.#drafted = true;
    const body = JSON.stringify(pieces);
    this.#disk.exec(
      "INSERT OR REPLACE INTO chunks (step, attempt, idx, body) VALUES (?, ?, ?, ?)",
      step,
      attempt,
      index,
      body,
    );
  }

  loadDraft(step: string, attempt: number): DraftPiece[] {
    const rows = this.#disk.exec(
      "SELECT body FROM chunks WHERE step = ? AND attempt = ? ORDER BY idx",
      step,
      attempt,
    );
    return rows.flatMap((row) => JSON.parse(String(row["body"])) as DraftPiece[]);
  }

  dropDrafts(): void {
    if (this.#drafted !== false) this.#disk.exec("DELETE FROM chunks");
    this.#drafted = false;
  }

  saveBlob(ref: string, text: string): void {
    const stored =
      text.length <= BLOB_CHARS_MAX
        ? text
        : `${startOf(text, BLOB_CHARS_MAX)}\n[cut off here: the output had ${text.length} characters]`;
    let part = 0;
    for (let from = 0; from < stored.length; part++) {
      // Never between the halves of a pair: SQLite stores UTF-8, which has no half characters.
      const end = from + BLOB_ROW_CHARS;
      const to = isLowSurrogate(stored.charCodeAt(end)) ? end - 1 : end;
      const body = stored.slice(from, to);
      this.#disk.exec("INSERT OR REPLACE INTO blobs (ref, part, body) VALUES (?, ?, ?)", ref, part, body);
      from = to;
    }
  }

  loadBlob(ref: string): string | null {
    const rows = this.#disk.exec("SELECT body FROM blobs WHERE ref = ? ORDER BY part", ref);
    return rows.length === 0 ? null : rows.map((row) => String(row["body"])).join("");
  }

  setAlarm(at: number): void {
    this.#disk.setAlarm(at);
  }

  deleteAlarm(): void {
    this.#disk.deleteAlarm();
  }

  armedAlarm(): Promise<number | null> {
    return this.#disk.getAlarm();
  }

  loadMeta(): Meta | null {
    return this.#meta.get();
  }

  #readMeta(): Meta | null {
    const row = this.#disk.exec("SELECT * FROM meta WHERE one = 1")[0];
    if (row === undefined) return null;
    return {
      owner: String(row["owner"]),
      title: String(row["title"]),
      titleSource: row["title_source"] === "user" ? "user" : "auto",
      model: row["model"] === null || row["model"] === undefined ? null : String(row["model"]),
      createdAt: Number(row["created_at"]),
      version: Number(row["version"]),
      ...(JSON.parse(String(row["more"])) as Partial<Meta>),
    };
  }

  saveMeta(meta: Meta): void {
    const { owner, title, titleSource, model, createdAt, version, ...more } = meta;
    this.#disk.exec(
      "INSERT OR REPLACE INTO meta (one, owner, title, title_source, model, created_at, version, more) VALUES (1, ?, ?, ?, ?, ?, ?, ?)",
      owner,
      title,
      titleSource,
      model,
      createdAt,
      version,
      JSON.stringify(more),
    );
    this.#meta.set(meta);
  }

  loadIndexed(): Indexed {
    return this.#indexed.get();
  }

  #readIndexed(): Indexed {
    const row = this.#disk.exec("SELECT * FROM indexed WHERE one = 1")[0];
    if (row === undefined) return NEVER_INDEXED;
    const { token, seq, tries, retry_at: retryAt } = row;
    return { token: String(token), seq: Number(seq), tries: Number(tries), retryAt: Number(retryAt) };
  }

  saveIndexed(indexed: Indexed): void {
    const { token, seq, tries, retryAt } = indexed;
    this.#disk.exec(
      "INSERT OR REPLACE INTO indexed (one, token, seq, tries, retry_at) VALUES (1, ?, ?, ?, ?)",
      token,
      seq,
      tries,
      retryAt,
    );
    this.#indexed.set(indexed);
  }

  /** Returns names of the texts stored separately, in order. */
  blobNames(): string[] {
    return this.#disk
      .exec("SELECT ref FROM blobs WHERE part = 0 ORDER BY ref")
      .map((row) => String(row["ref"]));
  }

  #entries(query: string, ...values: number[]): Entry[] {
    return this.#disk.exec(query, ...values).map(entryOf);
  }
}

function entryOf({ seq, at, run, step, kind, v, body }: Record<string, string | number | null>): Entry {
  return { seq, at, run, step, kind, v, body: JSON.parse(String(body)) as unknown } as Entry;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
