import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { ToolFailure } from "../../../../src/cairn/core/log/tool.ts";
import { tryTool } from "../../../../src/cairn/tools/define.ts";
import { Registry } from "../../../../src/cairn/tools/registry.ts";
import { PROVIDER_MS } from "../../../../src/cairn/outbound/provider.ts";
import { SearchCache } from "../../../../src/plugins/web/search/run-search.ts";
import { searchPack } from "../../../../src/plugins/web/search/pack.ts";
import { setupOf, type SearchBindings } from "../../../../src/plugins/web/search/settings.ts";
import { webSearch, type SearchServices } from "../../../../src/plugins/web/search/web-search.ts";
import { KEY, startStandIns, type Page, type StandIns } from "../../../fixtures/search/stand-ins.ts";

/** The tool against providers on this machine, in the shapes of their documentation. */

const PAGES: readonly Page[] = [
  {
    url: "https://alps.example/pass?utm_source=x#top",
    title: "The high pass",
    text: "Open in May.",
    date: "2026-05-02",
  },
  { url: "https://alps.example/old", title: "The old pass", text: "Open in June.", date: "2019-06-01" },
  {
    url: "https://www.valley.example/pass/",
    title: "A pass of the valley",
    text: "Closed.",
    date: "2026-04-01",
  },
  { url: "https://undated.example/pass", title: "A pass without a date", text: "Perhaps." },
];

let web: StandIns;
beforeAll(async () => {
  web = await startStandIns(PAGES);
});
afterAll(() => web.close());
beforeEach(() => {
  web.moods.clear();
  web.asked.length = 0;
  web.pages = PAGES;
  web.retryAfter = "120";
});

const env = (...names: readonly string[]): SearchBindings => ({
  ...Object.fromEntries(
    names.flatMap((name) =>
      name === "searxng"
        ? [["SEARXNG_URL", web.at(name)]]
        : [
            [`${name.toUpperCase()}_API_KEY`, KEY],
            [`${name.toUpperCase()}_BASE_URL`, web.at(name)],
          ],
    ),
  ),
  SEARCH_ORDER: names.join(","),
});

function servicesOf(bindings: SearchBindings): SearchServices {
  const read = setupOf(bindings);
  if (!read.ok) throw new Error(read.why);
  return { setup: read.setup, cache: new SearchCache() };
}

interface Output {
  readonly results: readonly { url: string; source: string; published?: string; queries: number[] }[];
  readonly failed?: readonly { query: string; code: string; message: string }[];
  readonly notes?: readonly string[];
  readonly left_out_of_host?: Readonly<Record<string, number>>;
}

interface Searched {
  readonly output: Output;
  readonly spent: number;
  readonly logs: readonly string[];
}

async function search(
  services: SearchServices,
  input: Parameters<typeof tryTool<typeof webSearch.definition.input, SearchServices>>[1]["input"],
): Promise<Searched> {
  const { result, spent, logs } = await tryTool(webSearch, { input, services });
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return { output: result.value as unknown as Output, spent, logs };
}

async function failure(services: SearchServices, queries = ["pass"]): Promise<ToolFailure> {
  const { result } = await tryTool(webSearch, { input: { queries }, services });
  if (result.ok) throw new Error("it did not fail");
  return result.error;
}

const VENDORS = ["exa", "brave", "tavily", "serper", "searxng"] as const;
const urls = ({ results }: Output): string[] => results.map(({ url }) => url);

describe.each(VENDORS)("%s", (vendor) => {
  test("is asked in its own shape, and its answer is read", async () => {
    const { output } = await search(servicesOf(env(vendor)), { queries: ["pass"] });
    expect(urls(output)).toEqual([
      "https://alps.example/pass",
      "https://alps.example/old",
      "https://www.valley.example/pass/",
      "https://undated.example/pass",
    ]);
    expect(output.results[0]).toMatchObject({ source: vendor, published: "2026-05-02", queries: [1] });
    expect(output.results[3]).not.toHaveProperty("published");
    expect(output).not.toHaveProperty("failed");
  });

  test("looks from a day on and in sites alone", async () => {
    const { output } = await search(servicesOf(env(vendor)), {
      queries: ["pass"],
      since: "2026-01-01",
      sites: ["alps.example", "undated.example"],
    });
    // A page without a date may be new; a provider that filters by dates itself may leave it out.
    expect(urls(output).filter((url) => !url.includes("undated"))).toEqual(["https://alps.example/pass"]);
  });

  test("finds nothing, which is no failure", async () => {
    const { output } = await search(servicesOf(env(vendor)), { queries: ["glockenspiel"] });
    expect(output).toEqual({ results: [] });
  });

  test.each([
    [401, vendor === "searxng" ? "provider_refused" : "provider_auth", false],
    [402, vendor === "searxng" ? "provider_quota" : "provider_quota", false],
    [429, "provider_limited", true],
    [500, "provider_failed", true],
    ["html", "provider_answer", true],
    ["other", "provider_answer", true],
  ] as const)(
    "that answers %s is a failure with the code %s, never no results",
    async (mood, code, retryable) => {
      web.moods.set(vendor, mood);
      const failed = await failure(servicesOf(env(vendor)));
      expect(failed).toMatchObject({ code, retryable });
      expect(JSON.stringify(failed)).not.toContain(KEY);
      expect(failed.retryAfterMs).toBe(mood === 429 ? (vendor === "brave" ? 7_000 : 120_000) : undefined);
    },
  );
});

