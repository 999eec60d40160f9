import { rootOf } from "../../../cairn/core/log/names.ts";
import type { CmsServices } from "../model/types.ts";
import { rowsOf } from "../storage/rows.ts";
import { number, text } from "../model/columns.ts";

/** The view of other people's work on the site: what was changed and when, without people and without ids of sessions and runs. */

export interface Viewer {
  readonly subject: string;
  readonly isAdmin: boolean;
  /** the session that asks; none where a person does */
  readonly session?: string;
  /** when that session was made, ms; absent: not known */
  readonly createdAt?: number;
}

interface Work {
  /** `agent:<session>`, `user:<subject>`, `system:…` */
  readonly actor: string;
  readonly session: string | null;
  /** ms */
  readonly at: number;
}

/** True for work whose ids the viewer may see: an admin all of it, others their own and that of their sessions. */
export async function seenBy(
  services: CmsServices,
  viewer: Viewer,
  works: readonly Work[],
): Promise<(work: Work) => boolean> {
  if (viewer.isAdmin) return () => true;
  const roots = [...new Set(works.flatMap(({ session }) => (session === null ? [] : [rootOf(session)])))];
  const rows =
    roots.length === 0
      ? []
      : await rowsOf(
          services,
          "SELECT id, created_at FROM sessions WHERE owner=?1 AND id IN (SELECT value FROM json_each(?2))",
          viewer.subject,
          JSON.stringify(roots),
        );
  // Operations older than the session belong to a deleted session of the same name.
  const own = new Map(rows.map((row) => [text(row, "id"), number(row, "created_at")]));
  if (viewer.session !== undefined && viewer.session !== "")
    own.set(rootOf(viewer.session), own.get(rootOf(viewer.session)) ?? viewer.createdAt ?? 0);
  return ({ actor, session, at }) => {
    if (actor === `user:${viewer.subject}` || actor.startsWith("system:")) return true;
    const since = session === null ? undefined : own.get(rootOf(session));
    return since !== undefined && at >= since;
  };
}

/** The kind of an actor without its name: `agent` or `user`. */
export const kindOf = (actor: string): string => actor.split(":", 1)[0] ?? actor;
