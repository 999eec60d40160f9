import { calendar } from "./cron.ts";
import type { StoredNote } from "../../core/entries/notes.ts";
import type { Address } from "../../core/address.ts";
import { quietAt, type QuietTimes } from "../../core/quiet.ts";
import type { Cached } from "../storage/cache.ts";
import type { Disk, SqlStore } from "../storage/store.ts";

/** The person whose quiet hours delay an unrequested message. `quiet` in the body of a row. */
export interface QuietMark {
  readonly subject: string;
  /** when, or for when, a person asked for it, milliseconds since 1970 */
  readonly askedAt?: number;
}

/** True for a target that a part of a plugin delivers to: the id of a webhook has no colon. */
export const isOfPart = (target: string): boolean => target.includes(":");

/** milliseconds until the next read of a person's settings, after a failed one */
export const TIMES_AGAIN_MS = 60_000;

/** Until when words for a person wait; null where they may go out. What the person asked for in these hours does not wait. */
export function waitsUntil({ askedAt }: QuietMark, times: QuietTimes, at: number): number | null {
  const quiet = quietAt(times, at, calendar);
  if (quiet === null) return null;
  return askedAt !== undefined && askedAt >= quiet.since ? null : quiet.until;
}

/**
 * Work that waits outside of the outbox: messages for the end of quiet hours, and notes for the person's next message.
 * A row is in one of the two tables, and moves between them in a transaction. `due`: time of the next check, null if
 * only a message of the person can end the wait.
 */
export class HeldRows {
  readonly #disk: Disk;
  readonly #due: Cached<number | null>;
  /** of notes: asked for by every message, and nearly always 0 */
  readonly #count: Cached<number>;

