import { describe, expect, it } from "vitest";
import { parseRunRequest, type ParsedRunRequest } from "../../../src/cairn/protocol/run-spec/parse.ts";
import { FIELD_NAMES } from "../../../src/cairn/protocol/run-spec/shape.ts";
import { Chance } from "../../sim/platform/chance.ts";

const faults = (body: unknown): string[] => {
  const parsed = parseRunRequest(body);
  return parsed.ok
    ? []
    : parsed.issues.map(
        ({ code, path, suggestion }) =>
          `${code} ${path}${suggestion === undefined ? "" : ` → ${suggestion}`}`,
      );
};

/** The loop of a workflow, as its system writes it. */
const LOOP = {
  type: "loop",
  properties: {
    mode: "react",
    objective: "Research {{input.topic}} and say what you found.",
    tools: [
      { type: "action", name: "tool_a" },
      { type: "action", name: "tool_b" },
    ],
    max_iterations: 10,
    timeout_ms: 300_000,
    temperature: 0.7,
    on_stuck: { iterations: 3, action: "fail" },
    include_reasoning_trace: true,
    result_key: "research",
  },
};

describe("the forms", () => {
  it("take the loop of a workflow word for word", () => {
    const parsed = parseRunRequest({ ...LOOP, input: { topic: "owls" } });
    expect(parsed).toMatchObject({
      ok: true,
      request: {
        objective: "Research owls and say what you found.",
        options: {
          tools: ["tool_a", "tool_b"],
          limits: { steps: 10, activeMs: 300_000 },
          temperature: 0.7,
          onStuck: { action: "fail", iterations: 3 },
          showThoughts: true,
          resultKey: "research",
        },
      },
      warnings: [],
    });
  });

  it("select the preset of the system whose loop it is, unless another one is named", () => {
    const presetOf = (body: object): unknown => {
      const parsed = parseRunRequest({ input: { topic: "owls" }, ...body });
      return parsed.ok ? parsed.request.options.preset : parsed.issues;
    };
    const { properties } = LOOP;
    expect(presetOf(LOOP)).toBe("hyphen");
    expect(presetOf({ type: "loop", config: properties })).toBe("hyphen");
    expect(presetOf({ type: "loop", ...properties })).toBe("hyphen");
    expect(presetOf({ properties: { type: "loop", ...properties } })).toBe("hyphen");
    expect(presetOf({ ...LOOP, properties: { ...properties, profile: "simple" } })).toBe("hyphen");
    expect(presetOf({ ...LOOP, preset: "hyphen_router" })).toBe("hyphen_router");
    expect(presetOf({ ...LOOP, properties: { ...properties, profile: "orcbot" } })).toBe("orcbot");
    expect(presetOf({ objective: "Go." })).toBeUndefined();
    expect(presetOf({ objective: "Go.", mode: "react" })).toBeUndefined();
  });

  it("carry a template of the objective, in either spelling", () => {
    const read = (body: object): unknown => {
      const parsed = parseRunRequest({ input: { topic: "owls" }, ...body });
      return parsed.ok
        ? [parsed.request.objective, parsed.request.options.objectiveTemplate]
        : parsed.issues.map(({ path, code }) => `${code} ${path}`);
    };
    const template = "On {{input.topic}}: {{objective}} Be brief.";
    const filled = ["Go.", "On owls: {{objective}} Be brief."];
    expect(read({ objective: "Go.", objectiveTemplate: template })).toEqual(filled);
    expect(read({ objective: "Go.", objective_template: template })).toEqual(filled);
    expect(read({ type: "loop", properties: { objective: "Go.", objectiveTemplate: template } })).toEqual(
      filled,
    );
    expect(read({ objective: "Go." })).toEqual(["Go.", undefined]);
    // The words themselves, where it has no place for others.
    expect(read({ config: { objectiveTemplate: "Look for {{input.topic}}." } })).toEqual([
      "Look for owls.",
      undefined,
    ]);
    expect(read({ objective: "Go.", objectiveTemplate: "Be brief." })).toEqual([
      "out_of_range objectiveTemplate",
    ]);
    expect(read({ objective: "Go.", objectiveTemplate: "{{input.none}} {{objective}}" })).toEqual([
      "template_missing objectiveTemplate",
    ]);
    expect(read({ objective: "Go.", objectiveTemplate: 7 })).toEqual(["wrong_type objectiveTemplate"]);
    expect(
      read({ objective: "Go.", objective_template: "a {{objective}}", objectiveTemplate: template }),
    ).toEqual(["duplicate_setting objectiveTemplate"]);
  });

  it("are told of a model that may not be named together with all else", () => {
    const known = {
      agents: ["default"],
      packs: [],
      tools: [],
      unavailable: {},
      modelFault: (model: string) => (model.endsWith(":good") ? null : `${model} may not be named.`),
    };
    const told = (body: object): unknown => {
      const parsed = parseRunRequest(body, known);
      return parsed.ok ? [] : parsed.issues.map(({ path, code }) => `${code} ${path}`).toSorted();
    };
    expect(told({ objective: "Go.", model: "bad" })).toEqual(["unknown_model model"]);
    expect(told({ objective: "Go.", model: "bad", agent: "none", temperature: 9 })).toEqual([
      "out_of_range temperature",
      "unknown_agent agent",
      "unknown_model model",
    ]);
    expect(
      told({ type: "loop", properties: { model: "bad", fallback_models: ["good", "worse"], tools: ["x"] } }),
    ).toEqual([
      "unknown_model properties.fallback_models[1]",
      "unknown_model properties.model",
      "unknown_tool properties.tools[0]",
      "wrong_type objective",
    ]);
    expect(told({ objective: "Go.", model: "good" })).toEqual([]);
  });

  it("take another name of the tools, and say which labels they leave out", () => {
    const { tools, ...others } = LOOP.properties;
    for (const name of ["available_tools", "available_actions"]) {
      const parsed = parseRunRequest({
        type: "loop",
        action: "research",
        description: "Finds things.",
        config: { ...others, [name]: [...tools, "__complete__"], input: { topic: "owls" } },
      });
      expect(parsed.ok ? parsed.request.options.tools : parsed.issues).toEqual(["tool_a", "tool_b"]);
      expect(parsed.ok ? parsed.warnings.map(({ code, path }) => `${code} ${path}`) : []).toEqual([
        "not_used action",
        "not_used description",
        `builtin_implied config.${name}[2]`,
      ]);
    }
  });

  it("let a field stand twice if both say the same", () => {
    const config = { objective: "x", budget: { tokens: 1, messages: 2 }, max_iterations: 3 };
    expect(faults({ config, objective: "x", budget: { messages: 2, tokens: 1 } })).toEqual([]);
    expect(faults({ config, objective: "y", max_iterations: 4 })).toEqual([
      "duplicate_setting objective",
      "duplicate_setting max_iterations",
    ]);
    expect(faults({ objective: "y", config, max_iterations: 4 })).toEqual([
      "duplicate_setting config.objective",
      "duplicate_setting max_iterations",
    ]);
    expect(faults({ objective: "x", tools: [], available_tools: ["a_tool"] })).toEqual([
      "duplicate_setting available_tools",
    ]);
  });

  it("name each fault where it was written", () => {
    const { objective, ...others } = LOOP.properties;
    expect(
      faults({
        type: "loop",
        properties: { ...others, objectiv: objective, max_iterations: 0, tools: ["__x"] },
      }),
    ).toEqual([
      "unknown_field properties.objectiv → objective",
      "wrong_type objective",
      "reserved_name properties.tools[0]",
      "out_of_range properties.max_iterations",
    ]);
    expect(faults({ config: 3, objective: "x" })).toEqual(["wrong_type config"]);
    expect(faults({ config: { properties: [] }, objective: "x" })).toEqual(["wrong_type config.properties"]);
  });

  it("are loops of the mode react alone", () => {
    expect(faults({ ...LOOP, type: "workflow", input: { topic: "x" } })).toEqual([
      "unsupported_mode type → loop",
    ]);
    const foreach = { ...LOOP.properties, mode: "foreach", objective: "x" };
    expect(faults({ type: "loop", properties: foreach })).toEqual([
      "unsupported_mode properties.mode → react",
    ]);
    expect(faults({ objective: "x", mode: 3, name: "y" })).toEqual([
      "wrong_type mode → react",
      "unknown_field name",
    ]);
  });
});

