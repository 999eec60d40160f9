import { describe, expect, test } from "vitest";
import { packsOf } from "../../src/page/new-run/packs.ts";
import { bodyOf, curlOf, EMPTY_FORM, faultsOf, type RunForm } from "../../src/page/new-run/request.ts";
import { parseRunRequest } from "../../src/cairn/protocol/run-spec/parse.ts";

const form = (fields: Partial<RunForm>): RunForm => ({
  ...EMPTY_FORM,
  objective: " Count the pages. ",
  ...fields,
});
const faults = (fields: Partial<RunForm>): unknown => {
  const made = bodyOf(form(fields));
  return made.ok ? null : made.faults;
};

describe("the form of a run", () => {
  test("says nothing that was left empty", () => {
    expect(bodyOf(form({}))).toEqual({ ok: true, body: { objective: "Count the pages." } });
  });

  test("becomes a body that the API takes, in its own words", () => {
    const made = bodyOf(
      form({
        objective: "Count the pages in {{input.city}}.",
        agent: "editor",
        tools: ["page_list"],
        model: "rehearsal:",
        steps: " 4 ",
        minutes: "1.5",
        instructions: "Be brief.",
        resultKey: "count",
        output: '{"type":"object"}',
        input: '{"city":"Graz"}',
      }),
    );
    const body = {
      objective: "Count the pages in {{input.city}}.",
      agent: "editor",
      tools: ["page_list"],
      model: "rehearsal:",
      max_iterations: 4,
      timeout_ms: 90_000,
      instructions: "Be brief.",
      result_key: "count",
      output: { type: "object" },
      input: { city: "Graz" },
    };
    expect(made).toEqual({ ok: true, body });
    expect(parseRunRequest(body)).toMatchObject({ ok: true });
  });

  test("without a tool is another wish than one that leaves them to the agent", () => {
    expect(bodyOf(form({ tools: [] }))).toMatchObject({ body: { tools: [] } });
  });

  test.each<[string, Partial<RunForm>, object]>([
    ["no objective", { objective: "  " }, { objective: "Enter an objective." }],
    ["half a step", { steps: "2.5" }, { steps: "Enter a whole number above 0." }],
    ["no minutes", { minutes: "0" }, { minutes: "Enter a number above 0." }],
    ["a list", { output: "[1]" }, { output: 'It must be a JSON object, such as {"type":"object"}.' }],
    ["a word", { input: "null" }, { input: 'It must be a JSON object, such as {"city":"Graz"}.' }],
    [
      "JSON with a fault",
      { output: '{\n  "a": 1,\n  b\n}' },
      { output: "This is not valid JSON. Look at line 3, column 3." },
    ],
    [
      "a word without its quotes",
      { output: '{\n  "type": object\n}' },
      { output: "This is not valid JSON: an “o” is out of place." },
    ],
    ["JSON that is cut off", { input: "{" }, { input: expect.stringContaining("This is not valid JSON") }],
  ])("with %s says so", (_, fields, expected) => {
    expect(faults(fields)).toEqual(expected);
  });
});

describe("a refusal", () => {
  test("stands at the fields that it is about, with what may have been meant", () => {
    expect(
      faultsOf([
        { path: "tools[0]", message: "There is no tool page_lst.", suggestion: "page_list" },
        { path: "tools[2]", message: "There is no tool x." },
        { path: "max_iterations", message: "At most 200." },
        { path: "output", message: "It is no schema." },
        { path: "targets.site", message: "There is no such site." },
        { path: "", message: "3 more are not listed." },
      ]),
    ).toEqual({
      faults: {
        tools: "There is no tool page_lst. Did you mean page_list? There is no tool x.",
        steps: "At most 200.",
        output: "It is no schema.",
      },
      others: ["targets.site: There is no such site.", "3 more are not listed."],
    });
  });
});

test("the curl command sends the body as it is, whatever quotes are in it", () => {
  const body = { objective: "Say 'it' and \"$HOME\".\nJSON\n" };
  const lines = curlOf(body, "https://cairn.example").split("\n");
  expect(lines[0]).toBe('curl "https://cairn.example/api/runs?async=true" \\');
  expect(lines[1]).toContain("Authorization: Bearer $CAIRN_TOKEN");
  const from = lines.findIndex((line) => line.endsWith("<<'JSON'"));
  expect(lines.indexOf("JSON")).toBe(lines.length - 1);
  expect(JSON.parse(lines.slice(from + 1, -1).join("\n"))).toEqual(body);
});

test("tools stand under their pack, in the order of the agent", () => {
  const tool = (name: string, pack: string | null) => ({
    name,
    title: name.toUpperCase(),
    description: null,
    effect: null,
    inputSchema: null,
    approval: null,
    pack,
    available: true,
    why: null,
  });
  const known = [tool("b", "two"), tool("a", "one"), tool("c", "one"), tool("unused", "one")];
  expect(packsOf(["c", "b", "a", "new"], known)).toEqual([
    {
      pack: "one",
      tools: [
        { name: "c", title: "C" },
        { name: "a", title: "A" },
      ],
    },
    { pack: "two", tools: [{ name: "b", title: "B" }] },
    { pack: "others", tools: [{ name: "new", title: "new" }] },
  ]);
});
