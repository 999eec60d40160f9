import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { call } from "../cms/fixture.ts";

/** The worker as it is deployed: the seeded site in its own templates. */

/** As the platform answers: a static file goes before the worker. */
const ask = async (path: string): Promise<Response> => {
  const address = `http://localhost${path}`;
  const file = await env.ASSETS.fetch(address);
  return file.status === 404 ? exports.default.fetch(new Request(address)) : file;
};
const htmlOf = async (path: string): Promise<string> => (await ask(path)).text();

test("the first look at a new deployment shows its site", async () => {
  const response = await ask("/site/");
  const html = await response.text();
  expect(response.status).toBe(200);
  expect(html).toMatch(/<html[^>]* lang="en"/);
  expect(html.match(/<h1/g)?.length).toBe(1);
  expect(html).toContain('href="/site/blog/packing-light"');
  expect(html).not.toMatch(/<script(?! type="application\/ld\+json")/);
});

test("a page has the title and description of its data", async () => {
  const html = await htmlOf("/site/about");
  expect(html).toMatch(/<title>[^<]+ – Fern &amp; Fell<\/title>/);
  expect(html).toMatch(/<meta name="description"\s+content="[^"]{20,}"/);
});

test("settings that are encoded twice are refused by the database, so that no page loses its title", async () => {
  const twice = JSON.stringify(JSON.stringify({ title: "Fern & Fell" }));
  const write = env.DB.prepare("UPDATE settings SET value=?1 WHERE key='identity'").bind(twice).run();
  await expect(write).rejects.toThrow("CHECK constraint failed");
});

test("a page made of nothing but a name stands in the header and footer of the site", async () => {
  await call(pageCreate, { name: "Bare" });
  await call(setStatus, { targets: [{ type: "page", ref: "bare" }], to: "published" });
  const html = await htmlOf("/site/bare");
  expect(html).toContain("<title>Bare – Fern &amp; Fell</title>");
  expect(html).toMatch(/<header[^]*href="\/site\/blog\/packing-light"[^]*<\/header>/);
  expect(html).toMatch(/<footer[^]*href="\/site\/contact"[^]*<\/footer>/);
});

test("a text of 2 KB in which 1,990 quotes stand in one another is shown as it is", async () => {
  const text = `${">".repeat(1_990)} a`;
  const content = { heading: "Deep", description: text };
  await call(pageCreate, { name: "Deep", sections: [{ template: "feature", content }] });
  await call(setStatus, { targets: [{ type: "page", ref: "deep" }], to: "published" });
  const response = await ask("/site/deep");
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(text)]);
});

test("German shows where it exists and English, marked as such, elsewhere", async () => {
  const [home, about] = [await htmlOf("/site/de/"), await htmlOf("/site/de/about")];
  expect(home).toMatch(/<html[^>]* lang="de"/);
  expect(home).toContain('lang="en"');
  expect(home).toContain('hreflang="de"');
  expect(about).toContain('lang="en"');
  expect(about).not.toContain("hreflang=");
});

test("every address that the site itself names answers", async () => {
  const seen = new Set<string>();
  const open = ["/site/", "/site/de/"];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const response = await ask(path);
    expect([path, response.status]).toEqual([path, 200]);
    if (!(response.headers.get("content-type") ?? "").startsWith("text/html")) {
      await response.bytes();
      continue;
    }
    const html = await response.text();
    const named = [...html.matchAll(/(?:href|src)="(\/[^"#]*)/g)].map((one) => one[1] ?? "");
    const sources = [...html.matchAll(/srcset="([^"]*)"/g)].flatMap((one) =>
      (one[1] ?? "").split(",").map((part) => part.trim().split(" ")[0] ?? ""),
    );
    for (const next of [...named, ...sources]) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  expect([...seen].filter((path) => path.startsWith("/media/")).length).toBeGreaterThan(6);
  expect([...seen]).toEqual(
    expect.arrayContaining(["/site/blog/", "/site/contact", "/site/assets/site.css"]),
  );
});

test("a draft is previewed with the link that the worker mints, and every link in it carries the token on", async () => {
  const link = await ask("/api/cms/preview-link?type=entry&id=en_winter_routes");
  const { url } = await link.json<{ url: string }>();
  const { pathname, search } = new URL(url);
  expect((await ask(pathname)).status).toBe(404);
  const html = await htmlOf(pathname + search);
  expect(html).toContain("Winter routes");
  const links = [...html.matchAll(/href="(\/site\/[^"]*)"/g)].map((one) => one[1] ?? "");
  const pages = links.filter((one) => !one.startsWith("/site/assets/"));
  expect(pages.length).toBeGreaterThan(4);
  expect(pages.filter((one) => !one.includes(search.slice(1)))).toEqual([]);
});
