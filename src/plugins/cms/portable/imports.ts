import { OWN_ENVIRONMENT } from "../model/environment.ts";
import { number, oneOf, text, textOrNull, type Row } from "../model/columns.ts";

/** Imports as rows: what was announced, what is there of it, and how far it is written. */

export interface SiteImport {
  readonly id: string;
  /** the environment being written, not visible yet */
  readonly env: string;
  /** that its site will be */
  readonly target: string;
  readonly siteId: string;
  /** of the target */
  readonly name: string;
  /** as JSON, parsed by its users */
  readonly manifest: string;
  readonly members: number;
  readonly bytes: number;
  readonly digest: string;
  readonly state: "receiving" | "writing" | "done" | "refused";
  /** members, in order */
  readonly written: number;
  /** why it was refused */
  readonly reason: string | null;
  readonly actor: string;
  /** ms */
  readonly createdAt: number;
}

export interface Part {
  /** from 1 */
  readonly n: number;
  readonly name: string;
  /** of its bytes */
  readonly sha256: string;
  readonly size: number;
}

const importOf = (row: Row): SiteImport => ({
  id: text(row, "id"),
  env: text(row, "env_id"),
  target: text(row, "target_id"),
  siteId: text(row, "site_id"),
  name: text(row, "name"),
  manifest: text(row, "manifest"),
  members: number(row, "members"),
  bytes: number(row, "bytes"),
  digest: text(row, "digest"),
  state: oneOf(row, "state", ["receiving", "writing", "done", "refused"]),
  written: number(row, "written"),
  reason: textOrNull(row, "reason"),
  actor: text(row, "actor"),
  createdAt: number(row, "created_at"),
});

const partOf = (row: Row): Part => ({
  n: number(row, "n"),
  name: text(row, "name"),
  sha256: text(row, "sha256"),
  size: number(row, "size"),
});

/** Where the bytes of a member wait until they are written; those of images go where they stay. */
export const stagedKey = (id: string, n: number): string => `imports/${id}/${n}`;

export async function findImport(db: D1Database, id: string): Promise<SiteImport | null> {
  const row = await db.prepare("SELECT * FROM site_imports WHERE id=?1").bind(id).first<Row>();
  return row === null ? null : importOf(row);
}

/** Writes it unless it is there. */
export async function announce(
  db: D1Database,
  one: Omit<SiteImport, "state" | "written" | "reason">,
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO site_imports(id,env_id,target_id,site_id,name,manifest,members,bytes,digest,actor,created_at,updated_at)
       VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?11) ON CONFLICT DO NOTHING`,
    )
    .bind(
      one.id,
      one.env,
      one.target,
      one.siteId,
      one.name,
      one.manifest,
      one.members,
      one.bytes,
      one.digest,
      one.actor,
      one.createdAt,
    )
    .run();
}

/** The received part of a member; null if there is none. */
export async function findPart(db: D1Database, id: string, n: number): Promise<Part | null> {
  const row = await db
    .prepare("SELECT * FROM site_import_parts WHERE import_id=?1 AND n=?2")
    .bind(id, n)
    .first<Row>();
  return row === null ? null : partOf(row);
}

/** Notes a member whose bytes are in the bucket. */
export async function notePart(db: D1Database, id: string, part: Part, now: number): Promise<void> {
  await db.batch([
    db
      .prepare(
        `INSERT INTO site_import_parts(import_id,n,name,sha256,size) SELECT ?1,?2,?3,?4,?5
          WHERE EXISTS(SELECT 1 FROM site_imports WHERE id=?1 AND state='receiving') ON CONFLICT DO NOTHING`,
      )
      .bind(id, part.n, part.name, part.sha256, part.size),
    db.prepare("UPDATE site_imports SET updated_at=?2 WHERE id=?1").bind(id, now),
  ]);
}

/** The members that are there behind `n`, in order. */
export async function listParts(
  db: D1Database,
  id: string,
  after: number,
  limit: number,
): Promise<readonly Part[]> {
  const { results } = await db
    .prepare("SELECT * FROM site_import_parts WHERE import_id=?1 AND n>?2 ORDER BY n LIMIT ?3")
    .bind(id, after, limit)
    .all<Row>();
  return results.map(partOf);
}

/** The numbers that are missing, as ranges, the first ones; and how many members are there. */
export async function missingOf(
  db: D1Database,
  { id, members }: SiteImport,
  rangesMax: number,
): Promise<{ readonly received: number; readonly missing: readonly (readonly [number, number])[] }> {
  const [counted, gaps] = await db.batch<Row>([
    db.prepare("SELECT count(*) AS received FROM site_import_parts WHERE import_id=?1").bind(id),
    db
      .prepare(
        `SELECT n, before FROM (SELECT n, lag(n,1,0) OVER (ORDER BY n) AS before FROM
          (SELECT n FROM site_import_parts WHERE import_id=?1 UNION ALL SELECT ?2+1)) WHERE n>before+1 ORDER BY n LIMIT ?3`,
      )
      .bind(id, members, rangesMax),
  ]);
  return {
    received: number(counted?.results[0] ?? {}, "received"),
    missing: (gaps?.results ?? []).map((row) => [number(row, "before") + 1, number(row, "n") - 1] as const),
  };
}

/** Imports that have not continued since. */
export async function listAbandoned(db: D1Database, before: number, limit: number): Promise<SiteImport[]> {
  const { results } = await db
    .prepare(
      `SELECT * FROM site_imports WHERE state IN('receiving','writing') AND updated_at<?1 ORDER BY updated_at LIMIT ?2`,
    )
    .bind(before, limit)
    .all<Row>();
  return results.map(importOf);
}

export const isForOwn = ({ target }: SiteImport): boolean => target === OWN_ENVIRONMENT;
