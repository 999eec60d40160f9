import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createEnvironment } from "../../../src/plugins/cms/renderer/api/new-environment.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { findTarget, listEnvironments } from "../../../src/plugins/cms/storage/environments.ts";
import { createTools } from "../../fixtures/deployment/plugins.ts";
import { find } from "../../../src/plugins/cms/tools/find.ts";
import { imageAttach } from "../../../src/plugins/cms/tools/image-attach.ts";
import { imageSearch } from "../../../src/plugins/cms/media/image-search.ts";
import { navEdit } from "../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { pageGet, pageList } from "../../../src/plugins/cms/tools/read-pages.ts";
import { pageUpdate } from "../../../src/plugins/cms/tools/pages.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { openSite } from "../site/fixture.ts";
import { call, contextOf, previewOf, refusal, services, T0 } from "./fixture.ts";

/** Two environments side by side: what is done in one is not in the other. */

const staging = { ...services, env: "env_staging" };
const there = () => contextOf({ services: staging });
const site = openSite();
const wanted = { siteId: "site_main", name: "staging", members: ["bob"] };
const make = (name = "staging") =>
  createEnvironment(
    { ...services, env: `env_${name}`, assets: env.ASSETS },
    { ...wanted, name },
    "admin",
    T0,
  );
const create = (context = there()) =>
  call(
    pageCreate,
    { name: "About", sections: [{ template: "hero", content: { title: "Only here" } }] },
    context,
  );
const idOf = (output: unknown): string => (output as { page: { id: string } }).page.id;

beforeAll(async () => {
  await ensureSeeded(env, T0);
  await make();
});

describe("a second environment", () => {
  test("begins with a home page that everybody can see and no search engine lists", async () => {
    const home = await site.fetch("/site/~env_staging/");
    expect([home.status, home.headers.get("x-robots-tag")]).toEqual([200, "noindex, nofollow"]);
    const { context, document } = await site.shown("/site/~env_staging/");
    expect([document?.type === "page" && document.name, context.root, context.site.name]).toEqual([
      "Home",
      "/site/~env_staging/",
      "staging",
    ]);
    expect((await site.fetch("/site/")).headers.has("x-robots-tag")).toBe(false);
  });

  test("is made once: its name is taken then, and nothing of it is written twice", async () => {
    const count = async () => env.DB.prepare("SELECT count(*) FROM pages WHERE env_id='env_staging'").raw();
    const before = await count();
    expect(await make()).toBe("taken");
    expect(await make("main")).toBe("taken");
    expect(await count()).toEqual(before);
  });

  test("has pages of its own, under names that the other has too", async () => {
    const made = await create();
    expect(made).toMatchObject({ page: { slug: "about", url: "/site/~env_staging/about" } });
    expect(made).toMatchObject({ preview: { path: "/site/~env_staging/about" } });
    const listed = async (context: ReturnType<typeof contextOf>) =>
      ((await call(pageList, {}, context)) as { items: { slug: string; url: string }[] }).items.map(
        ({ url }) => url,
      );
    expect(await listed(there())).toEqual(["/site/~env_staging/about", "/site/~env_staging/"]);
    expect(await listed(contextOf())).not.toContain("/site/~env_staging/about");
    expect(await refusal(call(pageGet, { page: idOf(made) }))).toMatchObject({ code: "not_found" });
    expect(await refusal(call(pageGet, { page: "pg_about" }, there()))).toMatchObject({ code: "not_found" });
  });

  test("publishes at its own address, and says so to whoever approves it", async () => {
    const id = idOf(await call(pageCreate, { name: "Prices" }, there()));
    const args = { targets: [{ type: "page", ref: id }], to: "published" };
    const shown = await previewOf(setStatus, args, there());
    expect(shown.warnings?.[0]).toBe(
      "On the environment “staging” at /site/~env_staging/, not on the public site",
    );
    expect(shown.impact).toContain("URL: /site/~env_staging/prices");
    expect((await site.fetch("/site/~env_staging/prices")).status).toBe(404);
    await call(setStatus, args, there());
    expect((await site.fetch("/site/~env_staging/prices")).status).toBe(200);
    expect((await site.fetch("/site/prices")).status).toBe(404);
    const own = await previewOf(setStatus, {
      targets: [{ type: "entry", ref: "en_winter_routes" }],
      to: "published",
    });
    expect(JSON.stringify(own)).not.toContain("not on the public site");
  });

  test("links within itself, in each language, and keeps its old addresses", async () => {
    const id = idOf(await call(pageCreate, { name: "Team" }, there()));
    await call(setStatus, { targets: [{ type: "page", ref: id }], to: "published" }, there());
    await call(
      navEdit,
      { ops: [{ op: "add", location: "header", label: "Team", target: `page:${id}` }] },
      there(),
    );
    const { context } = await site.shown("/site/~env_staging/de/");
    expect(context.headerNav.map(({ path }) => path)).toEqual(["/site/~env_staging/de/team"]);
    await call(pageUpdate, { page: id, slug: "people" }, there());
    await call(setStatus, { targets: [{ type: "page", ref: id }], to: "published" }, there());
    const moved = await site.fetch("/site/~env_staging/team");
    expect([moved.status, moved.headers.get("location")]).toEqual([301, "/site/~env_staging/people"]);
    expect((await site.fetch("/site/team")).status).toBe(404);
  });

  test("has images of its own, whose bytes are served", async () => {
    const { items } = (await call(imageSearch, {}, there())) as {
      items: { id: string; url: string }[];
    };
    const [first] = items;
    const own = (await call(imageSearch, {}, contextOf())) as { items: { id: string }[] };
    expect(own.items.map(({ id }) => id)).not.toContain(first?.id);
    const attach = { image: own.items[0]?.id, target: { type: "page", ref: "about" }, field: "ogImage" };
    expect(await refusal(call(imageAttach, attach, there()))).toMatchObject({
      code: "not_found",
      at: "image",
    });
    // Media stays public while only the second environment still has the image.
    const sha = /^\/media\/([0-9a-f]{64})\//.exec(first?.url ?? "")?.[1] ?? "";
    await env.DB.prepare("UPDATE images SET deleted_at=1 WHERE env_id='env_main' AND sha256=?1")
      .bind(sha)
      .run();
    expect((await site.fetch(first?.url ?? "")).status).toBe(200);
    await env.DB.prepare("UPDATE images SET deleted_at=NULL WHERE env_id='env_main'").run();
  });

  test("finds its own pages and the templates of all", async () => {
    const names = async (query: string, types: string[], context: ReturnType<typeof contextOf>) =>
      ((await call(find, { query, types }, context)) as { items: { name: string }[] }).items.map(
        ({ name }) => name,
      );
    expect(await names("hero", ["template"], there())).toContain("Hero");
    expect(await names("hero", ["template"], contextOf())).toContain("Hero");
    expect(await names("Fern", ["page"], there())).toEqual([]);
  });
});

