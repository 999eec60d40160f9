import type { IndexDb } from "./index-db.ts";
import { areDue, readVersions, runMigrations, type TablePart, type Versions } from "./migrations.ts";
import type { Disk } from "./store.ts";
import { SESSION_TABLES } from "./tables.ts";

/** Tables of plugins. */
interface OtherTables {
  readonly parts: readonly TablePart[];
  /** The tables of this part could not be made. Nothing of it was written, and the others are there. */
  readonly failed: (part: TablePart, error: unknown) => void;
}

const NO_OTHERS: OtherTables = { parts: [], failed: () => undefined };

/**
 * The disk of a Durable Object: its SQLite and its alarm. Alarm calls are not awaited, so that they belong to the transaction.
 * The first row that is written creates the tables: an object exists as soon as anyone reads from its name, and one
 * that was only read from stores nothing. One that has tables runs the migrations that are due when it is constructed;
 * where none is, that is one read.
 */
export function objectDisk(storage: DurableObjectStorage, others: OtherTables = NO_OTHERS): Disk {
  const run: Disk["exec"] = (query, ...values) =>
    storage.sql.exec<Record<string, string | number | null>>(query, ...values).toArray();
  const update = (versions: Versions): void => {
    const make = (parts: readonly TablePart[]): void => {
      if (areDue(parts, versions)) storage.transactionSync(() => runMigrations(run, parts, versions));
    };
    make(SESSION_TABLES);
    for (const part of others.parts) {
      try {
        make([part]);
      } catch (error) {
        others.failed(part, error);
      }
    }
  };
  /** Brings tables up to date; false where there are none. */
  const updateTables = (): boolean => {
    const versions = readVersions(run);
    if (versions !== null) update(versions);
    return versions !== null;
  };
  let there = updateTables();
  return {
    exec: (query, ...values) => {
      // Another instance may have made them since.
      there ||= updateTables();
      if (!there) {
        // Where no row is, none is found, changed or deleted.
        if (!/^\s*INSERT/i.test(query)) return [];
        update(new Map());
        there = true;
      }
      return run(query, ...values);
    },
    transaction: (body) => {
      try {
        return storage.transactionSync(body);
      } catch (error) {
        // They may have been rolled back with it.
        there = false;
        throw error;
      }
    },
    setAlarm: (at) => void storage.setAlarm(at),
    deleteAlarm: () => void storage.deleteAlarm(),
    getAlarm: () => storage.getAlarm(),
  };
}

/** The index of sessions in D1. */
export function indexDb(db: D1Database): IndexDb {
  return {
    batch: async (statements) => {
      await db.batch(statements.map(([sql, ...values]) => db.prepare(sql).bind(...values)));
    },
  };
}

/** The JSON of an agent that was stored over the API (src/cairn/http/agents), or null. */
export async function readStoredAgent(db: D1Database, name: string): Promise<string | null> {
  return db.prepare("SELECT body FROM agents WHERE name = ?").bind(name).first<string>("body");
}
