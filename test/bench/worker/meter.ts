/**
 * Counts billed rows of every object in the isolate: what each statement says of itself once its cursor is drained, and
 * one written row for each alarm set or taken away and each key put or deleted (the price list's rule). It stands on the
 * prototypes of the platform, so that it sees the same of every contender, whatever way they take to their storage.
 */
export interface Rows {
  readonly written: number;
  readonly read: number;
}

let cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] | null = null;
let direct = 0;
let installed = false;

type Method = (this: unknown, ...args: unknown[]) => unknown;

function wrap(target: object, name: string, seen: (result: unknown, args: unknown[]) => void): void {
  const methods = target as Record<string, Method | undefined>;
  const original = methods[name];
  if (original === undefined) throw new Error(`the storage has no ${name}`);
  methods[name] = function wrapped(this: unknown, ...args: unknown[]): unknown {
    const result = original.apply(this, args);
    if (cursors !== null) seen(result, args);
    return result;
  };
}

/** Puts the meter in place, once per isolate. Call it before anything is read or written. */
export function installMeter(storage: DurableObjectStorage): void {
  if (installed) return;
  installed = true;
  wrap(Object.getPrototypeOf(storage.sql) as object, "exec", (cursor) => {
    cursors?.push(cursor as SqlStorageCursor<Record<string, SqlStorageValue>>);
  });
  const plain = Object.getPrototypeOf(storage) as object;
  const keys = Object.getPrototypeOf(storage.kv) as object;
  const countKeys = (first: unknown): number =>
    typeof first === "string" ? 1 : Array.isArray(first) ? first.length : Object.keys(first ?? {}).length;
  for (const name of ["setAlarm", "deleteAlarm"]) wrap(plain, name, () => void direct++);
  for (const name of ["put", "delete"]) {
    wrap(plain, name, (_, [first]) => void (direct += countKeys(first)));
    wrap(keys, name, (_, [first]) => void (direct += countKeys(first)));
  }
}

/** Begins to count from zero. */
export function startMeter(): void {
  cursors = [];
  direct = 0;
}

/** Ends the count and says what it came to. */
export function readMeter(): Rows {
  if (cursors === null) throw new Error("the meter is not running");
  const rows = cursors.reduce(
    (sum, cursor) => ({ written: sum.written + cursor.rowsWritten, read: sum.read + cursor.rowsRead }),
    { written: direct, read: 0 },
  );
  cursors = null;
  return rows;
}
