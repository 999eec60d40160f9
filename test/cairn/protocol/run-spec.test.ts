import { describe, expect, it } from "vitest";
import * as z from "zod";
import { describe as openApiOf } from "../../../build/on-demand/openapi.ts";
import {
  parseRunRequest,
  type KnownNames,
  type ParsedRun,
} from "../../../src/cairn/protocol/run-spec/parse.ts";
import { FIELD_NAMES, RUN_REQUEST } from "../../../src/cairn/protocol/run-spec/shape.ts";
import { BUILT_INS } from "../../../src/cairn/protocol/run-spec/tools.ts";
import { builtinPack } from "../../../src/cairn/tools/builtin/pack.ts";

const PLAIN = { objective: "Write the About page." };

function taken(body: unknown, known?: KnownNames): ParsedRun {
  const parsed = parseRunRequest(body, known);
  if (!parsed.ok) throw new Error(`refused: ${JSON.stringify(parsed.issues)}`);
  return parsed.request;
}

function warnings(body: unknown): string[] {
  const parsed = parseRunRequest(body);
  return parsed.ok ? parsed.warnings.map(({ code, path }) => `${code} ${path}`) : ["refused"];
}

/** `code path`, and `→ suggestion` where there is one. */
function faults(body: unknown, known?: KnownNames): string[] {
  const parsed = parseRunRequest(body, known);
  return parsed.ok
    ? []
    : parsed.issues.map(
        ({ code, path, suggestion }) =>
          `${code} ${path}${suggestion === undefined ? "" : ` → ${suggestion}`}`,
      );
}

const plus = (more: object): object => ({ ...PLAIN, ...more });

describe("what is asked", () => {
  it("needs an objective alone; a setting that was not sent is absent", () => {
    expect(taken(PLAIN)).toStrictEqual({
      sessionId: null,
      objective: "Write the About page.",
      files: null,
      channel: null,
      previousRunId: null,
      options: { limits: {}, questions: {} },
    });
  });

  it("takes every field", () => {
    const output = { type: "object", properties: { words: { type: "integer" } }, required: ["words"] };
    const body = {
      session_id: "ses_demo",
      objective:
        "Say {{input.what}} to {{ input.people[1].name }}; {{input.count}} of {{input.all}}, {{other}}",
      objective_template: "For {{input.what}}: {{objective}}",
      input: { what: "hello", people: [{}, { name: "Ana" }], count: 2, all: { a: [1, true] } },
      files: ["f_0123456789abcdef01234567", "/uploads/f_0123456789abcdef01234567"],
      agent: "writer",
      profile: "lean",
      preset: "orcbot",
      tools: ["page_create", "pack:cms", { type: "action", name: "page_list" }, { name: "page_read" }],
      model: "llama3.1:8b",
      fallback_models: ["rehearsal:", "workers-ai:@cf/meta/llama"],
      max_iterations: 12,
      timeout_ms: 90_000,
      temperature: 0.7,
      max_output_tokens: 512,
      on_stuck: { iterations: 4, action: "retry_with_hint", hint: "Try the other page." },
      on_exhausted: "fail",
      include_reasoning_trace: false,
      result_key: "report",
      instructions: "Be short.",
      output,
      approval: { rules: { page_create: "ask" }, k: 2, of: 2, expires_ms: 60_000, on_expiry: "deny" },
      channel: { kind: "api", deliver: "reply" },
      previous_run_id: "ses_demo.r3",
      dialect: "json",
      budget: { tokens: 9_000, cost_usd: 0.5, tool_calls: 7, messages: 2 },
      citations: "off",
      quarantine: true,
      rollouts: 3,
      human: { expires_ms: 5_000, default: "end" },
      metadata: { ticket: "A-1" },
      targets: { site: { siteId: "main", environmentId: "staging" } },
    };
    expect(Object.keys(body).toSorted()).toEqual([...FIELD_NAMES].toSorted());
    expect(taken(body)).toStrictEqual({
      sessionId: "ses_demo",
      objective: 'Say hello to Ana; 2 of {"a":[1,true]}, {{other}}',
      files: [{ path: "files[0]", url: "/uploads/f_0123456789abcdef01234567" }],
      channel: "api",
      previousRunId: "ses_demo.r3",
      options: {
        objectiveTemplate: "For hello: {{objective}}",
        agent: "writer",
        profile: "lean",
        preset: "orcbot",
        tools: ["page_create", "pack:cms", "page_list", "page_read"],
        model: "openai-compatible:llama3.1:8b",
        fallbacks: ["rehearsal:", "workers-ai:@cf/meta/llama"],
        limits: {
          steps: 12,
          activeMs: 90_000,
          outputTokens: 512,
          tokens: 9_000,
          cost: 500_000,
          toolCalls: 7,
          messages: 2,
        },
        temperature: 0.7,
        onStuck: { action: "retry_with_hint", iterations: 4, hint: "Try the other page." },
        onExhausted: "fail",
        showThoughts: false,
        resultKey: "report",
        instructions: "Be short.",
        output,
        approval: { rules: { page_create: "ask" }, needed: 2, expiresMs: 60_000, denyOnExpiry: true },
        dialect: "json",
        questions: { waitMs: 5_000, otherwise: "end" },
        citations: "off",
        quarantine: true,
        rollouts: 3,
        targets: { site: { siteId: "main", environmentId: "staging" } },
        metadata: { ticket: "A-1" },
      },
    });
    expect(warnings(body)).toEqual([]);
  });

  it("takes a preset in the field of profiles too, and a class beside a preset", () => {
    expect(taken(plus({ profile: "hyphen" })).options).toStrictEqual({
      preset: "hyphen",
      limits: {},
      questions: {},
    });
    expect(taken(plus({ profile: "cms", preset: "cms" })).options).toStrictEqual({
      preset: "cms",
      limits: {},
      questions: {},
    });
    expect(taken(plus({ profile: "auto", preset: "cms" })).options).toMatchObject({
      profile: "auto",
      preset: "cms",
    });
    expect(faults(plus({ profile: "hyphen", preset: "cms" }))).toEqual(["duplicate_setting preset"]);
  });

  it("has answer as another word of force_answer", () => {
    expect(taken(plus({ on_stuck: { action: "answer" } })).options.onStuck).toEqual({
      action: "force_answer",
    });
    expect(taken(plus({ on_stuck: {} })).options.onStuck).toEqual({ action: "force_answer" });
  });
});

