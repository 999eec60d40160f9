import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { canonicalJson, toJson } from "../../../../src/cairn/core/log/json.ts";
import { changesBegin, changesDiscard } from "../../../../src/plugins/cms/changes/collect.ts";
import { changesPublish } from "../../../../src/plugins/cms/changes/publish.ts";
import { withinSet } from "../../../../src/plugins/cms/changes/within.ts";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import { ensureSeeded, forgetSeeded } from "../../../../src/plugins/cms/seed/index.ts";
import { inSet, openSetOf } from "../../../../src/plugins/cms/storage/change-sets.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import type { CmsContext } from "../../../../src/plugins/cms/model/types.ts";
import { ToolError } from "../../../../src/cairn/tools/define.ts";
import { Chance } from "../../../sim/platform/chance.ts";
import { call, contextOf, emptySite, rows, services } from "../fixture.ts";
import { made, view, type Act } from "../history/acts.ts";
import { wholeSite } from "../history/whole-site.ts";

/** Whatever is written into a set: the set shows what the site would be, and visitors see nothing of it. */

beforeEach(async () => {
  await emptySite();
  forgetSeeded();
  await ensureSeeded(env, Date.UTC(2025, 0, 1));
});

const STEPS = 25;

interface Done {
  readonly act: Act;
  readonly context: CmsContext;
}

/** Random acts on the site that an open set shows; what is refused is refused there as it would be on the site. */
async function collect(number: number, steps: number, only?: (act: Act) => boolean): Promise<Done[]> {
  const chance = new Chance(number);
  const list: Done[] = [];
  const set = await openSetOf(services, "s1");
  if (set === null) throw new Error("no set is open");
  view.db = inSet(services, set).db;
  for (let n = 1; list.length < steps && n < 6 * steps; n += 1) {
    const act = await made(chance, number * 1_000 + n);
    // Bytes that come into the library are no part of a set.
    if (act === null || act[0].definition.name === "image_import") continue;
    if (only !== undefined && !only(act)) continue;
    const context = contextOf();
    const [tool, args] = act;
    try {
      await call(withinSet(tool), args, context);
    } catch (error) {
      if (error instanceof ToolError) continue;
      throw error;
    }
    list.push({ act, context });
  }
  view.db = env.DB;
  return list;
}

/** Publishes the set; where a deletion has left links to nothing, it is taken back in the set first. */
async function publishSet(list: Done[]): Promise<string> {
  const deletions = list.filter(({ act: [tool] }) => tool.definition.name.endsWith("_delete"));
  for (;;) {
    const context = contextOf();
    try {
      await call(changesPublish, {}, context);
      return context.key;
    } catch (error) {
      const last = deletions.pop();
      const isBlocked = error instanceof ToolError && error.failure.code === "publish_blocked";
      if (!isBlocked || last === undefined) throw error;
      const act: Act = [undo, { operation: last.context.key }];
      const undoing = contextOf();
      try {
        await call(withinSet(act[0]), act[1], undoing);
        list.push({ act, context: undoing });
      } catch (conflict) {
        if (!(conflict instanceof ToolError)) throw conflict;
      }
    }
  }
}

async function shown(): Promise<Record<string, unknown>> {
  const set = await openSetOf(services, "s1");
  if (set === null) throw new Error("no set is open");
  return wholeSite(inSet(services, set).db);
}

const forget = (): Promise<unknown> =>
  env.DB.batch(
    ["DELETE FROM revisions WHERE env_id LIKE 'cs_%'", "DELETE FROM operations WHERE env_id LIKE 'cs_%'"].map(
      (sql) => env.DB.prepare(sql),
    ),
  );

