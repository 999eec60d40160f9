import { describe, expect, test } from "vitest";
import { chooseAgent, listAgents } from "../../src/cli/chat/choose-agent.ts";
import { parseChatOptions } from "../../src/cli/chat/chat-options.ts";
import { parseCommand } from "../../src/cli/chat/screen/commands.ts";
import { apiRequests, sessionRequests } from "../../src/cli/chat/session-request.ts";

/** Whom a person has work what they say: named at the start, or in the middle. */

const door = { url: "http://127.0.0.1:8787", session: "demo", token: null };

/** A server that answers by path, and what it was asked. */
function serverOf(answers: Readonly<Record<string, Response>>) {
  const asked: { method: string; path: string; body: string }[] = [];
  const request: typeof fetch = async (input, init) => {
    const { method, url } = new Request(input instanceof Request ? input.url : input, init);
    asked.push({
      method,
      path: new URL(url).pathname,
      body: typeof init?.body === "string" ? init.body : "",
    });
    return answers[new URL(url).pathname]?.clone() ?? new Response(null, { status: 500 });
  };
  return { asked, session: sessionRequests(door, request), api: apiRequests(door, request) };
}

describe("/agent", () => {
  test.each([
    ["/agent", { word: "agent", name: null }],
    ["/agent  ", { word: "agent", name: null }],
    ["/agent writer", { word: "agent", name: "writer" }],
    ["/agent two words", { word: "unknown", line: "/agent two words" }],
    ["/agents", { word: "unknown", line: "/agents" }],
    [" /agent writer", null],
  ])("%j", (line, command) => {
    expect(parseCommand(line)).toEqual(command);
  });

  test("sets the session to it", async () => {
    const { asked, session } = serverOf({ "/api/sessions/demo": Response.json({ agent: "writer" }) });
    expect(await chooseAgent(session, "writer")).toMatchObject({
      ok: true,
      words: expect.stringContaining("writer"),
    });
    expect(asked).toEqual([{ method: "PATCH", path: "/api/sessions/demo", body: '{"agent":"writer"}' }]);
  });

  test("of a name that no agent has leaves it as it is, in the server's words", async () => {
    const error = {
      code: "unknown_agent",
      message: "There is no agent writr.",
      hint: "Did you mean writer?",
    };
    const { session } = serverOf({ "/api/sessions/demo": Response.json({ error }, { status: 422 }) });
    expect(await chooseAgent(session, "writr")).toEqual({
      ok: false,
      words: "The agent is as it was. There is no agent writr. Did you mean writer?",
    });
  });

  test("alone lists them, with that of the session marked", async () => {
    const items = [
      { name: "default", description: "All.", problem: null },
      { name: "writer", description: `Writes.\n${"And more. ".repeat(50)}` },
      { name: "old", description: "Was good.", problem: "tools[0]: There is no tool x." },
    ];
    const { session, api } = serverOf({
      "/api/agents": Response.json({ items, models: [] }),
      "/api/sessions/demo": Response.json({ agent: "writer" }),
    });
    const lines = (await listAgents(session, api)).split("\n");
    expect(lines).toEqual([
      "  default  All.",
      expect.stringMatching(/^\* writer {3}Writes\. And more\. .*…$/),
      "  old      (does not work: tools[0]: There is no tool x.) Was good.",
      "/agent NAME chooses one for this session.",
    ]);
    expect((await listAgents(session, serverOf({}).api)).split("\n")).toEqual([
      "The agents could not be listed. The server answered 500.",
    ]);
  });
});

describe("--agent", () => {
  test("names one", () => {
    expect(parseChatOptions(["--agent", "writer-2"], {})).toMatchObject({ options: { agent: "writer-2" } });
  });

  test.each(["Writer", "1", "a.b", "../default", ""])("%j is no name", (name) => {
    expect(parseChatOptions([`--agent=${name}`], {})).toMatchObject({
      kind: "usage",
    });
  });
});
