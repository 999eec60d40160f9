import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Disk } from "../../src/session/store.ts";

/** The process dies here: nothing after this line of the isolate runs. */
export class Crash extends Error {}

const STRING_BYTES_MAX = 2_000_000;
const STATEMENT_BYTES_MAX = 100_000;
const VALUES_MAX = 100;

/** Databases with their tables and prepared statements: making them anew is most of what a short run costs. */
const EMPTY_DISKS: { readonly database: DatabaseSync; readonly statements: Map<string, Prepared> }[] = [];

interface Prepared {
  readonly statement: StatementSync;
  readonly reads: boolean;
  readonly makes: boolean;
}

type Row = Record<string, string | number | null>;

/**
 * A disk as strict as the platform's: SQLite for real, one alarm that belongs to the transaction that sets it, past
 * times clamped, 100 values a statement, 2 MB a value, no await inside a transaction.
 */
export class SimDisk implements Disk {
  readonly #database: DatabaseSync;
  readonly #statements: Map<string, Prepared>;
  readonly #clock: () => number;
  /** what the platform will fire */
  alarm: number | null = null;
  /** scheduled time of the alarm that is being handled */
  firing: number | null = null;
  /** alarms that were set for no later a time than the one being handled: the platform may lose such a one (platform 2.1) */
  stalls = 0;
  rowsWritten = 0;
  /** called before and after every commit, and before every statement that stands alone */
  cross: (where: string) => void = () => {};
  #depth = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
    const { database, statements } = EMPTY_DISKS.pop() ?? {
      database: new DatabaseSync(":memory:"),
      statements: new Map<string, Prepared>(),
    };
    this.#database = database;
    this.#statements = statements;
  }

  exec(query: string, ...values: (string | number | null)[]): Row[] {
    if (values.length > VALUES_MAX) throw new Error("too many SQL variables");
    if (query.length > STATEMENT_BYTES_MAX) throw new Error("statement too long");
    for (const value of values) {
      if (value === undefined) throw new Error("undefined cannot be bound");
      if (typeof value === "string" && value.length > STRING_BYTES_MAX) throw new Error("SQLITE_TOOBIG");
    }
    const { statement, reads, makes } = this.#prepare(query);
    if (reads) return statement.all(...values) as Row[];
    if (this.#depth === 0 && !makes) this.cross("statement: before");
    this.rowsWritten += Number(statement.run(...values).changes);
    return [];
  }

  #prepare(query: string): Prepared {
    const known = this.#statements.get(query);
    if (known !== undefined) return known;
    const prepared = {
      statement: this.#database.prepare(query),
      reads: /^\s*SELECT/i.test(query),
      makes: /^\s*CREATE/i.test(query),
    };
    this.#statements.set(query, prepared);
    return prepared;
  }

  transaction<Result>(body: () => Result): Result {
    if (this.#depth > 0) throw new Error("a transaction inside a transaction");
    this.#depth++;
    const { alarm, stalls } = this;
    this.#prepare("BEGIN").statement.run();
    let result: Result;
    try {
      result = body();
      if (result instanceof Promise) throw new Error("a transaction must not be asynchronous");
      // Whatever the body did to the world outside is done; its rows are not.
      this.cross("commit: before");
      this.#prepare("COMMIT").statement.run();
    } catch (error) {
      this.#prepare("ROLLBACK").statement.run();
      Object.assign(this, { alarm, stalls });
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
    if (this.firing !== null && clamped <= this.firing) this.stalls++;
    // workerd loses an alarm that is set for the very time of the one being handled: it never fires (platform 2.1).
    this.alarm = clamped === this.firing ? Number.NEGATIVE_INFINITY : clamped;
  }

  deleteAlarm(): void {
    this.alarm = null;
  }

  getAlarm(): Promise<number | null> {
    return Promise.resolve(this.alarm);
  }

  /** Every row of every table, as text. */
  dump(): string {
    const tables = this.exec("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
    return JSON.stringify(tables.map(({ name }) => this.exec(`SELECT * FROM ${String(name)}`)));
  }

  /** The disk is read no more: what it stands on is emptied and given to the next. */
  close(): void {
    this.cross = () => {};
    for (const { name } of this.exec("SELECT name FROM sqlite_master WHERE type = 'table'"))
      this.exec(`DELETE FROM ${String(name)}`);
    EMPTY_DISKS.push({ database: this.#database, statements: this.#statements });
  }
}
