import { describe, expect, test } from "vitest";
import { PLAN_EXAMPLE, readPlanInput } from "../../../../src/cairn/core/entries/plan-input.ts";
import type { Json } from "../../../../src/cairn/core/log/json.ts";
import type { Plan } from "../../../../src/cairn/core/log/plan.ts";
import { planTool } from "../../../../src/cairn/tools/builtin/plan.ts";

/** Plans in the shapes that models send, because other tools have taught them. */

/** `id status kind: text` of each item, after the goal. */
function read(input: Json, now: Plan | null = null): readonly string[] {
  const plan = readPlanInput(input, now);
  if (!plan.ok) throw new Error(plan.message);
  // The schema of the tool takes what the core reads.
  expect(planTool.definition.input.safeParse(input).success).toBe(true);
  return [
    plan.input.goal,
    ...plan.input.items.map(({ id, status, kind, text }) => `${id} ${status} ${kind}: ${text}`),
  ];
}

const LOOK_AND_DO = ["p1 doing do: Look", "p2 open do: Write"];

describe("a model's first plan is read", () => {
  test.each<[string, Json, readonly string[]]>([
    [
      "the example of the description",
      JSON.parse(PLAN_EXAMPLE) as Json,
      ["An About page", "p1 doing do: Look", "p2 open do: Create it"],
    ],
    [
      "a list of texts",
      { goal: "G", items: ["Look", "Write"] },
      ["G", "p1 open do: Look", "p2 open do: Write"],
    ],
    [
      "steps with states of Codex",
      {
        explanation: "G",
        plan: [
          { step: "Look", status: "in_progress" },
          { step: "Write", status: "pending" },
        ],
      },
      ["G", ...LOOK_AND_DO],
    ],
    [
      "todos with priorities and forms",
      {
        todos: [
          { content: "Look", status: "in_progress", activeForm: "Looking", priority: "high" },
          { content: "Write", status: "pending", activeForm: "Writing", priority: "low" },
        ],
      },
      ["Look", ...LOOK_AND_DO],
    ],
    [
      "descriptions, one of them cancelled",
      {
        todos: [
          { description: "Look", status: "in progress" },
          { description: "Write", status: "cancelled" },
        ],
      },
      ["Look", "p1 doing do: Look", "p2 dropped do: Write"],
    ],
    ["a checklist of Markdown", { goal: "G", todos: "- [-] Look\n- [ ] Write\n" }, ["G", ...LOOK_AND_DO]],
    [
      "numbered lines",
      { goal: "G", plan: "1. Look\n2) Write" },
      ["G", "p1 open do: Look", "p2 open do: Write"],
    ],
    [
      "a list as JSON in a text",
      { goal: "G", items: '[{"task":"Look","state":"active"},"Write"]' },
      ["G", ...LOOK_AND_DO],
    ],
    [
      "a plan within a field of that name",
      { plan: { objective: "G", steps: ["Look"] } },
      ["G", "p1 open do: Look"],
    ],
    [
      "a record by ids",
      { goal: "G", tasks: { a: "Look", b: { text: "Write" } } },
      ["G", "a open do: Look", "b open do: Write"],
    ],
    ["a list alone", ["Look"], ["Look", "p1 open do: Look"]],
    ["one item alone", { goal: "G", items: { text: "Look", done: true } }, ["G", "p1 done do: Look"]],
    [
      "ids of the model's own",
      {
        goal: "G",
        items: [
          { id: 1, text: "Look" },
          { id: "write-it", text: "Write" },
          { id: "Step 3: link", text: "Link" },
          { id: "", text: "Tell" },
        ],
      },
      ["G", "1 open do: Look", "write-it open do: Write", "Step-3-link open do: Link", "p1 open do: Tell"],
    ],
    [
      "other names of kinds and states, in any case",
      {
        goal: "G",
        items: [
          { text: "A", kind: "Research", status: "COMPLETED" },
          { text: "B", kind: "verify", status: "Not Started" },
          { text: "C", type: "report", status: "unheard of" },
          { text: "D", kind: "something", status: "error" },
        ],
      },
      ["G", "p1 done look: A", "p2 open check: B", "p3 open deliver: C", "p4 failed do: D"],
    ],
    [
      "more fields than there are",
      { goal: "G", merge: false, items: [{ text: "Look", seqs: [1], owner: "me" }] },
      ["G", "p1 open do: Look"],
    ],
  ])("%s", (_, input, expected) => {
    expect(read(input)).toEqual(expected);
  });

  test("texts that are too long are cut with a mark", () => {
    const [goal, item] = read({ goal: "g".repeat(500), items: ["t".repeat(300)] });
    expect(goal).toBe(`${"g".repeat(399)}…`);
    expect(item).toBe(`p1 open do: ${"t".repeat(199)}…`);
  });
});

describe("an item without an id in a later list", () => {
  const now: Plan = {
    rev: 1,
    goal: "G",
    items: [
      { id: "p1", text: "Look", kind: "look", status: "doing", seqs: [] },
      { id: "p2", text: "Write", kind: "do", status: "open", seqs: [] },
    ],
  };

  test.each<[string, Json, readonly string[]]>([
    [
      "is the one of the same text, in any order",
      { items: ["Write", "look"] },
      ["G", "p2 open do: Write", "p1 open do: look"],
    ],
    [
      "is the one in its place where its words were changed",
      { items: ["Look at it", "Write"] },
      ["G", "p1 open do: Look at it", "p2 open do: Write"],
    ],
    [
      "is new where the list has grown",
      { items: ["Look", "Write", "Link"] },
      ["G", "p1 open do: Look", "p2 open do: Write", "p3 open do: Link"],
    ],
    [
      "takes no id that another one has",
      { items: [{ id: "p3", text: "Link" }, "Tell"] },
      ["G", "p3 open do: Link", "p4 open do: Tell"],
    ],
  ])("%s", (_, input, expected) => {
    expect(read(input, now)).toEqual(expected);
  });
});

test("the offered schema asks for a goal and texts alone", () => {
  const schema = planTool.definition.inputSchema as {
    required: string[];
    properties: { items: { items: { required: string[] } } };
  };
  expect(schema.required).toEqual(["goal", "items"]);
  expect(schema.properties.items.items.required).toEqual(["text"]);
  expect(planTool.definition.description).toContain(PLAN_EXAMPLE);
});
