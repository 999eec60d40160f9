import * as z from "zod";
import { mayUseTarget, type TargetMembers, type Visitor } from "../../../cairn/core/guards/target-access.ts";
import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { OWN_ENVIRONMENT, siteRoot } from "../model/environment.ts";
import { siteTargetSchema } from "../model/target.ts";
import type { CmsServices } from "../model/types.ts";
import { text, type Row } from "../model/columns.ts";

/** The environments of a deployment, and who may use them. */

export interface EnvironmentRow extends TargetMembers {
  readonly siteId: string;
  readonly environmentId: string;
  readonly name: string;
}

/** Those that are there; one that an import still writes is not. */
export const SEEN_ENVIRONMENTS = "(SELECT id FROM environments WHERE import_id IS NULL)";
const COLUMNS = `SELECT site_id, id, name, members FROM (SELECT * FROM environments WHERE import_id IS NULL)`;
const membersSchema = z.array(z.string());

function environmentOf(row: Row): EnvironmentRow {
  return {
    siteId: text(row, "site_id"),
    environmentId: text(row, "id"),
    name: text(row, "name"),
    isOwn: text(row, "id") === OWN_ENVIRONMENT,
    members: membersSchema.parse(JSON.parse(text(row, "members"))),
  };
}

/** The environment of a target, without a check of who may use it. Null for a malformed value, and when there is none of this site and id. One read. */
export async function findTarget(db: D1Database, target: JsonObject): Promise<EnvironmentRow | null> {
  const named = siteTargetSchema.safeParse(target);
  if (!named.success) return null;
  const { siteId, environmentId } = named.data;
  const found = await db
    .prepare(`${COLUMNS} WHERE id=?1 AND site_id=?2`)
    .bind(environmentId, siteId)
    .first<Row>();
  return found === null ? null : environmentOf(found);
}

/** The environment of this id, if the visitor may use it. */
export async function findEnvironment(
  db: D1Database,
  id: string,
  visitor: Visitor,
): Promise<EnvironmentRow | null> {
  const found = await db.prepare(`${COLUMNS} WHERE id=?1`).bind(id).first<Row>();
  const environment = found === null ? null : environmentOf(found);
  return environment !== null && mayUseTarget(environment, visitor) ? environment : null;
}

/** Those that the visitor may use, the deployment's own first. */
export async function listEnvironments(db: D1Database, visitor: Visitor): Promise<readonly EnvironmentRow[]> {
  const { results } = await db
    .prepare(`${COLUMNS} ORDER BY id<>?1, name, id`)
    .bind(OWN_ENVIRONMENT)
    .all<Row>();
  return results.map(environmentOf).filter((one) => mayUseTarget(one, visitor));
}

/** False when there is no such environment. */
export async function changeMembers(
  db: D1Database,
  id: string,
  members: readonly string[],
): Promise<boolean> {
  const done = await db
    .prepare("UPDATE environments SET members=?2 WHERE id=?1")
    .bind(id, JSON.stringify(members))
    .run();
  return done.meta.changes > 0;
}

/**
 * A warning that names the environment of a change; null for the deployment's own environment, for which nothing is
 * read.
 */
export async function elsewhere({ db, env }: CmsServices): Promise<string | null> {
  if (env === OWN_ENVIRONMENT) return null;
  const name = await db.prepare("SELECT name FROM environments WHERE id=?1").bind(env).first<string>("name");
  return `On the environment “${name ?? env}” at ${siteRoot(env)}, not on the public site`;
}
