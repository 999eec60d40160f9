import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { fail } from "../model/errors.ts";
import { READ_MAX, type CmsServices } from "../model/types.ts";
import { rowsOf } from "../storage/rows.ts";
import { number, numberOrNull, objectIn, text, textOrNull, type Row } from "../model/columns.ts";
import { differingFields, type FieldPath, type Side } from "./merge.ts";
import { isThingType, keyOf, type Thing } from "./rows.ts";

/** Reads operations on the site and their revisions. */

export interface StoredOperation {
  readonly key: string;
  readonly tool: string;
  readonly summary: string;
  readonly actor: string;
  readonly session: string | null;
  readonly run: string | null;
  /** ms */
  readonly at: number;
  readonly undoes: string | null;
  readonly undoneBy: string | null;
  /** it took something back; one that took that back again did what was done at first */
  readonly isUndo: boolean;
  /** it is not undone, it changed something, and the earlier state is still stored */
  readonly undoable: boolean;
  /** order of writing */
  readonly row: number;
}

// Lookups by the key of an operation use the tables themselves (main), in a change set too.
const DEPTH = `(WITH RECURSIVE above(key) AS (SELECT o.undo_of UNION ALL
    SELECT p.undo_of FROM main.operations p JOIN above a ON p.key=a.key)
  SELECT count(key) FROM above)`;
const OPERATION = `SELECT o.rowid AS row, o.key, o.tool, o.summary, o.actor, o.session_id, o.run_id, o.created_at,
  o.undo_of, o.undone_by, CASE WHEN o.undo_of IS NULL THEN 0 ELSE ${DEPTH} END AS depth,
  EXISTS(SELECT 1 FROM main.revisions r WHERE r.op_key=o.key) AS changed FROM operations o`;

function operationOf(row: Row): StoredOperation {
  const [tool, undoneBy] = [text(row, "tool"), textOrNull(row, "undone_by")];
  const undoes = textOrNull(row, "undo_of");
  return {
    key: text(row, "key"),
    tool,
    summary: text(row, "summary"),
    actor: text(row, "actor"),
    session: textOrNull(row, "session_id"),
    run: textOrNull(row, "run_id"),
    at: number(row, "created_at"),
    undoes,
    undoneBy,
    isUndo: number(row, "depth") % 2 === 1,
    // The site itself is not taken back. An undo of what was so already has changed nothing, and is redone as that.
    undoable: undoneBy === null && tool !== "seed" && (number(row, "changed") === 1 || undoes !== null),
    row: number(row, "row"),
  };
}

export interface Filter {
  /** what changed */
  readonly thing?: Thing;
  readonly session?: string;
  readonly run?: string;
  /** ms, from and to before */
  readonly from?: number;
  readonly to?: number;
}

/** operations on one thing in one millisecond, of which a page of a list may begin with any */
const AT_ONCE_MAX = 20;

/** The operations that this filter lets through, newest first, those after a place in this order. */
export async function listOperations(
  services: CmsServices,
  filter: Filter,
  { limit, after = null }: { readonly limit: number; readonly after?: Moment | null },
): Promise<StoredOperation[]> {
  const { thing, session, run, from = 0, to = Number.MAX_SAFE_INTEGER } = filter;
  // Each of these has an index in the order of time; the narrowest that the filter names is walked.
  const walked =
    session !== undefined
      ? "o.session_id=?2 AND +o.env_id=?1"
      : run !== undefined
        ? "o.run_id=?3 AND +o.env_id=?1"
        : "o.env_id=?1";
  const keys =
    thing === undefined
      ? await rowsOf(
          services,
          `SELECT o.key, o.created_at, o.rowid AS row FROM operations o WHERE ${walked}
             AND o.created_at>=?4 AND o.created_at<?5 AND o.created_at<=?6 AND (o.created_at<?6 OR o.rowid<?7)
             AND (?2 IS NULL OR o.session_id=?2) AND (?3 IS NULL OR o.run_id=?3)
           ORDER BY o.created_at DESC, o.rowid DESC LIMIT ?8`,
          services.env,
          session ?? null,
          run ?? null,
          from,
          to,
          after?.at ?? Number.MAX_SAFE_INTEGER,
          after?.row ?? 0,
          limit,
        )
      : await keysOf(
          services,
          thing,
          { from, to: Math.min(to, after === null ? to : after.at + 1) },
          session === undefined && run === undefined ? limit + AT_ONCE_MAX : READ_MAX,
        );
  const rows = await rowsOf(
    services,
    `${OPERATION} WHERE +o.env_id=?1 AND o.key IN (SELECT value FROM json_each(?2))
       AND (?3 IS NULL OR o.session_id=?3) AND (?4 IS NULL OR o.run_id=?4)`,
    services.env,
    JSON.stringify(keys.map((row) => text(row, "key"))),
    session ?? null,
    run ?? null,
  );
  return rows
    .map(operationOf)
    .filter((one) => after === null || one.at < after.at || one.row < after.row)
    .toSorted((a, b) => b.at - a.at || b.row - a.row)
    .slice(0, limit);
}

