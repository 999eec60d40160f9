import * as z from "zod";
import { digestOf } from "../../../cairn/core/log/digest.ts";
import { toJson } from "../../../cairn/core/log/json.ts";
import { defineKeyedTool } from "../edit/keyed.ts";
import { counted, refInput } from "../edit/plan.ts";
import { isoTime } from "../edit/read-shape.ts";
import { restoredBy } from "../history/undo.ts";
import { fail } from "../model/errors.ts";
import { ANSWER_THINGS_MAX } from "../model/limits.ts";
import type { Check, CmsContext, CmsServices, Plan, Written } from "../model/types.ts";
import { readPublishTime, spokenTime } from "../schedule/publish-time.ts";
import type { ChangeSet } from "../storage/change-sets.ts";
import { checkPlan } from "../storage/commit.ts";
import { NO_PROJECTION } from "../storage/projections.ts";
import type { EntityRef } from "../../../cairn/core/log/tool.ts";
import { openSet, setBrief, setInput } from "./collect.ts";
import { publicationOf, reachOf, refuseBlocked, type Publication } from "./publication.ts";
import { conflictFailure, lineOf, nameConflicts } from "./rebase.ts";

/** Publishing a change set, now or at a time. */

const input = z.strictObject({
  set: setInput,
  overwrite: z.array(refInput).max(50).describe("ids in which the set wins").optional(),
  at: z.string().max(40).describe("publish later: ISO time").optional(),
  timeZone: z.string().max(60).optional(),
});

export type PublishInput = z.output<typeof input>;

export interface PublishOutput extends Written {
  readonly set: { readonly id: string; readonly name: string; readonly state: string };
  readonly items: readonly { readonly what: string; readonly becomes: string; readonly changes: number }[];
  /** items that the list leaves out */
  readonly moreItems?: number;
  readonly publishAt?: string;
  readonly changed: readonly EntityRef[];
}

export const changesPublish = defineKeyedTool<typeof input, PublishOutput>({
  name: "changes_publish",
  version: 1,
  title: "Publish a change set",
  description: "Publishes a change set as one, with every page and entry in it. A person decides.",
  input,
  verbs: ["publish", "unpublish", "update", "create", "delete", "move", "rename", "remove", "add"],
  tier: "publish",
  reach: "external",
  plan: planPublish,
  entities: (_, { set, changed }) => [
    { op: "touch", type: "change_set", id: set.id, name: set.name },
    ...changed,
  ],
});

export async function planPublish(given: PublishInput, context: CmsContext): Promise<Plan<PublishOutput>> {
  const { services, facts, at, key } = context;
  const set = await openSet(services, given.set, facts);
  const publishAt = given.at === undefined ? null : readPublishTime(given.at, given.timeZone, at);
  const overwrite = given.overwrite ?? [];
  const plan = await publishPlan(services, set, overwrite, { at, key });
  if (publishAt === null) return plan;
  // At the scheduled time there is nobody to ask to split it.
  checkPlan(plan);
  const { impact } = plan;
  const time = isoTime(publishAt);
  return {
    result: {
      ...plan.result,
      set: { ...setBrief(set), state: "open" },
      publishAt: time,
      publicNow: false,
      changed: [],
    },
    changes: [],
    projection: NO_PROJECTION,
    impact: {
      ...impact,
      title: `${impact.title} at ${spokenTime(publishAt)}`,
      summary: `At ${spokenTime(publishAt)}: ${impact.summary}`,
      lines: [
        `Time: ${spokenTime(publishAt)}. A later write into the set, or a later edit of the same, cancels this`,
        ...impact.lines,
      ],
      public: false,
    },
    changeSet: {
      to: "scheduled",
      id: set.id,
      version: set.version,
      at: publishAt,
      basis: contentDigest(plan),
      overwrite,
    },
  };
}

