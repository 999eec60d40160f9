import { describe, expect, test } from "vitest";
import { env } from "cloudflare:workers";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { writeRows } from "../../../src/cairn/tools/stored/rows.ts";
import { StoredTools } from "../../../src/cairn/tools/stored/stored-tools.ts";
import { openApi } from "../sessions/session-fixture.ts";
import { openTools, post } from "./routes-fixture.ts";

/** Tools as JSON: stored by name, with a version, by an admin alone, and offered to runs and agents by name. */

const doors = openApi();
const TICKET = {
  description: "Opens a ticket.",
  method: "POST",
  url: "https://tickets.example.com/projects/{project}/tickets",
  inputSchema: {
    type: "object",
    properties: { project: { type: "string" }, title: { type: "string" } },
    required: ["project", "title"],
  },
  headers: { Authorization: "Bearer secret:TICKETS_KEY" },
};
const put = (
  name: string,
  body: unknown,
  who: "root" | "alice" = "root",
  headers: Record<string, string> = {},
) => doors.call(`/api/tools/${name}`, { ...post(body, headers), method: "PUT", who });
const codeOf = async (response: Response) =>
  [response.status, (await response.json<{ error: { code: string } }>()).error.code] as const;

describe("a tool as JSON", () => {
  test("is stored, shown, replaced by version, and deleted", async () => {
    const made = await put("open_ticket", TICKET);
    expect([made.status, made.headers.get("etag"), made.headers.get("location")]).toEqual([
      201,
      '"1"',
      "/api/tools/open_ticket",
    ]);
    expect(await made.json()).toMatchObject({
      name: "open_ticket",
      version: 1,
      source: null,
      definition: TICKET,
      effect: "once",
      tier: "external",
      approval: "ask",
      problem: "There is no secret TICKETS_KEY. An operator sets HTTP_SECRETS.",
    });
    expect((await put("open_ticket", TICKET, "root", { "if-match": '"7"' })).status).toBe(412);
    const again = await put("open_ticket", { ...TICKET, title: "Open" }, "root", { "if-match": '"1"' });
    expect([again.status, again.headers.get("etag")]).toEqual([200, '"2"']);
    const gone = await doors.call("/api/tools/open_ticket", { method: "DELETE", who: "root" });
    expect(gone.status).toBe(204);
    expect(await codeOf(await doors.call("/api/tools/open_ticket", { who: "root" }))).toEqual([
      404,
      "not_found",
    ]);
  });

  test.each([
    ["https://a.example.com", null],
    ["https://b.example.com", "The secret API is not for b.example.com. An operator sets HTTP_SECRETS."],
    ["http://a.example.com", "The secret API is only sent by https. An operator sets HTTP_SECRETS."],
  ])("names what is wrong with its secret: %s", async (url, problem) => {
    const secrets = { API: { value: "a-secret-value", hosts: ["a.example.com"] } };
    const tools = openTools(["root"], secrets);
    const root = { subject: "root", scopes: ["admin"], via: "http" } as const;
    const definition = { method: "GET", url, headers: { "X-Key": "secret:API" } } as const;
    expect(await tools.put(root, "with_secret", definition, null, 0)).toMatchObject({
      ok: true,
      value: { problem },
    });
    expect(await openTools(["root"], "{").find("with_secret")).toMatchObject({
      value: { problem: "HTTP_SECRETS cannot be read, so no request of it is sent." },
    });
    await tools.remove(root, "with_secret", null);
  });

  test("has a name of its own, a definition that holds, and an admin who stores it", async () => {
    expect(await codeOf(await put("page_list", TICKET))).toEqual([409, "id_taken"]);
    expect(await codeOf(await put("complete", TICKET))).toEqual([409, "id_taken"]);
    expect(await codeOf(await put("Bad-Name", TICKET))).toEqual([400, "invalid_id"]);
    expect((await put("open_it", { ...TICKET, url: "https://{project}.example.com" })).status).toBe(422);
    expect((await put("open_it", TICKET, "alice")).status).toBe(403);
    const refused = await openTools(["root"]).put(
      { subject: "eve", scopes: ["admin"], via: "http" },
      "open_it",
      { method: "GET", url: "https://example.com" },
      null,
      0,
    );
    expect(refused).toMatchObject({ ok: false, error: { status: 403 } });
  });

  test("is a tool that a run and an agent may name as soon as it is stored", async () => {
    await put("open_ticket", TICKET);
    const run = await doors.call("/api/runs", {
      ...post({ objective: "/say Done.", tools: ["open_ticket"] }),
      who: "root",
    });
    expect(await run.json<object>()).toMatchObject({ outcome: "answered" });
    expect(run.status).toBeLessThan(300);
    const unknown = await doors.call("/api/runs", {
      ...post({ objective: "/say Done.", tools: ["open_tickets"] }),
      who: "root",
    });
    expect(unknown.status).toBe(422);
    const agent = { description: "Opens tickets.", tools: ["open_ticket"] };
    const stored = await doors.call("/api/agents/ticketer", { ...post(agent), method: "PUT", who: "root" });
    expect(stored.status).toBe(201);
    await doors.call("/api/tools/open_ticket", { method: "DELETE", who: "root" });
  });
});