/** The operations that changed a thing in a time, newest first: by its revisions. */
async function keysOf(
  services: CmsServices,
  thing: Thing,
  { from, to }: { readonly from: number; readonly to: number },
  limit: number,
): Promise<Row[]> {
  return rowsOf(
    services,
    `SELECT r.op_key AS key, r.created_at FROM revisions r
      WHERE r.entity_type=?1 AND r.entity_id=?2 AND r.created_at>=?3 AND r.created_at<?4
      ORDER BY r.created_at DESC LIMIT ?5`,
    thing.type,
    thing.id,
    from,
    to,
    limit,
  );
}

/** The operation of a key, or null. */
export async function findOperation(services: CmsServices, key: string): Promise<StoredOperation | null> {
  const [row] = await rowsOf(services, `${OPERATION} WHERE o.env_id=?1 AND o.key=?2`, services.env, key);
  return row === undefined ? null : operationOf(row);
}

/** A public name of an operation, without its session: `op_<ms>_<row>`. `resolveOperation` accepts it like the key. */
export const publicName = ({ at, row }: Pick<StoredOperation, "at" | "row">): string => `op_${at}_${row}`;
const PUBLIC_NAME = /^op_(\d{1,16})_(\d{1,16})$/;

/** Operations by their keys, without what they changed. */
export async function loadBriefs(
  services: CmsServices,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Pick<StoredOperation, "key" | "actor" | "session" | "at" | "row">>> {
  if (keys.length === 0) return new Map();
  const rows = await rowsOf(
    services,
    `SELECT o.rowid AS row, o.key, o.actor, o.session_id, o.created_at FROM operations o
      WHERE +o.env_id=?1 AND o.key IN (SELECT value FROM json_each(?2))`,
    services.env,
    JSON.stringify(keys),
  );
  return new Map(
    rows.map((row) => [
      text(row, "key"),
      {
        key: text(row, "key"),
        actor: text(row, "actor"),
        session: textOrNull(row, "session_id"),
        at: number(row, "created_at"),
        row: number(row, "row"),
      },
    ]),
  );
}

async function findByPublicName(services: CmsServices, name: string): Promise<StoredOperation | null> {
  const [, at, digits] = PUBLIC_NAME.exec(name) ?? [];
  if (at === undefined || digits === undefined) return null;
  const [row] = await rowsOf(
    services,
    `${OPERATION} WHERE o.env_id=?1 AND o.rowid=?2 AND o.created_at=?3`,
    services.env,
    Number(digits),
    Number(at),
  );
  return row === undefined ? null : operationOf(row);
}

/** By its key, or by its public name; refuses `not_found`. */
export async function resolveOperation(services: CmsServices, key: string): Promise<StoredOperation> {
  const found = (await findOperation(services, key)) ?? (await findByPublicName(services, key));
  if (found !== null) return found;
  throw fail("not_found", `There is no operation “${key}”.`, {
    at: "operation",
    hint: "history lists the operations with their keys; every write answers with its own, as op.",
  });
}

/** One thing before and after one operation. */
export interface Revision extends Thing {
  readonly id: string;
  readonly before: Side;
  readonly after: Side;
}

/** The revisions of an operation, in order. Refuses `diff_unavailable` if they are no longer stored. */
export async function loadRevisions(
  services: CmsServices,
  operation: StoredOperation,
): Promise<readonly Revision[]> {
  const rows = await rowsOf(
    services,
    "SELECT entity_type, entity_id, before, after FROM revisions WHERE op_key=?1 ORDER BY seq",
    operation.key,
  );
  const revisions = rows.map(revisionOf);
  if (revisions.length > 0 || operation.undoes !== null) return revisions;
  throw fail(
    "diff_unavailable",
    `What “${operation.summary}” has changed is not known: nothing, or no more.`,
    {
      hint: "Changes are kept for 180 days.",
    },
  );
}

function revisionOf(row: Row): Revision {
  const type = text(row, "entity_type");
  if (!isThingType(type)) throw new TypeError(`a revision of ${type}`);
  const side = (name: "before" | "after"): JsonObject | null =>
    row[name] === null ? null : objectIn(row, name);
  return { type, id: text(row, "entity_id"), before: side("before"), after: side("after") };
}

/** Operations after this one that changed these things, newest first, each with the fields of which thing. */
export async function laterChanges(
  services: CmsServices,
  { key, row }: StoredOperation,
  things: readonly Thing[],
): Promise<readonly { operation: StoredOperation; thing: string; fields: readonly FieldPath[] }[]> {
  const rows = await rowsOf(
    services,
    `${OPERATION.replace(" FROM operations o", ", r.entity_type, r.entity_id, r.before, r.after FROM operations o")}
       JOIN revisions r ON r.op_key=o.key JOIN json_each(?2) j
         ON r.entity_type=j.value->>'type' AND r.entity_id=j.value->>'id'
     WHERE o.env_id=?1 AND o.rowid>?3 AND o.key<>?4 ORDER BY o.rowid DESC LIMIT 200`,
    services.env,
    JSON.stringify(things),
    row,
    key,
  );
  return rows.map((found) => {
    const { before, after, ...thing } = revisionOf(found);
    return { operation: operationOf(found), thing: keyOf(thing), fields: differingFields(before, after) };
  });
}

/** A point in the history: all operations of before `at` (ms), and at it those up to this row. */
export interface Moment {
  readonly at: number;
  readonly row: number;
}

/**
 * The state of these things at a moment: as left by the last change until then, or else as found by the first one
 * after it (null if there was none). Unchanged things are absent.
 */
export async function loadPast(
  services: CmsServices,
  things: readonly Thing[],
  moment: Moment,
): Promise<ReadonlyMap<string, Side>> {
  /** the revisions of a thing on one side of the moment, nearest first: as many as may be of one millisecond */
  const near = (side: "<=" | ">=", direction: "DESC" | "ASC"): string =>
    `FROM (SELECT r.id, r.op_key, r.created_at FROM main.revisions r WHERE r.entity_type=j.value->>'type'
         AND r.entity_id=j.value->>'id' AND +r.env_id IN (?4,?5) AND r.created_at${side}?2
         ORDER BY r.created_at ${direction} LIMIT ${AT_ONCE_MAX}) x CROSS JOIN main.operations y ON y.key=x.op_key`;
  const until = "(x.created_at<?2 OR (x.created_at=?2 AND y.rowid<=?3))";
  const rows = await rowsOf(
    services,
    `SELECT j.value->>'type' AS entity_type, j.value->>'id' AS entity_id, p.id AS past, p.after AS after, n.before AS before
       FROM json_each(?1) j
       LEFT JOIN main.revisions p ON p.id=(SELECT x.id ${near("<=", "DESC")} WHERE ${until}
         ORDER BY x.created_at DESC, y.rowid DESC LIMIT 1)
       LEFT JOIN main.revisions n ON n.id=(SELECT x.id ${near(">=", "ASC")} WHERE NOT ${until}
         ORDER BY x.created_at, y.rowid LIMIT 1)
      WHERE p.id IS NOT NULL OR n.id IS NOT NULL`,
    JSON.stringify(things),
    moment.at,
    moment.row,
    services.env,
    services.changeSet?.id ?? services.env,
  );
  return new Map(
    rows.map((row) => {
      const { before, after, ...thing } = revisionOf(row);
      return [keyOf(thing), row["past"] === null ? before : after];
    }),
  );
}

/** The moment after a revision of a thing. Refuses `not_found` for one of another thing. */
export async function momentOf(services: CmsServices, revision: string, thing: Thing): Promise<Moment> {
  const [row] = await rowsOf(
    services,
    `SELECT o.rowid AS row, o.created_at FROM revisions r JOIN operations o ON o.key=r.op_key
      WHERE o.env_id=?1 AND r.id=?2 AND r.entity_type=?3 AND r.entity_id=?4`,
    services.env,
    revision,
    thing.type,
    thing.id,
  );
  const at = row === undefined ? null : numberOrNull(row, "created_at");
  if (row !== undefined && at !== null) return { at, row: number(row, "row") };
  throw fail(
    "diff_unavailable",
    `The revision “${revision}” is none of this ${thing.type}, or not kept any more.`,
    {
      at: "revision",
      hint: "history with this target lists its revisions.",
    },
  );
}

/** The revisions of one thing by operation. */
export async function revisionsOf(
  services: CmsServices,
  thing: Thing,
  operations: readonly StoredOperation[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await rowsOf(
    services,
    `SELECT op_key, id FROM revisions WHERE entity_type=?1 AND entity_id=?2
      AND op_key IN (SELECT value FROM json_each(?3))`,
    thing.type,
    thing.id,
    JSON.stringify(operations.map((one) => one.key)),
  );
  return new Map(rows.map((row) => [text(row, "op_key"), text(row, "id")]));
}

/**
 * The sections that are on a page, or ever were, each by its own index. The indexes are named, because SQLite without
 * statistics prefers a plain index to one of expressions.
 */
export async function sectionsEver(services: CmsServices, page: string): Promise<Thing[]> {
  const rows = await rowsOf(
    services,
    `SELECT id FROM sections WHERE env_id=?1 AND page_id=?2
     UNION SELECT r.entity_id FROM main.revisions r INDEXED BY ix_rev_stood WHERE r.entity_type='section' AND r.after->>'pageId'=?2 AND r.env_id IN (?1,?3)
     UNION SELECT r.entity_id FROM main.revisions r INDEXED BY ix_rev_left WHERE r.entity_type='section' AND r.before->>'pageId'=?2
       AND (r.after->>'pageId') IS NOT (r.before->>'pageId') AND r.env_id IN (?1,?3)`,
    services.env,
    page,
    services.changeSet?.id ?? services.env,
  );
  return rows.map((row) => ({ type: "section", id: text(row, "id") }));
}
