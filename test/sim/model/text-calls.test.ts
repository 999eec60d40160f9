import { expect, test } from "vitest";
import { REPORT } from "../platform/fake-model.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

/** Replies that write their calls as text, as a person, the log and the model see them. */
const play = async (
  lines: readonly Line[],
  said = "Look at a and say what is there.",
): Promise<FakePlatform> => {
  const platform = new FakePlatform(lines);
  platform.say(said);
  await platform.settle();
  return platform;
};
const told = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) => {
    if (entry.kind === "verdict") return [[entry.step, entry.body.code, entry.body.act]];
    if (entry.kind === "answer") return [[entry.step, entry.body.text, entry.body.source]];
    return entry.kind === "run_ended" ? [[entry.body.outcome, entry.body.reason]] : [];
  });
const LOOK = '{"name":"look","arguments":{"name":"a"}}';
const FOUND = REPORT;

test.each([
  LOOK,
  `<tool_call>\n${LOOK}\n</tool_call>`,
  `\`\`\`json\n${LOOK}\n\`\`\``,
  'print(default_api.look(name="a"))',
])("%j is no answer: the model is told once what is expected, and goes on", async (text) => {
  const platform = await play([{ text }, { calls: [["look", { name: "a" }]] }, { text: FOUND }]);
  expect(told(platform)).toEqual([
    ["r1s1", "TEXT_CALL", "reask"],
    ["r1s3", FOUND, "plain"],
    ["completed", null],
  ]);
  const asked = JSON.stringify(platform.requests[1]?.messages.at(-1));
  expect(JSON.stringify(platform.requests[1]?.messages)).toContain("You wrote a call of look as text");
  expect(asked).not.toBeUndefined();
});

test("a second one in a row ends the run with the truth, in no model's words", async () => {
  const platform = await play([{ text: LOOK }, { text: LOOK }]);
  expect(told(platform)).toEqual([
    ["r1s1", "TEXT_CALL", "reask"],
    ["r1s2", "TEXT_CALL", "reask"],
    ["r1s2", "INVALID_OUTPUT", "end"],
    ["r1s2", expect.not.stringContaining(LOOK), "mechanical"],
    ["failed_invalid_output", "invalid_output"],
  ]);
});

test("after a call that was made, it is corrected once more", async () => {
  const again: Line = { calls: [["look", { name: "a" }]] };
  const platform = await play([{ text: LOOK }, again, { text: "look()" }, { text: FOUND }]);
  expect(told(platform).at(-1)).toEqual(["completed", null]);
});

test("nor is it a forced answer", async () => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0 ? { text: LOOK } : { calls: [["look", { name: request.step }]] },
  );
  platform.say("Look at all.", { limits: { steps: 3 } });
  await platform.settle();
  expect(told(platform)).toContainEqual(["r1s3", "TEXT_CALL", "reask"]);
  expect(platform.log.filter((entry) => entry.kind === "answer").map((entry) => entry.body)).toMatchObject([
    { source: "mechanical" },
  ]);
});

test("JSON that a person asked for is the answer, and a name that no tool of the run has is no call", async () => {
  const answer = (text: string): Line => ({
    text: `This is what the whole of it looks like, as asked:\n\n${text}`,
  });
  const shown = answer(LOOK);
  expect(told(await play([shown], "Show me the JSON of a call of look."))).toEqual([
    ["r1s1", "text" in shown && shown.text, "plain"],
    ["completed", null],
  ]);
  const other = answer('{"name":"Fern & Fell","arguments":{}}');
  expect(told(await play([other], "How is the site called, and what are its settings?"))).toEqual([
    ["r1s1", "text" in other && other.text, "plain"],
    ["completed", null],
  ]);
});

test("an answer that is marked beside calls is held until they have their results, and the model is told so once", async () => {
  const line: Line = { text: `FINAL_ANSWER: ${FOUND}`, calls: [["look", { name: "a" }]] };
  const platform = await play([line, { ...line, calls: [["look", { name: "b" }]] }, { text: FOUND }]);
  expect(told(platform)).toEqual([
    ["r1s1", "ANSWER_BEFORE_RESULTS", "reask"],
    ["r1s3", FOUND, "plain"],
    ["completed", null],
  ]);
  expect(JSON.stringify(platform.requests[1]?.messages)).toContain("Your FINAL_ANSWER stood beside calls");
});
