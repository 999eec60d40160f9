import { digestOf } from "../../../cairn/core/log/digest.ts";
import { ToolError } from "../../../cairn/tools/define.ts";
import { resolveEntry, resolvePage } from "../edit/refs.ts";
import { blockersOf, publicationChanges } from "../edit/status-plan.ts";
import { entryTarget, pageTarget, type Target, UNSCHEDULED } from "../edit/status-targets.ts";
import type { Change, CmsServices, Entry, Notice, Page, Plan } from "../model/types.ts";
import { checkPlan, commitPlan } from "../storage/commit.ts";
import { SEEN_ENVIRONMENTS } from "../storage/environments.ts";
import { loadPublished, loadSite } from "../storage/load.ts";
import { rowsOf } from "../storage/rows.ts";
import { number, numberOrNull, oneOf, text, textOrNull } from "../model/columns.ts";
import { NO_PROJECTION } from "../storage/projections.ts";
import { attempt, NOT_TAKEN, OTHERS_WRITE, retryAt } from "./attempts.ts";
import { noticeStatement } from "../storage/notices.ts";
import { spokenTime } from "./publish-time.ts";

/**
 * Scheduled publications. Owns: the pass that a cron trigger starts. Invariant: each time of each thing is handled
 * once, under the key `sched:<type>:<id>:<at>`, in the batch that also removes the time. A worker that crashes before
 * the batch leaves it due; one that crashes after it leaves nothing due.
 */

/** A pass does at most so many; the next one goes on. */
const DUE_PER_PASS_MAX = 20;
/** Plans are made again this often in one attempt when someone else wrote in between. */
const TRIES_MAX = 3;

interface Due {
  readonly type: "page" | "entry";
  readonly id: string;
  readonly env: string;
  /** ms */
  readonly at: number;
}

/** The result for one item: public, or left as it was, with the reason on it. `later`: it is attempted again after a wait. */
export interface Settled extends Due {
  readonly became: "published" | "left" | "later";
}

/** Publishes what is due at `now`, in every environment, the earliest first. */
export async function publishDue(db: D1Database, now: number): Promise<readonly Settled[]> {
  const settled: Settled[] = [];
  for (const due of await loadDue(db, now)) {
    const services: CmsServices = { db, media: null, env: due.env, actor: "system:schedule" };
    const became = await attempt(db, keyOf(due), now, {
      work: () => settleDue(services, due, now),
      giveUp: (why) => giveUp(services, due, why, now),
    });
    if (became !== null) settled.push({ ...due, became });
  }
  return settled;
}

const keyOf = ({ type, id, at }: Pick<Due, "type" | "id" | "at">): string => `sched:${type}:${id}:${at}`;

/** Removes the time and says why, even for a thing that is unreadable. */
async function giveUp(services: CmsServices, due: Due, why: string, now: number): Promise<void> {
  const { db } = services;
  const [table, named] = due.type === "page" ? ["pages", "name"] : ["entries", "title"];
  const [row] = await rowsOf(
    { db },
    `SELECT ${named} AS name, publish_version FROM ${table} WHERE id=?1 AND publish_at=?2`,
    due.id,
    due.at,
  );
  if (row === undefined) return;
  const asker = await askerOf(services, due.id, numberOrNull(row, "publish_version"));
  await db.batch([
    db
      .prepare(
        `UPDATE ${table} SET publish_at=NULL, publish_version=NULL, publish_failure=?3, version=version+1, updated_at=?4
          WHERE id=?1 AND publish_at=?2`,
      )
      .bind(due.id, due.at, why, now),
    ...noticesOf(due, text(row, "name"), asker, why).map((one) => noticeStatement(db, one, now)),
  ]);
}

const noticesOf = (due: Due, name: string, asker: Asker, why: string): Notice[] =>
  asker.session === null
    ? []
    : [
        {
          id: keyOf(due),
          session: asker.session,
          createdBefore: asker.at,
          text: `“${name}” was not published at ${spokenTime(due.at)}. ${why}`,
        },
      ];

async function loadDue(db: D1Database, now: number): Promise<Due[]> {
  const services: CmsServices = { db, media: null, env: "" };
  const rows = await rowsOf(
    services,
    `SELECT type, id, env_id, publish_at FROM (
       SELECT *, ${retryAt("'sched:'||due.type||':'||due.id||':'||due.publish_at")} AS retry_at FROM (
         SELECT 'page' AS type, id, env_id, publish_at FROM pages
          WHERE publish_at IS NOT NULL AND publish_at<=?1 AND deleted_at IS NULL AND +env_id IN ${SEEN_ENVIRONMENTS}
         UNION ALL SELECT 'entry', id, env_id, publish_at FROM entries
          WHERE publish_at IS NOT NULL AND publish_at<=?1 AND deleted_at IS NULL AND +env_id IN ${SEEN_ENVIRONMENTS}) due)
      WHERE retry_at IS NULL OR retry_at<=?1
      ORDER BY coalesce(retry_at, publish_at), id LIMIT ${DUE_PER_PASS_MAX}`,
    now,
  );
  return rows.map((row) => ({
    type: oneOf(row, "type", ["page", "entry"]),
    id: text(row, "id"),
    env: text(row, "env_id"),
    at: number(row, "publish_at"),
  }));
}

