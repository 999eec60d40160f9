import { toJson, type JsonObject } from "../../../core/log/json.ts";
import { boundJson, entityId } from "./changes.ts";
import { fail } from "../model/errors.ts";
import { idFor } from "../model/ids.ts";
import type { Change, CmsServices } from "../model/types.ts";
import { PARAMETER_BYTES_MAX, REVISION_BYTES_MAX } from "../model/types.ts";
import { bytesOf } from "../edit/validate.ts";

/** Before and after of every changed row with its contents. */
export function revisionStatements(
  { db, env }: CmsServices,
  changes: readonly Change[],
  key: string,
  at: number,
): D1PreparedStatement[] {
  if (changes.length === 0) return [];
  const rows = changes.map((change, seq) => {
    const [before, after] = [sideOf(change.before), sideOf(change.after)];
    for (const side of [before, after]) {
      if (side !== null && bytesOf(JSON.stringify(side)) > REVISION_BYTES_MAX) {
        throw fail(
          "too_large",
          `The ${change.type.replace("_", " ")} is too large to be kept beside its change.`,
        );
      }
    }
    const row = {
      id: idFor("rv", key, seq),
      seq,
      type: change.type,
      entity: entityId(change, env),
      before,
      after,
    };
    return { ...row, from: versionOf(change.before), to: versionOf(change.after) };
  });
  // A batch of rows may pass what one bound value takes, though each of them fits.
  return chunks(rows).map((some) =>
    db
      .prepare(
        `INSERT INTO revisions(id,op_key,seq,env_id,entity_type,entity_id,version_before,version_after,before,after,created_at)
         SELECT value->>'id', ?2, value->>'seq', ?3, value->>'type', value->>'entity', value->>'from', value->>'to',
           nullif(value->'before','null'), nullif(value->'after','null'), ?4 FROM json_each(?1)`,
      )
      .bind(boundJson(some), key, env, at),
  );
}

function chunks<T>(rows: readonly T[]): T[][] {
  const parts: T[][] = [];
  let size = PARAMETER_BYTES_MAX;
  for (const row of rows) {
    const bytes = bytesOf(JSON.stringify(row)) + 1;
    if (size + bytes > PARAMETER_BYTES_MAX - 2) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(row);
    size += bytes;
  }
  return parts;
}

function sideOf(side: Change["before"]): JsonObject | null {
  return side === null
    ? null
    : { ...Object.fromEntries(Object.entries(side).map(([key, value]) => [key, toJson(value)])) };
}

function versionOf(side: Change["before"]): number | null {
  return side !== null && "version" in side ? side.version : null;
}
