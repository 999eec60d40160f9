import type { SQLInputValue } from "node:sqlite";
import { FakeD1 } from "../site/d1.ts";

/** A call to D1 that failed, as the platform words it. */
export class D1Error extends Error {
  constructor() {
    super("D1_ERROR: Network connection lost.");
  }
}

interface Query {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

interface Answer {
  readonly results: Record<string, unknown>[];
  readonly meta: { readonly changes: number };
}

/** Databases with their migrations: making one takes longer than a short run. */
const EMPTY: FakeD1[] = [];

const isWrite = ({ sql }: Query): boolean => /^\s*(?:INSERT|UPDATE|DELETE|WITH)\b/i.test(sql);

/**
 * A D1 of the simulation that outlives the isolate. Where it fails, each call may fail before it is applied, and each write
 * also after it was applied.
 */
export class SimD1 {
  readonly #db = EMPTY.pop() ?? new FakeD1();
  readonly #writes: Query[] = [];
  #closed = false;
  /** Each of its calls may fail: the simulation tries every way. */
  fails = false;
  /** which of so many ways the next call goes; 0: as usual */
  pick: (options: number) => number = () => 0;
  /** calls that have failed, over all lives of the isolate */
  failed = 0;

  get binding(): D1Database {
    const statement = (sql: string, values: readonly SQLInputValue[] = []) => ({
      sql,
      values,
      bind: (...bound: SQLInputValue[]) => statement(sql, bound),
      all: async () => (await this.#ask([{ sql, values }]))[0],
      first: async () => (await this.#ask([{ sql, values }]))[0]?.results[0] ?? null,
      run: async () => (await this.#ask([{ sql, values }]))[0],
    });
    const binding = {
      prepare: (sql: string) => statement(sql),
      batch: (queries: readonly Query[]) => this.#ask(queries.map(({ sql, values }) => ({ sql, values }))),
    };
    return binding as unknown as D1Database;
  }

  /** Reads something else of the deployment that lies in D1. */
  async read<Value>(body: () => Promise<Value>): Promise<Value> {
    if (this.#way(false) !== "works") throw new D1Error();
    return body();
  }

  async #ask(queries: readonly Query[]): Promise<Answer[]> {
    const writes = queries.filter(isWrite);
    const way = this.#way(writes.length > 0);
    if (way === "fails") throw new D1Error();
    if (this.#closed) throw new D1Error();
    this.#db.exec("BEGIN");
    let answers: Answer[];
    try {
      answers = queries.map(({ sql, values }) => ({
        results: this.#db.rows(sql, ...values),
        meta: { changes: Number(this.#db.rows("SELECT changes() AS changed")[0]?.["changed"]) },
      }));
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#db.exec("ROLLBACK");
      throw error;
    }
    this.#writes.push(...writes);
    if (way === "fails afterwards") throw new D1Error();
    return answers;
  }

  #way(writes: boolean): "works" | "fails" | "fails afterwards" {
    if (!this.fails) return "works";
    const way = (["works", "fails", "fails afterwards"] as const)[this.pick(writes ? 3 : 2)] ?? "works";
    if (way !== "works") this.failed++;
    return way;
  }

  keep(): { readonly writes: readonly Query[]; readonly failed: number } {
    return { writes: [...this.#writes], failed: this.failed };
  }

  /** Holds what the other held when it was kept. */
  become({ writes, failed }: ReturnType<SimD1["keep"]>): void {
    this.#empty();
    for (const { sql, values } of writes) this.#db.rows(sql, ...values);
    this.#writes.push(...writes);
    this.failed = failed;
  }

  /** Nobody asks it any more: its database is emptied and given to the next. */
  close(): void {
    if (this.#closed) return;
    this.#empty();
    this.#closed = true;
    EMPTY.push(this.#db);
  }

  #empty(): void {
    const tables = this.#writes.flatMap(({ sql }) => /\b(?:INTO|UPDATE|FROM)\s+(\w+)/i.exec(sql)?.[1] ?? []);
    for (const table of new Set(tables)) this.#db.exec(`DELETE FROM ${table}`);
    this.#writes.length = 0;
  }
}