describe("several providers", () => {
  test("are asked in the order of the operator, and the next one only where one fails", async () => {
    const services = servicesOf(env("brave", "exa"));
    await search(services, { queries: ["pass"] });
    expect(web.asked.map((line) => line.split(" ")[0])).toEqual(["brave"]);
    web.moods.set("brave", 429);
    const { output, logs } = await search(services, { queries: ["pass road"] });
    expect(output.results[0]?.source).toBe("exa");
    expect(output.notes).toEqual(["provider_limited: brave has had too many requests (429)."]);
    expect(logs).toHaveLength(1);
  });

  test("where one refuses its key are searched all the same, and it is said", async () => {
    web.moods.set("brave", 401);
    const { output } = await search(servicesOf(env("brave", "tavily")), { queries: ["a pass", "the pass"] });
    expect(output.notes).toEqual(["provider_auth: brave does not accept its key (422)."]);
    // The second question skips the provider, unless both requests left together.
    expect(urls(output).length).toBeGreaterThan(0);
  });

  test("that all fail are one failure, by what may pass, and when the first of them may be asked", async () => {
    web.moods.set("brave", 401).set("exa", 429).set("tavily", 429);
    web.retryAfter = "90";
    expect(await failure(servicesOf(env("brave", "exa", "tavily")))).toMatchObject({
      class: "rate_limit",
      code: "provider_limited",
      retryable: true,
      retryAfterMs: 90_000,
      message:
        "brave does not accept its key (422). exa has had too many requests (429). tavily has had too many requests (429).",
    });
  });

  test("that refuse one of several questions leave the others' results, and it is named", async () => {
    const services = servicesOf(env("brave"));
    await search(services, { queries: ["pass"] });
    web.moods.set("brave", 500);
    const { output } = await search(services, { queries: ["pass", "glacier"] });
    expect(urls(output)).toHaveLength(4);
    expect(output.failed).toEqual([
      { query: "glacier", code: "provider_failed", message: "brave fails at the moment (500)." },
    ]);
  });
});

describe("results", () => {
  test("of two questions are one list: a page once, the best of each first", async () => {
    const { output } = await search(servicesOf(env("exa")), { queries: ["old pass", "pass"] });
    expect(output.results.map(({ url, queries }) => [url, queries])[0]).toEqual([
      "https://alps.example/pass",
      [1, 2],
    ]);
    expect(new Set(urls(output)).size).toBe(urls(output).length);
  });

  test("of one host, 200 of them, do not crowd out the others, and what was left out is said", async () => {
    const many = Array.from({ length: 200 }, (_, index) => ({
      url: `https://farm.example/${index}`,
      title: `Pass ${index}`,
      text: "pass",
    }));
    web.pages = [...many, ...PAGES];
    const { output } = await search(servicesOf(env("searxng")), { queries: ["pass"], max_results: 10 });
    expect(urls(output).filter((url) => url.includes("farm."))).toHaveLength(4);
    expect(output.left_out_of_host).toEqual({ "farm.example": 6 });
    const there = { queries: ["pass"], max_results: 10, sites: ["farm.example"] };
    expect(urls((await search(servicesOf(env("searxng")), there)).output)).toHaveLength(10);
  });

  test("are given again for an hour without asking anybody, or paying", async () => {
    const services = servicesOf(env("exa"));
    const first = await search(services, { queries: ["pass"] });
    const again = await search(services, { queries: ["pass", "glacier"] });
    expect([first.spent, again.spent]).toEqual([0.007, 0.007]);
    expect(web.asked).toHaveLength(2);
  });

  test("that are no addresses of the web are none", async () => {
    web.pages = ["javascript:alert(1)", "https://me:pw@bank.example/pass", "ftp://files.example/pass"].map(
      (url) => ({ url, title: "pass", text: "pass" }),
    );
    expect((await search(servicesOf(env("exa")), { queries: ["pass"] })).output.results).toEqual([]);
  });
});

