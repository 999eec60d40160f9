import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ensureSeeded, forgetSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { entryCreate } from "../../../src/plugins/cms/entries/entry-create.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { pageUpdate } from "../../../src/plugins/cms/tools/pages.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import type { SiteAnswer } from "../../../src/plugins/cms/protocol/answers.ts";
import { call, emptySite, rows } from "../cms/fixture.ts";
import { verdictOf } from "../http/routes-fixture.ts";
import { NOW, openSite } from "./fixture.ts";
import {
  begin,
  contentOf,
  doors,
  exported,
  finish,
  imported,
  manifestOf,
  membersIn,
  partsOf,
  progress,
  sealOf,
  send,
  type Member,
} from "./portable-fixture.ts";

/** An import next to a site that has the same images: the site keeps every byte that it shows, whatever becomes of the import. */

const site = openSite();
let file: Member[];
/** the same site after another edit */
let later: Member[];

async function untouched(): Promise<void> {
  await env.DB.prepare("DELETE FROM site_import_parts").run();
  await env.DB.prepare("DELETE FROM site_imports").run();
  await emptySite();
  forgetSeeded();
  await ensureSeeded(env, NOW - 1_000);
}

beforeAll(async () => {
  await untouched();
  await call(pageCreate, {
    name: "Only in the file",
    slug: "only",
    sections: [{ template: "hero", content: { title: "Hello", image: "im_ridge" } }],
  });
  await call(setStatus, { targets: [{ type: "page", ref: "only" }], to: "published" });
  await call(entryCreate, { title: "Kept", content: { body: "![a](image:im_valley)" }, cover: "im_shelter" });
  file = membersIn(await exported());
  await call(pageUpdate, { page: "only", name: "Only in the later file" });
  later = membersIn(await exported());
});

beforeEach(untouched);

async function begun(environment: string | null, members: readonly Member[]): Promise<string> {
  const response = await begin(environment, manifestOf(members), sealOf(members));
  expect(response.status).toBe(201);
  const { id } = await response.json<SiteAnswer<"SiteImport">>();
  for (const [at, part] of partsOf(members).entries())
    expect((await send(id, at + 1, part)).status).toBe(200);
  return id;
}
const giveUp = (id: string, who: "admin" | "alice" = "admin"): Promise<Response> =>
  doors.call(`/api/cms/imports/${id}`, { method: "DELETE", who });
const finishOnce = (id: string): Promise<Response> =>
  doors.call(`/api/cms/imports/${id}/finish`, { method: "POST", who: "admin" });

/** The keys of the bucket that the rows of an environment name, originals and renditions. */
async function keysOf(environment: string): Promise<string[]> {
  const found = await rows<{ key: string }>(
    `SELECT 'media/'||env_id||'/'||sha256||'/orig.'||ext AS key FROM images WHERE env_id=?1 AND deleted_at IS NULL
     UNION SELECT v.r2_key FROM image_variants v JOIN images i ON i.id=v.image_id WHERE i.env_id=?1 AND i.deleted_at IS NULL`,
    environment,
  );
  return found.map(({ key }) => key).toSorted();
}
/** Those of them without bytes. */
const missing = async (environment: string): Promise<string[]> => {
  const keys = await keysOf(environment);
  expect(keys.length).toBeGreaterThan(8);
  const there = await Promise.all(keys.map((key) => env.MEDIA.head(key)));
  return keys.filter((_, at) => there[at] === null);
};
/** All that the site of the deployment is, with the bytes of its images. */
const own = async () => contentOf(membersIn(await exported()));

