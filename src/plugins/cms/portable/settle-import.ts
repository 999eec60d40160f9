import { startOf } from "../../../cairn/core/text/cut.ts";
import { digestOf } from "../../../cairn/core/log/digest.ts";
import type { CmsServices, Operation, Plan } from "../model/types.ts";
import { OWN_ENVIRONMENT } from "../model/environment.ts";
import { claimAttempt, clearStatement } from "../schedule/attempts.ts";
import { operationStatements } from "../storage/commit.ts";
import { NO_PROJECTION } from "../storage/projections.ts";
import { number, text, type Row } from "../model/columns.ts";
import { isForOwn, listAbandoned, type Part, type SiteImport } from "./imports.ts";
import type { Writing } from "./write-site.ts";

/** The start and the outcomes of writing an import: an invisible environment first, then a visible one, or none. */

/** an abandoned import is deleted after this time */
export const IMPORT_RETENTION_MS = 7 * 86_400_000;
const KEYS_PER_DELETE = 1_000;
const ABANDONED_LOOKED_AT_MAX = 20;

/** Tables whose rows name their environment, those that others refer to last. */
const TABLES = [
  // First, so that no trigger counts what goes; the counts of what comes are moved with it.
  "site_counts",
  "asset_refs",
  "search_docs",
  "published_docs",
  "redirects",
  "nav_items",
  "contents",
  "settings",
  "entries",
  "sections",
  "pages",
  "images",
  "collections",
  "locales",
] as const;

/** The number of writes to the own environment besides the sample's. */
const TOUCHED = `(SELECT count(*) FROM operations WHERE env_id='${OWN_ENVIRONMENT}' AND tool<>'seed' AND key<>?1->>0)
  +(SELECT count(*) FROM change_sets WHERE env_id='${OWN_ENVIRONMENT}')`;

/** True if the deployment's own site is still the untouched sample: it may be replaced. */
export async function isUntouched(db: D1Database): Promise<boolean> {
  const row = await db
    .prepare(`SELECT ${TOUCHED} AS touched`)
    .bind(JSON.stringify([""]))
    .first<Row>();
  return number(row ?? {}, "touched") === 0;
}

/** True if another environment has this ID or name. */
export async function isTaken(db: D1Database, one: SiteImport): Promise<boolean> {
  const row = await db
    .prepare(
      "SELECT 1 FROM environments WHERE (id=?1 OR (site_id=?2 AND name=?3)) AND coalesce(import_id,'')<>?4",
    )
    .bind(one.target, one.siteId, one.name, one.id)
    .first();
  return row !== null;
}

/** Creates the environment to write. `taken`: its ID or its name exists already. */
export async function openWriting(db: D1Database, one: SiteImport, now: number): Promise<"open" | "taken"> {
  try {
    await db.batch([
      db
        .prepare("INSERT INTO environments(id,site_id,name,import_id) VALUES(?1,?2,?3,?4)")
        // No environment has a name with a space.
        .bind(one.env, one.siteId, isForOwn(one) ? `import ${one.id}` : one.name, one.id),
      db
        .prepare(
          "UPDATE site_imports SET guard=(state='receiving'), state='writing', updated_at=?2 WHERE id=?1",
        )
        .bind(one.id, now),
    ]);
    return "open";
  } catch (error) {
    if (String(error).includes("UNIQUE")) return "taken";
    throw error;
  }
}

/** Outcome of a write: `moved` if another request did it, `refused` if the database rejects it. */
export type Outcome = "written" | "moved" | "refused";

export function outcomeOf(error: unknown): "moved" | "refused" | null {
  const message = String(error);
  if (message.includes("import_moved")) return "moved";
  return /constraint failed|FOREIGN KEY/.test(message) ? "refused" : null;
}

/**
 * Writes members up to number `n` in one batch; `from` is how many were written before. `ids_taken`: another environment has
 * rows with these ids, which writing would change.
 */
