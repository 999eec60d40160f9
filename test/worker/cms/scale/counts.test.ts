import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";
import { inSet } from "../../../../src/plugins/cms/storage/change-sets.ts";
import { loadCounts } from "../../../../src/plugins/cms/storage/counts.ts";
import { loadCollections, loadEnvironment } from "../../../../src/plugins/cms/storage/load.ts";
import { rowsOf } from "../../../../src/plugins/cms/storage/rows.ts";
import type { CmsServices } from "../../../../src/plugins/cms/model/types.ts";
import { siteCheck } from "../../../../src/plugins/cms/tools/site-check.ts";
import { cmsPack } from "../../../../src/plugins/cms/pack.ts";
import { call, contextOf, emptySite, makeSite, rows, services } from "../fixture.ts";
import type { OutputOf } from "../reading.ts";
import { Round } from "./every-call.ts";
import { makeLarge } from "./large-site.ts";

/** Stored counts match the site. */

afterAll(emptySite);

const SIZE = {
  pages: 40,
  sectionsPerPage: 2,
  images: 20,
  collections: 2,
  entriesPerCollection: 30,
  revisions: 5,
  sessions: 2,
  operationsPerSession: 5,
};

/** The counts as they are kept, and as they are counted. */
async function bothCounts(of: CmsServices): Promise<[kept: object, counted: object]> {
  const environment = await loadEnvironment(of);
  const [kept, collections] = await Promise.all([loadCounts(of, environment), loadCollections(of)]);
  const all = (sql: string) => rowsOf(of, sql);
  const [pages, entries, images, texts] = await Promise.all([
    all("SELECT status FROM pages WHERE env_id='env_main' AND deleted_at IS NULL AND kind='page'"),
    all("SELECT collection_id, status FROM entries WHERE env_id='env_main' AND deleted_at IS NULL"),
    all("SELECT id FROM images WHERE env_id='env_main' AND deleted_at IS NULL"),
    all("SELECT locale FROM search_docs WHERE env_id='env_main' AND kind IN ('page','section','entry')"),
  ]);
  const statuses = ["draft", "published", "unpublished", "archived"];
  const lists = [...collections.keys()];
  const share = (locale: string): number => texts.filter((one) => one.locale === locale).length;
  return [
    {
      pages: statuses.map(kept.pages),
      entries: lists.map((id) => statuses.map((status) => kept.entries(id, status))),
      images: kept.images,
      german: kept.coverage("de"),
    },
    {
      pages: statuses.map((status) => pages.filter((one) => one.status === status).length),
      entries: lists.map((id) =>
        statuses.map(
          (status) => entries.filter((one) => one.collection_id === id && one.status === status).length,
        ),
      ),
      images: images.length,
      german: Math.round((100 * share("de")) / share("en")),
    },
  ];
}

test("after everything that is done with a site, what is kept is what is there", async () => {
  await makeSite();
  await makeLarge(services, SIZE);
  await new Round(env, 1).all((_, act) => act());
  const [kept, counted] = await bothCounts(services);
  expect(kept).toEqual(counted);
  await rows("DELETE FROM pages WHERE id='pg_9'");
  await rows("DELETE FROM images WHERE id='im_9'");
  const [after, there] = await bothCounts(services);
  expect(after).toEqual(there);
}, 120_000);

test("through a change set the counts are those that the set makes", async () => {
  await makeSite();
  await makeLarge(services, SIZE);
  const tool = async (name: string, args: object): Promise<void> => {
    const found = cmsPack.tools.find((one) => one.definition.name === name);
    if (found === undefined) throw new Error(`there is no tool ${name}`);
    await call(found, args, contextOf());
  };
  await tool("changes_begin", {});
  await tool("page_create", { name: "Brand new", copyFrom: "pg_4" });
  await tool("set_status", { targets: [{ type: "page", ref: "pg_8" }], to: "published" });
  await tool("page_delete", { pages: ["pg_30"] });
  await tool("entry_delete", { entries: ["list-1/entry-3"] });
  const [{ id } = { id: "" }] = await rows<{ id: string }>("SELECT id FROM change_sets WHERE state='open'");
  const [before] = await bothCounts(services);
  const [kept, counted] = await bothCounts(inSet(services, { id, name: "" }));
  expect(kept).toEqual(counted);
  expect(kept).not.toEqual(before);
}, 120_000);

test("a check of the whole site goes on with its cursor, until all was looked at once", async () => {
  await makeSite();
  await makeLarge(services, SIZE);
  type Checked = OutputOf<typeof siteCheck>;
  const checked: number[] = [];
  let cursor: string | undefined;
  do {
    const part: Checked = await call<Checked>(siteCheck, cursor === undefined ? {} : { cursor });
    checked.push(part.checked);
    cursor = part.nextCursor;
  } while (cursor !== undefined);
  // 40 pages, the layout, and 60 entries
  expect(checked).toEqual([50, 50, 1]);
}, 120_000);
