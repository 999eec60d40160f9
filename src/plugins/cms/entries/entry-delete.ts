import * as z from "zod";
import { defineKeyedTool } from "../edit/keyed.ts";
import { refInput } from "../edit/plan.ts";
import { resolveEntries } from "../edit/refs.ts";
import { releasedImages } from "../edit/released.ts";
import type { AnyPlan, Change, CmsContext } from "../model/types.ts";
import { loadCollections, loadEnvironment, loadInbound, loadNav, loadPublished } from "../storage/load.ts";
import { mergeProjections, projectEntry, projectNav } from "../storage/projections.ts";
import { deadLinks, inboundGuard, navWithout } from "../tools/page-delete.ts";
import { entryBrief, entryEntity } from "./entry-plan.ts";

const input = z.strictObject({
  entries: z.array(refInput.describe("id or collection/slug")).min(1).max(10),
});

export const entryDelete = defineKeyedTool({
  name: "entry_delete",
  version: 1,
  title: "Delete entries",
  description:
    "Deletes entries of collections, such as blog posts, with the navigation items to them, all or none. A person decides.",
  input,
  verbs: ["delete"],
  tier: "publish",
  plan,
  entities: (_, { deleted, navRemoved }) => [
    ...deleted.map((one) => entryEntity("delete", one)),
    ...navRemoved.map(({ id, label }) => ({ op: "delete" as const, type: "nav_item", id, name: label })),
  ],
});

async function plan(given: z.output<typeof input>, context: CmsContext) {
  const { services, at } = context;
  const [environment, collections, nav] = await Promise.all([
    loadEnvironment(services),
    loadCollections(services),
    loadNav(services),
  ]);
  const entries = (await resolveEntries(services, given.entries)).map((before) => {
    const collection = collections.get(before.collectionId);
    if (collection === undefined) throw new Error(`entry ${before.id} has no collection`);
    const after = { ...before, version: before.version + 1, deletedAt: at, updatedAt: at };
    return { before, after, collection, brief: entryBrief(after, collection, environment) };
  });
  const ids = entries.map((one) => one.before.id);
  const [inbound, published, released] = await Promise.all([
    loadInbound(services, ids),
    loadPublished(services, ids),
    releasedImages(services, ids),
  ]);
  const { changes: navEdits, items, removed } = navWithout(nav, ids, at);
  const dead = deadLinks(inbound, ids);
  const isPublic = entries.some((one) => one.before.status === "published");
  const names = entries.map((one) => `“${one.before.title}”`).join(", ");
  return {
    result: {
      ok: true,
      op: context.key,
      deleted: entries.map(({ brief }) => {
        const { id, slug, title, version, collection } = brief;
        return { id, slug, title, version, collection };
      }),
      navRemoved: removed.map(({ id, label, location, version }) => ({ id, label, location, version })),
      deadLinks: dead.map((one) => ({ owner: one.ownerId, ownerName: one.rootName, field: one.path })),
      publicNow: isPublic,
    },
    changes: [
      ...entries.map(({ before, after }): Change => ({ type: "entry", before, after })),
      ...[...published.values()].map((one): Change => ({ type: "published", before: one, after: null })),
      ...navEdits,
    ],
    stateGuards: [inboundGuard(ids, inbound.length)],
    projection: mergeProjections(
      ...entries.map(({ after, collection }) => projectEntry(after, collection, environment.defaultLocale)),
      projectNav(items),
    ),
    impact: {
      title: entries.length === 1 ? `Delete the entry ${names}` : `Delete ${entries.length} entries`,
      summary: `Delete ${names}${isPublic ? "; what is public answers 404 at once" : ""}.`,
      lines: [
        ...entries.map(({ before, brief }) =>
          before.status === "published"
            ? `${brief.url} will answer 404 (“${before.title}”)`
            : `“${before.title}” (${brief.url}) is ${before.status === "draft" ? "a draft" : "archived"}`,
        ),
        ...removed.map(
          (one) => `The navigation item “${one.label}” (${one.id}) is removed from the ${one.location}`,
        ),
        ...released.map(
          (one) => `The image ${one.filename} (${one.id}) is then used nowhere else; it stays in the library`,
        ),
      ],
      warnings: [...new Set(dead.map((one) => one.rootName))].map(
        (root) => `Links to it on “${root}” lead nowhere then, and show as text`,
      ),
      public: isPublic || removed.length > 0,
    },
  } satisfies AnyPlan;
}
