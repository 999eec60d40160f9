import { DatabaseSync } from "node:sqlite";
import type { Disk } from "../../src/session/store.ts";

/** The process dies here: nothing after this line of the isolate runs. */
export class Crash extends Error {}

const STRING_BYTES_MAX = 2_000_000;
const VALUES_MAX = 100;

/**
 * A disk as strict as the platform's: SQLite for real, one alarm that belongs to the transaction that sets it, past
 * times clamped, 100 values a statement, 2 MB a value, no await inside a transaction.
 */
export class SimDisk implements Disk {
  readonly #database = new DatabaseSync(":memory:");
  readonly #clock: () => number;
  /** what the platform will fire */
  alarm: number | null = null;
  /** scheduled time of the alarm that is being handled */
  firing: number | null = null;
  rowsWritten = 0;
  /** called before and after every transaction */
  cross: (where: string) => void = () => {};
  #depth = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  exec(query: string, ...values: (string | number | null)[]): Record<string, string | number | null>[] {
    if (values.length > VALUES_MAX) throw new Error("too many SQL variables");
    for (const value of values) {
      if (value === undefined) throw new Error("undefined cannot be bound");
      if (typeof value === "string" && value.length > STRING_BYTES_MAX) throw new Error("SQLITE_TOOBIG");
    }
    const statement = this.#database.prepare(query);
    if (/^\s*SELECT/i.test(query)) {
      return statement.all(...values).map((row) => ({ ...row }) as Record<string, string | number | null>);
    }
    this.rowsWritten += Number(statement.run(...values).changes);
    return [];
  }

  transaction<Result>(body: () => Result): Result {
    if (this.#depth > 0) throw new Error("a transaction inside a transaction");
    this.cross("commit: before");
    this.#depth++;
    const alarm = this.alarm;
    this.#database.exec("BEGIN");
    let result: Result;
    try {
      result = body();
      if (result instanceof Promise) throw new Error("a transaction must not be asynchronous");
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      this.alarm = alarm;
      throw error;
    } finally {
      this.#depth--;
    }
    this.cross("commit: after");
    return result;
  }

  setAlarm(at: number): void {
    this.rowsWritten++;
    const clamped = Math.max(at, this.#clock());
    // workerd loses an alarm that is set for the very time of the one being handled: it never fires (platform 2.1).
    this.alarm = clamped === this.firing ? Number.NEGATIVE_INFINITY : clamped;
  }

  deleteAlarm(): void {
    this.alarm = null;
  }

  getAlarm(): Promise<number | null> {
    return Promise.resolve(this.alarm);
  }
}
