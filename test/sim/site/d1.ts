import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** A D1 of the simulation: SQLite in memory with the project's migrations, and its batches all or nothing. */

const FOLDER = path.resolve(import.meta.dirname, "../../../migrations");
const MIGRATIONS = readdirSync(FOLDER)
  .toSorted()
  .map((name) => readFileSync(path.join(FOLDER, name), "utf8"));

/** Error that kills the worker, thrown where a batch is crossed. */
export class Death extends Error {}

/** Called at every batch that writes, before it and after it; may throw a Death. */
export type Crossing = (when: "before" | "after") => Promise<void>;

interface Prepared {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

export class FakeD1 {
  readonly #db = new DatabaseSync(":memory:");
  /** by their text: preparing one took longer than running it */
  readonly #statements = new Map<string, StatementSync>();
  /** what stands between two batches */
  crossing: Crossing = async () => {};

  constructor() {
    for (const migration of MIGRATIONS) this.#db.exec(migration);
  }

  rows(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement.all(...values);
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  close(): void {
    this.#db.close();
  }

  /** rows that the last statement has changed */
  #changes(): number {
    return Number(this.rows("SELECT changes() AS changed")[0]?.["changed"]);
  }

  /** As the tools take it. */
  get binding(): D1Database {
    const statement = (sql: string, values: readonly SQLInputValue[] = []) => ({
      sql,
      values,
      bind: (...bound: SQLInputValue[]) => statement(sql, bound),
      all: async () => ({ results: this.rows(sql, ...values) }),
      first: async (column?: string) => {
        const [row = null] = this.rows(sql, ...values);
        return row === null || column === undefined ? row : (row[column] ?? null);
      },
      run: async () => ({ results: this.rows(sql, ...values), meta: { changes: this.#changes() } }),
    });
    const binding = {
      prepare: (sql: string) => statement(sql),
      batch: (statements: readonly Prepared[]) => this.#batch(statements),
    };
    return binding as unknown as D1Database;
  }

  async #batch(statements: readonly Prepared[]): Promise<{ results: Record<string, unknown>[] }[]> {
    const writes = statements.some(({ sql }) => /\b(?:INSERT|UPDATE|DELETE)\b/.test(sql));
    if (writes) await this.crossing("before");
    this.#db.exec("BEGIN");
    const answers: { results: Record<string, unknown>[] }[] = [];
    try {
      for (const { sql, values } of statements) answers.push({ results: this.rows(sql, ...values) });
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#db.exec("ROLLBACK");
      throw error;
    }
    if (writes) await this.crossing("after");
    return answers;
  }
}