export async function writeMembers(
  db: D1Database,
  { id, env }: SiteImport,
  { from, n, statements, ids }: Writing & { readonly from: number; readonly n: number },
  now: number,
): Promise<Outcome | "ids_taken"> {
  const looks = [...ids].map(([table, some]) =>
    db
      .prepare(`SELECT 1 FROM ${table} WHERE id IN (SELECT value FROM json_each(?1)) AND +env_id<>?2 LIMIT 1`)
      .bind(JSON.stringify(some), env),
  );
  const foreign = looks.length === 0 ? [] : await db.batch(looks);
  if (foreign.some(({ results }) => results.length > 0)) return "ids_taken";
  try {
    await db.batch([
      db
        .prepare(
          "UPDATE site_imports SET guard=(state='writing' AND written=?2), written=?3, updated_at=?4 WHERE id=?1",
        )
        .bind(id, from, n, now),
      ...statements,
    ]);
    return "written";
  } catch (error) {
    const why = outcomeOf(error);
    if (why === null) throw error;
    return why;
  }
}

/** How many images have no bytes among the members. */
export async function imagesWithoutBytes(db: D1Database, { id, env }: SiteImport): Promise<number> {
  const row = await db
    .prepare(
      `SELECT count(*) AS count FROM images WHERE env_id=?1
        AND 'images/'||sha256||'/orig.'||ext NOT IN
          (SELECT replace(name,'.missing','') FROM site_import_parts WHERE import_id=?2)`,
    )
    .bind(env, id)
    .first<Row>();
  return number(row ?? {}, "count");
}

/** Makes the site seen, in one batch. `moved`: another request did, or the own site is the untouched sample no more. */
export async function reveal(
  services: CmsServices,
  one: SiteImport,
  { summary, siteName }: { readonly summary: string; readonly siteName: string },
  now: number,
): Promise<Outcome> {
  const { db } = services;
  const key = `import:${one.id}`;
  const operation: Operation = {
    key,
    tool: "import",
    argsDigest: digestOf({ import: one.id, digest: one.digest }),
    actor: one.actor,
    session: null,
    run: null,
    approval: null,
    at: now,
  };
  const plan: Plan<object> = {
    result: { ok: true, op: key, publicNow: true },
    changes: [],
    stateGuards: isForOwn(one) ? [{ sql: TOUCHED, json: JSON.stringify([key]), equals: 0 }] : [],
    projection: NO_PROJECTION,
    impact: { title: summary, summary, lines: [], public: true },
  };
  try {
    await db.batch([
      db
        .prepare(
          "UPDATE site_imports SET guard=(state='writing' AND written=members), state='done', updated_at=?2 WHERE id=?1",
        )
        .bind(one.id, now),
      ...(isForOwn(one)
        ? [
            ...replaceStatements(db, one),
            db.prepare("UPDATE sites SET name=?2, updated_at=?3 WHERE id=?1").bind(one.siteId, siteName, now),
          ]
        : [db.prepare("UPDATE environments SET import_id=NULL WHERE id=?1").bind(one.env)]),
      ...operationStatements({ ...services, env: one.target }, operation, plan),
    ]);
    return "written";
  } catch (error) {
    const message = String(error);
    if (message.includes("state_conflict")) return "refused";
    if (message.includes("import_moved") || message.includes("operations.key")) return "moved";
    throw error;
  }
}

/** The sample goes, and the rows that were written become those of the own environment. */
function replaceStatements(db: D1Database, { env }: SiteImport): D1PreparedStatement[] {
  const run = (sql: string): D1PreparedStatement => db.prepare(sql).bind(OWN_ENVIRONMENT, env);
  const suffix = `@${env}`;
  return [
    ...TABLES.map((table) => db.prepare(`DELETE FROM ${table} WHERE env_id=?1`).bind(OWN_ENVIRONMENT)),
    ...TABLES.toReversed().map((table) => run(`UPDATE ${table} SET env_id=?1 WHERE env_id=?2`)),
    // Both of these have the environment in their keys.
    run(`UPDATE asset_refs SET owner_id=?1||substr(owner_id,length(?2)+1), root_id=?1||substr(root_id,length(?2)+1)
      WHERE env_id=?1 AND owner_type='setting'`),
    db
      .prepare("UPDATE search_docs SET doc_key=substr(doc_key,1,length(doc_key)-length(?2)) WHERE env_id=?1")
      .bind(OWN_ENVIRONMENT, suffix),
    db.prepare("DELETE FROM environments WHERE id=?1").bind(env),
  ];
}

