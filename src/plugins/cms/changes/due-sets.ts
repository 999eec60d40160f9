import { digestOf } from "../../../cairn/core/log/digest.ts";
import { ToolError } from "../../../cairn/tools/define.ts";
import type { CmsServices, Notice, Plan } from "../model/types.ts";
import { attempt, NOT_TAKEN, OTHERS_WRITE, retryAt } from "../schedule/attempts.ts";
import { noticeStatement } from "../storage/notices.ts";
import { spokenTime } from "../schedule/publish-time.ts";
import { resolveSet, type ChangeSet } from "../storage/change-sets.ts";
import { checkPlan, commitPlan } from "../storage/commit.ts";
import { NO_PROJECTION } from "../storage/projections.ts";
import { rowsOf } from "../storage/rows.ts";
import { number, text } from "../model/columns.ts";
import { contentDigest, publishPlan } from "./publish.ts";

/**
 * Change sets that are to be published at a time. Always holds: one time of one set is settled once, under the key
 * `sched:set:<id>:<at>`, in the batch that also takes the time away; a worker that dies leaves it due, or done.
 */

const DUE_PER_PASS_MAX = 5;
/** Plans are made again this often in one attempt when someone else wrote in between. */
const TRIES_MAX = 3;

/** The result for one set: public as a whole, or left as it was, with the reason on it. `later`: it is attempted again after a wait. */
export interface SettledSet {
  readonly id: string;
  readonly at: number;
  readonly became: "published" | "left" | "later";
}

/** Publishes the sets that are due at `now` (ms), in every environment, the earliest first. */
export async function publishDueSets(db: D1Database, now: number): Promise<readonly SettledSet[]> {
  const rows = await rowsOf(
    { db },
    `SELECT id, env_id, publish_at FROM (
       SELECT id, env_id, publish_at, ${retryAt("'sched:set:'||id||':'||publish_at")} AS retry_at FROM change_sets
        WHERE publish_at IS NOT NULL AND publish_at<=?1 AND state='open')
      WHERE retry_at IS NULL OR retry_at<=?1
      ORDER BY coalesce(retry_at, publish_at), id LIMIT ${DUE_PER_PASS_MAX}`,
    now,
  );
  const settled: SettledSet[] = [];
  for (const row of rows) {
    const due = { id: text(row, "id"), at: number(row, "publish_at") };
    const services = { db, media: null, env: text(row, "env_id"), actor: "system:schedule" };
    const became = await attempt(db, keyOf(due), now, {
      work: () => settleSet(services, due, now),
      giveUp: (why) => giveUp(services, due, why, now),
    });
    if (became !== null) settled.push({ ...due, became });
  }
  return settled;
}

const keyOf = ({ id, at }: Pick<SettledSet, "id" | "at">): string => `sched:set:${id}:${at}`;

/** Removes the time and says why, even for a set that is unreadable. */
async function giveUp(
  services: CmsServices,
  due: Pick<SettledSet, "id" | "at">,
  why: string,
  now: number,
): Promise<void> {
  const { db } = services;
  const [row] = await rowsOf(
    { db },
    "SELECT name, session_id, created_at FROM change_sets WHERE id=?1 AND publish_at=?2",
    due.id,
    due.at,
  );
  if (row === undefined) return;
  await db.batch([
    db
      .prepare(
        `UPDATE change_sets SET publish_at=NULL, publish_version=NULL, publish_basis=NULL, publish_overwrite=NULL,
           publish_approval=NULL, publish_failure=?3, updated_at=?4 WHERE id=?1 AND publish_at=?2`,
      )
      .bind(due.id, due.at, why, now),
    noticeStatement(
      db,
      noticeOf(
        due,
        { name: text(row, "name"), session: text(row, "session_id"), createdAt: number(row, "created_at") },
        why,
      ),
      now,
    ),
  ]);
}

const noticeOf = (
  due: Pick<SettledSet, "id" | "at">,
  { name, session, createdAt }: Pick<ChangeSet, "name" | "session" | "createdAt">,
  why: string,
): Notice => ({
  id: keyOf(due),
  session,
  createdBefore: createdAt,
  text: `The change set “${name}” was not published at ${spokenTime(due.at)}. ${why}`,
});

async function settleSet(
  services: CmsServices,
  due: Pick<SettledSet, "id" | "at">,
  now: number,
): Promise<SettledSet["became"]> {
  const key = keyOf(due);
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const set = await resolveSet(services, due.id);
    if (set.publishAt !== due.at || set.state !== "open") return "published";
    const { became, plan } = await planDue(services, set, now, key);
    const outcome = await commitPlan(
      services,
      {
        key,
        tool: "changes_publish",
        argsDigest: digestOf({ ...due }),
        actor: "system:schedule",
        session: null,
        run: null,
        approval: set.publishApproval,
        at: now,
      },
      plan,
    );
    // Another pass was faster.
    if (outcome === "written" || outcome === "duplicate_key") return became;
    if (outcome === "unavailable") throw new Error(NOT_TAKEN);
  }
  throw new Error(OTHERS_WRITE);
}

async function planDue(
  services: CmsServices,
  set: ChangeSet,
  now: number,
  key: string,
): Promise<{ readonly became: "published" | "left"; readonly plan: Plan<object> }> {
  const left = (why: string) => ({ became: "left" as const, plan: leftPlan(set, why, key) });
  if (set.version !== set.publishVersion)
    return left("It was written into after its publishing was approved. Ask for publishing again.");
  try {
    const plan = await publishPlan(services, set, set.publishOverwrite, { at: now, key });
    checkPlan(plan);
    if (contentDigest(plan) !== set.publishBasis)
      return left(
        "The same was edited elsewhere after its publishing was approved. Ask for publishing again.",
      );
    return { became: "published", plan };
  } catch (error) {
    if (error instanceof ToolError) return left(error.failure.message);
    throw error;
  }
}

/** Leaves the set open, without its time, and says why. */
function leftPlan(set: ChangeSet, why: string, key: string): Plan<object> {
  return {
    result: { ok: true, op: key, set: { id: set.id, name: set.name }, publicNow: false, notes: [why] },
    changes: [],
    projection: NO_PROJECTION,
    impact: {
      title: `Publish the change set “${set.name}”`,
      summary: `“${set.name}” was not published at its time: ${why}`,
      lines: [],
      public: false,
    },
    changeSet: { to: "scheduled", id: set.id, version: set.version, at: null, failure: why },
    ...(set.publishAt === null ? {} : { notice: noticeOf({ id: set.id, at: set.publishAt }, set, why) }),
  };
}