describe("an import into the site of the deployment", () => {
  test.each([
    ["before anything was written", 0],
    ["in the middle of writing", 1],
  ])("that is given up %s leaves the site with all its images", async (_, times) => {
    const before = await own();
    const id = await begun(null, file);
    for (let n = 0; n < times; n++) expect((await finishOnce(id)).status).toBe(200);
    expect((await progress(id)).state).toBe(times === 0 ? "receiving" : "writing");
    expect(await (await giveUp(id)).json()).toMatchObject({
      state: "refused",
      reason: "It was abandoned.",
      received: 0,
    });
    expect(await missing("env_main")).toEqual([]);
    expect(await own()).toEqual(before);
    expect((await env.MEDIA.list({ prefix: `imports/${id}/` })).objects).toEqual([]);
    expect(await rows("SELECT 1 FROM environments WHERE import_id IS NOT NULL")).toEqual([]);
    expect(await rows("SELECT 1 FROM site_import_parts")).toEqual([]);
    expect(await verdictOf(await finishOnce(id))).toEqual([400, "damaged"]);
  });

  test("replaces the untouched sample whole, with images and renditions that are there, and only once", async () => {
    const { page } = await progressOf(await imported(file, null));
    expect(page).toBe("/site/");
    expect(await missing("env_main")).toEqual([]);
    expect((await site.fetch("/site/only")).status).toBe(200);
    const [image] = await rows<{ sha256: string }>("SELECT sha256 FROM images WHERE filename='ridge.png'");
    expect((await site.fetch(`/media/${image?.sha256 ?? ""}/w480.png`)).status).toBe(200);
    expect(contentOf(membersIn(await exported()))).toEqual(contentOf(file));
    expect(await rows("SELECT id FROM environments WHERE id LIKE 'env_si%'")).toEqual([]);
    for (const table of ["asset_refs", "search_docs", "contents", "settings", "images"])
      expect([table, await rows(`SELECT DISTINCT env_id FROM ${table}`)]).toEqual([
        table,
        [{ env_id: "env_main" }],
      ]);
    expect(await rows("SELECT doc_key FROM search_docs WHERE doc_key LIKE '%@%'")).toEqual([]);
    expect(
      await rows(
        "SELECT owner_id FROM asset_refs WHERE owner_type='setting' AND owner_id NOT LIKE 'env_main/%'",
      ),
    ).toEqual([]);
    expect(await verdictOf(await imported(later, null))).toEqual([409, "site_not_empty"]);
    const [done] = await rows<{ id: string }>("SELECT id FROM site_imports WHERE state='done'");
    expect(await verdictOf(await giveUp(done?.id ?? ""))).toEqual([409, "import_closed"]);
    expect(await missing("env_main")).toEqual([]);
  });

  test("does not replace what somebody has written while it came in", async () => {
    const id = await begun(null, file);
    expect((await finishOnce(id)).status).toBe(200);
    await call(pageUpdate, { page: "about", name: "Ours" });
    const before = await own();
    expect(await verdictOf(await finish(id))).toEqual([409, "site_not_empty"]);
    expect(await own()).toEqual(before);
    expect(await missing("env_main")).toEqual([]);
    expect((await progress(id)).state).toBe("refused");
  });
});

const progressOf = async (response: Response): Promise<{ page: string }> => {
  const { state, environment } = await response.json<SiteAnswer<"SiteImport">>();
  expect(state).toBe("done");
  return { page: environment.path };
};

describe("two imports of one place", () => {
  test("have their images in common: one that is given up takes none from the other", async () => {
    const first = await begun("twin", file);
    const second = await begun("twin", later);
    expect((await giveUp(first)).status).toBe(200);
    expect((await finish(second)).status).toBe(200);
    expect(await missing("env_twin")).toEqual([]);
    expect((await site.fetch("/site/~env_twin/only")).status).toBe(200);
    expect(await missing("env_main")).toEqual([]);
  });

  test("leave nothing in the bucket once both are given up", async () => {
    const ids = [await begun("none", file), await begun("none", later)];
    for (const id of ids) expect((await giveUp(id)).status).toBe(200);
    expect((await env.MEDIA.list({ prefix: "media/env_none/" })).objects).toEqual([]);
    expect(await missing("env_main")).toEqual([]);
  });
});

describe("a caller without the scope `admin`", () => {
  test("begins, sends, reads, finishes and gives up no import", async () => {
    const id = await begun("guarded", file);
    const [part] = partsOf(file);
    const query = new URLSearchParams({ name: part?.name ?? "", sha256: "0".repeat(64) }).toString();
    const asked: readonly (readonly [string, string])[] = [
      ["POST", "/api/cms/imports"],
      ["GET", `/api/cms/imports/${id}`],
      ["DELETE", `/api/cms/imports/${id}`],
      ["POST", `/api/cms/imports/${id}/finish`],
      ["PUT", `/api/cms/imports/${id}/parts/1?${query}`],
    ];
    for (const [method, path] of asked) {
      const init =
        method === "GET" || method === "DELETE"
          ? {}
          : { body: "{}", headers: { "content-type": "application/json" } };
      expect([
        method,
        path,
        await verdictOf(await doors.call(path, { method, ...init, who: "alice" })),
      ]).toEqual([method, path, [403, "missing_scope"]]);
    }
    expect(await progress(id)).toMatchObject({ state: "receiving", received: partsOf(file).length });
  });
});
