import { expect, test } from "vitest";
import { fence } from "../../../src/cairn/core/text/untrusted.ts";
import { parseCode } from "../../../src/plugins/rehearsal/code.ts";
import { REHEARSAL_SIGNATURE as SIGNATURE } from "../../../src/plugins/rehearsal/answer-words.ts";
import { play } from "./run.ts";
import { FakeSite } from "./site.ts";

/** What a person says to have code run, and what is told of it. */

const js = (code: string) => ({ language: "javascript", code });
const py = (code: string) => ({ language: "python", code });

test.each([
  ["run this code: return 1 + 1", js("return 1 + 1")],
  ["Please run this Python code:\n```python\nprint(1)\n```", py("print(1)")],
  ["run the following code:\n```python\nprint(1)\nprint(2)\n```", py("print(1)\nprint(2)")],
  ["Execute this JavaScript: console.log('a: b')", js("console.log('a: b')")],
  ["Führe diesen Code aus: return 1", js("return 1")],
  ["calculate 12 * 7 with code", js("return 12 * 7")],
  ["What is 1,234.5 x (2 + 3) using code?", js("return 1234.5 * (2 + 3)")],
  ["compute 2^64 with Python", py("print(2**64)")],
  ["Berechne 10 ÷ 4 mit Code", js("return 10 / 4")],
  ["calculate 1,5 + 2 with code", null],
  ["calculate the sales with code", null],
  ["run the site", null],
  ["Create a page called Code", null],
])("%s", (says, wanted) => {
  expect(parseCode(says)).toEqual(wanted);
});

class SiteWithCode extends FakeSite {
  readonly #output: object;
  constructor(output: object) {
    super();
    this.#output = output;
  }
  override answer(name: string, input: Parameters<FakeSite["answer"]>[1]): string {
    return name === "run_code" ? fence(JSON.stringify(this.#output), "r1s1c0") : super.answer(name, input);
  }
}
const told = (output: object, tools = ["run_code", "site_overview"]) =>
  play(new SiteWithCode(output), "calculate 12 * 7 with code", { tools });

test("what code printed and gave is told, and where it failed", () => {
  const done = told({ output: "", value: "84" });
  expect(done.calls.map(({ name, input }) => ({ name, input }))).toEqual([
    { name: "run_code", input: js("return 12 * 7") },
  ]);
  expect(done.text).toBe(`It gave \`84\`.\n\n${SIGNATURE}`);
  expect(
    told({ output: "a\n", failed: { message: "TypeError: no", line: 3 }, cut: "9 characters more." }).text,
  ).toBe(
    `It printed:\n\n\`\`\`\na\n\`\`\`\n\n9 characters more.\n\nIt failed on line 3: TypeError: no\n\n${SIGNATURE}`,
  );
  expect(told({}, ["site_overview"]).text).toContain("run_code is not available here");
});
