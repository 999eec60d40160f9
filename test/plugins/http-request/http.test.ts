import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { tryTool } from "../../../src/cairn/tools/define.ts";
import { httpGet } from "../../../src/plugins/http-request/http-get.ts";
import { httpRequest } from "../../../src/plugins/http-request/http-request.ts";
import { httpPack, type HttpBindings } from "../../../src/plugins/http-request/pack.ts";
import type { HttpServices } from "../../../src/cairn/tools/requests/request.ts";
import { secretsOf } from "../../../src/cairn/config/secrets.ts";
import { startWeb, type LocalWeb } from "../web/local-web.ts";

/** Requests to APIs on this machine, judged as those to the world are. */

const VALUE = "sk-very-secret-0123456789";
const SECRETS = JSON.stringify({ TOKEN: { value: VALUE, hosts: ["api.example.com"] } });
const ENV = { HTTP: "on", HTTP_READS: "api.example.com,*.open.example", HTTP_SECRETS: SECRETS };

let web: LocalWeb;
/** what each request carried, as `host authorization` */
const carried: string[] = [];
beforeAll(async () => {
  web = await startWeb((request, response) => {
    carried.push(`${request.host} ${request.headers.authorization ?? "-"}`);
    const moved: Record<string, string> = {
      "/away": "https://elsewhere.example/x",
      "/plain": "http://api.example.com/x",
      "/metadata": "http://169.254.169.254/latest",
    };
    const to = moved[request.path];
    if (to !== undefined) return void response.writeHead(302, { location: to }).end();
    if (request.path === "/busy") return void response.writeHead(429, { "retry-after": "60" }).end();
    if (request.path === "/large") return void response.end("x".repeat(40_000));
    if (request.path === "/huge") return void response.end("x".repeat(1_100_000));
    response.setHeader("content-type", request.path === "/image" ? "image/png" : "application/json");
    response.statusCode = request.path === "/missing" ? 404 : 200;
    response.end(JSON.stringify({ path: request.path, method: request.method }));
  });
});
afterAll(() => web.close());
beforeEach(() => {
  carried.length = 0;
  web.asked.length = 0;
});

function servicesOf(env: HttpBindings = ENV): HttpServices {
  const dns = { WEB_DNS_URL: "https://dns.example.net/dns-query" };
  const services = httpPack.services({ ...dns, ...env, fetcher: web.fetcher });
  if ("unavailable" in services) throw new Error(services.unavailable);
  return services;
}

const get = (url: string, more: Record<string, unknown> = {}): ReturnType<typeof tryTool> =>
  tryTool(httpGet, { input: { url, ...more }, services: servicesOf() });
const auth = { headers: { authorization: "Bearer secret:TOKEN" } };

describe.each([
  ["http_get", (url: string, services: HttpServices) => tryTool(httpGet, { input: { url }, services })],
  [
    "http_request",
    (url: string, services: HttpServices) =>
      tryTool(httpRequest, { input: { url, method: "POST" }, services }),
  ],
])("%s is refused before anybody is asked", (_, tried) => {
  test.each([
    ["an address of this machine", "http://127.0.0.1:80/", "url_address"],
    ["the same in another spelling", "http://0x7f.1/", "url_address"],
    ["a metadata service", "http://169.254.169.254/latest/meta-data", "url_address"],
    ["IPv6 of this machine", "http://[::1]/", "url_address"],
    ["a name of the local network", "https://printer.local/", "url_host"],
    ["another port", "https://api.example.com:8443/", "url_port"],
    ["a password in the address", "https://ada:secret@api.example.com/", "url_credentials"],
    ["this deployment itself", "https://cairn.example.com/api", "url_own_host"],
    ["a denied host", "https://x.denied.example/", "url_denied"],
  ])("for %s", async (_name, url, code) => {
    const env = { ...ENV, PUBLIC_URL: "https://cairn.example.com", WEB_DENY: "denied.example" };
    const { preview, result } = await tried(url, servicesOf(env));
    expect([preview, result]).toEqual([
      null,
      { ok: false, error: expect.objectContaining({ class: "policy", code, at: "url" }) as unknown },
    ]);
    expect(web.asked).toEqual([]);
  });
});