async function settleDue(services: CmsServices, due: Due, now: number): Promise<Settled["became"]> {
  const key = keyOf(due);
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const planned = await planDue(services, due, now, key);
    const operation = {
      key,
      tool: "set_status",
      argsDigest: digestOf({ ...due }),
      actor: "system:schedule",
      session: null,
      run: null,
      approval: planned.approval,
      at: now,
    };
    const outcome = await commitPlan(services, operation, planned.plan);
    // Another pass was faster.
    if (outcome === "duplicate_key" || outcome === "written") return planned.became;
    if (outcome === "unavailable") throw new Error(NOT_TAKEN);
  }
  throw new Error(OTHERS_WRITE);
}

interface Planned {
  readonly became: "published" | "left";
  readonly plan: Plan<object>;
  readonly approval: string | null;
}

async function planDue(services: CmsServices, due: Due, now: number, key: string): Promise<Planned> {
  const { environment, schemas } = await loadSite(services);
  const page = due.type === "page" ? await resolvePage(services, due.id) : null;
  const entry = page === null ? await resolveEntry(services, due.id) : null;
  const row = page?.page ?? entry;
  if (row === null) throw new Error("a thing that is due is there");
  const target =
    page === null
      ? entryTarget(entry ?? never(), "published", environment, schemas, now)
      : pageTarget(page, "published", environment, schemas, now);
  const asker = await askerOf(services, row.id, row.publishVersion);
  const { approval } = asker;
  const reason = await reasonAgainst(services, row, target, { environment, schemas });
  const left = (why: string): Planned => ({
    became: "left",
    plan: leftPlan(target, row, why, now, key, noticesOf(due, target.name, asker, why)),
    approval,
  });
  if (reason !== null) return left(reason);
  const published = await loadPublished(services, [due.id]);
  const plan = {
    result: { ok: true, op: key, id: due.id, url: target.url, publicNow: true },
    changes: publicationChanges([target], published, now),
    projection: target.next?.projection ?? NO_PROJECTION,
    impact: {
      title: `Publish “${target.name}”`,
      summary: `Published “${target.name}” at its time: ${target.url}.`,
      lines: [],
      public: true,
    },
  };
  try {
    checkPlan(plan);
  } catch (error) {
    if (error instanceof ToolError) return left(error.failure.message);
    throw error;
  }
  return { became: "published", approval, plan };
}

const never = (): never => {
  throw new Error("a thing that is due is a page or an entry");
};

/** Why it cannot be published now, for a person; null when it can. */
async function reasonAgainst(
  services: CmsServices,
  row: Page | Entry,
  target: Target,
  { environment, schemas }: Pick<Parameters<typeof blockersOf>[1], "environment" | "schemas">,
): Promise<string | null> {
  if (row.version !== row.publishVersion)
    return "It was changed after its publishing was approved. Ask for publishing again.";
  if (target.next === null) return "It was public already.";
  const blockers = await blockersOf(target, { services, environment, schemas });
  return blockers.length === 0 ? null : blockers.map((one) => `${one.message} ${one.fix}`).join(" ");
}

/** Leaves the status unchanged, without its time, and says why. */
function leftPlan(
  target: Target,
  row: Page | Entry,
  why: string,
  now: number,
  key: string,
  [notice]: readonly Notice[],
): Plan<object> {
  const edit = { ...UNSCHEDULED, publishFailure: why, version: row.version + 1, updatedAt: now };
  const change: Change =
    "collectionId" in row
      ? { type: "entry", before: row, after: { ...row, ...edit } }
      : { type: "page", before: row, after: { ...row, ...edit } };
  return {
    result: { ok: true, op: key, id: target.id, url: target.url, publicNow: false, notes: [why] },
    changes: [change],
    projection: NO_PROJECTION,
    impact: {
      title: `Publish “${target.name}”`,
      summary: `“${target.name}” was not published at its time: ${why}`,
      lines: [],
      public: false,
    },
    ...(notice === undefined ? {} : { notice }),
  };
}

/** The session that named the time. */
interface Asker {
  readonly approval: string | null;
  readonly session: string | null;
  /** ms, of that operation: a session that was created later is another one of the same name */
  readonly at: number;
}

/** The approval and the session of the operation that made the approved version. */
async function askerOf(services: CmsServices, id: string, version: number | null): Promise<Asker> {
  const [found] = await rowsOf(
    services,
    `SELECT o.approval_id, o.session_id, o.created_at FROM revisions r JOIN operations o ON o.key=r.op_key
      WHERE r.entity_type IN ('page','entry') AND r.entity_id=?1 AND r.version_after=?2 AND r.env_id=?3 ORDER BY r.created_at DESC LIMIT 1`,
    id,
    version,
    services.env,
  );
  return found === undefined
    ? { approval: null, session: null, at: 0 }
    : {
        approval: textOrNull(found, "approval_id"),
        session: textOrNull(found, "session_id"),
        at: number(found, "created_at"),
      };
}