describe("the tools", () => {
  it("are the built-in ones alone when the list is empty", () => {
    expect(taken(plus({ tools: [] })).options.tools).toEqual([]);
  });

  it("may name built-in ones under either name, and each once too often", () => {
    const tools = ["__complete__", "pause_for_human", "page_list", { type: "action", name: "page_list" }];
    expect(taken(plus({ tools })).options.tools).toEqual(["page_list"]);
    expect(warnings(plus({ tools }))).toEqual([
      "builtin_implied tools[0]",
      "builtin_implied tools[1]",
      "duplicate_tool tools[3]",
    ]);
  });

  it("knows every built-in tool of the pack", () => {
    expect(
      builtinPack.tools.map((tool) => tool.definition.name).filter((name) => !BUILT_INS.includes(name)),
    ).toEqual([]);
  });

  it("are agents too, and the tool that starts any of them", () => {
    const tools = [{ type: "workflow", id: "w1" }, { type: "workflow", name: "writer" }, "__run_workflow__"];
    expect(taken(plus({ tools })).options.tools).toEqual(["agent:w1", "agent:writer", "run_agent"]);
    const agents = ["writer"];
    expect(
      faults(plus({ tools }), { agents, packs: [], tools: ["run_agent"], unavailable: {} }).toSorted(),
    ).toEqual(["unknown_agent tools[0]"]);
  });

  it("are refused where they name no agent, or have names that nobody may have", () => {
    const tools = [{ type: "workflow" }, "__mine__", 3, { type: "pack", name: "x" }, ""];
    expect(faults(plus({ tools })).toSorted()).toEqual([
      "missing_field tools[0]",
      "out_of_range tools[4]",
      "reserved_name tools[1]",
      "wrong_type tools[2]",
      "wrong_type tools[3]",
    ]);
  });

  it("are held against those that are there, where the caller of the parser names them", () => {
    const known = {
      agents: ["writer", "editor"],
      packs: ["cms"],
      tools: ["page_list", "page_create"],
      unavailable: { web_search: "It needs a key." },
    };
    const body = plus({
      agent: "writr",
      tools: ["page_lst", "pack:cmss", "web_search", "complete", "page_list"],
      approval: { rules: { page_creat: "deny", ask_human: "deny" } },
    });
    expect(faults(body, known)).toEqual([
      "unknown_agent agent → writer",
      "unknown_tool tools[0] → page_list",
      "unknown_tool tools[1] → pack:cms",
      "tool_not_available tools[2]",
      "unknown_tool approval.rules.page_creat → page_create",
    ]);
    expect(faults(body)).toEqual([]);
  });

  it("have no room in a run of one step", () => {
    expect(warnings(plus({ max_iterations: 1 }))).toEqual(["no_room_for_tools max_iterations"]);
    expect(warnings(plus({ max_iterations: 1, tools: ["page_list"] }))).toEqual([
      "no_room_for_tools max_iterations",
    ]);
    expect(warnings(plus({ max_iterations: 1, tools: ["complete"] }))).toEqual(["builtin_implied tools[0]"]);
    expect(warnings(plus({ max_iterations: 1, tools: [] }))).toEqual([]);
  });
});

