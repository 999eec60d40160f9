import { expect, test } from "vitest";
import { defineAgent } from "../../../src/cairn/agents/define.ts";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import { checkProject } from "../../../src/cairn/project.ts";
import { sessionOf } from "../../../src/cairn/testing/index.ts";
import { skills } from "../../../src/plugins/skills/plugin.ts";
import { skillFile } from "./skill-fixture.ts";

/** Agent settings for skills: `options: { skills: { list, show } }`. */

const agentWith = (own: JsonObject) => defineAgent({ description: "x", options: { skills: own } });
const readBy = (own: JsonObject) =>
  checkProject({ agents: { default: agentWith(own) }, plugins: [skills()] }).agents.deployment.spec.options;

test("what is left out is all skills, with their descriptions", () => {
  expect(readBy({ show: "names" })).toEqual({ skills: { list: null, show: "names" } });
  expect(readBy({ list: ["a"] })).toEqual({ skills: { list: ["a"], show: "descriptions" } });
  expect(readBy({})).toEqual({ skills: { list: null, show: "descriptions" } });
});

test.each<[JsonObject, string]>([
  [{ list: "release-notes" }, "options.skills.list of the agent default does not fit. It must be a list."],
  [{ list: [""] }, "options.skills.list[0] of the agent default does not fit. It must not be empty."],
  [{ list: ["x".repeat(101)] }, "options.skills.list[0] of the agent default does not fit."],
  [{ list: Array(101).fill("x") }, "It must have at most 100 entries."],
  [
    { show: "all" },
    'options.skills.show of the agent default does not fit. It must be one of "descriptions", "names".',
  ],
  [{ shows: "names" }, "options.skills.shows of the agent default does not fit. This field is not known."],
])("is refused: %j", (own, message) => {
  expect(() => readBy(own)).toThrow(message);
});

test("a run has the skills that its agent names, in its prompt and for its tool", async () => {
  const files = { "mails/SKILL.md": skillFile("mails"), "notes/SKILL.md": skillFile("notes") };
  const runOf = async (own: JsonObject) => {
    const session = sessionOf({ plugins: [skills(files)], agent: agentWith(own) }, [
      { calls: [["read_skill", { name: "mails" }]] },
      { text: "That is how it is done." },
    ]);
    await session.say("How are mails done?");
    const [first] = session.requests;
    return { first, calls: session.calls };
  };
  const one = await runOf({ list: ["notes"] });
  expect(one.first?.instructions).toContain("<skill-list>\n- notes: How notes is done.\n</skill-list>");
  expect(one.calls).toMatchObject([{ tool: "read_skill", status: "refused" }]);
  const all = await runOf({ show: "names" });
  expect(all.first?.instructions).toContain("<skill-list>\n- mails\n- notes\n</skill-list>");
  expect(all.calls).toMatchObject([{ tool: "read_skill", status: "ok" }]);
  const none = await runOf({ list: [] });
  expect(none.first?.instructions).not.toContain("<skill-list>");
  expect(none.first?.tools.map(({ name }) => name)).not.toContain("read_skill");
});
