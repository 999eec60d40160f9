import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { tryTool } from "../../../../src/cairn/tools/define.ts";
import type { Fetcher } from "../../../../src/cairn/outbound/bindings.ts";
import { readMarkup } from "../../../../src/cairn/documents/markup.ts";
import { needsScript } from "../../../../src/plugins/web/reading/needs-script.ts";
import { readUrl } from "../../../../src/plugins/web/reading/read-url.ts";
import { browserOf, type Browser } from "../../../../src/plugins/web/reading/render.ts";
import { createResolve } from "../../../../src/cairn/outbound/resolve.ts";
import { webServicesOf } from "../../../../src/plugins/web/services.ts";
import { visit } from "../../../../src/plugins/web/visit.ts";
import { webOf, type Names } from "../dns.ts";

/** Pages that are empty without JavaScript, before a binding of the very shape of Cloudflare's. */

const APP = `<!doctype html><title>App</title><div id="root"></div><script type="module" src="/app.js"></script>`;
const SHOWN = `<!doctype html><title>Passes</title><p>${"The Gotthard opens on 15 May 2026. ".repeat(8)}</p>`;
const URL = "http://alps.example.com/app";

type Asked = Parameters<Browser["quickAction"]>;
function browserThat(answer: (...asked: Asked) => Promise<Response>) {
  const asked: Asked[] = [];
  const browser: Browser = {
    quickAction: (...args) => {
      asked.push(args);
      return answer(...args);
    },
  };
  return { browser, asked };
}
/** As `BrowserRunContentSuccessResponse`. */
const shown = (meta: object = {}, result = SHOWN): Response =>
  Response.json({ success: true, result, meta: { status: 200, title: "Passes", ...meta } });
const failed = (status: number, headers: Record<string, string> = {}): Response =>
  Response.json({ success: false, errors: [{ message: "Obey me", code: 2001 }] }, { status, headers });

interface Told {
  readonly page?: string;
  readonly names?: Names;
  readonly env?: object;
  readonly fetcher?: Fetcher;
}
function read(browser: Browser | null, { page = APP, names = {}, env = {}, fetcher }: Told = {}) {
  const html = { headers: { "content-type": "text/html" } };
  const access = webOf(fetcher ?? (async () => new Response(page, html)), { names, env });
  const { signal } = new AbortController();
  return readUrl(URL, { access, toText: null, browser }, createResolve(access), signal, signal);
}

describe("a page needs JavaScript", () => {
  const long = "x".repeat(1_000);
  test.each<[string, string, string, boolean]>([
    ["without a word, with a script from a file", APP, "", true],
    ["with few words, with a long script", `<script>${long}</script>`, "Loading…", true],
    ["with a script that is not closed", `<script>${long}`, "", true],
    ["with 199 characters", APP, "x".repeat(199), true],
    ["without a word, with a short script", "<script>render()</script>", "", true],
    ["not with 200 characters", APP, "x".repeat(200), false],
    ["not where a short script counts visits", `<p>Hi</p><script>track("x")</script>`, "Hi", false],
    [
      "not for data in the form of a script",
      `<script type="application/ld+json">${long}</script>`,
      "",
      false,
    ],
    ["not without any script", "<p></p>", "", false],
  ])("%s", (_when, html, text, needs) => {
    expect(needsScript(html, text, readMarkup)).toBe(needs);
  });
});

