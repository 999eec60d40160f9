/** A database that says which statements were sent to it, and what they cost. */

export interface Sent {
  readonly sql: string;
  readonly values: readonly unknown[];
}

export interface Cost {
  readonly read: number;
  readonly written: number;
  readonly statements: number;
}

interface Tally {
  read: number;
  written: number;
  statements: number;
}

export class Recorder {
  readonly sent: Sent[] = [];
  readonly db: D1Database;
  #tally: Tally = { read: 0, written: 0, statements: 0 };

  constructor(real: D1Database) {
    const count = <Answer extends D1Result>(answer: Answer): Answer => {
      this.#tally.read += answer.meta.rows_read;
      this.#tally.written += answer.meta.rows_written;
      this.#tally.statements += 1;
      return answer;
    };
    const inner = new WeakMap<object, D1PreparedStatement>();
    const recorded = (sql: string, statement: D1PreparedStatement, values: readonly unknown[]) => {
      const note = (): void => {
        this.sent.push({ sql, values });
      };
      const one = {
        bind: (...bound: unknown[]) => recorded(sql, statement.bind(...bound), bound),
        all: async () => {
          note();
          return count(await statement.all());
        },
        run: async () => {
          note();
          return count(await statement.run());
        },
        first: async (column?: string) => {
          note();
          const [row] = count(await statement.all()).results;
          if (row === undefined) return null;
          return column === undefined ? row : row[column];
        },
        note,
      };
      inner.set(one, statement);
      return one;
    };
    this.db = {
      prepare: (sql: string) => recorded(sql, real.prepare(sql), []),
      batch: async (statements: (D1PreparedStatement & { note(): void })[]) => {
        for (const one of statements) one.note();
        const answers = await real.batch(statements.map((one) => inner.get(one) ?? one));
        return answers.map(count);
      },
    } as unknown as D1Database;
  }

  /** Cost of the statements since the last call of this method. */
  cost(): Cost {
    const cost = { ...this.#tally };
    this.#tally = { read: 0, written: 0, statements: 0 };
    return cost;
  }
}
