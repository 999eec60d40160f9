import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { SEED_FILES } from "../../../scripts/seed/manifest.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { NOW, openSite } from "./fixture.ts";

const { fetch } = openSite();
const { ridge, logo } = SEED_FILES;
const original = `/media/${ridge.sha256}/${ridge.filename}`;

beforeAll(() => ensureSeeded(env, NOW));

describe("an image", () => {
  test("is its bytes, typed by its row", async () => {
    const response = await fetch(original);
    expect((await response.bytes()).length).toBe(ridge.byteSize);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      "accept-ranges": "bytes",
      "cache-control": "public, max-age=86400",
      "content-length": String(ridge.byteSize),
      "content-type": "image/png",
      etag: expect.stringMatching(/^"[0-9a-f]+"$/),
      "last-modified": expect.any(String),
      "x-content-type-options": "nosniff",
    });
  });

  test("comes in its smaller renditions", async () => {
    for (const { width, format, byteSize } of ridge.variants) {
      const response = await fetch(`/media/${ridge.sha256}/w${width}.${format}`);
      expect([response.headers.get("content-type"), (await response.bytes()).length]).toEqual([
        "image/png",
        byteSize,
      ]);
    }
    expect((await fetch(`/media/${ridge.sha256}/w1600.png`)).status).toBe(404);
  });

  test("runs nothing when it is a drawing", async () => {
    const { headers } = await fetch(`/media/${logo.sha256}/${logo.filename}`);
    expect([headers.get("content-type"), headers.get("content-security-policy")]).toEqual([
      "image/svg+xml",
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    ]);
  });

  test("is sent once to who keeps it", async () => {
    const etag = (await fetch(original)).headers.get("etag") ?? "";
    const again = await fetch(original, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await fetch(original, { headers: { "if-match": '"other"' } })).status).toBe(412);
  });

  test("is sent in parts", async () => {
    const bytes = await (await fetch(original)).bytes();
    const part = async (range: string, more = {}) => {
      const response = await fetch(original, { headers: { range, ...more } });
      const body = await response.bytes();
      return { status: response.status, range: response.headers.get("content-range"), body };
    };
    const size = ridge.byteSize;
    expect(await part("bytes=0-9")).toEqual({
      status: 206,
      range: `bytes 0-9/${size}`,
      body: bytes.slice(0, 10),
    });
    expect(await part(`bytes=${size - 5}-`)).toEqual({
      status: 206,
      range: `bytes ${size - 5}-${size - 1}/${size}`,
      body: bytes.slice(-5),
    });
    expect(await part("bytes=-3")).toEqual({
      status: 206,
      range: `bytes ${size - 3}-${size - 1}/${size}`,
      body: bytes.slice(-3),
    });
    expect((await part(`bytes=10-${size * 2}`)).range).toBe(`bytes 10-${size - 1}/${size}`);
    expect(await part(`bytes=${size}-`)).toEqual({
      status: 416,
      range: `bytes */${size}`,
      body: new Uint8Array(),
    });
    for (const odd of ["bytes=5-2", "bytes=-0", "bytes=0-1,4-5", "lines=1-2"])
      expect((await part(odd)).status, odd).toBe(200);
    expect((await part("bytes=0-9", { "if-range": '"other"' })).status).toBe(200);
  });

  test("answers HEAD with its length", async () => {
    const head = await fetch(original, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      String(ridge.byteSize),
      "",
    ]);
  });

  test("is gone at once when it is deleted, and was never there under other names", async () => {
    const others = [
      `/media/${ridge.sha256}/other.png`,
      `/media/${ridge.sha256}/`,
      `/media/${ridge.sha256}`,
      `/media/${"0".repeat(64)}/ridge.png`,
      "/media/x/ridge.png",
      `/media/${ridge.sha256}/%E0%A4%A`,
      `/media/${ridge.sha256}/a/${ridge.filename}`,
    ];
    const statuses = await Promise.all(others.map(async (path) => (await fetch(path)).status));
    expect(statuses).toEqual(others.map(() => 404));
    await env.DB.prepare("UPDATE images SET deleted_at=1 WHERE id='im_ridge'").run();
    expect((await fetch(original)).status).toBe(404);
    expect((await fetch(`/media/${ridge.sha256}/w480.png`)).status).toBe(404);
    await env.DB.prepare("UPDATE images SET deleted_at=NULL WHERE id='im_ridge'").run();
  });

  test("is 404 without a bucket, and says what is missing", async () => {
    const site = openSite({}, { MEDIA: undefined as never });
    const answer = await site.fetch(original);
    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.stringContaining("bind a bucket as MEDIA"),
    ]);
    expect((await site.fetch("/site/")).status).toBe(200);
  });
});

describe("generated files", () => {
  const textOf = async (path: string): Promise<string> => (await fetch(path)).text();

  test("the sitemap lists what may be indexed, with its languages", async () => {
    const xml = await textOf("/site/sitemap.xml");
    const listed = [...xml.matchAll(/<loc>https:\/\/walks\.example([^<]+)<\/loc>/g)].map((one) => one[1]);
    expect(listed).toEqual([
      "/site/",
      "/site/de/",
      "/site/about",
      "/site/blog/",
      "/site/blog/packing-light",
      "/site/blog/reading-the-weather",
      "/site/contact",
    ]);
    expect(xml).toContain(
      '<xhtml:link rel="alternate" hreflang="de" href="https://walks.example/site/de/"/>',
    );
    expect(xml.match(/hreflang="x-default"/g)?.length).toBe(2);
    expect(xml).toContain("<lastmod>2026-11-");
    await env.DB.prepare("UPDATE pages SET indexing=0 WHERE id='pg_about'").run();
    expect(await textOf("/site/sitemap.xml")).not.toContain("/site/about");
    await env.DB.prepare("UPDATE pages SET indexing=1 WHERE id='pg_about'").run();
  });

  test("the feed has the public entries, newest first", async () => {
    const response = await fetch("/site/feed.xml");
    const xml = await response.text();
    expect(response.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
    expect([...xml.matchAll(/<title>([^<]*)<\/title>/g)].map((one) => one[1])).toEqual([
      "Fern &amp; Fell",
      "Packing light",
      "Reading the weather",
    ]);
  });

  test("robots are sent away, until the site knows its address", async () => {
    const away = "User-agent: *\nDisallow: /\n";
    expect([await textOf("/robots.txt"), await textOf("/site/robots.txt")]).toEqual([away, away]);
    await env.DB.prepare("UPDATE sites SET base_url='https://fern.example/'").run();
    expect(await textOf("/robots.txt")).toBe(
      "User-agent: *\nDisallow: /api/\n\nSitemap: https://fern.example/site/sitemap.xml\n",
    );
    expect(await textOf("/site/sitemap.xml")).toContain("<loc>https://fern.example/site/about</loc>");
    await env.DB.prepare("UPDATE sites SET default_env_id='env_other'").run();
    expect(await textOf("/robots.txt")).toBe(away);
  });

  test("the accent of the settings is served only if it is a colour", async () => {
    expect(await textOf("/site/assets/theme.css")).toContain("#2f6b4f");
    await env.DB.prepare(`UPDATE settings SET value='{"accent":"red;}"}' WHERE key='theme'`).run();
    expect(await textOf("/site/assets/theme.css")).toContain("#000000");
  });
});
