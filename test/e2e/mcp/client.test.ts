import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { haveDone } from "../../fixtures/docs/assistant.ts";
import { callsOf, fetchLog } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";

/** The official client, unmodified, against the door of a real server: both lanes, and what people decide there. */

const TOKEN = "ada-token-of-the-tests";
const AUTH = JSON.stringify({ [TOKEN]: { subject: "ada", scopes: ["read", "send", "approve"] } });
const server = useServer(() => [`AUTH_TOKENS:${AUTH}`]);

const open: Client[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

const transport = () =>
  new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
  });

const UNPUBLISH =
  '/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"unpublished"}\n/then\n/say It is off the site.';
const TASKS = { "io.modelcontextprotocol/tasks": {} };

const runSchema = z.object({
  runId: z.string(),
  sessionId: z.string(),
  status: z.string(),
  answer: z.string().nullable(),
  waitingFor: z.looseObject({ approvalId: z.string().optional(), digest: z.string().optional() }).nullable(),
});
const taskSchema = z.looseObject({
  taskId: z.string(),
  status: z.string(),
  inputRequests: z
    .record(z.string(), z.looseObject({ params: z.looseObject({ message: z.string() }) }))
    .optional(),
  result: z.looseObject({ content: z.array(z.looseObject({ text: z.string() })) }).optional(),
});

async function statusOfAbout(): Promise<number> {
  return (await fetch(`${server.url}/site/about`)).status;
}

describe("the official client", () => {
  test("of the lane before starts a run, decides its approval by a tool, and reads the result", async () => {
    const client = new Client({ name: "an-assistant", version: "1.0.0" });
    open.push(client);
    await client.connect(transport());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["agent_start", "agent_get", "agent_update", "agent_cancel", "page_list"]),
    );
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args });
      return runSchema.parse(result.structuredContent);
    };
    const asked = await call("agent_start", { objective: UNPUBLISH });
    expect(asked.status).toBe("input_required");
    const { approvalId, digest } = asked.waitingFor ?? {};
    const { runId } = asked;
    const other = await client.callTool({
      name: "agent_update",
      arguments: { runId, approvalId, digest: `sha256:${"0".repeat(64)}`, decision: "approve" },
    });
    expect(other).toMatchObject({ isError: true });
    expect(await statusOfAbout()).toBe(200);
    const done = await call("agent_update", {
      runId,
      approvalId,
      digest,
      decision: "deny",
      reason: "Not today.",
    });
    expect(done).toMatchObject({ status: "completed", answer: "It is off the site.", waitingFor: null });
    expect(callsOf(await fetchLog(server.url, asked.sessionId))).toMatchObject([{ status: "denied" }]);
    expect(await statusOfAbout()).toBe(200);
  });

  test("of 2026-07-28 asks its person about the approval, and the run goes on (the example of docs/mcp.md)", async () => {
    const shown: string[] = [];
    const done = await haveDone({ url: server.url, token: TOKEN }, UNPUBLISH, (words) => {
      shown.push(words);
      return Promise.resolve(true);
    });
    expect(done).toMatchObject({ status: "completed", answer: "It is off the site." });
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain("/site/about answers 404 at once");
    expect(shown[0]).toMatch(/Digest: sha256:[0-9a-f]{64}/);
    expect(await statusOfAbout()).toBe(404);
  });

  test("of 2026-07-28 has the run as a task, after the server was killed too", async () => {
    const client = new Client(
      { name: "an-assistant", version: "1.0.0" },
      { capabilities: { elicitation: {}, extensions: TASKS }, versionNegotiation: { mode: "auto" } },
    );
    open.push(client);
    await client.connect(transport());
    const ask = (method: string, params: Record<string, unknown>) =>
      client.request({ method, params }, z.looseObject({}));
    const begun = await fetchTask("tools/call", { name: "agent_start", arguments: { objective: PUBLISH } });
    const { taskId } = begun;
    await expect
      .poll(async () => taskSchema.parse(await ask("tasks/get", { taskId })).status)
      .toBe("input_required");
    await server.kill();
    await server.start();
    const waiting = taskSchema.parse(await ask("tasks/get", { taskId }));
    const [key = ""] = Object.keys(waiting.inputRequests ?? {});
    const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } } };
    await ask("tasks/update", { taskId, inputResponses });
    await expect
      .poll(async () => taskSchema.parse(await ask("tasks/get", { taskId })).status)
      .toBe("completed");
    const ended = taskSchema.parse(await ask("tasks/get", { taskId }));
    expect(ended.result?.content.map(({ text }) => text)).toEqual([
      "Answered.\nChanged: Publish or unpublish: “About” (published). Nothing else was changed.",
      "It is back.",
      expect.stringContaining('"status":"completed"'),
    ]);
    expect(await statusOfAbout()).toBe(200);
    await expect(ask("tasks/update", { taskId, inputResponses })).rejects.toThrow(
      "This run waits for no answer.",
    );
  });
});

const PUBLISH =
  '/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"published"}\n/then\n/say It is back.';

/** As the client writes a request; it knows no answer that is a task. */
async function fetchTask(method: string, params: { readonly name: string; readonly arguments: object }) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, extensions: TASKS },
  };
  const response = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": params.name,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
  const { result } = z.object({ result: taskSchema }).parse(await response.json());
  return result;
}
