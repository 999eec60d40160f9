import { DatabaseSync, type StatementSync } from "node:sqlite";
import { runMigrations, type TablePart } from "../session/storage/migrations.ts";
import type { Disk } from "../session/storage/store.ts";
import { SESSION_TABLES } from "../session/storage/tables.ts";

/** The process dies here: nothing after this line of the isolate runs. */
export class Crash extends Error {}

const STRING_BYTES_MAX = 2_000_000;
const STATEMENT_BYTES_MAX = 100_000;
const VALUES_MAX = 100;

/** Databases with their tables and prepared statements: making them anew is most of what a short run costs. */
const EMPTY_DISKS = new Map<readonly TablePart[], EmptyDisk[]>();

interface EmptyDisk {
  readonly database: DatabaseSync;
  readonly statements: Map<string, Prepared>;
}

interface Prepared {
  readonly statement: StatementSync;
  /** their names, of a statement that reads */
  readonly columns: readonly string[] | null;
}

type Row = Record<string, string | number | null>;

interface Write {
  readonly query: string;
  readonly values: readonly (string | number | null)[];
}

function rowsOf(columns: readonly string[], rows: readonly unknown[]): Row[] {
  return rows.map((values) => {
    const row: Row = {};
    for (const [index, column] of columns.entries()) row[column] = (values as Row[string][])[index] ?? null;
    return row;
  });
}