/** The publishing of a set as one operation. Refuses conflicts and blockers, each with what to do. */
export async function publishPlan(
  services: CmsServices,
  set: ChangeSet,
  overwrite: readonly string[],
  { at, key }: { readonly at: number; readonly key: string },
): Promise<Plan<PublishOutput>> {
  const publication = await publicationOf(services, set, new Set(overwrite), at);
  const { rebased, blockers, batch } = publication;
  if (rebased.conflicts.length > 0) throw await conflictFailure(services, set, rebased.conflicts);
  refuseBlocked(set, blockers);
  if (publication.changes.length === 0)
    throw fail("nothing_to_do", `“${set.name}” changes nothing.`, {
      hint: "Write into it first, or throw it away with changes_discard.",
    });
  const over = await nameConflicts(services, set, rebased.overwritten);
  const count = batch.items.reduce((sum, one) => sum + one.changes.length, 0);
  return {
    result: {
      ok: true,
      op: key,
      set: { ...setBrief(set), state: "published" },
      items: batch.items
        .slice(0, ANSWER_THINGS_MAX)
        .map(({ what, becomes, changes }) => ({ what, becomes, changes: changes.length })),
      ...(batch.items.length <= ANSWER_THINGS_MAX
        ? {}
        : { moreItems: batch.items.length - ANSWER_THINGS_MAX }),
      changed: restoredBy(publication, null, publication.environment, publication.schemas).slice(
        0,
        ANSWER_THINGS_MAX,
      ),
      publicNow: publication.isPublic,
    },
    changes: publication.changes,
    projection: publication.projection,
    impact: {
      title: `Publish the change set “${set.name}”`,
      summary: `Publish “${set.name}”: ${counted(count, "change")} of ${reachOf(batch)}, all at once.`,
      lines: linesOf(publication),
      warnings: [
        ...over.map((one) => `Overwritten: ${lineOf(one)}`),
        ...publication.deadLinks,
        ...publication.warnings.map((one) => `Warning (${checkLabel(one)}): ${one.message}`),
      ],
      batch,
      public: publication.isPublic,
    },
    changeSet: { to: "published", id: set.id, version: set.version },
  };
}

const checkLabel = ({ owner, field }: Check): string =>
  field === undefined ? owner.name : `${owner.name}, ${field}`;

/** A line for each thing that becomes public, goes, or changes. */
function linesOf({ batch, targets }: Publication): string[] {
  const urls = new Map(targets.map((one) => [one.id, one]));
  return batch.items.map(({ what, becomes, changes, draft }) => {
    const target = draft === undefined ? undefined : urls.get(draft.id);
    const where = target === undefined ? "" : whereOf(target.url, target.next?.status, target.isPublic);
    return becomes === "deleted"
      ? `${what} is deleted`
      : `${what}: ${counted(changes.length, "change")}${where}`;
  });
}

function whereOf(url: string, status: string | undefined, isPublic: boolean): string {
  if (status === undefined) return isPublic ? `, public at ${url}` : "";
  if (status !== "published") return isPublic ? `; ${url} answers 404 from then on` : "";
  return isPublic ? `, public at ${url}` : `; it becomes public at ${url}`;
}

/** Digest of what a person approved for a later time: publishing then must do exactly that. */
export function contentDigest(plan: Plan<PublishOutput>): string {
  const untimed = plan.changes.map(({ type, before, after }) => ({
    type,
    before: toJson(withoutTimes(before)),
    after: toJson(withoutTimes(after)),
  }));
  return digestOf({ lines: plan.impact.lines, changes: untimed });
}

function withoutTimes(side: object | null): object | null {
  return side === null
    ? null
    : Object.fromEntries(
        Object.entries(side).flatMap(([key, value]: [string, unknown]) => {
          if (["updatedAt", "publishedAt", "createdAt"].includes(key)) return [];
          if (key === "deletedAt") return [[key, value !== null]];
          return [[key, key === "document" && value !== null ? withoutTimes(value as object) : value]];
        }),
      );
}