describe("any body", () => {
  const chance = new Chance(16);
  const pick = <Item>(items: readonly Item[]): Item => items[chance.below(items.length)] as Item;
  const WORDS = [
    "",
    "x",
    "cms",
    "lean",
    "json",
    "{{input.a}}",
    "__x__",
    "\ud800",
    "a".repeat(400),
    "pack:",
    "1",
  ];
  const KEYS = [
    ...FIELD_NAMES,
    "config",
    "properties",
    "type",
    "mode",
    "available_tools",
    "__proto__",
    "constructor",
    "toString",
    "$ref",
    "hint",
    "action",
    "iterations",
    "tokens",
    "kind",
    "rules",
    "k",
    "of",
    "siteId",
    "name",
    "$defs",
    "items",
    "",
  ];

  /** Any JSON, often with names that mean something. Built as text, so that `__proto__` is a key. */
  function anyJson(depth: number): string {
    const kind = depth > 5 ? chance.next() * 0.5 : chance.next();
    if (kind < 0.2) return JSON.stringify(pick(WORDS));
    if (kind < 0.35) return pick(["0", "1", "-1", "1e308", "0.5", "200", "-0", "9007199254740993"]);
    if (kind < 0.5) return pick(["null", "true", "false"]);
    const items = Array.from({ length: Math.floor(chance.next() * 5) }, () => anyJson(depth + 1));
    if (kind < 0.65) return `[${items.join(",")}]`;
    return `{${items.map((item) => `${JSON.stringify(pick(KEYS))}:${item}`).join(",")}}`;
  }

  it("is taken or refused with at least one issue, and never throws", () => {
    let taken = 0;
    const silent: string[] = [];
    for (let n = 0; n < 20_000; n += 1) {
      const text = anyJson(0);
      const body: unknown = JSON.parse(n % 3 === 0 ? `{"objective":"Do it.","config":${text}}` : text);
      const parsed = parseRunRequest(body);
      if (parsed.ok) taken += 1;
      else if (parsed.issues.length === 0) silent.push(text);
    }
    expect(silent).toEqual([]);
    expect(taken).toBeGreaterThan(100);
  });

  it("may be deeper than any stack, or as wide as a body can be", () => {
    const deepList = JSON.parse("[".repeat(30_000) + "]".repeat(30_000)) as unknown;
    expect(faults({ objective: "x", metadata: { a: deepList } })).toEqual(["out_of_range "]);
    const wide = (what: object): string[] => faults({ objective: "x", ...what });
    expect(wide({ tools: Array(30_000).fill("a_b") })).toEqual(["out_of_range tools"]);
    expect(wide({ input: { a: Array(30_000).fill(0) }, result_key: "x".repeat(60_000) })).toEqual([
      "out_of_range result_key",
    ]);
    expect(wide({ ["k".repeat(60_000)]: 1 })).toEqual([`unknown_field ${"k".repeat(120)}…`]);
    const keys = Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`k${at}`, 1]));
    expect(wide({ budget: keys, on_stuck: keys })).toHaveLength(21);
  });

  it.each([
    ['{"objective":"x","__proto__":{"tools":[]}}', "__proto__"],
    ['{"objective":"x","config":{"__proto__":1}}', "config.__proto__"],
    ['{"objective":"x","budget":{"__proto__":1}}', "budget.__proto__"],
  ])("says of __proto__ that it is no field: %s", (text, path) => {
    const parsed = parseRunRequest(JSON.parse(text));
    expect(parsed).toMatchObject({ ok: false, issues: [{ code: "unknown_field", path }] });
  });
});

