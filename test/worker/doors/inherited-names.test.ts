import { beforeAll, describe, expect, test } from "vitest";
import { ask, connect, expectAlive, log, post, work } from "./bad-input-doors.ts";
import { makeSite } from "../cms/fixture.ts";

/** Names that every object inherits, as names of things at the HTTP routes, sockets and tools of the real worker. */

beforeAll(makeSite);

const NAMES = ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"] as const;

/** JSON that has a property of this name, also `__proto__` */
const holding = (name: string, value: unknown): string => `{"${name}":${JSON.stringify(value)}}`;

describe.each(NAMES)("the name %s", (name) => {
  test.each([
    ["GET", `/${name}`],
    ["GET", `/${name}/about`],
    ["GET", `/media/${name}`],
    ["GET", `/api/${name}`],
    ["GET", `/api/sessions/${name}`],
    ["GET", `/api/sessions/a/runs/${name}`],
    ["GET", `/api/sessions/a/approvals/${name}`],
    ["GET", `/api/agents/${name}`],
    ["GET", `/api/mcp/${name}`],
    ["GET", `/.well-known/${name}`],
    ["POST", `/hooks/${name}`],
    ["POST", `/channels/${name}`],
    ["POST", `/api/channels/${name}`],
    ["PUT", `/api/agents/${name}`],
    ["DELETE", `/api/agents/${name}`],
  ])("%s %s is refused, and never as a fault of the server", async (method, path) => {
    const body = method === "GET" || method === "DELETE" ? {} : { body: "{}" };
    const response = await ask(path, {
      method,
      ...body,
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(await response.text()).not.toMatch(/native code|\bat \w+ \(/);
  });

  test("of a field, an agent, a tool or a model in a message is refused, and nothing is done", async () => {
    const session = "inherited_message";
    const before = await log(session);
    const bodies = [
      holding(name, 1),
      `{"text":"a",${holding(name, 1).slice(1)}`,
      JSON.stringify({ text: "a", agent: name }),
      JSON.stringify({ text: "a", model: name }),
      JSON.stringify({ text: "a", mode: name }),
      JSON.stringify({ text: "a", tools: [name] }),
      `{"text":"a","approvals":${holding(name, "auto")}}`,
      JSON.stringify({ parts: [{ type: name, text: "a" }] }),
    ];
    for (const body of bodies) {
      const response = await post(session, body);
      expect([body, response.status >= 400 && response.status < 500]).toEqual([body, true]);
      await response.text();
    }
    expect(await log(session)).toEqual(before);
    await expectAlive(session);
  });

  test("of a frame, a method and a part of a chat body is answered by a refusal on the same socket", async () => {
    const socket = await connect("inherited_frames");
    const chat = (body: unknown): object => ({
      type: "cf_agent_use_chat_request",
      id: "c",
      init: { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) },
    });
    const user = (part: object) => ({ messages: [{ role: "user", id: "m", parts: [part] }] });
    const frames = [
      { type: name },
      { type: `cairn:${name}`, eventId: "e0" },
      { type: "rpc", id: "r", method: name, args: [] },
      chat(user({ type: name })),
      chat(user({ type: `tool-${name}`, toolCallId: name, state: "output-available" })),
      chat({ messages: [{ role: name, id: "m", parts: [] }] }),
      chat(holding(name, 1)),
    ];
    for (const frame of frames) {
      const answers = await socket.answers(frame);
      expect(JSON.stringify(answers)).not.toMatch(/native code|internal|TypeError/);
    }
    expect((await log("inherited_frames")).filter(({ kind }) => kind === "user_message")).toEqual([]);
    socket.close();
  });

  test.each([
    ["section_add", { page: "home", template: name }],
    ["page_create", { title: "Inherited", locale: name }],
    ["page_get", { page: name, locale: name }],
    ["entry_create", { collection: name, title: "a" }],
    ["settings_update", { [name]: "a" }],
    ["run_agent", { agent: name, task: "Look." }],
    ["send_message", { channel: name, text: "a" }],
  ])("in the arguments of %s fails the call and not the session", async (tool, input) => {
    const session = "inherited_tools";
    const { rows } = await work(session, `/call ${tool} ${JSON.stringify(input)}\n/say Done.`);
    const settled = rows.filter(({ kind }) => kind === "call_settled").map(({ body }) => body);
    expect(settled).toMatchObject([{ tool, failure: { code: expect.any(String) } }]);
    expect(JSON.stringify(settled)).not.toMatch(/native code|TypeError|"internal"/);
  });
});
