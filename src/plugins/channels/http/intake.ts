import type { HeldPart, HeldVersion, HeldMessage } from "../held.ts";

/**
 * Collects the parts of one message in a Durable Object. Invariants:
 * - A part is stored before its request is answered, and repeats of it change nothing.
 * - The parts of a round are fixed in storage before the message is received, so a crash repeats exactly the same message.
 * - Later parts form the next round, a separate message that names the first.
 */

/** of an album, which Telegram limits */
const PARTS_MAX = 10;
/** for all rounds together: edits count too */
const VERSIONS_MAX = 200;
/** since the first part: a sender who never stops must not wait forever */
const OPEN_MS_MAX = 15_000;
/** Telegram repeats an update for a day at most (https://core.telegram.org/bots/api#getting-updates) */
export const HELD_MS_MAX = 48 * 3_600_000;
/** a day of attempts, as long as Telegram itself would repeat an unaccepted update */
const TRIES_MAX = 150;
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 600_000;

export interface IntakePorts {
  readonly now: () => number;
  /**
   * Receives the message. False: it is addressed to others in its group, so it waits for a part that is addressed to
   * the bot.
   */
  readonly receive: (words: HeldMessage) => Promise<boolean>;
  readonly report: (error: unknown) => void;
}

/** `round` of a version that a newer one has replaced */
const REPLACED = -1;
/** `round` of parts that were for others */
const ASLEEP = -2;

export class Intake {
  readonly #storage: DurableObjectStorage;
  readonly #ports: IntakePorts;

  constructor(storage: DurableObjectStorage, ports: IntakePorts) {
    this.#storage = storage;
    this.#ports = ports;
  }