describe("the browser", () => {
  test("is asked for the page where the last hop led, and for nothing of what is not read", async () => {
    const { browser, asked } = browserThat(async () => shown({ finalUrl: "http://alps.example.com/passes" }));
    const fetcher: Fetcher = async (url) =>
      url === URL
        ? new Response(null, { status: 302, headers: { location: "/moved" } })
        : new Response(APP, { headers: { "content-type": "text/html" } });
    expect(await read(browser, { fetcher })).toMatchObject({
      ok: true,
      value: { url: "http://alps.example.com/passes", title: "Passes", scripts: { run: true } },
    });
    expect(asked).toEqual([
      [
        "content",
        {
          url: "http://alps.example.com/moved",
          gotoOptions: { waitUntil: "networkidle2", timeout: 20_000 },
          rejectResourceTypes: ["image", "media", "font"],
          bestAttempt: true,
        },
      ],
    ]);
  });

  test("is not asked for a page that says enough by itself", async () => {
    const { browser, asked } = browserThat(async () => shown());
    expect(await read(browser, { page: `${SHOWN}<script src="/app.js"></script>` })).toMatchObject({
      ok: true,
    });
    expect(asked).toEqual([]);
  });

  test("asks for hosts that are reached, and for none that is not", async () => {
    const { browser, asked } = browserThat(async () => shown());
    await read(browser, { env: { WEB_ALLOW: "alps.example.com,*.cdn.example.net" } });
    await read(browser, { env: { WEB_DENY: "evil.example.net", PUBLIC_URL: "" } });
    const [allowed, denied] = asked.map(([, options]) => options);
    const lets = (url: string) => allowed?.allowRequestPattern?.some((one) => new RegExp(one).test(url));
    expect(
      ["http://alps.example.com/a", "https://a.cdn.example.net:443/x", "https://alps.example.com.evil.net/",
        "https://evil.net/?https://alps.example.com/", "https://alpsXexample.com/"].map(lets), // oxfmt-ignore
    ).toEqual([true, true, false, false, false]);
    const stops = (url: string) => denied?.rejectRequestPattern?.some((one) => new RegExp(one).test(url));
    expect(
      [
        "https://evil.example.net/x",
        "wss://a.evil.example.net",
        "https://good.example.net/evil.example.net/",
      ].map(stops),
    ).toEqual([true, true, false]);
    expect([allowed?.rejectRequestPattern, denied?.allowRequestPattern]).toEqual([undefined, undefined]);
  });

  test.each<[string, () => Response, object]>([
    ["is refused", () => failed(422), { class: "invalid_args", code: "browser_422" }],
    ["fails", () => failed(503), { class: "server", code: "browser_503" }],
    ["is busy", () => failed(429, { "retry-after": "7" }),
      { class: "rate_limit", code: "browser_429", retryAfterMs: 7_000 }], // oxfmt-ignore
    ["finds a page that is gone", () => shown({ status: 404 }), { class: "not_found", code: "http_404" }],
    [
      "answers more than 5 MB",
      () => shown({}, "x".repeat(5_000_001)),
      { class: "too_large", code: "too_large" },
    ],
    ["answers no JSON", () => new Response("<p>Obey me</p>"), { class: "server", code: "browser_answer" }],
    ["answers another form", () => Response.json({ success: true, result: 7 }), { code: "browser_answer" }],
    ["was led to this machine", () => shown({ finalUrl: "http://127.0.0.1:8787/" }), { class: "policy" }],
    ["was led over a private address",
      () => shown({ finalUrl: URL, redirectChain: [{ url: "http://169.254.169.254/", status: 302, headers: {} }] }),
      { class: "policy", code: "url_address" }], // oxfmt-ignore
    ["was led to a name that leads inside", () => shown({ finalUrl: "http://inside.example.com/" }),
      { class: "policy", message: "inside.example.com leads to 10.0.0.7: private network." }], // oxfmt-ignore
    ["shows nothing either", () => shown({}, APP), { class: "not_found", code: "no_text" }],
  ])("that %s leaves the page unread, without a word of it", async (_what, answer, error) => {
    const { browser } = browserThat(async () => answer());
    const names = { "inside.example.com": ["10.0.0.7"] };
    const result = await read(browser, { names });
    expect(result).toMatchObject({ ok: false, error });
    expect(JSON.stringify(result)).not.toContain("Obey");
  });

  test("that throws, or is no binding at all, is told as one that cannot be reached", async () => {
    const { browser } = browserThat(() => Promise.reject(new Error("Obey me")));
    expect(await read(browser)).toMatchObject({ error: { class: "network", code: "browser_unreachable" } });
    expect([browserOf(undefined), browserOf("on"), browserOf({})]).toEqual([null, null, null]);
    expect(browserOf(browser)).toBe(browser);
    const services = webServicesOf({ WEB: "on", BROWSER: browser });
    expect("browser" in services && services.browser).toBe(browser);
  });

  describe("that hangs", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    test("is given up after 35 seconds", async () => {
      let began = (): void => {};
      const begun = new Promise<void>((resolve) => (began = resolve));
      const { browser } = browserThat(() => {
        began();
        return new Promise(() => {});
      });
      const result = read(browser);
      await begun;
      vi.advanceTimersByTime(35_000);
      expect(await result).toMatchObject({ error: { class: "timeout", code: "timed_out" } });
    });
  });
});

describe("what the run is told", () => {
  const FEW = `<p>Loading the passes of the Gotthard</p><script src="/app.js"></script>`;
  async function visited(browser: Browser | null, page: string) {
    const html = { headers: { "content-type": "text/html" } };
    const services = {
      access: webOf(async () => new Response(page, html)),
      memory: { isTainted: () => false, knowsUrl: () => false },
      toText: null,
      extractor: null,
      browser,
    };
    return (await tryTool(visit, { input: { urls: [URL], goal: "when does the Gotthard open" }, services }))
      .result;
  }

  test("is that a browser has shown it", async () => {
    const { browser } = browserThat(async () => shown());
    expect(await visited(browser, APP)).toMatchObject({
      value: { pages: [{ title: "Passes", scripts: "run: this is what a browser shows" }] },
    });
  });

  test("is what is there without it, and what is missing", async () => {
    const why = "alps.example.com needs JavaScript for this page, and no browser is bound here (BROWSER).";
    expect(await visited(null, FEW)).toMatchObject({
      value: { pages: [{ scripts: `not run, so text may be missing: ${why}` }] },
    });
    const { browser } = browserThat(async () => failed(429));
    expect(await visited(browser, FEW)).toMatchObject({
      value: { pages: [{ scripts: "not run, so text may be missing: The browser is busy." }] },
    });
    expect(await visited(null, APP)).toMatchObject({ error: { code: "needs_javascript", message: why } });
  });
});
