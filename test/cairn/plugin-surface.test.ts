import { Hono } from "hono/tiny";
import { expect, test } from "vitest";
import { describe as describeRoutes } from "../../build/on-demand/openapi.ts";
import { documentedOf, type HttpEnv } from "../../src/cairn/http/kit/route.ts";
import { sessionOf } from "../../src/cairn/testing/index.ts";
import { watchedPages } from "../fixtures/docs/watched-pages.ts";

/** The second plugin of docs/plugins.md: all that it needs is exported. */

test("a tool of a plugin refuses the address of this machine, which a model supplied", async () => {
  const session = sessionOf({ plugins: [watchedPages()] }, [
    { calls: [["watch_page", { url: "http://127.0.0.1:8787/api/sessions" }]] },
    { text: "I may not read that." },
  ]);
  await session.say("Watch it.");
  expect(session.calls).toMatchObject([{ tool: "watch_page", status: "error" }]);
  expect(session.calls[0]?.observation).toContain("url_");
});

test("a route of a plugin has the schemas of its body and of its answer in the OpenAPI document", async () => {
  const api = new Hono<HttpEnv>();
  const places = { api } as unknown as Parameters<NonNullable<ReturnType<typeof watchedPages>["routes"]>>[0];
  watchedPages().routes?.(places, {} as never, undefined);
  const { paths, components } = describeRoutes(documentedOf(api), "1.0.0");
  expect(paths).toMatchObject({
    "/api/watched-pages/hosts": {
      post: {
        requestBody: {
          content: { "application/json": { schema: { properties: { urls: { type: "array" } } } } },
        },
        responses: {
          200: {
            description: "WatchedPages",
            content: { "application/json": { schema: { $ref: "#/components/schemas/WatchedPages" } } },
          },
        },
      },
    },
  });
  expect(components).toMatchObject({
    schemas: { WatchedPages: { properties: { hosts: { type: "array" } } } },
  });
});
