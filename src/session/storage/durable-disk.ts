import type { IndexDb } from "../background/session-index.ts";
import { type Disk, makeTables } from "./store.ts";

/**
 * The disk of a Durable Object: its SQLite and its alarm. Alarm calls are not awaited, so that they belong to the transaction.
 * The tables are made by the first row that is written: an object comes into being with any look at its name, and one at
 * which was only looked keeps nothing.
 */
export function objectDisk(storage: DurableObjectStorage): Disk {
  const run: Disk["exec"] = (query, ...values) =>
    storage.sql.exec<Record<string, string | number | null>>(query, ...values).toArray();
  const isThere = (): boolean =>
    run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'cursor'").length > 0;
  let there = isThere();
  // Another version may have made them.
  if (there) makeTables(run);
  return {
    exec: (query, ...values) => {
      // Another instance may have made them since.
      there ||= isThere();
      if (!there) {
        // Where no row is, none is found, changed or deleted.
        if (!/^\s*INSERT/i.test(query)) return [];
        makeTables(run);
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

/** The JSON of an agent that was stored over the API (src/http/agents), or null. */
export async function readStoredAgent(db: D1Database, name: string): Promise<string | null> {
  return db.prepare("SELECT body FROM agents WHERE name = ?").bind(name).first<string>("body");
}
