import type { Policy } from "../core/approval.ts";
import type { Entry } from "../core/entries.ts";
import { KEPT_CHARS_MAX, KEPT_ROW_CHARS } from "../core/limits.ts";
import type { DraftPiece } from "../core/model.ts";
import type { JsonObject } from "../core/json.ts";
import { migrate } from "../core/migrate.ts";
import type { State } from "../core/state.ts";
import { TABLES } from "./tables.ts";
import type { Cursor, Store } from "./ports.ts";

/** The little of a disk that the store needs: SQLite and one alarm, in one transaction. */
export interface Disk {
  /** Runs one statement; at most 100 values, none of them undefined. */
  exec(query: string, ...values: (string | number | null)[]): Record<string, string | number | null>[];
  transaction<Result>(body: () => Result): Result;
  setAlarm(at: number): void;
  deleteAlarm(): void;
  getAlarm(): Promise<number | null>;
}

/** What of a session is not history: one row, written when it changes. */
export interface Meta {
  readonly owner: string;
  readonly title: string;
  readonly titleSource: "auto" | "user";
  readonly model: string | null;
  readonly createdAt: number;
  /** grows with every change that a person makes */
  readonly version: number;
  /** named by a person; null takes the one of the deployment */
  readonly agent?: string | null;
  readonly archived?: boolean;
  readonly metadata?: JsonObject;
  readonly forkedFrom?: { readonly sessionId: string; readonly seq: number } | null;
  /** everything in it came from a file */
  readonly imported?: boolean;
  /** decisions that people have given for later calls too, the newest last */
  readonly policies?: readonly Policy[];
  /** milliseconds since the epoch of the last change of these facts */
  readonly changedAt?: number;
}

/** How much of the session its entry in the index of sessions shows (directory.ts). */
export interface Indexed {
  /** what it showed when it was written; the present one differs while the index lags */
  readonly token: string;
  /** texts of rows up to here are in it */
  readonly seq: number;
  /** writes that failed since the last that did not */
  readonly tries: number;
  /** milliseconds since the epoch before which it is not tried again */
  readonly retryAt: number;
}

const NEVER_INDEXED: Indexed = { token: "", seq: 0, tries: 0, retryAt: 0 };

/** Rows and alarm of one session. Each statement reads or writes by primary key; there is no secondary index. */
export class SqlStore implements Store {
  readonly #disk: Disk;
  /** the snapshot that was read or written last, beside its text: the row decides which it is, and parsing is saved */
  #snapshot: { readonly schema: number; readonly text: string; readonly state: State } | null = null;
  /** undefined while nobody has asked for it */
  #meta: Meta | null | undefined = undefined;
  #indexed: Indexed | null = null;

  constructor(disk: Disk) {
    this.#disk = disk;
    this.#createTables();
  }