describe("the bounds", () => {
  const deep = (levels: number): object =>
    levels === 1 ? { type: "string" } : { type: "object", properties: { a: deep(levels - 1) } };
  const least: readonly (readonly [field: object, fault: string])[] = [
    [{ objective: "" }, "out_of_range objective"],
    [{ objective: "{{input.a}}", input: { a: " " } }, "out_of_range objective"],
    [{ session_id: "a b" }, "out_of_range session_id"],
    [{ max_iterations: 0 }, "out_of_range max_iterations"],
    [{ timeout_ms: 999 }, "out_of_range timeout_ms"],
    [{ temperature: -0.1 }, "out_of_range temperature"],
    [{ max_output_tokens: 63 }, "out_of_range max_output_tokens"],
    [{ on_stuck: { iterations: 1 } }, "out_of_range on_stuck.iterations"],
    [{ result_key: "" }, "out_of_range result_key"],
    [{ result_key: "1st" }, "out_of_range result_key"],
    [{ approval: { k: 0 } }, "out_of_range approval.k"],
    [{ approval: { expires_ms: 999 } }, "out_of_range approval.expires_ms"],
    [{ budget: { tokens: 0 } }, "out_of_range budget.tokens"],
    [{ budget: { cost_usd: 0 } }, "out_of_range budget.cost_usd"],
    [{ rollouts: 0 }, "out_of_range rollouts"],
    [{ human: { expires_ms: 1 } }, "out_of_range human.expires_ms"],
    [{ targets: { "Site/": {} } }, "out_of_range targets"],
  ];
  const most: readonly (readonly [taken: object, refused: object, fault: string])[] = [
    [{ objective: "x".repeat(20_000) }, { objective: "x".repeat(20_001) }, "out_of_range objective"],
    [
      { objective: "{{input.a}}", input: { a: "x".repeat(20_000) } },
      { objective: "{{input.a}}", input: { a: "x".repeat(20_001) } },
      "out_of_range objective",
    ],
    [{ input: { a: "x".repeat(65_528) } }, { input: { a: "x".repeat(65_529) } }, "out_of_range input"],
    [{ metadata: { a: "é".repeat(2_044) } }, { metadata: { a: "é".repeat(2_045) } }, "out_of_range metadata"],
    [{ instructions: "x".repeat(20_000) }, { instructions: "x".repeat(20_001) }, "out_of_range instructions"],
    [{ tools: Array(128).fill("a_tool") }, { tools: Array(129).fill("a_tool") }, "out_of_range tools"],
    [
      { fallback_models: Array(3).fill("a") },
      { fallback_models: Array(4).fill("a") },
      "out_of_range fallback_models",
    ],
    [{ max_iterations: 200 }, { max_iterations: 201 }, "out_of_range max_iterations"],
    [{ timeout_ms: 86_400_000 }, { timeout_ms: 86_400_001 }, "out_of_range timeout_ms"],
    [{ temperature: 2 }, { temperature: 2.1 }, "out_of_range temperature"],
    [{ max_output_tokens: 32_000 }, { max_output_tokens: 32_001 }, "out_of_range max_output_tokens"],
    [{ on_stuck: { iterations: 10 } }, { on_stuck: { iterations: 11 } }, "out_of_range on_stuck.iterations"],
    [
      { on_stuck: { action: "retry_with_hint", hint: "x".repeat(1_000) } },
      { on_stuck: { action: "retry_with_hint", hint: "x".repeat(1_001) } },
      "out_of_range on_stuck.hint",
    ],
    [{ result_key: "x".repeat(64) }, { result_key: "x".repeat(65) }, "out_of_range result_key"],
    [{ approval: { k: 2, of: 2 } }, { approval: { k: 3, of: 2 } }, "out_of_range approval.k"],
    [{ session_id: "x".repeat(64) }, { session_id: "x".repeat(65) }, "out_of_range session_id"],
    [{ rollouts: 8 }, { rollouts: 9 }, "out_of_range rollouts"],
    [{ output: deep(8) }, { output: deep(9) }, "bad_output_schema output"],
  ];

  it.each(least)("refuse too little: %j", (field, fault) => {
    expect(faults(plus(field))).toEqual([fault]);
  });

  it.each(most.map(([good, bad, fault]) => [fault, good, bad] as const))(
    "take the most and refuse more: %s",
    (fault, good, bad) => {
      expect(faults(plus(good))).toEqual([]);
      expect(faults(plus(bad))).toEqual([fault]);
    },
  );

  it("ask a time capsule for its cost, and for 5 to 720 minutes", () => {
    expect(faults(plus({ profile: "time_capsule", timeout_ms: 1_000 }))).toEqual([
      "out_of_range budget.cost_usd",
      "out_of_range timeout_ms",
    ]);
    expect(faults(plus({ profile: "time_capsule", timeout_ms: 600_000, budget: { cost_usd: 1 } }))).toEqual(
      [],
    );
    // 60 seconds, as the preset says where the run does not
    const routed = plus({ profile: "time_capsule", preset: "hyphen_router", budget: { cost_usd: 1 } });
    expect(faults(routed)).toEqual(["out_of_range preset"]);
    expect(faults({ ...routed, timeout_ms: 600_000 })).toEqual([]);
  });
});

