import { digestOf } from "../../../core/log/digest.ts";
import { complaintOf, createRedactor } from "../../../core/text/redact.ts";
import { complain } from "../../../operator-log.ts";
import { resolveEntry, resolvePage } from "../edit/refs.ts";
import { blockersOf, publicationChanges } from "../edit/status-plan.ts";
import { entryTarget, pageTarget, type Target, UNSCHEDULED } from "../edit/status-targets.ts";
import type { Change, CmsServices, Entry, Page, Plan } from "../model/types.ts";
import { commitPlan } from "../storage/commit.ts";
import { SEEN_ENVIRONMENTS } from "../storage/environments.ts";
import { loadPublished, loadSite } from "../storage/load.ts";
import { number, oneOf, rowsOf, text, textOrNull } from "../storage/rows.ts";
import { NO_PROJECTION } from "../storage/projections.ts";

/**
 * What is to be published at a time. Owns: the pass that a cron trigger starts. Always holds: one time of one thing is
 * settled once, under the key `sched:<type>:<id>:<at>`, in the batch that also takes the time away. A worker that dies
 * before the batch leaves it due; one that dies after it leaves nothing due.
 */

/** A pass does at most so many; the next one goes on. */
const DUE_PER_PASS_MAX = 20;
const ATTEMPTS_MAX = 3;

interface Due {
  readonly type: "page" | "entry";
  readonly id: string;
  readonly env: string;
  /** ms */
  readonly at: number;
}

/** What became of one: public, or left as it was, with the reason on it. `later`: the next pass tries it again. */
export interface Settled extends Due {
  readonly became: "published" | "left" | "later";
}

/** Publishes what is due at `now`, in every environment, the earliest first. */
export async function publishDue(db: D1Database, now: number): Promise<readonly Settled[]> {
  const settled: Settled[] = [];
  for (const due of await loadDue(db, now)) {
    const services: CmsServices = { db, media: null, env: due.env, actor: "system:schedule" };
    try {
      settled.push({ ...due, became: await settle(services, due, now) });
    } catch (error) {
      complain("not published at its time", due.id, complaintOf(error, createRedactor([])));
      settled.push({ ...due, became: "later" });
    }
  }
  return settled;
}

async function loadDue(db: D1Database, now: number): Promise<Due[]> {
  const services: CmsServices = { db, media: null, env: "" };
  const rows = await rowsOf(
    services,
    `SELECT 'page' AS type, id, env_id, publish_at FROM pages
      WHERE publish_at IS NOT NULL AND publish_at<=?1 AND deleted_at IS NULL AND +env_id IN ${SEEN_ENVIRONMENTS}
     UNION ALL SELECT 'entry', id, env_id, publish_at FROM entries
      WHERE publish_at IS NOT NULL AND publish_at<=?1 AND deleted_at IS NULL AND +env_id IN ${SEEN_ENVIRONMENTS}
     ORDER BY publish_at, id LIMIT ${DUE_PER_PASS_MAX}`,
    now,
  );
  return rows.map((row) => ({
    type: oneOf(row, "type", ["page", "entry"]),
    id: text(row, "id"),
    env: text(row, "env_id"),
    at: number(row, "publish_at"),
  }));
}

async function settle(services: CmsServices, due: Due, now: number): Promise<Settled["became"]> {
  const key = `sched:${due.type}:${due.id}:${due.at}`;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const planned = await planDue(services, due, now, key);
    const operation = {
      ...{ key, tool: "set_status", argsDigest: digestOf({ ...due }), actor: "system:schedule" },
      ...{ session: null, run: null, approval: planned.approval, at: now },
    };
    const outcome = await commitPlan(services, operation, planned.plan);
    // Another pass was faster.
    if (outcome === "duplicate_key" || outcome === "written") return planned.became;
    if (outcome === "unavailable") return "later";
  }
  return "later";
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
  const approval = await approvalOf(services, row);
  const reason = await reasonAgainst(services, row, target, { environment, schemas });
  const left = (why: string): Planned => ({
    became: "left",
    plan: leftPlan(target, row, why, now, key),
    approval,
  });
  if (reason !== null) return left(reason);
  const published = await loadPublished(services, [due.id]);
  return {
    became: "published",
    approval,
    plan: {
      result: { ok: true, op: key, id: due.id, url: target.url, publicNow: true },
      changes: publicationChanges([target], published, now),
      projection: target.next?.projection ?? NO_PROJECTION,
      impact: {
        title: `Publish “${target.name}”`,
        summary: `Published “${target.name}” at its time: ${target.url}.`,
        lines: [],
        public: true,
      },
    },
  };
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

/** It stays as it is, without its time, and says why. */
function leftPlan(target: Target, row: Page | Entry, why: string, now: number, key: string): Plan<object> {
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
  };
}

/** The approval that named the time: that of the operation which made the approved version. */
async function approvalOf(services: CmsServices, row: Page | Entry): Promise<string | null> {
  const [found] = await rowsOf(
    services,
    `SELECT o.approval_id FROM revisions r JOIN operations o ON o.key=r.op_key
      WHERE r.entity_type IN ('page','entry') AND r.entity_id=?1 AND r.version_after=?2 AND r.env_id=?3 ORDER BY r.created_at DESC LIMIT 1`,
    row.id,
    row.publishVersion,
    services.env,
  );
  return found === undefined ? null : textOrNull(found, "approval_id");
}
