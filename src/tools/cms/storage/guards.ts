import { boundJson, entityId, TABLES } from "./changes.ts";
import type { Change, Guard, StateGuard } from "../model/types.ts";

/** What makes a batch fail when the plan behind it no longer holds: CHECKs on the row of the operation (cms 4.2). */

/** The versions that the plan read: of every row that it changes, and those it names beside. */
export function guardsOf(changes: readonly Change[], also: readonly Guard[], env: string): Guard[] {
  const own = changes.flatMap((change): Guard[] => {
    const table = TABLES[change.type].guard;
    if (table === undefined || change.before === null) return [];
    return "version" in change.before
      ? [{ table, id: entityId(change, env), version: change.before.version }]
      : [];
  });
  const seen = new Set(own.map((one) => `${one.table}:${one.id}`));
  return [...own, ...also.filter((one) => !seen.has(`${one.table}:${one.id}`))];
}

/** A statement per table that breaks the CHECK `version_conflict`, and with it the batch, when a version has moved. */
export function guardStatements(
  db: D1Database,
  guards: readonly Guard[],
  key: string,
): D1PreparedStatement[] {
  return [...new Set(guards.map((one) => one.table))].map((table) => {
    const rows = guards.filter((one) => one.table === table).map(({ id, version }) => ({ id, v: version }));
    const id = table === "settings" ? "t.env_id||'/'||t.key" : "t.id";
    const sql = `UPDATE operations SET version_guard=(SELECT count(*) FROM json_each(?1) j
      JOIN ${table} t ON ${id}=j.value->>'id' AND t.version=j.value->>'v')=json_array_length(?1) WHERE key=?2`;
    return db.prepare(sql).bind(boundJson(rows), key);
  });
}

/** As above, for the CHECK `state_conflict`. */
export function stateGuardStatements(
  db: D1Database,
  guards: readonly StateGuard[],
  key: string,
): D1PreparedStatement[] {
  return guards.map((one) =>
    db
      .prepare(`UPDATE operations SET state_guard=((${one.sql})=?2) WHERE key=?3`)
      .bind(one.json, one.equals, key),
  );
}