test("a tool that was stored under a name which a plugin lists is left out with the reason", async () => {
  const writes = ["sky_air_get", "call_air"].map((name) => ({
    name,
    body: JSON.stringify({ method: "GET", url: "https://air.example.com" }),
    source: null,
  }));
  expect(await writeRows(env.DB, writes, { subject: "root", at: 0, ifVersion: null })).toMatchObject({
    kind: "written",
  });
  const stored = new StoredTools(env.DB, (error) => {
    throw error;
  });
  await stored.load();
  const registry = new Registry("s", () => 0).expectLists({ prefix: "sky_", from: "servers" });
  const whole = stored.onto(registry, {});
  expect(whole.cards().map(({ name }) => name)).toEqual(["call_air"]);
  expect(whole.notOffered()).toEqual([
    {
      tool: "sky_air_get",
      why: "Its name is one of the tools that a plugin lists. Store it under another name.",
    },
  ]);
  await env.DB.prepare("DELETE FROM http_tools").run();
});

describe("an OpenAPI document", () => {
  const document = {
    openapi: "3.0.3",
    info: { title: "Shop", version: "1" },
    servers: [{ url: "https://shop.example.com/v1" }],
    paths: {
      "/orders/{id}": {
        parameters: [{ $ref: "#/components/parameters/Id" }],
        get: { operationId: "getOrder", summary: "Reads an order." },
        delete: { operationId: "getOrder" },
        trace: {},
      },
      "/photos": { post: { requestBody: { content: { "multipart/form-data": {} } } } },
    },
    components: {
      parameters: { Id: { name: "id", in: "path", required: true, schema: { type: "integer" } } },
    },
  };
  const take = (body: unknown) => doors.call("/api/tools/import", { ...post(body), who: "root" });

  test("becomes tools: a read for GET, the others ask; what is none is listed; again it replaces them", async () => {
    const first = await take(document);
    expect(first.status).toBe(201);
    expect(await first.json()).toEqual({
      title: "Shop",
      items: [
        { name: "get_order", operation: "GET /orders/{id}", version: 1 },
        { name: "get_order_2", operation: "DELETE /orders/{id}", version: 1 },
      ],
      left: [
        { operation: "TRACE /orders/{id}", why: "TRACE is not supported." },
        { operation: "POST /photos", why: "It takes multipart/form-data, which is not supported." },
      ],
    });
    const again = await take({
      document,
      headers: { Authorization: "Bearer secret:SHOP" },
      operations: ["getOrder"],
    });
    expect(
      (await again.json<{ items: { version: number }[] }>()).items.map(({ version }) => version),
    ).toEqual([2, 2]);
    const listed = await doors.call("/api/tools/stored", { who: "root" });
    const { items } = await listed.json<{
      items: { name: string; effect: string; tier: string; approval: string }[];
    }>();
    expect(items.map(({ name, effect, tier, approval }) => [name, effect, tier, approval])).toEqual([
      ["get_order", "read", "open", "never"],
      ["get_order_2", "once", "external", "ask"],
    ]);
    for (const { name } of items) await doors.call(`/api/tools/${name}`, { method: "DELETE", who: "root" });
  });

  test.each([
    "application/yaml",
    "text/x-yaml; charset=utf-8",
    "application/openapi+yaml",
    "application/vnd.oai.openapi",
    "application/vnd.oai.openapi+json;version=3.0",
  ])("comes as the text of its file, as %s", async (type) => {
    const text =
      "openapi: 3.1.0\nservers: [{url: https://a.example.com}]\npaths:\n  /a:\n    get: {operationId: getA}\n";
    const json = JSON.stringify({
      openapi: "3.1.0",
      servers: [{ url: "https://a.example.com" }],
      paths: { "/a": { get: { operationId: "getA" } } },
    });
    const made = await doors.call("/api/tools/import", {
      method: "POST",
      headers: { "content-type": type },
      body: type.includes("json") ? json : text,
      who: "root",
    });
    expect([made.status, await made.json()]).toMatchObject([
      201,
      { items: [{ name: "get_a", operation: "GET /a" }], left: [] },
    ]);
    const within = await take({ document: text, prefix: "yaml_" });
    expect(await within.json()).toMatchObject({ items: [{ name: "yaml_get_a" }] });
    for (const name of ["get_a", "yaml_get_a"])
      await doors.call(`/api/tools/${name}`, { method: "DELETE", who: "root" });
  });

  test("that is no YAML is refused with the reason and the line", async () => {
    const refused = await take({ document: "openapi: 3.1.0\npaths: {/a: [\n" });
    expect([refused.status, await refused.json()]).toMatchObject([
      422,
      {
        error: {
          code: "invalid_import",
          issues: [{ path: "document", message: expect.stringMatching(/YAML: .*line 3/) }],
        },
      },
    ]);
  });

  test.each([
    ["of another kind", { document: { asyncapi: "3.0.0" } }],
    ["of a version that is not known", { openapi: "4.0.0", paths: {} }],
    ["without an operation", { openapi: "3.1.0", paths: {} }],
    ["with a reference that leads nowhere", { openapi: "3.1.0", paths: { "/a": { $ref: "#/x" } } }],
  ])("%s is refused", async (_name, body) => {
    expect(await codeOf(await take(body))).toEqual([422, "invalid_import"]);
  });
});