describe("what is asked", () => {
  test.each([
    [{ queries: [] }],
    [{ queries: ["a", "b", "c", "d", "e", "f"] }],
    [{ queries: ["x".repeat(401)] }],
    [{ queries: ["a"], max_results: 11 }],
    [{ queries: ["a"], since: "yesterday" }],
    [{ queries: ["a"], sites: ["https://example.com/x"] }],
    [{ queries: ["a"], provider: "exa" }],
  ])("is refused where it does not fit: %j", async (input) => {
    const { result } = await tryTool(webSearch, { input: input as never, services: servicesOf(env("exa")) });
    expect(result).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(web.asked).toEqual([]);
  });

  test("leaves four at a time, each for ten seconds", async () => {
    vi.useFakeTimers();
    try {
      const asked: string[] = [];
      const fetcher: SearchBindings["fetcher"] = (_url, { signal, body }) =>
        new Promise((_resolve, reject) => {
          asked.push(String(body));
          signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
        });
      const services = servicesOf({ EXA_API_KEY: KEY, fetcher });
      const failing = failure(services, ["a", "b", "c", "d", "e"]);
      await vi.advanceTimersByTimeAsync(PROVIDER_MS - 1);
      expect(asked).toHaveLength(4);
      await vi.advanceTimersByTimeAsync(1);
      // A silent provider does not get the fifth question.
      expect(await failing).toMatchObject({ class: "timeout", code: "provider_timeout", retryable: true });
      expect(asked).toHaveLength(4);
    } finally {
      vi.useRealTimers();
    }
  });

  test("costs at most what all providers ask for it", () => {
    const { costUsd } = webSearch.definition;
    const services = servicesOf({ ...env("exa", "searxng"), SEARCH_PRICES: '{"exa":0.007}' });
    expect(costUsd?.({ queries: ["a", "b"] }, services)).toBeCloseTo(0.014);
    expect(costUsd?.({ queries: ["a"] }, servicesOf(env("brave")))).toBeCloseTo(0.01);
  });
});

describe("the setup", () => {
  const offered = (bindings: SearchBindings): readonly unknown[] => {
    const registry = new Registry("s", () => 0).add(searchPack, bindings);
    return [registry.cards().map((card) => card.name), registry.notOffered(), registry.problems()];
  };

  test("without a provider offers no search, and that is no fault", () => {
    const [cards, notOffered, problems] = offered({});
    expect([cards, problems]).toEqual([[], []]);
    expect(notOffered).toMatchObject([{ tool: "web_search" }]);
  });

  test.each([
    [{ SEARCH_ORDER: "exa" }, "No search provider is set"],
    [{ EXA_API_KEY: "k", SEARCH_ORDER: "exa, bing" }, "SEARCH_ORDER must be"],
    [{ EXA_API_KEY: "k", SEARCH_ORDER: "brave" }, "SEARCH_ORDER names brave, which is not set up"],
    [{ EXA_API_KEY: "k", EXA_BASE_URL: "nowhere" }, "EXA_BASE_URL is no URL"],
    [{ EXA_API_KEY: "k", SEARCH_PRICES: '{"exa":"much"}' }, "SEARCH_PRICES must be"],
    [{ CLOUDFLARE_SEARCH: "bing", AI: {} }, "CLOUDFLARE_SEARCH must be"],
    [{ CLOUDFLARE_SEARCH: "on" }, "needs the binding AI"],
  ])("that cannot be read offers none, and says why: %j", (bindings, why) => {
    const [cards, , problems] = offered(bindings);
    expect([cards, JSON.stringify(problems)]).toEqual([[], expect.stringContaining(why)]);
  });
});

describe("Cloudflare's search on the binding AI", () => {
  const answers = (response: () => Response): { readonly asked: unknown[]; readonly AI: object } => {
    const asked: unknown[] = [];
    return {
      asked,
      AI: {
        websearch: (request: { query: string; limit: number; gatewayId: string; provider?: string }) => {
          asked.push(request);
          const known = ["gatewayId", "query", "limit", "provider", "byokAlias"];
          const fits = request.query.length <= 1_024 && request.limit >= 1 && request.limit <= 10;
          if (!fits || Object.keys(request).some((name) => !known.includes(name)))
            return Promise.resolve(
              Response.json({ success: false, errors: [{ code: 7000 }] }, { status: 400 }),
            );
          return Promise.resolve(response());
        },
      },
    };
  };

  test("is asked by the gateway and the engine of the operator", async () => {
    const items = [{ url: "https://a.example/", title: "A", lastModifiedDate: "2026-05-02T10:00:00Z" }];
    const { AI, asked } = answers(() => Response.json({ items, metadata: { query: "a", requestId: "r" } }));
    const services = servicesOf({ AI, CLOUDFLARE_SEARCH: "linkup", AI_GATEWAY_ID: "mine" });
    const { output } = await search(services, { queries: ["a"], max_results: 3 });
    expect(output.results).toMatchObject([{ url: "https://a.example/", published: "2026-05-02" }]);
    expect(asked).toEqual([{ gatewayId: "mine", query: "a", limit: 3, provider: "linkup" }]);
  });

  test("without credits says that it has to be paid for, and without the method that the runtime has none", async () => {
    const error = { category: "billing", code: "web_search_payment_required", status: 402, retryable: false };
    const { AI } = answers(() => Response.json({ ok: false, error }, { status: 402 }));
    const on = { CLOUDFLARE_SEARCH: "on" };
    expect(await failure(servicesOf({ AI, ...on }))).toMatchObject({ code: "provider_quota", class: "auth" });
    expect(await failure(servicesOf({ AI: {}, ...on }))).toMatchObject({
      code: "provider_refused",
      message: expect.stringContaining("no web search on the binding AI"),
    });
  });
});
