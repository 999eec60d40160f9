import { describe, expect, test } from "vitest";
import { priceOf, windowOf, FALLBACK_PRICE } from "../../../src/cairn/core/model-tables.ts";
import { toJson } from "../../../src/cairn/core/log/json.ts";
import { causeWords } from "../../../src/cairn/core/text/cause-words.ts";
import { offeredOf } from "../../../src/plugins/mcp-client/listing.ts";
import { mcpPack } from "../../../src/plugins/mcp-client/pack.ts";
import { mcpServer, settingsDigest } from "../../../src/plugins/mcp-client/server.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { dialectOf } from "../../../src/cairn/config/config.ts";
import { readOutputSchema } from "../../../src/cairn/protocol/run-spec/output-schema.ts";
import { parseTemplate, render } from "../../../src/cairn/webhooks/templates.ts";
import { wordedModel } from "../core/dialects/worded-model.ts";
import { FakePlatform, type Line as Reply } from "../../sim/platform/platform.ts";
import type { Dialect, Model } from "../../../src/cairn/core/log/model.ts";
import { failed, ok, play, type Line } from "../core/state/script.ts";
import { OBJECT } from "../../fixtures/mcp-handler.ts";

/** Names that every object inherits. */
const NAMES = ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"] as const;

const listed = (name: string) => {
  const server = mcpServer({ name: "sky", url: "https://mcp.example.com/mcp" });
  const { tools, left } = offeredOf(server, [{ name, inputSchema: OBJECT }], null);
  const listing = {
    server: "sky",
    settings: settingsDigest(server),
    at: 0,
    protocol: "2026-07-28",
    discover: null,
  };
  const pack = mcpPack({ server, listing: { ...listing, tools, left } });
  const services = { check: () => Promise.resolve(), call: () => Promise.resolve({}) };
  return new Registry("s", () => 0).add(pack, services).cards();
};

const ANSWER = "The page has been read from its beginning to its end, and nothing in it has to be changed.";

/** A model that calls a tool of this name and then answers. */
function replies(dialect: Dialect, tool: string): readonly Reply[] | Model {
  const call = { name: tool, arguments: { name: "a" } };
  switch (dialect) {
    case "native":
      return [{ calls: [[tool, { name: "a" }]] }, { text: ANSWER }];
    case "json":
      return wordedModel(
        JSON.stringify({ thought: "I look.", action: tool, action_input: { name: "a" } }),
        JSON.stringify({ thought: "Done.", action: "complete", action_input: { answer: ANSWER } }),
      ).model;
    case "tags":
      return wordedModel(`<tool_call>${JSON.stringify(call)}</tool_call>`, `<answer>${ANSWER}</answer>`)
        .model;
  }
}

describe.each(NAMES)("the name %s", (name) => {
  test("of a tool that an MCP server lists gets the default tier, effect and approval", () => {
    // Names that begin with __ are reserved.
    const expected = name === "__proto__" ? [] : [{ tier: "external", effect: "once", gate: "ask" }];
    expect(listed(name)).toMatchObject(expected);
  });

  test.each(["native", "json", "tags"] as const)(
    "of a tool that a model calls in the dialect %s is refused as unknown",
    async (dialect) => {
      const platform = new FakePlatform(replies(dialect, name));
      platform.dialect = dialect;
      platform.say("Look at the page.");
      await platform.settle();
      expect(platform.folded).toEqual(platform.state);
      const settled = platform.log.find((entry) => entry.kind === "call_settled");
      expect(settled?.body).toMatchObject({ status: "refused", failure: { code: "unknown_tool" } });
      expect(platform.log.at(-1)).toMatchObject({ kind: "run_ended", body: { outcome: "completed" } });
    },
  );

  test("of a model has the fallback price, the usual window and the native dialect", () => {
    expect(priceOf(name, {})).toEqual(FALLBACK_PRICE);
    expect(windowOf({}, name)).toBe(128_000);
    expect(dialectOf({ dialects: {} }, name)).toBe("native");
  });

  test("of a tool that a model calls is counted as that of any other tool", () => {
    const lines = (tool: string): readonly Line[] => [
      [ok(tool, {}, 1)],
      [failed(tool, {}, "x")],
      [failed(tool, {}, "x")],
    ];
    const counted = (tool: string) => play(["human", ...lines(tool)]).memory;
    const { counts, bans } = counted(name);
    expect(Object.entries(counts)).toEqual([[name, counted("get").counts["get"]]]);
    expect(bans.length).toBe(counted("get").bans.length);
  });

  test("of a field that a webhook's body lacks is missing, and one that it has is read", () => {
    const missing: string[] = [];
    const shown = (text: string) =>
      render(
        parseTemplate(`{{body.${name}}}`),
        { headers: new Headers(), body: JSON.parse(text) as unknown, text, delivery: "d1" },
        (place) => missing.push(place),
      );
    expect(shown("{}")).toBe("");
    expect(missing).toEqual([`body.${name}`]);
    expect(shown(`{"${name}":"sent"}`)).toBe("sent");
  });

  test("of a property in an output schema is asked for like any other", () => {
    const schema = JSON.parse(
      `{"type":"object","properties":{"${name}":{"type":"string"}},"required":["${name}"],"additionalProperties":false}`,
    ) as Parameters<typeof readOutputSchema>[0];
    const read = readOutputSchema(schema);
    const checked = read.ok ? read.schema.safeParse({}).success : read.why;
    expect(checked).toBe(name === "__proto__" ? "No property can be named __proto__." : false);
  });

  test("of a cause has no words", () => {
    expect(causeWords(name)).toBeNull();
  });

  test("of a field stays a field of what is stored", () => {
    const text = `{"${name}":{"a":1}}`;
    expect(JSON.stringify(toJson(JSON.parse(text)))).toBe(text);
  });
});
