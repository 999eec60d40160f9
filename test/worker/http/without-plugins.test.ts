import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { defineAgent } from "../../../src/cairn/agents/define.ts";
import { createCairn } from "../../../src/cairn/create.ts";

/** A worker without a plugin loads, and has no trace of it. */

const bare = createCairn({ agents: { default: defineAgent({ description: "Keeps our shop." }) } });

/** Asks it as the owner of this machine. */
async function ask(path: string, variables: Record<string, string> = {}, method = "GET"): Promise<Response> {
  const { worker } = bare;
  const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
  return worker.fetch(
    new Request(`http://127.0.0.1${path}`, { method }) as Parameters<typeof worker.fetch>[0],
    { ...env, ...variables },
    context as unknown as ExecutionContext,
  );
}

describe("without the rehearsal model", () => {
  test("MODEL=rehearsal: is a problem that names the plugin's place, and no run starts", async () => {
    const answer = await ask("/healthz", { MODEL: "rehearsal:" });
    expect(answer.status).toBe(503);
    const { model, problems } = await answer.json<{
      model: string | null;
      problems: { variable: string; message: string }[];
    }>();
    expect(model).toBeNull();
    expect(problems.find(({ variable }) => variable === "MODEL")?.message).toMatch(
      /^No plugin of this project brings the model rehearsal:\. Add it to plugins, .* no run starts/,
    );
  });
});

describe("without the CMS", () => {
  test("the page has no panel of a plugin", async () => {
    const { panels } = await (await ask("/healthz")).json<{ panels: string[] }>();
    expect(panels).toEqual([]);
  });

  test("there is no site", async () => {
    for (const path of ["/site/", "/api/cms/outline"]) expect((await ask(path)).status).toBe(404);
  });
});

describe("without the MCP server", () => {
  test.each([
    "/mcp",
    "/oauth/authorize",
    "/oauth/sign-in",
    "/oauth/token",
    "/oauth/register",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/api/assistants",
    "/api/assistants/one",
  ])("there is no %s, by any method", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) expect((await ask(path, {}, method)).status).toBe(404);
  });

  test("nothing of it is in the list of routes", async () => {
    const { paths } = await (await ask("/api/openapi.json")).json<{ paths: object }>();
    expect(Object.keys(paths)).toContain("/api/runs");
    expect(Object.keys(paths).filter((path) => path.includes("assistants"))).toEqual([]);
  });
});

describe("without the MCP client", () => {
  test.each([
    "/api/mcp",
    "/api/mcp/sky",
    "/api/mcp/sky/sign-in",
    "/api/mcp/sky/signed-in",
    "/mcp-servers/callback",
  ])("there is no %s, by any method", async (path) => {
    for (const method of ["GET", "PUT", "DELETE"]) expect((await ask(path, {}, method)).status).toBe(404);
  });

  test("its variables are no problem, whatever they say", async () => {
    const wrong = { MCP_SECRETS: "☠", MCP_TOKEN_SECRET: "short", MCP_LOCAL: "☠" };
    const { problems } = await (await ask("/healthz", wrong)).json<{ problems: { variable: string }[] }>();
    expect(problems.filter(({ variable }) => variable.includes("MCP"))).toEqual([]);
  });

  test("a session has no tools of servers, whatever is stored", async () => {
    await env.DB.prepare(
      "INSERT INTO mcp_servers(name, body, updated_at, updated_by) VALUES('sky', ?, 0, 'ada')",
    )
      .bind(JSON.stringify({ name: "sky", url: "https://mcp.example.com/mcp" }))
      .run();
    const { items } = await (await ask("/api/tools")).json<{ items: { name: string }[] }>();
    expect(items.filter(({ name }) => name.startsWith("mcp_"))).toEqual([]);
  });
});
