import * as z from "zod";
import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { fail } from "../model/errors.ts";
import type { ChangeSetEdit, CmsServices, Operation } from "../model/types.ts";
import { rowsOf } from "./rows.ts";
import { number, numberOrNull, objectIn, oneOf, text, textOrNull, type Row } from "../model/columns.ts";
import { emptiedStatements } from "./set-rows.ts";
import { shadowDatabase } from "./shadow.ts";

/** Stored change sets. Owns: the tables `change_sets` and `change_set_things`. */

const STATES = ["open", "published", "discarded"] as const;

/** Writes that are published as one, or thrown away. A session collects in one at a time. */
export interface ChangeSet {
  readonly id: string;
  readonly name: string;
  readonly session: string;
  readonly actor: string;
  readonly state: (typeof STATES)[number];
  /** one more with each write into it */
  readonly version: number;
  /** key of the operation that published it or threw it away */
  readonly settledBy: string | null;
  /** ms; the time that a person approved */
  readonly publishAt: number | null;
  readonly publishVersion: number | null;
  readonly publishBasis: string | null;
  readonly publishOverwrite: readonly string[];
  readonly publishApproval: string | null;
  /** why the last publishing at a time did not happen */
  readonly publishFailure: string | null;
  /** ms */
  readonly createdAt: number;
  readonly updatedAt: number;
}

const idsSchema = z.array(z.string());

function changeSetOf(row: Row): ChangeSet {
  const overwrite = textOrNull(row, "publish_overwrite");
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    session: text(row, "session_id"),
    actor: text(row, "actor"),
    state: oneOf(row, "state", STATES),
    version: number(row, "version"),
    settledBy: textOrNull(row, "settled_by"),
    publishAt: numberOrNull(row, "publish_at"),
    publishVersion: numberOrNull(row, "publish_version"),
    publishBasis: textOrNull(row, "publish_basis"),
    publishOverwrite: overwrite === null ? [] : idsSchema.parse(JSON.parse(overwrite)),
    publishApproval: textOrNull(row, "publish_approval"),
    publishFailure: textOrNull(row, "publish_failure"),
    createdAt: number(row, "created_at"),
    updatedAt: number(row, "updated_at"),
  };
}

/** The set that a session collects in; null where it writes to the site. A set that is older than the session is another's. */
export async function openSetOf(
  services: CmsServices,
  session: string,
  createdAt = 0,
): Promise<ChangeSet | null> {
  if (session === "") return null;
  const [row] = await rowsOf(
    services,
    "SELECT * FROM change_sets WHERE env_id=?1 AND session_id=?2 AND state='open' AND created_at>=?3",
    services.env,
    session,
    createdAt,
  );
  return row === undefined ? null : changeSetOf(row);
}

/** The sets of the environment, newest first, at most 50. */
export async function listSets(services: CmsServices, state?: ChangeSet["state"]): Promise<ChangeSet[]> {
  const rows = await rowsOf(
    services,
    `SELECT * FROM change_sets WHERE env_id=?1 AND (?2 IS NULL OR state=?2) ORDER BY created_at DESC, id LIMIT 50`,
    services.env,
    state ?? null,
  );
  return rows.map(changeSetOf);
}

/** A set of the environment by its id. Refuses `not_found` with the open ones. */
export async function resolveSet(services: CmsServices, id: string): Promise<ChangeSet> {
  const [row] = await rowsOf(
    services,
    "SELECT * FROM change_sets WHERE env_id=?1 AND id=?2",
    services.env,
    id,
  );
  if (row !== undefined) return changeSetOf(row);
  const open = await listSets(services, "open");
  throw fail("not_found", `There is no change set “${id}”.`, {
    at: "set",
    hint:
      open.length === 0 ? "No change set is open. changes_begin opens one." : "These change sets are open.",
    suggestions: open.slice(0, 3).map((one) => ({ label: one.name, ref: one.id })),
  });
}

/** A thing's state when the set first changed it; null if the set has created it. */
export interface Touched {
  readonly type: string;
  readonly id: string;
  readonly base: JsonObject | null;
}

export async function loadTouched(services: CmsServices, id: string): Promise<Touched[]> {
  const rows = await rowsOf(
    services,
    "SELECT type, id, base FROM change_set_things WHERE set_id=?1 ORDER BY type, id",
    id,
  );
  return rows.map((row) => ({
    type: text(row, "type"),
    id: text(row, "id"),
    base: row["base"] === null ? null : objectIn(row, "base"),
  }));
}

/** The services of an environment as the set makes it: reads see it, writes go into it. */
export function inSet(services: CmsServices, { id, name }: Pick<ChangeSet, "id" | "name">): CmsServices {
  const { db, env } = services;
  return { ...services, db: shadowDatabase(db, { set: id, env }), changeSet: { id, name, live: db } };
}

/** The effect of a write on its set's row: refused, as `state_conflict`, if the set is no longer open. */
export function touchedStatements(
  db: D1Database,
  id: string,
  key: string,
  at: number,
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `UPDATE operations SET state_guard=((SELECT count(*) FROM change_sets WHERE id=?1 AND state='open')=1)
          WHERE key=?2`,
      )
      .bind(id, key),
    db.prepare("UPDATE change_sets SET version=version+1, updated_at=?2 WHERE id=?1").bind(id, at),
  ];
}

/** The row of a set after an operation on the set itself. */
export function editStatements(
  services: CmsServices,
  operation: Operation,
  edit: ChangeSetEdit,
): D1PreparedStatement[] {
  const { env, changeSet } = services;
  const db = changeSet?.live ?? services.db;
  const { key, at } = operation;
  if (edit.to === "open")
    return [
      // The open set of a deleted session of this name stays as it is, under a name that no session can have.
      db
        .prepare(
          `UPDATE change_sets SET session_id=session_id||'@'||created_at
            WHERE env_id=?1 AND session_id=?2 AND state='open' AND created_at<?3`,
        )
        .bind(env, operation.session ?? "", edit.createdAt),
      db
        .prepare(
          `INSERT INTO change_sets(id,env_id,name,session_id,run_id,actor,created_at,updated_at)
           VALUES(?1,?2,?3,?4,?5,?6,?7,?7)`,
        )
        .bind(edit.id, env, edit.name, operation.session ?? "", operation.run, operation.actor, at),
    ];
  const guard = db
    .prepare(
      `UPDATE operations SET state_guard=((SELECT count(*) FROM change_sets
         WHERE id=?1 AND state='open' AND version=?2)=1) WHERE key=?3`,
    )
    .bind(edit.id, edit.version, key);
  if (edit.to === "scheduled") {
    const { id, version, basis = null, overwrite = [], failure = null } = edit;
    const waits = edit.at !== null;
    return [
      guard,
      db
        .prepare(
          `UPDATE change_sets SET publish_at=?2, publish_version=?3, publish_basis=?4, publish_overwrite=?5,
             publish_approval=?6, publish_failure=?7, updated_at=?8 WHERE id=?1`,
        )
        .bind(
          id,
          edit.at,
          waits ? version : null,
          basis,
          waits ? JSON.stringify(overwrite) : null,
          waits ? operation.approval : null,
          failure,
          at,
        ),
    ];
  }
  return [
    guard,
    db
      .prepare(
        `UPDATE change_sets SET state=?2, settled_by=?3, publish_at=NULL, publish_failure=NULL, updated_at=?4
          WHERE id=?1`,
      )
      .bind(edit.id, edit.to, key, at),
    ...emptiedStatements(db, edit.id),
  ];
}
