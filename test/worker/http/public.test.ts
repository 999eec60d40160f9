import { exports } from "cloudflare:workers";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import type { RoutePlugin } from "../../../src/cairn/http/deps.ts";
import type { MintPreviewLink } from "../../../src/plugins/cms/http/preview-link.ts";
import { createOutline } from "../../../src/plugins/cms/renderer/api/outline.ts";
import { NOW, openDoors, verdictOf } from "./routes-fixture.ts";
import { siteRoutes } from "../site/site-routes.ts";

describe("the worker", () => {
  const ask = (url: string) => exports.default.fetch(new Request(url));

  test("is this app with its own environment", async () => {
    const health = await ask("http://localhost/healthz");
    expect([health.status, await health.json()]).toEqual([
      200,
      expect.objectContaining({
        status: "ok",
        service: "cairn",
        model: "rehearsal:",
        auth: "anonymous",
        panels: ["site"],
        problems: [],
      }),
    ]);
    expect((await ask("http://localhost/api/me")).status).toBe(200);
    expect(await verdictOf(await ask("http://example.com/api/me"))).toEqual([401, "unauthenticated"]);
  });
});

describe("the site", () => {
  const site = new Hono<{ Bindings: Env }>();
  site.get("/site/*", (c) => c.html("<h1>Home</h1>", 200, { "cache-control": "public, max-age=60" }));
  site.get("/media/broken", () => {
    throw new Error("R2 is down in bucket cairn-media");
  });

  const publicPages = (shown: Hono<{ Bindings: Env }>): RoutePlugin => ({
    name: "pages",
    routes: ({ pages }) => void pages.route("/", shown),
  });

  test("is public, keeps its own headers and gets those of every answer", async () => {
    const response = await openDoors({}, { plugins: [publicPages(site)] }).call("/site/about", { who: null });
    expect([response.status, await response.text()]).toEqual([200, "<h1>Home</h1>"]);
    expect(Object.fromEntries(response.headers)).toEqual({
      "cache-control": "public, max-age=60",
      "content-type": "text/html; charset=UTF-8",
      "x-content-type-options": "nosniff",
      "x-request-id": "made-id-0001",
    });
  });

  test("fails without details", async () => {
    const doors = openDoors({}, { plugins: [publicPages(site)] });
    const response = await doors.call("/media/broken", { who: null });
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining("R2")]);
    expect(doors.reported.length).toBe(1);
  });

  test("cannot take over a guarded path", async () => {
    const greedy = new Hono<{ Bindings: Env }>();
    greedy.all("*", (c) => c.text("mine"));
    const doors = openDoors({}, { plugins: [publicPages(greedy)] });
    expect(await verdictOf(await doors.call("/api/invented", { who: null }))).toEqual([
      401,
      "unauthenticated",
    ]);
    expect(await verdictOf(await doors.call("/api/invented"))).toEqual([404, "not_found"]);
    expect(await verdictOf(await doors.call("/agents/other/x"))).toEqual([404, "not_found"]);
  });
});

test("a plugin that throws where it adds routes is reported, and all other routes work", async () => {
  const broken: RoutePlugin = {
    name: "broken",
    routes: () => {
      throw new Error("no settings");
    },
  };
  const pages = new Hono<{ Bindings: Env }>().get("/here", (c) => c.text("here"));
  const whole: RoutePlugin = { name: "whole", routes: (places) => void places.pages.route("/", pages) };
  const doors = openDoors({}, { plugins: [broken, whole] });
  expect(doors.reported).toEqual([expect.objectContaining({ message: "no settings" })]);
  expect(await (await doors.call("/here", { who: null })).text()).toBe("here");
  expect((await doors.call("/api/me")).status).toBe(200);
});

describe("preview links", () => {
  const asked: unknown[] = [];
  const previewLink: MintPreviewLink = async (_env, target, visitor, origin, at) => {
    asked.push([target, visitor, origin, at]);
    return {
      ok: true,
      value: { url: `${origin}/site/?preview=token`, expiresAt: new Date(at).toISOString() },
    };
  };
  const link = (query: string, variables = {}) =>
    openDoors(variables, { plugins: siteRoutes({ previewLink }) }).call(`/api/cms/preview-link${query}`);

  test("are minted for what is asked, at the public address", async () => {
    const response = await link("?type=page&id=p1", { PUBLIC_URL: "https://public.example" });
    expect(await response.json()).toEqual({
      url: "https://public.example/site/?preview=token",
      expiresAt: new Date(NOW).toISOString(),
    });
    await link("?type=site&environment=env_staging");
    const alice = { subject: "alice", isAdmin: false };
    expect(asked).toEqual([
      [{ type: "page", id: "p1", environment: null, set: null }, alice, "https://public.example", NOW],
      [
        { type: "site", id: null, environment: "env_staging", set: null },
        alice,
        "https://cairn.example",
        NOW,
      ],
    ]);
  });

  test("need a known type, and an id where there are many", async () => {
    for (const query of ["", "?type=user", "?type=page", "?type=entry&id=a%20b"])
      expect(await verdictOf(await link(query))).toEqual([400, "invalid_request"]);
  });

  test("are not there until the site can mint them", async () => {
    expect(await verdictOf(await openDoors().call("/api/cms/preview-link?type=site"))).toEqual([
      404,
      "not_found",
    ]);
  });
});

test("the outline of a deployment without a site says so", async () => {
  const doors = openDoors({}, { plugins: siteRoutes({ outline: createOutline(async () => {}) }) });
  expect(await verdictOf(await doors.call("/api/cms/outline"))).toEqual([501, "not_configured"]);
  expect(doors.reported).toEqual([]);
});