  #createTables(): void {
    for (const table of TABLES.split(";")) if (table.trim() !== "") this.#disk.exec(table);
    try {
      this.#disk.exec("SELECT more FROM meta LIMIT 0");
    } catch {
      // A session of before there was more to know of it.
      this.#disk.exec("ALTER TABLE meta ADD COLUMN more TEXT NOT NULL DEFAULT '{}'");
    }
  }

  transaction<Result>(body: () => Result): Result {
    try {
      return this.#disk.transaction(body);
    } catch (error) {
      // What was remembered of these rows may have been rolled back.
      this.#forget();
      throw error;
    }
  }

  #forget(): void {
    this.#snapshot = null;
    this.#meta = undefined;
    this.#indexed = null;
  }

  /** Empties the disk, alarm included. The next session of this name finds it as new. */
  erase(): void {
    this.#forget();
    this.#disk.transaction(() => {
      for (const [, table] of TABLES.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g))
        this.#disk.exec(`DELETE FROM ${table}`);
      this.#disk.deleteAlarm();
    });
  }

  loadCursor(): Cursor | null {
    const row = this.#disk.exec("SELECT * FROM cursor WHERE one = 1")[0];
    if (row === undefined) return null;
    const claim =
      row["claim_effect"] === null
        ? null
        : { no: Number(row["claim_no"]), effect: String(row["claim_effect"]), at: Number(row["claimed_at"]) };
    return {
      state: this.#parse(Number(row["schema"]), String(row["state"])),
      claimNo: Number(row["claim_no"]),
      claim,
      armedAt: row["armed_at"] === null ? null : Number(row["armed_at"]),
      alarmFloor: Number(row["alarm_floor"]),
    };
  }

  #parse(schema: number, text: string): State {
    if (this.#snapshot?.text !== text || this.#snapshot.schema !== schema)
      this.#snapshot = { schema, text, state: migrate(schema, JSON.parse(text)) };
    return this.#snapshot.state;
  }

  saveCursor(cursor: Cursor): void {
    const { state, claim, claimNo, armedAt, alarmFloor } = cursor;
    const text = JSON.stringify(state);
    this.#snapshot = { schema: state.schema, text, state };
    this.#disk.exec(
      `INSERT INTO cursor (one, schema, state, claim_no, claim_effect, claimed_at, armed_at, alarm_floor) VALUES (1, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (one) DO UPDATE SET schema = excluded.schema, state = excluded.state, claim_no = excluded.claim_no,
         claim_effect = excluded.claim_effect, claimed_at = excluded.claimed_at, armed_at = excluded.armed_at, alarm_floor = excluded.alarm_floor`,
      state.schema,
      text,
      claimNo,
      claim?.effect ?? null,
      claim?.at ?? null,
      armedAt,
      alarmFloor,
    );
  }

  appendEntries(entries: readonly Entry[]): void {
    for (const { seq, at, run, step, kind, v, body } of entries) {
      this.#disk.exec(
        "INSERT INTO entries (seq, at, run, step, kind, v, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
        seq,
        at,
        run,
        step,
        kind,
        v,
        JSON.stringify(body),
      );
    }
  }

  entriesAfter(after: number, limit: number): Entry[] {
    return this.#entries("SELECT * FROM entries WHERE seq > ? ORDER BY seq LIMIT ?", after, limit);
  }

  entriesBefore(before: number, limit: number): Entry[] {
    return this.#entries("SELECT * FROM entries WHERE seq < ? ORDER BY seq DESC LIMIT ?", before, limit);
  }

  entriesBetween(from: number, to: number): Entry[] {
    return this.#entries("SELECT * FROM entries WHERE seq BETWEEN ? AND ? ORDER BY seq", from, to);
  }

  seen(source: string, id: string): string | null {
    const row = this.#disk.exec("SELECT answer FROM seen WHERE source = ? AND id = ?", source, id)[0];
    return row === undefined ? null : String(row["answer"]);
  }

  remember(source: string, id: string, answer: string, at: number): void {
    this.#disk.exec("INSERT INTO seen (source, id, answer, at) VALUES (?, ?, ?, ?)", source, id, answer, at);
  }

  saveDraft(step: string, attempt: number, index: number, pieces: readonly DraftPiece[]): void {
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
    this.#disk.exec("DELETE FROM chunks");
  }

  saveBlob(ref: string, text: string): void {
    const kept =
      text.length <= KEPT_CHARS_MAX
        ? text
        : `${text.slice(0, KEPT_CHARS_MAX)}\n[cut off here: the output had ${text.length} characters]`;
    let part = 0;
    for (let from = 0; from < kept.length; part++) {
      // Never between the halves of a pair: SQLite keeps UTF-8, which has no half characters.
      const end = from + KEPT_ROW_CHARS;
      const to = isLowSurrogate(kept.charCodeAt(end)) ? end - 1 : end;
      const body = kept.slice(from, to);
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
    this.#meta ??= this.#readMeta();
    return this.#meta;
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
    this.#meta = meta;
  }

  loadIndexed(): Indexed {
    return (this.#indexed ??= this.#readIndexed());
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
    this.#indexed = indexed;
  }

  /** Names of the texts that are kept apart, in order. */
  blobNames(): string[] {
    return this.#disk
      .exec("SELECT ref FROM blobs WHERE part = 0 ORDER BY ref")
      .map((row) => String(row["ref"]));
  }

  #entries(query: string, ...values: number[]): Entry[] {
    return this.#disk.exec(query, ...values).map((row) => {
      const { seq, at, run, step, kind, v, body } = row;
      return { seq, at, run, step, kind, v, body: JSON.parse(String(body)) as unknown } as Entry;
    });
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
