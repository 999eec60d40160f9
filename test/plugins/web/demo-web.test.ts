import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDemoWeb, variablesOf, type DemoWeb } from "../../../scripts/demo-web/server.ts";
import { accessOf } from "../../../src/cairn/outbound/access.ts";
import { fetcherOf } from "../../../src/cairn/outbound/bindings.ts";
import { safeFetch } from "../../../src/cairn/outbound/safe-fetch.ts";
import { setupOf } from "../../../src/plugins/web/search/settings.ts";

/** The web of `npm start -- --demo-web`, through what ships: the judge of addresses, the search, the reading of pages. */

let web: DemoWeb;
beforeAll(async () => {
  web = await startDemoWeb();
});
afterAll(() => web.close());

const env = (): Record<string, string> => ({ ...variablesOf(web), LOCAL_KEY: "key" });
const signal = new AbortController().signal;
const read = (url: string): ReturnType<typeof safeFetch> => safeFetch(accessOf(env()), { url, signal });
const textOf = async (url: string): Promise<string> => {
  const got = await read(url);
  return got.ok ? new TextDecoder().decode(got.value.bytes) : got.error.code;
};

describe("the corpus", () => {
  test("has at least 300 pages, and is the same every time", async () => {
    const { pages } = web.corpus;
    expect(pages.length).toBeGreaterThanOrEqual(300);
    const again = await startDemoWeb();
    await again.close();
    expect(again.corpus).toEqual(web.corpus);
  });

  test("is of hosts that no public server has", () => {
    const hosts = web.corpus.pages.map(({ url }) => new URL(url).hostname);
    expect(hosts.filter((host) => !host.endsWith(".example"))).toEqual([]);
  });
});

describe("a page", () => {
  test("is read under its own host", async () => {
    expect(await textOf("https://passes.example/pass/farnegg-pass")).toContain(
      "<h1>Farnegg Pass: road office</h1>",
    );
    expect(await textOf("https://huts.example/tariff-2026.pdf")).toMatch(/^%PDF-/);
  });

  test("that has moved is read where it is now, over two hops", async () => {
    const got = await read("http://go.example/farnegg-pass");
    expect(got).toMatchObject({
      ok: true,
      value: { url: "https://passes.example/pass/farnegg-pass", status: 200 },
    });
  });

  test("is answered whatever else is asked of the server", async () => {
    const asked = [
      `${web.url}//`,
      `${web.url}/search?q=%E0%A4%A`,
      `${web.url}/dns-query`,
      `${web.url}/nothing`,
    ];
    const statuses = await Promise.all(asked.map(async (url) => (await fetch(url)).status));
    expect(statuses).toEqual([404, 200, 200, 404]);
    expect((await read("https://passes.example/pass/farnegg-pass")).ok).toBe(true);
  });

  test("that has gone says so", async () => {
    const [first, , , , , , , , ninth] = web.corpus.facts.huts;
    const statusOf = async (slug = ""): Promise<unknown> => {
      const got = await read(`http://old.huts.example/${slug}`);
      return got.ok ? got.value.status : got.error.code;
    };
    expect([await statusOf(first?.slug), await statusOf(ninth?.slug)]).toEqual([404, 404]);
    expect(await statusOf("no-such-hut")).toBe(404);
  });
});

describe("the judge of addresses", () => {
  test.each([
    ["a redirect into this machine", "http://go.example/inside", "url_address"],
    ["redirects without an end", "http://go.example/round/1", "url_redirects"],
    ["this machine", "http://127.0.0.1/", "url_address"],
    ["a name that the demo web does not have", "https://nobody.example/", "unknown_host"],
    ["the web itself, which is not there", "https://example.org/", "unknown_host"],
  ])("refuses %s", async (_what, url, code) => {
    expect(await read(url)).toMatchObject({ ok: false, error: { code } });
  });

  test("sees nothing of the demo web where no key of npm start is, or where it is elsewhere", async () => {
    const asked: string[] = [];
    const fetcher = (url: string): Promise<Response> => {
      asked.push(url);
      return Promise.resolve(new Response(""));
    };
    for (const own of [
      { DEMO_WEB: web.url },
      { DEMO_WEB: "http://10.0.0.1:80", LOCAL_KEY: "key" },
      { LOCAL_KEY: "key" },
    ])
      await fetcherOf({ ...own, fetcher })("https://passes.example/", {});
    await fetcherOf({ DEMO_WEB: web.url, LOCAL_KEY: "key", fetcher })("https://passes.example/a?b=c", {});
    expect(asked).toEqual([...Array<string>(3).fill("https://passes.example/"), `${web.url}/a?b=c`]);
  });
});

test("the search finds by words, names what is new and what is old, and still lists pages that have gone", async () => {
  const set = setupOf(env());
  if (!set.ok) throw new Error(set.why);
  const [searxng] = set.setup.providers;
  const find = async (query: string) =>
    (await searxng?.search({ query, limit: 10 }, { signal, at: 0 }))?.items ?? [];
  const found = await find("When does the Farnegg Pass open?");
  expect(found.map(({ url }) => url)).toEqual(
    expect.arrayContaining([
      "https://passes.example/pass/farnegg-pass",
      "https://valley-news.example/2024/farnegg-pass-opens",
    ]),
  );
  expect(found.find(({ url }) => url.includes("2024"))?.publishedAt).toMatch(/^2024-04-18/);
  const [hut] = web.corpus.facts.huts;
  expect((await find(`price of the ${hut?.name ?? ""}`)).map(({ url }) => url)).toContain(
    `http://old.huts.example/${hut?.slug ?? ""}`,
  );
  expect(await find("When does the Farnegg Pass open?")).toEqual(found);
});