  #rows(query: string, ...values: (string | number | null)[]): Record<string, string | number | null>[] {
    return this.#storage.sql.exec<Record<string, string | number | null>>(query, ...values).toArray();
  }

  take(part: HeldPart): void {
    this.#storage.transactionSync(() => {
      this.#makeTables();
      const { position, deliveryId, at, isEdit, files, body, channel, whole, quietMs } = part;
      const now = this.#ports.now();
      const known = this.#rows("SELECT delivery, at FROM versions WHERE position = ?", position);
      const count = Number(this.#rows("SELECT count(*) AS count FROM versions")[0]?.["count"] ?? 0);
      if (known.some((row) => row["delivery"] === deliveryId) || count >= VERSIONS_MAX) return;
      this.#rows(
        "INSERT OR IGNORE INTO message (id, channel, whole, quiet, rounds, tries, alarm) VALUES (0, ?, ?, ?, 0, 0, 0)",
        channel,
        whole,
        quietMs,
      );
      // Updates come in any order: an older version of a part is no news.
      const isOld = known.some((row) => Number(row["at"]) > at);
      this.#rows(
        `UPDATE versions SET round = ${REPLACED}, body = '' WHERE position = ? AND (round IS NULL OR round = ${ASLEEP}) AND NOT ?`,
        position,
        isOld ? 1 : 0,
      );
      this.#rows(
        "INSERT INTO versions (position, delivery, at, edit, files, body, round, heard, came) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)",
        position,
        deliveryId,
        at,
        isEdit ? 1 : 0,
        files,
        isOld ? "" : body,
        isOld ? REPLACED : null,
        now,
      );
      if (isOld) return;
      this.#rows(`UPDATE versions SET round = NULL, came = ? WHERE round = ${ASLEEP}`, now);
      this.#arm(this.#closesAt() ?? now);
    });
  }

  async alarm(): Promise<void> {
    const words = this.#storage.transactionSync(() => this.#close());
    if (words === null) return await this.#rest();
    let isOurs: boolean;
    try {
      isOurs = await this.#ports.receive(words);
    } catch (error) {
      this.#ports.report(error);
      if (this.#tryLater()) return;
      // A notice would need the same parts that failed so often.
      isOurs = true;
    }
    this.#storage.transactionSync(() => {
      if (isOurs) this.#rows("UPDATE versions SET heard = 1, body = '' WHERE round >= 0 AND heard = 0");
      else {
        this.#rows(`UPDATE versions SET round = ${ASLEEP} WHERE round >= 0 AND heard = 0`);
        this.#rows("UPDATE message SET rounds = rounds - 1");
      }
      this.#rows("UPDATE message SET tries = 0");
    });
    await this.#rest();
  }

  /** The round that is complete, fixed for every try; null: none is. */
  #close(): HeldMessage | null {
    this.#makeTables();
    const begun = this.#rows("SELECT 1 FROM versions WHERE round >= 0 AND heard = 0 LIMIT 1").length > 0;
    if (!begun) {
      const closesAt = this.#closesAt();
      if (closesAt === null || closesAt > this.#ports.now()) return null;
      this.#rows("UPDATE versions SET round = (SELECT rounds FROM message) WHERE round IS NULL");
      this.#rows("UPDATE message SET rounds = rounds + 1");
    }
    const [message] = this.#rows("SELECT channel, whole FROM message");
    const rows = this.#rows(
      `SELECT position, body, files, round,
          EXISTS (SELECT 1 FROM versions AS former WHERE former.position = own.position AND former.heard = 1) AS known,
          EXISTS (SELECT 1 FROM versions AS former WHERE former.position = own.position AND former.heard = 1
            AND former.files = own.files) AS sent,
          EXISTS (SELECT 1 FROM versions AS former WHERE former.position = own.position AND former.edit = 0) AS original
        FROM versions AS own WHERE round >= 0 AND heard = 0 ORDER BY position`,
    );
    const [first] = rows;
    if (message === undefined || first === undefined) return null;
    const [whole, round] = [String(message["whole"]), Number(first["round"])];
    return {
      channel: String(message["channel"]),
      deliveryId: round === 0 ? whole : `${whole}:${round}`,
      follows: round === 0 ? null : whole,
      parts: rows.map(({ body, known, sent, original }): HeldVersion => ({
        body: String(body),
        // An edit of an unknown part counts as its first version.
        isEdit: known === 1 || original === 0,
        hasSentFiles: sent === 1,
      })),
    };
  }

  /** When the parts that wait are a message, milliseconds since 1970; null: none waits. */
  #closesAt(): number | null {
    const [row] = this.#rows(
      `SELECT count(*) AS count, min(came) AS first, max(came) AS last, (SELECT quiet FROM message) AS quiet
        FROM versions WHERE round IS NULL`,
    );
    const count = Number(row?.["count"] ?? 0);
    if (row === undefined || count === 0) return null;
    const [first, last, quiet] = [Number(row["first"]), Number(row["last"]), Number(row["quiet"])];
    return count >= PARTS_MAX ? last : Math.min(last + quiet, first + OPEN_MS_MAX);
  }

  /** False: it was tried often enough. */
  #tryLater(): boolean {
    return this.#storage.transactionSync(() => {
      const tries = Number(
        this.#rows("UPDATE message SET tries = tries + 1 RETURNING tries")[0]?.["tries"] ?? 0,
      );
      if (tries >= TRIES_MAX) return false;
      this.#arm(this.#ports.now() + Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** (tries - 1)));
      return true;
    });
  }

  /** Waits for the next part, or for the end. */
  async #rest(): Promise<void> {
    const [row] = this.#rows("SELECT max(came) AS last FROM versions");
    const endsAt = Number(row?.["last"] ?? 0) + HELD_MS_MAX;
    const closesAt = this.#closesAt();
    if (closesAt === null && endsAt <= this.#ports.now()) return await this.#storage.deleteAll();
    this.#storage.transactionSync(() => this.#arm(closesAt ?? endsAt));
  }

  /** An alarm of the same millisecond as the one that runs would be lost. */
  #arm(at: number): void {
    const last = Number(this.#rows("SELECT alarm FROM message")[0]?.["alarm"] ?? 0);
    const next = Math.max(at, this.#ports.now(), last > this.#ports.now() ? 0 : last) + 1;
    this.#rows("UPDATE message SET alarm = ?", next);
    void this.#storage.setAlarm(next);
  }

  #makeTables(): void {
    this.#rows(
      `CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, channel TEXT NOT NULL, whole TEXT NOT NULL,
        quiet INTEGER NOT NULL, rounds INTEGER NOT NULL, tries INTEGER NOT NULL, alarm INTEGER NOT NULL)`,
    );
    this.#rows(
      `CREATE TABLE IF NOT EXISTS versions (position INTEGER NOT NULL, delivery TEXT NOT NULL, at INTEGER NOT NULL,
        edit INTEGER NOT NULL, files TEXT NOT NULL, body TEXT NOT NULL, round INTEGER, heard INTEGER NOT NULL,
        came INTEGER NOT NULL, PRIMARY KEY (position, delivery)) WITHOUT ROWID`,
    );
  }
}