function databaseWithTables(parts: readonly TablePart[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  const exec = (query: string): [] => {
    database.exec(query);
    return [];
  };
  runMigrations(exec, parts, new Map());
  return database;
}

/** A disk image: its writes in order, and the alarm. */
export interface DiskImage extends Pick<SimDisk, "alarm" | "firing" | "stalls" | "rowsWritten"> {
  readonly writes: readonly Write[];
}

/**
 * A disk as strict as the platform's: SQLite for real, one alarm that belongs to the transaction that sets it, past
 * times clamped, 100 values a statement, 2 MB a value, no await inside a transaction.
 */
export class SimDisk implements Disk {
  readonly #database: DatabaseSync;
  readonly #statements: Map<string, Prepared>;
  readonly #clock: () => number;
  readonly #parts: readonly TablePart[];
  /** what the platform will fire */
  alarm: number | null = null;
  /** scheduled time of the alarm that is being handled */
  firing: number | null = null;
  /** alarms that were set for no later a time than the one being handled: the platform may lose such a one */
  stalls = 0;
  rowsWritten = 0;
  /** called before and after every commit, and before every statement outside of a transaction */
  cross: (where: string) => void = () => {};
  readonly #writes: Write[] = [];
  /** what was read by statements without values, the snapshot most of all, since something was written last */
  readonly #reads = new Map<string, Row[]>();
  /** what a rollback goes back to */
  #open: { readonly writes: number; readonly alarm: number | null; readonly stalls: number } | null = null;
  #closed = false;

  /** `parts`: whose tables it has */
  constructor(clock: () => number, parts: readonly TablePart[] = SESSION_TABLES) {
    this.#clock = clock;
    this.#parts = parts;
    const { database, statements } = EMPTY_DISKS.get(parts)?.pop() ?? {
      database: databaseWithTables(parts),
      statements: new Map<string, Prepared>(),
    };
    this.#database = database;
    this.#statements = statements;
  }

  exec(query: string, ...values: (string | number | null)[]): Row[] {
    if (this.#closed) throw new Crash();
    if (values.length > VALUES_MAX) throw new Error("too many SQL variables");
    if (query.length > STATEMENT_BYTES_MAX) throw new Error("statement too long");
    for (const value of values) {
      if (value === undefined) throw new Error("undefined cannot be bound");
      if (typeof value === "string" && value.length > STRING_BYTES_MAX) throw new Error("SQLITE_TOOBIG");
    }
    const { statement, columns } = this.#prepare(query);
    if (columns !== null) return this.#read(query, columns, statement, values);
    if (this.#open === null) this.cross("statement: before");
    this.#reads.clear();
    const { changes } = statement.run(...values);
    this.rowsWritten += Number(changes);
    this.#writes.push({ query, values });
    return [];
  }

  #read(
    query: string,
    columns: readonly string[],
    statement: StatementSync,
    values: readonly (string | number | null)[],
  ): Row[] {
    if (values.length > 0) return rowsOf(columns, statement.all(...values));
    const known = this.#reads.get(query) ?? rowsOf(columns, statement.all());
    this.#reads.set(query, known);
    return known;
  }

  #prepare(query: string): Prepared {
    const known = this.#statements.get(query);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(query);
    const reads = /^\s*SELECT/i.test(query);
    // As arrays they cost half of what they cost as objects.
    if (reads) statement.setReturnArrays(true);
    const columns = reads ? statement.columns().map(({ name }) => name) : null;
    const prepared = { statement, columns };
    this.#statements.set(query, prepared);
    return prepared;
  }

  transaction<Result>(body: () => Result): Result {
    if (this.#closed) throw new Crash();
    if (this.#open !== null) throw new Error("a transaction inside a transaction");
    const { alarm, stalls } = this;
    this.#open = { writes: this.#writes.length, alarm, stalls };
    this.#prepare("BEGIN").statement.run();
    let result: Result;
    try {
      result = body();
      if (result instanceof Promise) throw new Error("a transaction must not be asynchronous");
      // Whatever the body did outside is done; its rows are not.
      this.cross("commit: before");
      this.#prepare("COMMIT").statement.run();
    } catch (error) {
      this.#prepare("ROLLBACK").statement.run();
      this.#reads.clear();
      this.#writes.length = this.#open.writes;
      Object.assign(this, { alarm, stalls });
      throw error;
    } finally {
      this.#open = null;
    }
    this.cross("commit: after");
    return result;
  }

  setAlarm(at: number): void {
    this.rowsWritten++;
    const clamped = Math.max(at, this.#clock());
    if (this.firing !== null && clamped <= this.firing) this.stalls++;
    // workerd loses an alarm that is set for the very time of the one being handled: it never fires.
    this.alarm = clamped === this.firing ? Number.NEGATIVE_INFINITY : clamped;
  }

  deleteAlarm(): void {
    this.alarm = null;
  }

  getAlarm(): Promise<number | null> {
    return Promise.resolve(this.alarm);
  }

  /** Every row of every table, as text, without the versions of the tables. */
  dump(): string {
    return JSON.stringify(this.#tables().map((table) => this.exec(`SELECT * FROM ${table}`)));
  }

  /** Returns the disk as a crash would leave it now, without any open transaction. */
  keep(): DiskImage {
    const { firing, rowsWritten } = this;
    const now = { writes: this.#writes.length, alarm: this.alarm, stalls: this.stalls };
    const { writes, alarm, stalls } = this.#open ?? now;
    return { writes: this.#writes.slice(0, writes), alarm, firing, stalls, rowsWritten };
  }

  /** Restores an image. */
  become({ writes, ...alarm }: DiskImage): void {
    this.#empty();
    this.#prepare("BEGIN").statement.run();
    for (const { query, values } of writes) this.#prepare(query).statement.run(...values);
    this.#prepare("COMMIT").statement.run();
    this.#writes.push(...writes);
    this.#reads.clear();
    Object.assign(this, alarm);
  }

  /** Closes the disk: its database is emptied and reused. */
  close(): void {
    this.#empty();
    this.#closed = true;
    const empty = EMPTY_DISKS.get(this.#parts) ?? [];
    empty.push({ database: this.#database, statements: this.#statements });
    EMPTY_DISKS.set(this.#parts, empty);
  }

  #empty(): void {
    if (this.#writes.length === 0) return;
    for (const table of this.#tables()) this.#prepare(`DELETE FROM ${table}`).statement.run();
    this.#writes.length = 0;
    this.#reads.clear();
  }

  #tables(): string[] {
    const names = this.exec(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'table_versions' ORDER BY name",
    );
    return names.map(({ name }) => String(name));
  }
}