/** Nothing of it stays but that it was refused, and why. A repeat is safe. */
export async function drop(
  db: D1Database,
  media: R2Bucket,
  one: SiteImport,
  reason: string,
  now: number,
): Promise<void> {
  const mine = "EXISTS(SELECT 1 FROM environments WHERE id=?1 AND import_id=?2)";
  await db.batch([
    db
      .prepare(
        "UPDATE site_imports SET state='refused', reason=?2, updated_at=?3 WHERE id=?1 AND state IN('receiving','writing')",
      )
      .bind(one.id, startOf(reason, 500), now),
    ...TABLES.map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE env_id=?1 AND ${mine}`).bind(one.env, one.id),
    ),
    db.prepare("DELETE FROM environments WHERE id=?1 AND import_id=?2").bind(one.env, one.id),
  ]);
  await dropBytes(db, media, one);
}

/** The bytes of the images of an import, but for those that an image of the target or another import has. */
async function dropBytes(db: D1Database, media: R2Bucket, one: SiteImport): Promise<void> {
  for (;;) {
    const { results } = await db
      .prepare(
        `SELECT n, name FROM site_import_parts WHERE import_id=?1 AND name LIKE 'images/%' LIMIT ${KEYS_PER_DELETE}`,
      )
      .bind(one.id)
      .all<Row>();
    if (results.length === 0) break;
    const names = JSON.stringify(results.map((row) => text(row, "name")));
    const unused = await db
      .prepare(
        `SELECT value FROM json_each(?1) WHERE substr(value,8,64) NOT IN (SELECT sha256 FROM images WHERE env_id=?2)
          AND value NOT IN (SELECT p.name FROM site_import_parts p JOIN site_imports i ON i.id=p.import_id
            WHERE i.target_id=?2 AND i.id<>?3 AND i.state IN('receiving','writing'))`,
      )
      .bind(names, one.target, one.id)
      .all<Row>();
    const keys = unused.results.map((row) => mediaKey(one.target, text(row, "value")));
    if (keys.length > 0) await media.delete(keys);
    await db
      .prepare(
        "DELETE FROM site_import_parts WHERE import_id=?1 AND name IN (SELECT value FROM json_each(?2))",
      )
      .bind(one.id, names)
      .run();
  }
  await deleteStagedParts(db, media, one);
}

/** The members that waited to be written. */
export async function deleteStagedParts(db: D1Database, media: R2Bucket, { id }: SiteImport): Promise<void> {
  for (;;) {
    const { objects } = await media.list({ prefix: `imports/${id}/` });
    if (objects.length === 0) break;
    await media.delete(objects.map((object) => object.key));
  }
  await db.prepare("DELETE FROM site_import_parts WHERE import_id=?1").bind(id).run();
}

/** Where a member of the kind `images` is in the bucket. */
export const mediaKey = (target: string, name: Part["name"]): string =>
  `media/${target}/${name.slice("images/".length)}`;

/** Deletes an import that was abandoned for a week, one in a pass. Returns it. */
export async function dropAbandoned(
  db: D1Database,
  media: R2Bucket | null,
  now: number,
): Promise<string | null> {
  if (media === null) return null;
  for (const one of await listAbandoned(db, now - IMPORT_RETENTION_MS, ABANDONED_LOOKED_AT_MAX)) {
    const key = `drop:import:${one.id}`;
    // One that cannot be dropped waits for its next attempt, and the ones behind it are dropped meanwhile.
    if ((await claimAttempt(db, key, now)) === null) continue;
    await drop(db, media, one, "Nobody went on with it for a week.", now);
    await clearStatement(db, key).run();
    return one.id;
  }
  return null;
}
