import { digestOf } from "../../../core/log/digest.ts";
import { complaintOf, createRedactor } from "../../../core/text/redact.ts";
import { complain } from "../../../operator-log.ts";
import { ToolError } from "../../define.ts";
import type { CmsServices, Plan } from "../model/types.ts";
import { resolveSet, type ChangeSet } from "../storage/change-sets.ts";
import { commitPlan } from "../storage/commit.ts";
import { NO_PROJECTION } from "../storage/projections.ts";
import { number, rowsOf, text } from "../storage/rows.ts";
import { contentDigest, publishPlan } from "./publish.ts";

/**
 * Change sets that are to be published at a time. Always holds: one time of one set is settled once, under the key
 * `sched:set:<id>:<at>`, in the batch that also takes the time away; a worker that dies leaves it due, or done.
 */

const DUE_PER_PASS_MAX = 5;
const ATTEMPTS_MAX = 3;

/** What became of one: public as a whole, or left as it was, with the reason on it. `later`: the next pass tries it again. */
export interface SettledSet {
  readonly id: string;
  readonly at: number;
  readonly became: "published" | "left" | "later";
}

/** Publishes the sets that are due at `now` (ms), in every environment, the earliest first. */
export async function publishDueSets(db: D1Database, now: number): Promise<readonly SettledSet[]> {
  const rows = await rowsOf(
    { db },
    `SELECT id, env_id, publish_at FROM change_sets WHERE publish_at IS NOT NULL AND publish_at<=?1 AND state='open'
      ORDER BY publish_at, id LIMIT ${DUE_PER_PASS_MAX}`,
    now,
  );
  const settled: SettledSet[] = [];
  for (const row of rows) {
    const due = { id: text(row, "id"), at: number(row, "publish_at") };
    const services = { db, media: null, env: text(row, "env_id"), actor: "system:schedule" };
    try {
      settled.push({ ...due, became: await settle(services, due, now) });
    } catch (error) {
      complain("a change set was not published at its time", due.id, complaintOf(error, createRedactor([])));
      settled.push({ ...due, became: "later" });
    }
  }
  return settled;
}

async function settle(
  services: CmsServices,
  due: Pick<SettledSet, "id" | "at">,
  now: number,
): Promise<SettledSet["became"]> {
  const key = `sched:set:${due.id}:${due.at}`;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const set = await resolveSet(services, due.id);
    if (set.publishAt !== due.at || set.state !== "open") return "published";
    const { became, plan } = await planDue(services, set, now, key);
    const outcome = await commitPlan(
      services,
      {
        ...{ key, tool: "changes_publish", argsDigest: digestOf({ ...due }), actor: "system:schedule" },
        ...{ session: null, run: null, approval: set.publishApproval, at: now },
      },
      plan,
    );
    // Another pass was faster.
    if (outcome === "written" || outcome === "duplicate_key") return became;
    if (outcome === "unavailable") return "later";
  }
  return "later";
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

/** It stays open, without its time, and says why. */
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
  };
}