describe("mistakes", () => {
  it("are told all at once, each with its path, and a misspelt key with the right one", () => {
    const body = {
      objectives: "x",
      max_iteration: 3,
      temperature: "warm",
      budget: { tokns: 5, cost_usd: -1 },
      on_stuck: { action: "fale" },
      result_key: "__proto__",
      dialect: "xml",
    };
    expect(faults(body)).toEqual([
      "unknown_field objectives → objective",
      "unknown_field max_iteration → max_iterations",
      "wrong_type objective",
      "wrong_type temperature",
      "out_of_range on_stuck.action → fail",
      "reserved_name result_key",
      "out_of_range dialect",
      "out_of_range budget.cost_usd",
      "unknown_field budget.tokns → tokens",
    ]);
  });

  it("are told in plain words", () => {
    const parsed = parseRunRequest({ temperature: "warm", include_reasoning_trace: 1, tools: [1] });
    expect(parsed.ok ? [] : parsed.issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      "objective: It is missing.",
      'tools[0]: It must be the name of a tool, pack:<name>, or {"type":"action","name":…}.',
      "temperature: It must be a number.",
      "include_reasoning_trace: It must be true or false.",
    ]);
  });

  it("of the template name each path that is missing, also beside other mistakes", () => {
    const objective =
      "{{input.a}} {{input.b.c}} {{input.toString}} {{input.l[2]}} {{input.__proto__}} {{input.a}}";
    const parsed = parseRunRequest({ objective, input: { b: "text", l: [1] }, rollouts: 0 });
    expect(parsed.ok ? [] : parsed.issues.map(({ code, message }) => `${code} ${message}`)).toEqual([
      "out_of_range It must be at least 1.",
      "template_missing The input has no input.a.",
      "template_missing The input has no input.b.c.",
      "template_missing The input has no input.toString.",
      "template_missing The input has no input.l[2].",
      "template_missing The input has no input.__proto__.",
    ]);
    expect(faults({ objective: "{{input.x}}" })).toEqual(["template_missing objective"]);
  });

  it.each([
    [{ channel: { kind: "email" } }, "not_supported channel.kind → api"],
    [{ channel: { kind: "web", target: "#x" } }, "not_supported channel.target"],
    [{ channel: { kind: "web", deliver: "tool" } }, "not_supported channel.deliver → reply"],
    [{ on_stuck: { action: "fail", hint: "x" } }, "hint_unused on_stuck.hint"],
    [{ on_stuck: { hint: "x" } }, "hint_unused on_stuck.hint"],
    [{ model: "workers-ai:" }, "unknown_model model"],
    [{ model: "two words" }, "unknown_model model"],
    [{ fallback_models: ["a", "b c"] }, "unknown_model fallback_models[1]"],
    [{ human: { default: "yes" } }, "out_of_range human.default"],
    [{ channel: {} }, "wrong_type channel.kind"],
    [{ targets: { site: "a" } }, "wrong_type targets.site"],
    [{ targets: { site: { text: "x".repeat(2_048) } } }, "out_of_range targets"],
    [{ approval: { rules: { page_create: "sometimes" } } }, "out_of_range approval.rules.page_create"],
    [{ approval: { on_expiry: "escalate" } }, "approval_weakened approval.on_expiry"],
    [{ approval: { exipres_ms: 5_000 } }, "unknown_field approval.exipres_ms → expires_ms"],
    [{ input: [] }, "wrong_type input"],
    [{ metadata: "x" }, "wrong_type metadata"],
  ])("in one field: %j", (field, fault) => {
    expect(faults(plus(field))).toEqual([fault]);
  });

  it("between two fields are told beside others of their object", () => {
    expect(faults(plus({ on_stuck: { iterations: 99, action: "fail", hint: "x" } })).toSorted()).toEqual([
      "hint_unused on_stuck.hint",
      "out_of_range on_stuck.iterations",
    ]);
    expect(faults(plus({ approval: { k: 3, of: 2, expire: 1 } })).toSorted()).toEqual([
      "out_of_range approval.k",
      "unknown_field approval.expire → expires_ms",
    ]);
  });

  it("that are very many are counted", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`unknown_${at}`, at]));
    const parsed = parseRunRequest({ ...PLAIN, ...many });
    expect(parsed.ok ? [] : [parsed.issues.length, parsed.issues.at(-1)]).toEqual([
      21,
      { path: "", code: "more_issues", message: "4980 more are not listed." },
    ]);
  });

  it("of a body that is no object are one", () => {
    for (const body of [null, 3, "x", [], undefined, true])
      expect(faults(body)).toEqual(["wrong_type ", "wrong_type objective"]);
  });

  it("leave the hint of escalate, which the person is shown", () => {
    expect(taken(plus({ on_stuck: { action: "escalate", hint: "Which page?" } })).options.onStuck).toEqual({
      action: "escalate",
      hint: "Which page?",
    });
  });

  it("do not count a number of people that k makes good, but say what becomes of it", () => {
    expect(warnings(plus({ approval: { k: 1, of: 3 } }))).toEqual(["not_used approval.of"]);
  });
});

