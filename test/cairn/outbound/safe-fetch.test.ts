import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { accessOf } from "../../../src/cairn/outbound/access.ts";
import type { Fetcher } from "../../../src/cairn/outbound/bindings.ts";
import {
  FETCH_MS,
  retryAfterOf,
  safeFetch,
  statusFault,
  type SafeRequest,
} from "../../../src/cairn/outbound/safe-fetch.ts";
import type { Names } from "../../plugins/web/dns.ts";
import { startWeb, type LocalWeb } from "../../plugins/web/local-web.ts";

let web: LocalWeb | null = null;
afterEach(async () => {
  await web?.close();
  web = null;
});

type Answer = Parameters<typeof startWeb>[0];
async function open(answer: Answer, names: Names = {}, env: object = {}): Promise<LocalWeb> {
  web = await startWeb(answer, { names, env });
  return web;
}
const get = (from: LocalWeb, url: string, more: Partial<SafeRequest> = {}) =>
  safeFetch(from.access, { url, signal: new AbortController().signal, ...more });
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe("a page", () => {
  test("comes with its type, after its name was looked up in both families", async () => {
    const from = await open((_request, response) => {
      response.setHeader("content-type", 'Text/HTML; charset="ISO-8859-1"');
      response.end("<p>hello</p>");
    });
    const got = await get(from, "http://news.example.com/a#part");
    expect(got).toMatchObject({
      ok: true,
      value: { url: "http://news.example.com/a", status: 200, type: "text/html", charset: "iso-8859-1" },
    });
    expect(got.ok && textOf(got.value.bytes)).toBe("<p>hello</p>");
    expect(from.looked).toEqual(["news.example.com A", "news.example.com AAAA"]);
    expect(from.headers()).not.toHaveProperty("cookie");
    expect(from.headers()).not.toHaveProperty("authorization");
  });

  test("is followed through redirects, each of which is judged and looked up", async () => {
    const from = await open((request, response) => {
      if (request.host === "a.example.com") response.writeHead(302, { location: "//b.example.org/next" });
      response.end("there");
    });
    const got = await get(from, "http://a.example.com/", { headers: { authorization: "Bearer mine" } });
    expect(got).toMatchObject({ ok: true, value: { url: "http://b.example.org/next" } });
    expect(from.asked).toEqual(["GET a.example.com/", "GET b.example.org/next"]);
    expect(from.looked).toContain("b.example.org AAAA");
    // Credentials for one host do not go to another.
    expect(from.headers()).not.toHaveProperty("authorization");
  });

  test("redirects five times, and not six", async () => {
    const from = await open((request, response) => {
      const n = Number(request.path.slice(1));
      if (n > 0) response.writeHead(301, { location: `/${n - 1}` });
      response.end(`at ${n}`);
    });
    expect(await get(from, "http://a.example.com/5")).toMatchObject({ ok: true });
    expect(await get(from, "http://a.example.com/6")).toMatchObject({
      ok: false,
      error: { code: "url_redirects" },
    });
  });

  test("redirects less often, and by https alone, where its caller says so", async () => {
    const from = await open((request, response) => {
      const n = Number(request.path.slice(1));
      if (n > 0) response.writeHead(301, { location: n === 9 ? "http://a.example.com/0" : `/${n - 1}` });
      response.end();
    });
    const strict = { redirectsMax: 3, httpsOnly: true };
    expect(await get(from, "https://a.example.com/3", strict)).toMatchObject({ ok: true });
    for (const [url, code, requests] of [
      ["https://a.example.com/4", "url_redirects", 4],
      ["https://a.example.com/9", "url_scheme", 1],
      ["http://a.example.com/0", "url_scheme", 0],
    ] as const) {
      from.asked.length = 0;
      expect(await get(from, url, strict)).toMatchObject({ ok: false, error: { code } });
      expect(from.asked).toHaveLength(requests);
    }
  });

  test("that redirects to a metadata address is not followed there", async () => {
    const from = await open((_request, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" });
      response.end();
    });
    const got = await get(from, "http://a.example.com/");
    expect(got).toMatchObject({ ok: false, error: { class: "policy", code: "url_address" } });
    expect(from.asked).toEqual(["GET a.example.com/"]);
  });

  test("may be an error, which is asked for again once where it may pass", async () => {
    const from = await open((request, response) => {
      response.writeHead(request.path === "/gone" ? 404 : 503, { "retry-after": "7" });
      response.end("no");
    });
    expect(await get(from, "http://a.example.com/gone")).toMatchObject({ ok: true, value: { status: 404 } });
    expect(from.asked).toHaveLength(1);
    const busy = await get(from, "http://a.example.com/busy");
    expect(from.asked).toHaveLength(3);
    expect(busy.ok && statusFault(busy.value)).toEqual({
      class: "server",
      code: "http_503",
      message: "a.example.com answered 503.",
      retryAfterMs: 7_000,
    });
  });
});

