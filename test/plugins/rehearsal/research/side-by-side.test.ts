import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/cairn/core/log/json.ts";
import { hearMessage } from "../../../../src/plugins/rehearsal/hear.ts";
import { play } from "../run.ts";
import { TOOL_NAMES } from "../site.ts";
import { BERG, ROAD, WebSite } from "./web.ts";

/** Several topics, each looked up by an agent of its own, and one page of what they report. */

const WISH =
  "Research the Alp Pass, the Berg Pass and the Cima Pass side by side and write one page called Passes";

test.each([
  "Research the Alp Pass, the Berg Pass and the Cima Pass side by side and write one page",
  "Look up the Alp Pass, the Berg Pass and the Cima Pass in parallel, then make a page of what you find",
  "Research side by side the Alp Pass, the Berg Pass and the Cima Pass and write a page about it",
])("is heard: %s", (message) => {
  const { wishes, left, unclear } = hearMessage(message);
  expect(wishes.map(({ intent, slots }) => [intent.name, slots.topics])).toEqual([
    ["look up several, and write a page", ["the Alp Pass", "the Berg Pass", "the Cima Pass"]],
  ]);
  expect({ left, unclear }).toEqual({ left: [], unclear: null });
});

/** Its agents answer as a child reports: two find something, and the third does not. */
class Agents extends WebSite {
  override answer(tool: string, input: JsonObject): string {
    if (tool !== "run_agent") return super.answer(tool, input);
    const topic = String(input["objective"]);
    const answer = topic.includes("Cima")
      ? 'I did not find it: no page that I read answers "the Cima Pass".\n\n(I am a rehearsal.)'
      : `- ${topic.includes("Alp") ? "The Alp Pass is 2,104 m high." : "The Berg Pass is 1,950 m high."} [e1]\n\n(I am a rehearsal.)`;
    return JSON.stringify({ ok: true, child: "x~r1s1c0", outcome: "answered", answer });
  }
}

test("each topic is handed to an agent in one reply, and one page is made of what they found", () => {
  const { calls, text } = play(new Agents([]), WISH, { tools: [...TOOL_NAMES, "run_agent"] });
  expect(calls.filter(({ name }) => name === "run_agent").map(({ input }) => input)).toEqual([
    { objective: "Research the Alp Pass, with sources" },
    { objective: "Research the Berg Pass, with sources" },
    { objective: "Research the Cima Pass, with sources" },
  ]);
  const made = calls.filter(({ name }) => name === "page_create");
  expect(made.map(({ input }) => [input["name"], input["sections"]])).toEqual([
    [
      "Passes",
      [
        expect.objectContaining({ template: "hero" }),
        {
          template: "feature",
          content: { heading: "Alp Pass", description: "- The Alp Pass is 2,104 m high.", items: [] },
        },
        {
          template: "feature",
          content: { heading: "Berg Pass", description: "- The Berg Pass is 1,950 m high.", items: [] },
        },
      ],
    ],
  ]);
  expect(text).toContain('The page "Passes" is made as a draft, with 2 of 3 topics');
  expect(text).toContain('Nothing was found on "the Cima Pass": I did not find it');
});

test("where no agent can be called, it looks them up one after the other", () => {
  const { calls, text } = play(
    new WebSite([ROAD, BERG]),
    "Research the Alp Pass and the Berg Pass side by side and write one page",
    { tools: [...TOOL_NAMES, "web_search", "visit"] },
  );
  const names = calls.map(({ name }) => name);
  expect(names.filter((name) => name === "web_search")).toHaveLength(2);
  expect(names.filter((name) => name === "page_create")).toHaveLength(1);
  expect(text).toContain('The page "Alp Pass and Berg Pass" is made as a draft, with all 2 topics');
});

test("nothing is written where no agent found anything", () => {
  const { calls, text } = play(
    new Agents([]),
    "Research the Cima Pass and the Cima Lake side by side and write one page",
    { tools: [...TOOL_NAMES, "run_agent"] },
  );
  expect(calls.some(({ name }) => name === "page_create")).toBe(false);
  expect(text).toContain('Nothing was found on "the Cima Lake"');
});
