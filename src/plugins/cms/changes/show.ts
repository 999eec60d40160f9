import * as z from "zod";
import { defineTool } from "../../../cairn/tools/define.ts";
import { isoTime } from "../edit/read-shape.ts";
import type { CmsContext, CmsServices } from "../model/types.ts";
import type { ChangeSet } from "../storage/change-sets.ts";
import { openSet, setInput } from "./collect.ts";
import { withinItem } from "./outlook.ts";
import { publicationOf } from "./publication.ts";
import { nameConflicts } from "./rebase.ts";

/** A change set as one readable difference, checked as a whole. */

export const changesShow = defineTool({
  name: "changes_show",
  version: 1,
  title: "Show a change set",
  description: "Reads a change set as one difference, with what blocks it and what conflicts.",
  input: z.strictObject({ set: setInput }),
  effect: "read",
  tier: "open",
  reads: "private",
  freshMs: 0,
  observationMax: 16_384,
  run: async ({ set: asked }, { services, facts, at }: CmsContext) =>
    shownSet(services, await openSet(services, asked, facts), at),
  entities: (_, { set }) => [{ op: "touch", type: "change_set", id: set.id, name: set.name }],
});

/** The effect that publishing the set would have on the site as it is now. */
export async function shownSet(services: CmsServices, set: ChangeSet, at: number) {
  const { batch, blockers, warnings, deadLinks, rebased } = await publicationOf(services, set, new Set(), at);
  const brief = (one: (typeof blockers)[number]) => ({
    code: one.code,
    owner: one.owner,
    message: one.message,
    fix: one.fix,
    ...(one.field === undefined ? {} : { field: one.field }),
  });
  return {
    set: {
      id: set.id,
      name: set.name,
      state: set.state,
      version: set.version,
      session: set.session,
      by: set.actor,
      createdAt: isoTime(set.createdAt),
      ...(set.publishAt === null ? {} : { publishAt: isoTime(set.publishAt) }),
      ...(set.publishFailure === null ? {} : { publishFailure: set.publishFailure }),
    },
    items: batch.items.map((one) => ({ ...one, changes: withinItem(one) })),
    blockers: blockers.map(brief),
    warnings: warnings.map(brief),
    deadLinks,
    conflicts: await nameConflicts(services, set, rebased.conflicts),
  };
}
