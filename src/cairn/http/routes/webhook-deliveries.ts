/**
 * Received webhooks in D1: a count for the last minute, and the run of each delivery. A delivery is bound to its
 * session and message before the run is created. A repetition, at the same time or after a crash, is bound to the same
 * session and message, and the session creates one run per message.
 */
export interface WebhookDeliveries {
  /** Null, or the whole seconds until another delivery of this source is taken. `at` in milliseconds. */
  admit(source: string, perMinute: number, at: number): Promise<number | null>;
  /** Binds every key to the target, or to that of the oldest key known. */
  bind(source: string, keys: readonly string[], target: Target, at: number): Promise<Bound>;
  /** The run is committed: from now on the session need not be asked. */
  settle(source: string, keys: readonly string[], run: string): Promise<void>;
}

export interface Target {
  readonly session: string;
  readonly message: string;
}
export interface Bound extends Target {
  /** public id, once it is committed */
  readonly run: string | null;
}

const WINDOW_MS = 60_000;
/** a session knows its own deliveries for as long as it lives; these rows catch what would go to another one */
const RETENTION_MS = 30 * 24 * 60 * 60_000;
/** old rows that go with each new delivery */
const PRUNED_AT_ONCE = 4;

export function createWebhookDeliveries(db: D1Database): WebhookDeliveries {
  return {
    async admit(source, perMinute, at) {
      const recent = "SELECT value FROM json_each(webhook_rates.times) WHERE value > ?3";
      const taken = await db
        .prepare(
          `INSERT INTO webhook_rates (source, times) VALUES (?1, json_array(?2))
           ON CONFLICT (source) DO UPDATE SET times = (SELECT json_group_array(value) FROM (${recent} UNION ALL SELECT ?2))
           WHERE (SELECT count(*) FROM (${recent})) < ?4 RETURNING source`,
        )
        .bind(source, at, at - WINDOW_MS, perMinute)
        .first();
      if (taken !== null) return null;
      const oldest = await db
        .prepare(
          "SELECT min(value) AS at FROM webhook_rates, json_each(webhook_rates.times) WHERE source = ?1 AND value > ?2",
        )
        .bind(source, at - WINDOW_MS)
        .first<number>("at");
      return Math.max(1, Math.ceil(((oldest ?? at) + WINDOW_MS - at) / 1_000));
    },

    async bind(source, keys, { session, message }, at) {
      const list = JSON.stringify(keys);
      const known =
        "SELECT session, message, run FROM webhook_deliveries WHERE source = ?1 AND key IN (SELECT value FROM json_each(?2)) ORDER BY id LIMIT 1";
      const results = await db.batch<Bound>([
        db
          .prepare(
            `DELETE FROM webhook_deliveries WHERE at < ?1 AND id IN (SELECT id FROM webhook_deliveries ORDER BY id LIMIT ${PRUNED_AT_ONCE})`,
          )
          .bind(at - RETENTION_MS),
        db
          .prepare(
            `INSERT INTO webhook_deliveries (source, key, session, message, run, at)
             SELECT ?1, wanted.value, coalesce(known.session, ?3), coalesce(known.message, ?4), known.run, ?5
             FROM json_each(?2) AS wanted LEFT JOIN (${known}) AS known ON true
             WHERE true ON CONFLICT (source, key) DO NOTHING`,
          )
          .bind(source, list, session, message, at),
        db.prepare(known).bind(source, list),
      ]);
      const bound = results[2]?.results[0];
      if (bound === undefined) throw new Error("a delivery was bound and is not there");
      return { session: bound.session, message: bound.message, run: bound.run };
    },

    async settle(source, keys, run) {
      await db
        .prepare(
          "UPDATE webhook_deliveries SET run = ?3 WHERE source = ?1 AND key IN (SELECT value FROM json_each(?2))",
        )
        .bind(source, JSON.stringify(keys), run)
        .run();
    },
  };
}
