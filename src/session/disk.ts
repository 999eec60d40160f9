import type { IndexDb } from "./directory.ts";
import type { Disk } from "./store.ts";

/** The disk of a Durable Object: its SQLite and its alarm. Alarm calls are not awaited, so that they belong to the transaction. */
export function objectDisk(storage: DurableObjectStorage): Disk {
  return {
    exec: (query, ...values) =>
      storage.sql.exec<Record<string, string | number | null>>(query, ...values).toArray(),
    transaction: (body) => storage.transactionSync(body),
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
