import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SITEMAP_DOCUMENTS_MAX } from "../../../src/plugins/cms/renderer/pages/sitemap.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { Recorder } from "../cms/scale/recorder.ts";
import { NOW, openSite } from "./fixture.ts";

/** The sitemap of a site that is too large for one file. */

const { fetch } = openSite();
const MORE = 2 * SITEMAP_DOCUMENTS_MAX;
const run = (sql: string, ...values: (string | number)[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();
const locs = async (path: string, of = fetch): Promise<string[]> =>
  [...(await (await of(path)).text()).matchAll(/<loc>https:\/\/walks\.example([^<]+)<\/loc>/g)].map(
    ([, one = ""]) => one,
  );

beforeAll(() => ensureSeeded(env, NOW));

/** Pages as their publishing leaves them; every second one says something in German, in a section. */
beforeEach(async () => {
  await run("DELETE FROM pages WHERE id LIKE 'pg_more%'");
  await run("DELETE FROM published_docs WHERE owner_id LIKE 'pg_more%'");
  const numbers = JSON.stringify(Array.from({ length: MORE }, (_, n) => n));
  await run(
    `INSERT INTO pages(id,env_id,slug,name,status,version,published_version,published_at,created_at,updated_at)
     SELECT 'pg_more'||value, 'env_main', 'more-'||value, 'More', 'published', 1, 1, ?2, ?2, ?2 FROM json_each(?1)`,
    numbers,
    NOW,
  );
  await run(
    `INSERT INTO published_docs(owner_type,owner_id,env_id,version,doc,published_at)
     SELECT 'page', 'pg_more'||value, 'env_main', 1, json_object('meta',json('{"en":{"title":"More"},"de":{}}'),'sections',
       json_array(json_object('content',json(iif(value%2=0,'{"de":{"title":"Mehr"}}','{}'))))), ?2 FROM json_each(?1)`,
    numbers,
    NOW,
  );
  // Without it the answer that is known by its tag would be right.
  await run("UPDATE environments SET epoch=epoch+1");
});

describe("a site with more documents than one file lists", () => {
  test("has an index of files, which list every address once", async () => {
    const index = await fetch("/site/sitemap.xml");
    expect(index.headers.get("content-type")).toBe("application/xml; charset=utf-8");
    expect(await index.text()).toContain(
      '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    );
    const files = await locs("/site/sitemap.xml");
    expect(files).toEqual([1, 2, 3].map((n) => `/site/sitemap-${n}.xml`));
    const listed = (await Promise.all(files.map((path) => locs(path)))).flat();
    expect(new Set(listed).size).toBe(listed.length);
    const more = Array.from({ length: MORE }, (_, n) => n);
    const expected = more.flatMap((n) => [`/site/more-${n}`, ...(n % 2 === 0 ? [`/site/de/more-${n}`] : [])]);
    expect(listed.filter((path) => path.includes("more")).toSorted()).toEqual(expected.toSorted());
    for (const path of ["/site/", "/site/de/", "/site/blog/", "/site/blog/packing-light"])
      expect(listed).toContain(path);
  });

  test("reads as many rows for a file as the file lists, and few for the index", async () => {
    const recorder = new Recorder(env.DB);
    const { fetch: counted } = openSite({}, { DB: recorder.db });
    for (const [path, most] of [
      ["/site/sitemap.xml", 150],
      ["/site/sitemap-2.xml", 2 * SITEMAP_DOCUMENTS_MAX + 150],
    ] as const) {
      recorder.cost();
      expect((await locs(path, counted)).length).toBeGreaterThan(2);
      expect(recorder.cost().read, path).toBeLessThan(most);
    }
  });

  test("leaves out a file that lists nothing any more, and goes back to one file", async () => {
    const delist = async (from: number, to: number) => {
      await run(
        "DELETE FROM published_docs WHERE (owner_type, owner_id) IN (SELECT owner_type, owner_id FROM sitemap_docs WHERE env_id='env_main' AND n>?1 AND n<=?2)",
        from,
        to,
      );
      await run("UPDATE environments SET epoch=epoch+1");
    };
    await delist(SITEMAP_DOCUMENTS_MAX, 2 * SITEMAP_DOCUMENTS_MAX);
    expect(await locs("/site/sitemap.xml")).toEqual(["/site/sitemap-1.xml", "/site/sitemap-3.xml"]);
    expect((await fetch("/site/sitemap-2.xml")).status).toBe(404);
    expect((await fetch("/site/sitemap-4.xml")).status).toBe(404);
    await delist(2 * SITEMAP_DOCUMENTS_MAX, 4 * SITEMAP_DOCUMENTS_MAX);
    expect(await locs("/site/sitemap.xml")).toContain("/site/more-1");
    expect(await locs("/site/sitemap-1.xml")).toEqual(await locs("/site/sitemap.xml"));
  });

  test("lists what another publishing says, and what was moved from another environment", async () => {
    await run(
      "UPDATE published_docs SET doc=json_set(doc,'$.meta.de.title','Mehr') WHERE owner_id='pg_more1'",
    );
    expect(await locs("/site/sitemap-1.xml")).toContain("/site/de/more-1");
    await run("UPDATE published_docs SET env_id='env_other' WHERE owner_id='pg_more1'");
    await run("UPDATE environments SET epoch=epoch+1");
    expect(await locs("/site/sitemap-1.xml")).not.toContain("/site/more-1");
    await run("UPDATE published_docs SET env_id='env_main' WHERE owner_id='pg_more1'");
    await run("UPDATE environments SET epoch=epoch+1");
    expect(await locs("/site/sitemap-3.xml")).toContain("/site/more-1");
  });
});
