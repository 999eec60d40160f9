import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { forgetSeeded } from "../../src/plugins/cms/seed/index.ts";

// Files of one isolate (vitest.config.ts) share its storage: every file begins with it empty.
await reset();
await emptyDatabase(env.DB);
forgetSeeded();
// At once: a transaction for each migration takes a second, and a hundred files wait for it.
await env.DB.batch(
  env.TEST_MIGRATIONS.flatMap(({ queries }) => queries).map((query) => env.DB.prepare(query)),
);

/** `reset` leaves a database that was still at work: the next file then saw the rows of the last one. */
async function emptyDatabase(db: D1Database): Promise<void> {
  const { results } = await db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type='table'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\'
        ORDER BY rowid DESC`,
    )
    .all<{ name: string }>();
  // The newest first: a table is dropped before those that it refers to.
  if (results.length === 0) return;
  await db.batch([
    db.prepare("PRAGMA defer_foreign_keys=TRUE"),
    ...results.map(({ name }) => db.prepare(`DROP TABLE "${name}"`)),
  ]);
}