describe("what is refused", () => {
  test("is a name of which one address is not public, before anything is requested", async () => {
    const from = await open((_request, response) => response.end("secret"), {
      "rebind.example.com": ["93.184.215.14", "10.0.0.7"],
      "six.example.com": ["fd00::1"],
    });
    for (const host of ["rebind.example.com", "six.example.com"])
      expect(await get(from, `http://${host}/`)).toMatchObject({
        ok: false,
        error: { class: "policy", code: "url_address", message: expect.stringContaining(host) as string },
      });
    expect(from.asked).toEqual([]);
  });

  test("is a name that nobody knows, and every name when the resolver says nothing that can be read", async () => {
    const from = await open((_request, response) => response.end(), { "gone.example.com": null });
    expect(await get(from, "http://gone.example.com/")).toMatchObject({
      ok: false,
      error: { code: "unknown_host" },
    });
    for (const answer of [() => new Response("<html>"), () => new Response("", { status: 500 })]) {
      let lookups = 0;
      const fetcher = async (url: string): Promise<Response> => {
        if (!url.includes("dns-query")) throw new Error("requested without a look-up");
        lookups++;
        return answer();
      };
      const got = await safeFetch(accessOf({ fetcher }), {
        url: "http://a.example.com/",
        signal: new AbortController().signal,
      });
      expect(got).toMatchObject({ ok: false, error: { class: "network", code: "dns_unavailable" } });
      expect(lookups).toBe(4);
    }
  });

  test("is this deployment itself, what is denied, and what is not allowed where a list says so", async () => {
    const from = await open(
      (_request, response) => response.end(),
      {},
      {
        PUBLIC_URL: "https://cairn.example.org",
        WEB_DENY: "bad.example.net, *.worse.example.net",
        WEB_ALLOW: ["*.example.net", "cairn.example.org"],
      },
    );
    const codes = await Promise.all(
      [
        "https://cairn.example.org/api",
        "http://x.bad.example.net/",
        "http://worse.example.net/",
        "http://a.example.com/",
      ].map(async (url) => {
        const got = await get(from, url);
        return got.ok ? "passed" : got.error.code;
      }),
    );
    expect(codes).toEqual(["url_own_host", "url_denied", "url_denied", "url_not_allowed"]);
    expect(await get(from, "http://fine.example.net/")).toMatchObject({ ok: true });
  });

  test("is a body above the limit, counted after its compression", async () => {
    const bomb = gzipSync(Buffer.alloc(6_000_000, "a"));
    expect(bomb.length).toBeLessThan(10_000);
    const from = await open((request, response) => {
      response.setHeader("content-type", "text/plain");
      if (request.path === "/bomb") response.setHeader("content-encoding", "gzip");
      response.end(request.path === "/bomb" ? bomb : "a".repeat(5_000_001));
    });
    for (const path of ["bomb", "long"])
      expect(await get(from, `http://a.example.com/${path}`)).toMatchObject({
        ok: false,
        error: { class: "too_large", message: "a.example.com answered more than 5,000,000 bytes." },
      });
    expect(from.asked).toHaveLength(2);
  });

  test("is a content type that is not wanted", async () => {
    const from = await open((_request, response) => {
      response.setHeader("content-type", "image/png");
      response.end("png");
    });
    expect(await get(from, "http://a.example.com/", { types: ["text/"] })).toMatchObject({
      ok: false,
      error: { code: "unsupported_type", message: "a.example.com answered image/png, which is not read." },
    });
  });
});

describe("a page that does not come", () => {
  test("costs two requests where the connection breaks", async () => {
    const from = await open((_request, response) => response.destroy());
    expect(await get(from, "http://a.example.com/broken")).toMatchObject({
      ok: false,
      error: { code: "unreachable" },
    });
    expect(from.asked).toHaveLength(2);
  });

  test("costs two requests where nobody answers, of 20 seconds each", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let asked = 0;
      const fetcher: Fetcher = (_url, { signal }) => {
        asked++;
        return new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(new Error("aborted")));
        });
      };
      const { signal } = new AbortController();
      // An address, so no name is looked up.
      const got = safeFetch(accessOf({ fetcher }), { url: "http://93.184.215.14/", signal });
      await vi.advanceTimersByTimeAsync(FETCH_MS - 1);
      expect(asked).toBe(1);
      await vi.advanceTimersByTimeAsync(1 + FETCH_MS);
      expect(asked).toBe(2);
      expect(await got).toMatchObject({ ok: false, error: { class: "timeout", code: "timed_out" } });
    } finally {
      vi.useRealTimers();
    }
  });

  test("is given up at once when its caller stops", async () => {
    const stop = new AbortController();
    const from = await open(() => stop.abort());
    await expect(get(from, "http://a.example.com/", { signal: stop.signal })).rejects.toThrow("aborted");
    expect(from.asked).toHaveLength(1);
  });

  test("is not asked for twice where asking is no read", async () => {
    const from = await open((_request, response) => response.destroy());
    const got = await get(from, "http://a.example.com/", { method: "POST", body: "x" });
    expect(got).toMatchObject({ ok: false, error: { code: "unreachable" } });
    expect(from.asked).toEqual(["POST a.example.com/"]);
  });
});

test("Retry-After is read in seconds, and nothing else", () => {
  expect([
    retryAfterOf("120"),
    retryAfterOf("Wed, 21 Oct 2026 07:28:00 GMT"),
    retryAfterOf("-1"),
    retryAfterOf(null),
  ]).toEqual([120_000, null, null, null]);
});