test.each([1, 2, 3])("a set shows what the site would be, and the site stays (seed %i)", async (number) => {
  const before = await wholeSite();
  await call(changesBegin, {});
  const list = await collect(number, STEPS);
  expect(list.length).toBe(STEPS);
  const inTheSet = await shown();
  expect(await wholeSite()).toEqual(before);
  await call(changesDiscard, {});
  expect(await rows("SELECT 1 FROM change_set_rows")).toEqual([]);
  expect(await rows("SELECT 1 FROM search_docs WHERE env_id<>'env_main'")).toEqual([]);
  await forget();
  // The same calls, with the same keys, on the site itself.
  for (const { act, context } of list) await call(act[0], act[1], context);
  expect(inTheSet).toEqual(await wholeSite());
});

/** The sample site links to its seeded pages: without them nothing could be published. */
const deletesSeeded = ([tool, args]: Act): boolean =>
  tool.definition.name.endsWith("_delete") &&
  /"(?:pg|en)_[a-z]+(?:_[a-z]+)*"/.test(JSON.stringify(args)) &&
  !/"(?:pg|en)_[a-z2-7]{12}"/.test(JSON.stringify(args));

const isPublishing = ([tool]: Act): boolean => tool.definition.name === "set_status";

test.each([1, 2, 3, 4, 5, 6])(
  "publishing a set is its edits and the publishing of what they are about, as one operation that undo takes back (seed %i)",
  async (number) => {
    const before = await wholeSite();
    await call(changesBegin, {});
    const list = await collect(number, 15, (act) => !isPublishing(act) && !deletesSeeded(act));
    const key = await publishSet(list);
    const published = await wholeSite();
    expect(await rows("SELECT 1 FROM change_set_rows")).toEqual([]);
    expect(await rows("SELECT 1 FROM change_set_things")).toEqual([]);

    const undoing = contextOf();
    await call(undo, { operation: key }, undoing);
    expect(await wholeSite()).toEqual(before);
    await call(undo, { operation: undoing.key });
    expect(await wholeSite()).toEqual(published);
    await call(undo, { operation: key });

    // The same calls on the site itself, and then the publishing of all that they changed.
    await forget();
    const touched = new Map<string, string>();
    for (const { act, context } of list) {
      await call(act[0], act[1], context);
      // A field that is taken away is no edit of the entries that had it.
      if (act[0].definition.name === "collection_save") continue;
      for (const row of await rows<{ type: string; id: string }>(
        "SELECT entity_type AS type, entity_id AS id FROM revisions WHERE op_key=?1",
        context.key,
      ))
        if (row.type === "page" || row.type === "entry") touched.set(row.id, row.type);
    }
    const there = await rows<{ id: string }>(
      `SELECT id FROM pages WHERE deleted_at IS NULL AND status<>'unpublished'
       UNION SELECT id FROM entries WHERE deleted_at IS NULL AND status<>'archived'`,
    );
    const targets = there
      .filter(({ id }) => touched.has(id))
      .map(({ id }) => ({ type: touched.get(id), ref: id }));
    // One call takes ten; sections that moved between pages must be published together.
    expect(targets.length).toBeGreaterThan(1);
    await call(setStatus, { targets, to: "published" });
    expect(untimed(published)).toEqual(untimed(await wholeSite()));
  },
);

/** Without the moments of publishing, which are those of two different calls; places by their order, not by their keys. */
const untimed = (site: Awaited<ReturnType<typeof wholeSite>>): unknown =>
  JSON.parse(
    JSON.stringify({ ...site, sections: placed(site["sections"] ?? []) }, (key, value: unknown) =>
      key === "published_at" || key === "publishedAt"
        ? null
        : typeof value === "string"
          ? blind(value)
          : value,
    ),
  );

const placed = (sections: readonly Record<string, unknown>[]): object[] =>
  sections.map((one) => ({
    ...one,
    sort_key: sections.filter(
      (other) => other["page_id"] === one["page_id"] && String(other["sort_key"]) < String(one["sort_key"]),
    ).length,
  }));

/** A stored document, whatever the order of its languages: one that was published again has them in that of the table. */
const blind = (text: string): string =>
  (text.startsWith("{") ? canonicalJson(toJson(JSON.parse(text))) : text).replaceAll(
    /"publishedAt":(?:\d+|null)/g,
    '"publishedAt":0',
  );
