import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { pageUpdate } from "../../../src/plugins/cms/tools/pages.ts";
import { call } from "../cms/fixture.ts";
import { labels, NOW, openSite } from "./fixture.ts";

const { fetch, shown, reported } = openSite();
const statusOf = async (path: string): Promise<number> => (await fetch(path)).status;
const wayOf = async (path: string) => {
  const response = await fetch(path);
  return [response.status, response.headers.get("location")];
};

beforeAll(() => ensureSeeded(env, NOW));

describe("a public page", () => {
  test("comes with its own meta, the layout, the navigation tree and every image it shows", async () => {
    const { what, document, context } = await shown("/site/about");
    expect(what).toBe("page");
    expect(document).toMatchObject({ id: "pg_about", meta: { en: { title: expect.any(String) } } });
    expect(context.layout?.sections.map((one) => one.template)).toEqual(["header", "footer"]);
    expect(labels(context.headerNav)).toEqual(["Home", "About", "Blog", "Contact"]);
    expect(context.headerNav[2]).toEqual({
      label: "Blog",
      path: "/site/blog/",
      current: false,
      children: [{ label: "Packing light", path: "/site/blog/packing-light", current: false, children: [] }],
    });
    expect(context.headerNav.filter((one) => one.current).map((one) => one.path)).toEqual(["/site/about"]);
    expect(labels(context.footerNav)).toEqual(["About", "Contact"]);
    expect(context.site).toMatchObject({ name: "Fern & Fell", logo: { mediaType: "image/svg+xml" } });
    expect(context).toMatchObject({
      accent: "#2f6b4f",
      titleTemplate: "%s – Fern & Fell",
      origin: "https://walks.example",
      preview: null,
    });
    expect(context.ogImage?.variants.map((one) => one.width)).toEqual([480, 960]);
    expect(context.images).toEqual(expect.arrayContaining(["im_logo", "im_ridge"]));
  });

  test("has the headers that let nothing stored run", async () => {
    const { headers } = await fetch("/site/about");
    expect(Object.fromEntries(headers)).toEqual({
      "cache-control": "public, max-age=0, must-revalidate",
      "content-security-policy":
        "default-src 'none'; script-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
      "content-type": "text/html; charset=utf-8",
      etag: expect.stringMatching(/^W\/"[0-9a-f]{24}"$/),
      "x-content-type-options": "nosniff",
    });
  });

  test("answers HEAD without a body, and refuses to be written", async () => {
    const head = await fetch("/site/about", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await fetch("/site/about", { method: "POST", body: "x" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("is 304 for who has it, until the site changes or another build shows it", async () => {
    const etag = (await fetch("/site/about")).headers.get("etag") ?? "";
    const again = (more = {}) =>
      openSite(more).fetch("/site/about", { headers: { "if-none-match": `"x", ${etag}` } });
    expect([(await again()).status, await (await again()).text()]).toEqual([304, ""]);
    expect((await again({ version: "2" })).status).toBe(200);
    expect((await fetch("/site/contact", { headers: { "if-none-match": etag } })).status).toBe(200);
    await env.DB.prepare("UPDATE environments SET epoch=epoch+1").run();
    expect((await again()).status).toBe(200);
  });
});

describe("an address", () => {
  test("has one spelling; the others move to it for good", async () => {
    expect(await statusOf("/site/")).toBe(200);
    expect(await wayOf("/site")).toEqual([301, "/site/"]);
    expect(await wayOf("/site/home")).toEqual([301, "/site/"]);
    expect(await wayOf("/site/about/?x=1")).toEqual([301, "/site/about?x=1"]);
    expect(await wayOf("/site/blog?page=1")).toEqual([301, "/site/blog/?page=1"]);
    expect(await wayOf("/site/blog/packing-light/")).toEqual([301, "/site/blog/packing-light"]);
    expect(await wayOf("/site/de/home")).toEqual([301, "/site/de/"]);
  });

  test("that nothing public stands at is 404 in the layout", async () => {
    const paths = ["nothing", "_layout", "blog/winter-routes", "about/packing-light", "a/b/c/d", "%61bout"];
    expect(await Promise.all(paths.map((one) => statusOf(`/site/${one}`)))).toEqual(paths.map(() => 404));
    const { what, context } = await shown("/site/nothing");
    expect([what, labels(context.footerNav), context.alternates]).toEqual([
      "not found",
      ["About", "Contact"],
      [],
    ]);
    expect((await fetch("/site/nothing")).headers.has("etag")).toBe(false);
  });

  test("of an entry holds the collection: below another one it is 404", async () => {
    expect(await statusOf("/site/blog/packing-light")).toBe(200);
    await env.DB.prepare(
      "INSERT INTO collections(id,env_id,slug,name,fields,updated_at) VALUES('co_news','env_main','news','News','[]',1)",
    ).run();
    expect(await statusOf("/site/news/packing-light")).toBe(404);
    expect(await statusOf("/site/news/")).toBe(200);
  });

  test("leads on after a rename, and navigation and links follow at once", async () => {
    await call(pageUpdate, { page: "contact", slug: "say-hello" });
    expect(await wayOf("/site/contact")).toEqual([301, "/site/say-hello"]);
    expect(await wayOf("/site/de/contact")).toEqual([301, "/site/de/say-hello"]);
    expect((await shown("/site/")).context.footerNav[1]?.path).toBe("/site/say-hello");
  });
});

describe("a list of entries", () => {
  test("has the public ones, newest first, ten a page", async () => {
    const one = await shown("/site/blog/");
    expect(one).toMatchObject({ what: "list", collection: { name: "Blog", path: "/site/blog/" } });
    expect(one.pager).toEqual({ page: 1, pages: 1 });
    expect(one.cards).toEqual([
      expect.objectContaining({ path: "/site/blog/packing-light", category: "Guides" }),
      expect.objectContaining({ path: "/site/blog/reading-the-weather", title: "Reading the weather" }),
    ]);
  });

  test("is 404 beyond its last page, and for what is no page", async () => {
    const pages = ["0", "2", "x", "-1", "1e3"];
    expect(await Promise.all(pages.map((page) => statusOf(`/site/blog/?page=${page}`)))).toEqual(
      pages.map(() => 404),
    );
  });
});

describe("another language", () => {
  test("is shown where it exists, and its fallback elsewhere", async () => {
    const home = await shown("/site/de/");
    expect(home.context.locales).toEqual(["de", "en"]);
    expect(home.context.alternates).toEqual([
      { locale: "en", name: "English", path: "/site/" },
      { locale: "de", name: "Deutsch", path: "/site/de/" },
    ]);
    expect((await shown("/site/")).context.alternates).toEqual(home.context.alternates);
    const about = await shown("/site/de/about");
    expect(about.context.alternates).toEqual([{ locale: "en", name: "English", path: "/site/about" }]);
    expect(about.context.headerNav[1]).toMatchObject({ path: "/site/de/about", current: true });
    expect(await statusOf("/site/de/blog/packing-light")).toBe(200);
  });

  test("is 404 when it is off, unknown, or the default one, which has no prefix", async () => {
    expect([await statusOf("/site/en/about"), await statusOf("/site/fr/about")]).toEqual([404, 404]);
    await env.DB.prepare("UPDATE locales SET status='inactive' WHERE code='de'").run();
    expect([await statusOf("/site/de/"), await statusOf("/site/de/about")]).toEqual([404, 404]);
    expect((await shown("/site/")).context.alternates.map((one) => one.locale)).toEqual(["en"]);
    await env.DB.prepare("UPDATE locales SET status='active' WHERE code='de'").run();
  });
});

test("a fault is 500 with the request id and nothing of the fault", async () => {
  const broken = openSite({ seed: () => Promise.reject(new Error("D1 is down in room 7")) });
  const response = await broken.fetch("/site/", { headers: { "x-request-id": "req-00001" } });
  const text = await response.text();
  expect([response.status, response.headers.get("content-type")]).toEqual([500, "text/plain; charset=utf-8"]);
  expect(text).toContain("req-00001");
  expect(text).not.toContain("room 7");
  expect(broken.reported).toEqual([new Error("D1 is down in room 7")]);
  expect(reported).toEqual([]);
});

test("a deployment without a database has no site", async () => {
  const bare = openSite({}, { DB: undefined as never });
  expect((await bare.fetch("/site/")).status).toBe(404);
  expect(await (await bare.fetch("/robots.txt")).text()).toBe("User-agent: *\nDisallow: /\n");
});
