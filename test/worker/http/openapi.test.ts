import { describe, expect, test } from "vitest";
import { answers as kernelAnswers } from "../../../src/cairn/protocol/api.ts";
import { allAnswers as answers } from "../../fixtures/answers.ts";
import { openDoors, post } from "./routes-fixture.ts";
import { mcpClient } from "../../../src/plugins/mcp-client/plugin.ts";
import { mcpServer } from "../../../src/plugins/mcp-server/plugin.ts";
import { siteRoutes } from "../site/site-routes.ts";

/** The document against the routes: it is made of them, and they are what it says. */

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: { name: string; in: string }[];
  readonly requestBody?: { content: Record<string, { schema: { type?: string } }> };
  readonly responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, object> };
}

const doors = openDoors(
  {},
  {
    plugins: [
      ...siteRoutes({
        previewLink: async () => ({ ok: true, value: { url: "https://x", expiresAt: "" } }),
        outline: async () => ({ ok: true, value: { pages: [], heroTitle: null } }),
      }),
      mcpServer(),
      mcpClient(),
    ],
  },
);
const load = async (): Promise<Document> =>
  (await doors.call("/api/openapi.json", { who: null })).json() as Promise<Document>;
const document = await load();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([verb, operation]) => ({ path, verb: verb.toUpperCase(), operation })),
);
const filled = (path: string): string =>
  path
    .replace("{approvalId}", "r1s1c0a1")
    .replace("{runId}", "ses_demo.r1")
    .replaceAll(/\{\w+\}/g, "ses_demo");

describe("the document", () => {
  test("is OpenAPI 3.1, is public, and every reference in it leads somewhere", () => {
    expect(document.openapi).toBe("3.1.0");
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to);
    expect(references.length).toBeGreaterThan(20);
    const there = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...new Set(references)].filter((to) => !there.includes(to ?? ""))).toEqual([]);
  });

  test("names each operation, no two alike", () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(names.filter((name) => !/^(get|post|put|patch|delete)[A-Z][A-Za-z]*$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  test("names the parameters of each path, and a body wherever one is parsed", () => {
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((each) => each.in === "path").map(({ name }) => `{${name}}`);
      expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(operation.summary).not.toBe("");
    }
    const posts = operations.filter(({ verb }) => ["POST", "PATCH", "PUT"].includes(verb));
    expect(posts.filter(({ operation }) => operation.requestBody === undefined)).toEqual([]);
  });

  test.each(operations.map(({ verb, path }) => [verb, path]))("%s %s is there", async (verb, path) => {
    const init = verb === "GET" || verb === "DELETE" ? { method: verb } : { ...post({}), method: verb };
    const response = await doors.call(filled(path), { ...init, who: "admin" });
    const text = await response.text();
    expect([response.status === 405, text.includes("There is nothing here.")]).toEqual([false, false]);
    expect(response.status).not.toBe(500);
  });

  test.each(Object.entries(document.paths).map(([path, methods]) => [path, Object.keys(methods)]))(
    "%s allows exactly what is documented",
    async (path, verbs) => {
      const method = verbs.includes("put") ? "PATCH" : "PUT";
      const response = await doors.call(filled(path), { method, who: "admin" });
      const allowed = (response.headers.get("allow") ?? "").toLowerCase().split(", ");
      expect(response.status).toBe(405);
      expect(allowed.filter((verb) => verb !== "head").toSorted()).toEqual(verbs.toSorted());
    },
  );

  test("holds every answer schema of the kernel as JSON Schema, and those that routes of plugins bring", () => {
    const held = Object.keys(document.components.schemas);
    expect(held).toEqual(expect.arrayContaining([...Object.keys(kernelAnswers()), "Json"]));
    expect(held.filter((name) => name !== "Json" && !Object.hasOwn(answers(), name))).toEqual([]);
    // The routes of the fixture are a part of those of the site.
    expect(held).toEqual(
      expect.arrayContaining(["PreviewLink", "SiteOutline", "LinkCode", "Notify", "Push"]),
    );
    const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    expect([...new Set(named.map(([, name = ""]) => name))].filter((name) => !held.includes(name))).toEqual(
      [],
    );
  });
});

test.each([
  ["Me", "/api/me"],
  ["Tools", "/api/tools"],
  ["Agents", "/api/agents"],
  ["SessionDetail", "/api/sessions/ses_demo"],
  ["Messages", "/api/sessions/ses_demo/messages"],
  ["RunDetail", "/api/runs/ses_demo.r1"],
  ["RunDetail", "/api/runs/ses_demo.r1?include=trace"],
  ["Runs", "/api/runs"],
  ["Trace", "/api/runs/ses_demo.r1/trace"],
  ["Events", "/api/sessions/ses_demo/events"],
  ["SourcePage", "/api/sessions/ses_demo/pages/p1?evidence=e1"],
  ["Memory", "/api/sessions/ses_demo/memory"],
  ["Approval", "/api/sessions/ses_demo/approvals/r1s1c0a1"],
  ["Schedules", "/api/sessions/ses_demo/schedules"],
  ["Heartbeat", "/api/sessions/ses_demo/heartbeat"],
  ["Sessions", "/api/sessions"],
  ["Usage", "/api/usage"],
  ["Error", "/api/sessions/none"],
] as const)("%s is what GET %s answers", async (name, path) => {
  const body: unknown = await (await doors.call(path)).json();
  expect(answers()[name].safeParse(body).error ?? null).toBeNull();
});
