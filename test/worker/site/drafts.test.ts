import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { openDoors, verdictOf } from "../http/routes-fixture.ts";
import { createOutline } from "../../../src/plugins/cms/renderer/api/outline.ts";
import { createPreviewLinks } from "../../../src/plugins/cms/renderer/api/preview-link.ts";
import { mintPreviewToken, type PreviewGrant } from "../../../src/plugins/cms/renderer/preview.ts";
import { navEdit } from "../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { call } from "../cms/fixture.ts";
import { labels, NOW, openSite, SECRET, type Shown } from "./fixture.ts";
import { siteRoutes } from "./site-routes.ts";

const { fetch, shown } = openSite();
const tokenOf = (grant: Partial<PreviewGrant> = {}, secret = SECRET): string =>
  mintPreviewToken(secret, { env: "env_main", scope: "site", exp: NOW + 60_000, ...grant });
const preview = async (path: string, grant?: Partial<PreviewGrant>): Promise<Response> =>
  fetch(`${path}?preview=${tokenOf(grant)}`);
const drafted = async (path: string, grant?: Partial<PreviewGrant>): Promise<Shown> =>
  (await preview(path, grant)).json();

beforeAll(async () => {
  await ensureSeeded(env, NOW);
});

describe("a draft", () => {
  test("is 404, and shows with a token for it, in answers that nobody keeps", async () => {
    expect((await fetch("/site/blog/winter-routes")).status).toBe(404);
    const response = await preview("/site/blog/winter-routes", { scope: "entry", id: "en_winter_routes" });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "private, no-store",
      "x-robots-tag": "noindex, nofollow",
      "referrer-policy": "no-referrer",
    });
    expect(response.headers.has("etag")).toBe(false);
    const { what, document, context } = (await response.json()) as Shown;
    expect([what, document?.id, context.preview?.query]).toEqual([
      "entry",
      "en_winter_routes",
      expect.stringMatching(/^preview=[\w-]+\.[\w-]+$/),
    ]);
  });

  test("stays hidden from a token for something else", async () => {
    expect(
      (await preview("/site/blog/winter-routes", { scope: "entry", id: "en_packing_light" })).status,
    ).toBe(404);
    expect((await preview("/site/blog/winter-routes", { scope: "page", id: "pg_about" })).status).toBe(404);
    const public_ = await drafted("/site/about", { scope: "entry", id: "en_winter_routes" });
    expect([public_.document?.id, public_.context.preview]).toEqual(["pg_about", null]);
  });

  test("is in the list for who may see the whole site", async () => {
    const titles = ({ cards }: Shown) => (cards as { title: string }[]).map((one) => one.title);
    expect(titles(await shown("/site/blog/"))).toEqual(["Packing light", "Reading the weather"]);
    expect(titles(await drafted("/site/blog/"))).toContain("Winter routes");
    expect(titles(await drafted("/site/blog/", { scope: "entry", id: "en_winter_routes" }))).not.toContain(
      "Winter routes",
    );
  });
});

test("every token that is not good gets the same 403, whatever the path", async () => {
  const good = tokenOf();
  const bad = [
    tokenOf({ exp: NOW }),
    tokenOf({ env: "env_other" }),
    tokenOf({}, "another-secret-for-tests"),
    `${good.slice(0, -2)}AA`,
    `x${good}`,
    "",
  ];
  const paths = ["/site/", "/site/nothing", "/site/blog/winter-routes", "/site/home"];
  const answers = await Promise.all(
    bad.flatMap((token) =>
      paths.map(async (path) => {
        const response = await fetch(`${path}?preview=${token}`);
        return `${response.status} ${response.headers.get("cache-control")} ${await response.text()}`;
      }),
    ),
  );
  expect([...new Set(answers)]).toEqual([
    "403 private, no-store This preview link is not valid, or no longer.\n",
  ]);
});

test("what is hidden, not published or not yet published shows in the preview only", async () => {
  const page = await call<{ page: { id: string }; sections: { id: string }[] }>(pageCreate, {
    name: "Autumn",
    sections: [
      { template: "hero", content: { title: "Autumn walks" } },
      { template: "hero", content: { title: "Not yet" }, hidden: true },
    ],
    nav: { location: "header", label: "Autumn" },
  });
  expect((await fetch("/site/autumn")).status).toBe(404);
  expect(labels((await shown("/site/")).context.headerNav)).not.toContain("Autumn");
  expect(labels((await drafted("/site/")).context.headerNav)).toContain("Autumn");

  await call(setStatus, { targets: [{ type: "page", ref: "autumn" }], to: "published" });
  const [hero] = page.sections;
  await call(sectionUpdate, { section: hero?.id, content: { title: "Autumn, edited" } });
  const seen = await shown("/site/autumn");
  expect(seen.context.layout?.sections.length).toBe(2);
  expect(labels(seen.context.headerNav)).toContain("Autumn");
  expect(JSON.stringify(seen.document)).toContain("Autumn walks");
  expect(JSON.stringify(seen.document)).not.toMatch(/Not yet|edited/);
  expect(await (await fetch("/site/sitemap.xml")).text()).toContain("https://walks.example/site/autumn<");
  const draft = JSON.stringify((await drafted("/site/autumn", { scope: "page", id: page.page.id })).document);
  expect(draft).toContain("Autumn, edited");
  expect(draft).toContain("Not yet");

  await call(setStatus, { targets: [{ type: "page", ref: "autumn" }], to: "unpublished" });
  expect((await fetch("/site/autumn")).status).toBe(404);
  expect(await (await fetch("/site/sitemap.xml")).text()).not.toContain("autumn");
  expect((await preview("/site/autumn")).status).toBe(200);
});