describe("a specification", () => {
  const VALUES: { readonly [name: string]: readonly unknown[] } = {
    objective: ["Do it.", "Say {{input.a}}.", "", 3],
    input: [{ a: "x" }, { a: [1] }, "x"],
    agent: ["writer", ""],
    profile: ["lean", "cms", "auto", "none"],
    preset: ["cms", "hyphen"],
    tools: [
      [],
      ["a_tool", "__complete__"],
      ["a_tool", { type: "action", name: "a_tool" }],
      [{ type: "workflow" }],
    ],
    model: ["rehearsal:", "llama3", "a b"],
    max_iterations: [1, 15, 0],
    timeout_ms: [1_000, "x"],
    temperature: [0, 2, 3],
    on_stuck: [{ action: "answer" }, { hint: "x" }, { iterations: 3, action: "fail" }],
    budget: [{ tokens: 5 }, { token: 5 }],
    approval: [
      { rules: { a_tool: "deny" }, k: 1, of: 2 },
      { k: 2, of: 1 },
    ],
    output: [{ type: "string" }, { $ref: "https://example.com/" }],
    metadata: [{ a: { b: null } }],
    nothing: [1],
  };

  it("means the same flat, under config and as a loop, up to the places of its faults", () => {
    const chance = new Chance(4);
    const outcomes = new Set<boolean>();
    for (let n = 0; n < 3_000; n += 1) {
      const fields = Object.fromEntries(
        Object.entries(VALUES).flatMap(([name, values]) =>
          chance.next() < (name === "objective" ? 0.95 : 0.2)
            ? [[name, values[Math.floor(chance.next() ** 2 * values.length)]] as const]
            : [],
        ),
      );
      const { input, ...others } = fields;
      const [flat, ...nested] = [
        { body: fields, holder: "" },
        { body: { config: fields }, holder: "config." },
        { body: { type: "loop", properties: { mode: "react", ...fields } }, holder: "properties." },
        { body: { ...(input === undefined ? {} : { input }), config: { ...fields } }, holder: "config." },
        {
          body: { config: { type: "loop", properties: others }, ...(input === undefined ? {} : { input }) },
          holder: "config.properties.",
        },
      ].map(({ body, holder }) => without(holder, parseRunRequest(body)));
      for (const [at, one] of nested.entries()) {
        // A loop is worked as hyphen; nothing else of it is another than in the other forms.
        const isLoop = at === 1 || at === 3;
        const preset =
          isLoop && one.ok && flat?.ok === true && flat.request.options.preset === undefined
            ? { preset: undefined }
            : {};
        expect(isLoop && one.ok ? one.request.options.preset : "hyphen").toBeDefined();
        const same = one.ok
          ? { ...one, request: { ...one.request, options: { ...one.request.options, ...preset } } }
          : one;
        expect(same, JSON.stringify(fields)).toEqual(flat);
      }
      outcomes.add(flat?.ok === true);
    }
    expect(outcomes.size).toBe(2);
  });

  /** The result with its paths as if it had come flat, and its issues in one order. */
  function without(holder: string, parsed: ParsedRunRequest): ParsedRunRequest {
    const bare = <Item extends { readonly path: string; readonly message: string }>(
      items: readonly Item[],
    ): Item[] =>
      items
        .map((item) => ({
          ...item,
          path: item.path.replace(holder, ""),
          message: item.message.replaceAll(holder, ""),
        }))
        .toSorted((a, b) => (`${a.path} ${a.message}` < `${b.path} ${b.message}` ? -1 : 1));
    return parsed.ok
      ? { ...parsed, warnings: bare(parsed.warnings) }
      : { ...parsed, issues: bare(parsed.issues) };
  }
});