describe("the OpenAPI document", () => {
  it("can show every field with its bounds", () => {
    const made = openApiOf(
      [
        {
          verb: "POST",
          path: "/api/runs",
          scopes: ["send"],
          summary: "Starts a run.",
          body: RUN_REQUEST,
          answers: { 200: "Run" },
          handle: () => new Response(),
        },
      ],
      "0",
    );
    const found = z
      .object({
        requestBody: z.object({
          required: z.literal(true),
          content: z.object({
            "application/json": z.object({
              schema: z.object({
                properties: z.record(z.string(), z.looseObject({})),
                required: z.array(z.string()),
              }),
            }),
          }),
        }),
      })
      .parse((made["paths"] as { [path: string]: { [verb: string]: unknown } })["/api/runs"]?.["post"]);
    const { properties, required } = found.requestBody.content["application/json"].schema;
    expect(required).toEqual(["objective"]);
    expect(Object.keys(properties)).toEqual(FIELD_NAMES);
    expect(properties["max_iterations"]).toEqual({ type: "integer", minimum: 1, maximum: 200 });
    expect(properties["objective"]).toEqual({ type: "string", minLength: 1, maxLength: 20_000 });
  });
});

describe("a value of the wrong type that is also too long", () => {
  it.each([
    [{ files: "x".repeat(21) }, "wrong_type files"],
    [{ tools: "x".repeat(129) }, "wrong_type tools"],
    [{ fallback_models: "rehearsal:" }, "wrong_type fallback_models"],
    [{ agent: Array.from({ length: 301 }, () => "a") }, "wrong_type agent"],
    [{ instructions: Array.from({ length: 20_001 }, () => 1) }, "wrong_type instructions"],
    [{ previous_run_id: [] }, "wrong_type previous_run_id"],
  ])("has one issue", (fields, fault) => {
    expect(faults({ ...PLAIN, ...fields })).toEqual([fault]);
  });

  it("keeps the bounds of the other fields", () => {
    expect(faults({ ...PLAIN, files: "x".repeat(21), max_iterations: 0 })).toEqual([
      "wrong_type files",
      "out_of_range max_iterations",
    ]);
  });
});