describe("http_get", () => {
  test.each([
    ["https://api.example.com/a", "none"],
    ["https://x.open.example/a", "none"],
    ["https://open.example/a", "ask"],
    ["https://evilopen.example/a", "ask"],
    ["https://api.example.com.evil.example/a", "ask"],
  ])("of %s: a person is asked: %s", async (url, kind) => {
    const { preview, result } = await get(url);
    expect(preview?.need.kind).toBe(kind);
    expect(result).toMatchObject({ ok: true, value: { status: 200, body: expect.stringContaining("/a") } });
  });

  test("tells any status, as an answer", async () => {
    expect(await get("https://api.example.com/missing")).toMatchObject({
      result: { ok: true, value: { status: 404 } },
    });
  });

  test("that is asked for patience fails with the time, so that it is tried again then", async () => {
    expect(await get("https://api.example.com/busy")).toMatchObject({
      result: { ok: false, error: { class: "rate_limit", code: "http_429", retryAfterMs: 60_000 } },
    });
  });

  test("cuts what is long, and says so; refuses what is huge; shows no bytes", async () => {
    const large = (await get("https://api.example.com/large")).result;
    expect(large).toMatchObject({ value: { note: "Cut after 32000 of 40000 characters." } });
    expect(await get("https://api.example.com/huge")).toMatchObject({
      result: { ok: false, error: { code: "too_large" } },
    });
    expect(await get("https://api.example.com/image")).toMatchObject({
      result: { value: { body: null, note: expect.stringContaining("image/png") } },
    });
  });

  test("goes nowhere that the judge refuses, at once or by a redirect", async () => {
    for (const url of [
      "https://127.0.0.1/",
      "https://metadata.internal/",
      "https://api.example.com/metadata",
    ])
      expect(await get(url)).toMatchObject({ result: { ok: false, error: { class: "policy" } } });
    expect(web.asked).toEqual(["GET api.example.com/metadata"]);
  });
});

describe("a secret", () => {
  test("is put in as the request leaves, and stands nowhere else", async () => {
    const tried = await get("https://api.example.com/a", auth);
    expect(carried).toEqual([`api.example.com Bearer ${VALUE}`]);
    expect(JSON.stringify(tried)).not.toContain(VALUE);
    expect(tried.preview?.impact).toEqual(["authorization: Bearer secret:TOKEN"]);
  });

  test.each([
    ["another host", "https://api.example.org/a", auth.headers],
    ["a host below its own", "https://x.api.example.com/a", auth.headers],
    ["an address without https", "http://api.example.com/a", auth.headers],
    ["a name that there is not", "https://api.example.com/a", { authorization: "secret:OTHER" }],
    ["a name of every object", "https://api.example.com/a", { authorization: "secret:CONSTRUCTOR" }],
    ["the address", "https://api.example.com/a?key=secret:TOKEN", {}],
  ])("is refused for %s, before anything leaves", async (_what, url, headers) => {
    const { preview, result } = await get(url, { headers });
    expect([preview, result]).toMatchObject([null, { error: { class: "policy", code: "secret_refused" } }]);
    expect(carried).toEqual([]);
  });

  test.each([
    ["elsewhere", "/away", ["elsewhere.example -"]],
    ["out of https", "/plain", ["api.example.com -"]],
  ])("does not go along with a redirect %s", async (_where, path, last) => {
    await get(`https://api.example.com${path}`, auth);
    expect(carried).toEqual([`api.example.com Bearer ${VALUE}`, ...last]);
  });

  test("is among those that are scrubbed from everything that is stored", () => {
    expect(secretsOf(ENV)).toContainEqual({ name: "HTTP_SECRETS", value: VALUE });
  });
});

describe("http_request", () => {
  const input = { url: "https://api.example.com/orders", method: "POST", body: '{"n":1}', ...auth } as const;

  test("asks a person each time, shows all of it, and is sent once", async () => {
    const { preview, result } = await tryTool(httpRequest, { input, services: servicesOf() });
    expect(preview).toMatchObject({
      need: { kind: "ask" },
      title: "Send POST to api.example.com",
      impact: ["authorization: Bearer secret:TOKEN", '{"n":1}'],
    });
    expect(result).toMatchObject({ ok: true, value: { status: 200 } });
    expect([web.asked, carried]).toEqual([
      ["POST api.example.com/orders"],
      [`api.example.com Bearer ${VALUE}`],
    ]);
    expect([httpRequest.definition.effect, httpGet.definition.effect]).toEqual(["once", "read"]);
  });

  test("follows no redirect, and tells where it would lead", async () => {
    const moved = { ...input, url: "https://api.example.com/away" };
    const { result } = await tryTool(httpRequest, { input: moved, services: servicesOf() });
    expect(result).toMatchObject({
      value: { status: 302, headers: { location: "https://elsewhere.example/x" } } as unknown as Json,
    });
    expect(carried).toHaveLength(1);
  });

  test.each([
    [{ ...input, method: "GET" }],
    [{ ...input, url: "file:///etc/passwd" }],
    [{ ...input, headers: { Host: "internal" } }],
    [{ ...input, headers: { cookie: "a=b" } }],
    [{ ...input, headers: { "x-a": "a\r\nb: c" } }],
  ])("takes nothing that does not fit: %j", async (wrong) => {
    const { result } = await tryTool(httpRequest, { input: wrong as never, services: servicesOf() });
    expect(result).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(carried).toEqual([]);
  });
});

test.each([
  [{}, "off here", false],
  [{ HTTP: "on", HTTP_SECRETS: '{"T":{"value":"short","hosts":[]}}' }, "HTTP_SECRETS must be", undefined],
  [{ HTTP: "on", HTTP_READS: "https://x" }, "HTTP_READS names", undefined],
])("a setup of %j is not offered, and says why", (env, why, wanted) => {
  expect(httpPack.services(env)).toEqual({
    unavailable: expect.stringContaining(why),
    ...(wanted === undefined ? {} : { wanted }),
  });
});