test("a nav item whose target is not public is left out, and what is below it takes its place", async () => {
  await call(setStatus, { targets: [{ type: "entry", ref: "blog/packing-light" }], to: "unpublished" });
  await call(navEdit, {
    ops: [{ op: "add", location: "footer", label: "Packing", target: "entry:blog/packing-light" }],
  });
  const [packing] = (
    await env.DB.prepare("SELECT id FROM nav_items WHERE label='Packing'").all<{ id: string }>()
  ).results;
  await call(navEdit, { ops: [{ op: "move", item: "nv_footer_contact", parent: packing?.id, position: 1 }] });
  expect(labels((await shown("/site/")).context.footerNav)).toEqual(["About", "Contact"]);
  const { footerNav } = (await drafted("/site/")).context;
  expect([labels(footerNav), labels(footerNav[1]?.children ?? [])]).toEqual([
    ["About", "Packing"],
    ["Contact"],
  ]);
});

describe("a preview link", () => {
  const doors = openDoors(
    {},
    { plugins: siteRoutes({ previewLink: createPreviewLinks(SECRET, ensureSeeded) }), now: () => NOW },
  );
  const linkTo = async (query: string): Promise<URL> => {
    const response = await doors.call(`/api/cms/preview-link?${query}`);
    const { url, expiresAt } = (await response.json()) as { url: string; expiresAt: string };
    expect(expiresAt).toBe(new Date(NOW + 3_600_000).toISOString());
    return new URL(url);
  };

  test("leads to the draft", async () => {
    const entry = await linkTo("type=entry&id=en_winter_routes");
    expect(entry.pathname).toBe("/site/blog/winter-routes");
    expect((await fetch(entry.pathname + entry.search)).status).toBe(200);
    expect((await linkTo("type=page&id=pg_home")).pathname).toBe("/site/");
    expect((await linkTo("type=site")).pathname).toBe("/site/");
    const layout = await linkTo("type=page&id=pg_layout");
    expect((await fetch("/site/blog/winter-routes" + layout.search)).status).toBe(200);
  });

  test("to nothing is 404", async () => {
    expect(await verdictOf(await doors.call("/api/cms/preview-link?type=page&id=pg_none"))).toEqual([
      404,
      "not_found",
    ]);
    expect(await verdictOf(await doors.call("/api/cms/preview-link?type=entry&id=pg_home"))).toEqual([
      404,
      "not_found",
    ]);
  });

  test("works with the key that the seed made, when none is configured", async () => {
    const own = openDoors(
      {},
      { plugins: siteRoutes({ previewLink: createPreviewLinks(null, ensureSeeded) }), now: () => NOW },
    );
    const { url } = (await (await own.call("/api/cms/preview-link?type=site")).json()) as { url: string };
    const search = new URL(url).search;
    const site = openSite({ previewSecret: null });
    expect((await site.fetch(`/site/blog/winter-routes${search}`)).status).toBe(200);
    expect((await fetch(`/site/${search}`)).status).toBe(403);
  });
});

describe("the outline", () => {
  const doors = openDoors(
    {},
    { plugins: siteRoutes({ outline: createOutline(ensureSeeded) }), now: () => NOW },
  );

  test("has every page, drafts too, and the first words of the home page as they stand in the draft", async () => {
    await call(pageCreate, { name: "Only planned" });
    await call(sectionUpdate, { section: "sc_home_hero", content: { title: "Not public yet" } });
    const { pages, heroTitle } = await (
      await doors.call("/api/cms/outline")
    ).json<{
      pages: object[];
      heroTitle: string;
    }>();
    expect(pages).toContainEqual({ name: "Only planned", slug: "only-planned", status: "draft" });
    expect(pages).toContainEqual({ name: "Contact", slug: "contact", status: "published" });
    expect(JSON.stringify(pages)).not.toContain("_layout");
    expect(heroTitle).toBe("Not public yet");
  });
});