  constructor(disk: Disk, store: Pick<SqlStore, "keep">) {
    this.#disk = disk;
    this.#due = store.keep(() => {
      const due = disk.exec("SELECT min(due) AS due FROM held")[0]?.["due"];
      return due === null || due === undefined ? null : Number(due);
    });
    this.#count = store.keep(() =>
      Number(disk.exec("SELECT count(*) AS count FROM held WHERE type = 'note'")[0]?.["count"] ?? 0),
    );
  }

  due(): number | null {
    return this.#due.get();
  }

  #write(query: string, ...values: (string | number | null)[]): void {
    this.#due.forget();
    this.#count.forget();
    this.#disk.exec(query, ...values);
  }

  /** A row of the outbox waits until then. */
  hold(id: string, target: string, until: number): void {
    this.#write(
      `INSERT INTO held (id, target, type, body, at, due, tries, status)
        SELECT id, target, type, body, at, ?, tries, status FROM outbox WHERE id = ? AND target = ?`,
      until,
      id,
      target,
    );
    this.#disk.exec("DELETE FROM outbox WHERE id = ? AND target = ?", id, target);
  }

  /** Returns the people whose quiet hours may delay rows that are due by then. */
  subjectsDue(at: number): readonly string[] {
    const rows = this.#disk.exec(
      `SELECT CASE WHEN json_valid(body) THEN json_extract(body, '$.quiet.subject') END AS subject
        FROM (SELECT body, due FROM outbox UNION ALL SELECT body, due FROM held) WHERE due <= ?`,
      at,
    );
    return rows.flatMap(({ subject }) => (typeof subject === "string" ? [subject] : []));
  }

  /**
   * Delays an unrequested message to the end of its person's quiet hours. True: this row of the outbox is not sent now.
   */
  holds(row: Record<string, string | number | null>, times: KnownTimes, at: number): boolean {
    const { id, target, body } = row;
    const { quiet } = isOfPart(String(target)) ? (JSON.parse(String(body)) as { quiet?: QuietMark }) : {};
    if (quiet === undefined) return false;
    // The row was added after the times were read. Its writer triggers another send.
    if (!times.has(quiet.subject)) return true;
    const known = times.get(quiet.subject);
    const until = known ? waitsUntil(quiet, known, at) : at + TIMES_AGAIN_MS;
    if (until === null) return false;
    this.hold(String(id), String(target), until);
    return true;
  }

  /** Words whose hour has come are in the outbox again. */
  release(at: number): boolean {
    const due = this.due();
    if (due === null || due > at) return false;
    this.#disk.exec(
      `INSERT INTO outbox (id, target, type, body, at, due, tries, status)
        SELECT id, target, type, body, at, due, tries, status FROM held WHERE due <= ? AND type NOT IN ('note', 'call')`,
      at,
    );
    this.#write("DELETE FROM held WHERE due <= ? AND type NOT IN ('note', 'call')", at);
    return true;
  }

  /** Stores a note. Equal notes to the same target are delivered once. */
  note({ id, to, text }: StoredNote, at: number): void {
    const body = JSON.stringify({ to, text });
    if (this.#disk.exec("SELECT 1 FROM held WHERE type = 'note' AND body = ?", body).length > 0) return;
    this.#write(
      "INSERT INTO held (id, target, type, body, at, due, tries, status) VALUES (?, ?, 'note', ?, ?, ?, 0, NULL)",
      id,
      `note:${to}`,
      body,
      at,
      at,
    );
  }

  /** The notes of which something is to be decided by then, the oldest first. `isNew`: their hour is not known yet. */
  notesDue(at: number): readonly (StoredNote & { readonly isNew: boolean })[] {
    const due = this.due();
    if (due === null || due > at) return [];
    return this.#disk
      .exec("SELECT id, body, status FROM held WHERE type = 'note' AND due <= ? ORDER BY at, id", at)
      .map(({ id, body, status }) => ({
        ...(JSON.parse(String(body)) as Pick<StoredNote, "to" | "text">),
        id: String(id),
        isNew: status === null,
      }));
  }

  /** All of them, the oldest first. */
  notes(): readonly StoredNote[] {
    if (this.#count.get() === 0) return [];
    return this.#disk
      .exec("SELECT id, body FROM held WHERE type = 'note' ORDER BY at, id")
      .map(({ id, body }) => ({
        ...(JSON.parse(String(body)) as Pick<StoredNote, "to" | "text">),
        id: String(id),
      }));
  }

  /** The person has written: the notes go with this message. */
  call(call: Call, at: number): void {
    if (this.#count.get() === 0) return;
    this.#write(
      "INSERT OR REPLACE INTO held (id, target, type, body, at, due, tries, status) VALUES ('call', 'call', 'call', ?, ?, ?, 0, NULL)",
      JSON.stringify(call),
      at,
      at,
    );
  }

  takeCall(at: number): Call | null {
    const due = this.due();
    if (due === null || due > at) return null;
    const row = this.#disk.exec("SELECT body FROM held WHERE type = 'call'")[0];
    if (row === undefined) return null;
    this.#write("DELETE FROM held WHERE type = 'call'");
    return JSON.parse(String(row["body"])) as Call;
  }

  /** They are looked at again then. `isHour`: their hour is known, and that is it. */
  postpone(notes: readonly StoredNote[], until: number | null, isHour: boolean): void {
    for (const { id } of notes)
      this.#write(
        "UPDATE held SET due = ?, status = ? WHERE type = 'note' AND id = ?",
        until,
        isHour ? 1 : null,
        id,
      );
  }

  /** Marks notes as part of a digest. */
  markDigested(notes: readonly string[], at: number): void {
    for (const id of notes) {
      this.#disk.exec(
        `INSERT INTO deliveries (id, target, type, at, tries, status, outcome, ended_at)
          SELECT id, target, type, at, 0, NULL, 'noted', ? FROM held WHERE type = 'note' AND id = ?`,
        at,
        id,
      );
      this.#write("DELETE FROM held WHERE type = 'note' AND id = ?", id);
    }
  }

  /** As rows of the outbox, with what they are called: `held` or `noted`. */
  list(limit: number): Record<string, string | number | null>[] {
    return this.#disk.exec(
      `SELECT id, target, type, at, due, tries, CASE type WHEN 'note' THEN NULL ELSE status END AS status,
          CASE type WHEN 'note' THEN 'noted' ELSE 'held' END AS outcome, NULL AS ended_at
        FROM held WHERE type <> 'call' ORDER BY at DESC, id DESC LIMIT ?`,
      limit,
    );
  }
}

/** A person's message that triggers their notes: the run that reads it, and its channel; null for the page. */
export interface Call {
  readonly run: string | null;
  readonly channel: Address | null;
}

/** Quiet hours of people, read before the transaction that uses them; null if they are unreadable now. */
export type KnownTimes = ReadonlyMap<string, QuietTimes | null>;