test("an address that names no environment is nothing, however it is spelt", async () => {
  for (const path of [
    "~env_none/",
    "~/",
    "~env_main/",
    "~' OR 1=1--/",
    "~env_staging'/",
    "~..%2f/",
    `~${"a".repeat(65)}/`,
  ])
    expect([path, (await site.fetch(`/site/${path}`)).status]).toEqual([path, 404]);
  expect(site.reported).toEqual([]);
});

test("those who may use it find it: its members and admins; the others find the deployment's own", async () => {
  const ids = async (subject: string, isAdmin = false) =>
    (await listEnvironments(env.DB, { subject, isAdmin })).map(({ environmentId }) => environmentId);
  expect(await ids("bob")).toEqual(["env_main", "env_staging"]);
  expect(await ids("eve")).toEqual(["env_main"]);
  expect(await ids("eve", true)).toEqual(["env_main", "env_staging"]);
});

test("a target is an environment of that site", async () => {
  const found = await findTarget(env.DB, { siteId: "site_main", environmentId: "env_staging" });
  expect(found).toEqual({
    siteId: "site_main",
    environmentId: "env_staging",
    name: "staging",
    members: ["bob"],
    isOwn: false,
  });
  expect(await findTarget(env.DB, { siteId: "site_other", environmentId: "env_staging" })).toBe(null);
  expect(await findTarget(env.DB, { siteId: "site_main", environmentId: "' OR 1=1--" })).toBe(null);
});

test("a call on an environment that is gone fails, and says why", async () => {
  const tools = createTools({ ...env, environment: "env_gone" }, "s1", () => T0, {
    observations: { read: () => null },
  });
  const order = {
    key: "s1/r1s1c0",
    call: "r1s1c0",
    tool: "page_list",
    input: {},
    attempt: 1,
    at: T0,
    approved: null,
    run: "r1",
    subject: "bob",
  };
  const ran = await tools.run(order, new AbortController().signal);
  expect(ran).toMatchObject({
    kind: "failed",
    lost: false,
    failure: { class: "not_found", code: "not_found" },
  });
});
