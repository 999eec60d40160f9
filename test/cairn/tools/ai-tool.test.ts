import { lazySchema } from "@ai-sdk/provider-utils";
import type { JSONSchema7 } from "@ai-sdk/provider";
import { dynamicTool, jsonSchema, tool, zodSchema } from "ai";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import * as z3 from "zod/v3";

import { fromAiTool } from "../../../src/cairn/tools/ai-tool.ts";
import { tryTool, type AnyTool } from "../../../src/cairn/tools/define.ts";
import { orderOf, registryOf } from "./registry-fixture.ts";
import { sessionOf } from "../../../src/cairn/testing/index.ts";

/** Tools of the AI SDK, made with its own functions, as tools of Cairn. */

const OPEN = { name: "weather", effect: "read", tier: "open" } as const;
const EXTERNAL = { name: "weather", effect: "once", tier: "external" } as const;
/** A tool of which the test knows more than its types. */
const anyOf = (made: unknown): AnyTool<null> => made as AnyTool<null>;
const now = new AbortController().signal;

const weather = tool({
  description: "Tells the weather of a town.",
  title: "Look at the weather",
  inputSchema: z.object({ town: z.string().min(1) }),
  execute: async ({ town }) => ({ town, degrees: 21 }),
});

/** The tool with this schema, whose result is its input. */
const echoing = (inputSchema: Parameters<typeof dynamicTool>[0]["inputSchema"]): AnyTool<null> =>
  fromAiTool<ReturnType<typeof dynamicTool>, null>(
    dynamicTool({ description: "Echoes.", inputSchema, execute: async (input) => input }),
    OPEN,
  );

describe("a tool of the AI SDK", () => {
  test("has its description, title and schema, and runs unchanged", async () => {
    const made = fromAiTool(weather, OPEN);
    const [card] = registryOf(anyOf(made)).cards();
    expect(card).toMatchObject({
      name: "weather",
      description: "Tells the weather of a town.",
      title: "Look at the weather",
      effect: "read",
      tier: "open",
      gate: "never",
      inputSchema: { type: "object", properties: { town: { type: "string" } }, required: ["town"] },
    });
    expect(await tryTool(made, { input: { town: "Ulm" }, services: {} })).toMatchObject({
      preview: null,
      result: { ok: true, value: { town: "Ulm", degrees: 21 } },
    });
    expect(await tryTool(made, { input: { town: "" }, services: {} })).toMatchObject({
      result: { ok: false, error: { class: "invalid_args" } },
    });
  });

  test("has the words of the options where they say more", () => {
    const made = fromAiTool(weather, { ...OPEN, title: "Weather", description: "Weather, by town." });
    expect(registryOf(anyOf(made)).cards()[0]).toMatchObject({
      title: "Weather",
      description: "Weather, by town.",
    });
    const silent = fromAiTool(dynamicTool({ inputSchema: z.object({}), execute: async () => 1 }), {
      ...OPEN,
      name: "count_pages",
    });
    expect(silent.definition.description).toBe("Count pages");
  });

  test("is given the key of the call, no messages, a signal and its context", async () => {
    const seen: object[] = [];
    const asked = tool({
      inputSchema: z.object({}),
      contextSchema: z.object({ key: z.string() }),
      execute: async (_input, { toolCallId, messages, abortSignal, context }) => {
        seen.push({ toolCallId, messages, aborted: abortSignal?.aborted, context });
        return 1;
      },
    });
    const made = fromAiTool<typeof asked, { readonly KEY?: unknown }>(asked, {
      ...OPEN,
      toolContext: ({ KEY }) => ({ key: KEY }),
    });
    await tryTool(made, { input: {}, services: { KEY: "k" } });
    expect(seen).toEqual([
      { toolCallId: "test/r1s1c0", messages: [], aborted: false, context: { key: "k" } },
    ]);
    expect(await tryTool(made, { input: {}, services: {} })).toMatchObject({
      result: { ok: false, error: { code: "tool_context" } },
    });
    expect(seen).toHaveLength(1);
  });
});

describe("the result", () => {
  const resultOf = async (of: Partial<Parameters<typeof dynamicTool>[0]>, more: object = {}) => {
    const made = fromAiTool(
      dynamicTool({ inputSchema: z.object({}), execute: async () => ({}), ...of } as never),
      {
        ...OPEN,
        ...more,
      },
    ) as AnyTool<null>;
    return registryOf(made).run(orderOf("weather", {}), now);
  };

  test("of an async iterable is its last value", async () => {
    const execute = async function* () {
      yield { done: 1 };
      yield { done: 2 };
    };
    expect(await resultOf({ execute })).toMatchObject({ kind: "ok", text: '{"done":2}' });
  });

  test("is plain JSON, also where it has a cycle or nothing at all", async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const texts = [];
    for (const value of [new URL("https://example.com/a"), { at: new Date(0) }, cycle, undefined, 5n])
      texts.push(await resultOf({ execute: async () => value }));
    expect(texts).toMatchObject([
      { text: '"https://example.com/a"' },
      { text: '{"at":"1970-01-01T00:00:00.000Z"}' },
      { text: '{"self":"[cycle]"}' },
      { text: "null" },
      { text: '"5"' },
    ]);
  });

  test("is what toModelOutput makes of it as text or JSON, and itself otherwise", async () => {
    const as = (toModelOutput: () => unknown) =>
      resultOf({ execute: async () => ({ long: "text" }), toModelOutput: toModelOutput as never });
    expect(await as(() => ({ type: "text", value: "short" }))).toMatchObject({ text: '"short"' });
    expect(await as(async () => ({ type: "json", value: { a: 1 } }))).toMatchObject({ text: '{"a":1}' });
    const whole = { kind: "ok", text: '{"long":"text"}' };
    expect(await as(() => ({ type: "content", value: [{ type: "text", text: "a" }] }))).toMatchObject(whole);
    expect(
      await as(() => {
        throw new Error("no words");
      }),
    ).toMatchObject(whole);
    expect(await as(() => ({ type: "error-text", value: "No such town." }))).toMatchObject({
      kind: "failed",
      failure: { code: "tool_failed", message: "No such town." },
    });
  });

  test("of a tool that throws is its message, and the change may have been made", async () => {
    const execute = async (): Promise<never> => Promise.reject(new Error("The town is closed."));
    expect(await resultOf({ execute }, { effect: "once" })).toMatchObject({
      kind: "failed",
      lost: true,
      failure: { class: "internal", code: "tool_failed", message: "The town is closed.", retryable: false },
    });
  });

  test("of a tool that is stopped is the stop, and its signal says so", async () => {
    const stop = new AbortController();
    let aborted = false;
    const execute = (_input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        abortSignal?.addEventListener("abort", () => {
          aborted = true;
          reject(new Error("aborted"));
        });
        stop.abort();
      });
    const made = fromAiTool(dynamicTool({ inputSchema: z.object({}), execute }), OPEN) as AnyTool<null>;
    expect(await registryOf(made).run(orderOf("weather", {}), stop.signal)).toMatchObject({
      kind: "failed",
      failure: { code: "cancelled" },
    });
    expect(aborted).toBe(true);
  });
});

describe("a tool is refused at load", () => {
  const inputSchema = z.object({ town: z.string() });
  const execute = async (): Promise<number> => 1;
  test.each<[string, object, object, string]>([
    [
      "without execute",
      tool({ inputSchema, outputSchema: z.number() }),
      {},
      "tool weather: it has no execute",
    ],
    [
      "of a provider",
      { type: "provider", id: "anthropic.bash_20250124", args: {}, inputSchema, execute },
      {},
      "tool weather: anthropic.bash_20250124 is defined by a provider",
    ],
    [
      "whose description is a function",
      tool({ description: () => "Weather.", inputSchema, execute }),
      {},
      "its description is a function",
    ],
    [
      "that needs approval and shall never ask",
      tool({ inputSchema, needsApproval: true, execute }),
      { approval: "never" },
      'it needs approval, so its approval is not "never"',
    ],
    [
      "that needs approval always, and shall ask by its preview",
      tool({ inputSchema, needsApproval: true, execute }),
      { approval: "depends", preview: () => ({}) },
      'it needs approval, so its approval is not "depends"',
    ],
    [
      "whose entities would read the words for a model",
      tool({ inputSchema, execute, toModelOutput: () => ({ type: "text", value: "a" }) }),
      { entities: () => [] },
      "entities would read what toModelOutput makes",
    ],
    [
      "that wants a context which nobody makes",
      tool({ inputSchema, contextSchema: z.object({ key: z.string() }), execute }),
      {},
      "it has a contextSchema",
    ],
    [
      "whose JSON Schema is a promise",
      tool({ inputSchema: jsonSchema(Promise.resolve({ type: "object" as const })), execute }),
      {},
      "its JSON Schema is a promise",
    ],
    [
      "whose JSON Schema is in another file",
      tool({
        inputSchema: jsonSchema({
          type: "object",
          properties: { a: { $ref: "https://example.com/a.json" } },
        }),
        execute,
      }),
      {},
      "its JSON Schema cannot be checked here",
    ],
    [
      "whose standard schema has no JSON Schema",
      tool({
        inputSchema: {
          "~standard": { version: 1, vendor: "own", validate: (value: unknown) => ({ value }) },
        },
        execute,
      } as never),
      {},
      "does not support JSON Schema conversion",
    ],
    [
      "with a Date in zodSchema()",
      tool({ inputSchema: zodSchema(z.object({ at: z.date() })), execute }),
      {},
      "tool weather: Date cannot be represented in JSON Schema",
    ],
    ["with a Date", tool({ inputSchema: z.object({ at: z.date() }), execute }), {}, "its input at is a Date"],
    [
      "with a default of the clock",
      tool({ inputSchema: z.object({ at: z.number().default(() => Date.now()) }), execute }),
      {},
      "its input at has a default that gives another value each time",
    ],
    [
      "whose validate makes a Date",
      tool({
        inputSchema: jsonSchema(
          { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
          { validate: () => ({ success: true, value: { at: new Date(0) } }) },
        ),
        execute,
      }),
      {},
      "is converted by code that makes a Date in at",
    ],
    [
      "whose validate reads the clock",
      tool({
        inputSchema: jsonSchema(
          { type: "object" },
          {
            validate: (value) => ({ success: true, value: { ...(value as object), at: Date.now() } }),
          },
        ),
        execute,
      }),
      {},
      "is converted by code that gives another value each time",
    ],
    [
      "whose Zod 3 schema makes a Date",
      tool({ inputSchema: z3.z.object({ at: z3.z.coerce.date() }), execute } as never),
      {},
      "is converted by code that makes a Date in at",
    ],
  ])("%s", (_name, given, more, words) => {
    expect(() => fromAiTool(given as never, { ...OPEN, ...more } as never)).toThrow(words);
  });
});

describe("arguments are checked by", () => {
  const standard = {
    "~standard": {
      version: 1,
      vendor: "own",
      validate: (value: { town?: unknown }) =>
        value.town === "Ulm"
          ? { value: { town: "ULM" } }
          : { issues: [{ message: "only Ulm", path: [{ key: "town" }] }] },
      jsonSchema: {
        input: () => ({ type: "object", properties: { town: { type: "string" } }, required: ["town"] }),
      },
    },
  };
  const towns = {
    type: "object",
    properties: { town: { type: "string" } },
    required: ["town"],
  } satisfies JSONSchema7;

  test.each<[string, never, object, unknown, object, string]>([
    ["Zod 4", z.object({ town: z.string().trim() }) as never, { town: " Ulm " }, { town: "Ulm" }, {}, "town"],
    [
      "Zod 3",
      z3.z.object({ town: z3.z.string().trim().min(2) }) as never,
      { town: " Ulm " },
      { town: "Ulm" },
      { town: "U" },
      "town: ",
    ],
    [
      "a standard schema",
      standard as never,
      { town: "Ulm" },
      { town: "ULM" },
      { town: "Bonn" },
      "town: only Ulm",
    ],
    ["a JSON Schema", jsonSchema(towns) as never, { town: "Ulm" }, { town: "Ulm" }, { town: 5 }, "town"],
    [
      "a JSON Schema with its own check",
      jsonSchema<{ town: string }>(towns, {
        validate: (value) =>
          (value as { town: string }).town === "Ulm"
            ? { success: true, value: { town: "ULM" } }
            : { success: false, error: new Error("only Ulm") },
      }) as never,
      { town: "Ulm" },
      { town: "ULM" },
      { town: "Bonn" },
      "only Ulm",
    ],
    [
      "a lazy schema",
      lazySchema(() => jsonSchema(towns)) as never,
      { town: "Ulm" },
      { town: "Ulm" },
      { town: 5 },
      "town",
    ],
  ])("%s, and what it makes is the one value", (_name, schema, asked, made, wrong, words) => {
    const tools = registryOf(echoing(schema));
    expect(tools.check("weather", asked as never)).toMatchObject({ ok: true, input: made });
    const refused = tools.check("weather", wrong as never);
    expect(refused).toMatchObject({ ok: false, failure: { class: "invalid_args" } });
    expect(refused.ok ? "" : refused.failure.message).toContain(words);
    expect(tools.cards()[0]?.inputSchema).toMatchObject({ properties: { town: { type: "string" } } });
  });

  test("nothing, where there is no schema: it takes no arguments", () => {
    const tools = registryOf(echoing(undefined as never));
    expect(tools.check("weather", {})).toMatchObject({ ok: true });
    expect(tools.check("weather", { town: "Ulm" })).toMatchObject({ ok: false });
  });

  test("an edit of them is not converted again", () => {
    const cents = jsonSchema<{ price: number }>(
      { type: "object", properties: { price: { type: "number" } }, required: ["price"] },
      {
        validate: (value) => ({
          success: true,
          value: { price: Math.round((value as { price: number }).price * 100) },
        }),
      },
    );
    const tools = registryOf(echoing(cents as never));
    expect(tools.check("weather", { price: 12.5 })).toMatchObject({ ok: true, input: { price: 1250 } });
    expect(tools.check("weather", { price: 2000 }, undefined, "edited")).toMatchObject({
      ok: true,
      input: { price: 2000 },
    });
  });
});

describe("a schema whose check is asynchronous, as that of zodSchema() is", () => {
  const runs: unknown[] = [];
  const made = (schema: z.ZodType, more: object = {}): AnyTool<null> =>
    fromAiTool(
      dynamicTool({
        description: "Echoes.",
        inputSchema: zodSchema(schema),
        execute: async (input) => {
          runs.push(input);
          return input;
        },
      }),
      { ...OPEN, ...more },
    ) as AnyTool<null>;

  test("is asked before the call, and before a person is", async () => {
    runs.length = 0;
    const schema = z.object({ town: z.string().refine((town) => town === "Ulm", "only Ulm") });
    const tools = registryOf(made(schema, { approval: "ask" }));
    const right = tools.check("weather", { town: "Ulm" });
    expect(right).toMatchObject({ ok: true, input: { town: "Ulm" } });
    expect(await tools.preview(orderOf("weather", { town: "Ulm" }), now)).toMatchObject({
      kind: "ok",
      preview: { need: { kind: "ask" } },
    });
    const refused = {
      kind: "failed",
      failure: { class: "invalid_args", message: "The arguments of weather do not fit: town: only Ulm" },
    };
    expect(await tools.preview(orderOf("weather", { town: "Bonn" }), now)).toMatchObject(refused);
    expect(await tools.run(orderOf("weather", { town: "Bonn" }), now)).toMatchObject({
      ...refused,
      lost: false,
    });
    expect(runs).toEqual([]);
    expect(await tools.run(orderOf("weather", { town: "Ulm" }), now)).toMatchObject({ kind: "ok" });
    expect(runs).toEqual([{ town: "Ulm" }]);
  });

  test("may fill in defaults that the JSON Schema names: they are in the card, too", () => {
    const tools = registryOf(made(z.object({ days: z.number().default(3) })));
    expect(tools.check("weather", {})).toMatchObject({ ok: true, input: { days: 3 } });
  });

  test.each([
    ["a trimmed text", z.object({ town: z.string().trim() }), { town: " Ulm " }],
    [
      "a Date",
      z.object({ at: z.iso.datetime().transform((at) => new Date(at)) }),
      { at: "1970-01-01T00:00:00.000Z" },
    ],
  ])("never gives the tool %s where people were shown a text", async (_name, schema, input) => {
    runs.length = 0;
    const tools = registryOf(made(schema, { effect: "once" }));
    const refused = { kind: "failed", lost: false, failure: { code: "schema_converts" } };
    expect(await tools.run(orderOf("weather", input), now)).toMatchObject(refused);
    expect(runs).toEqual([]);
  });
});

describe("needsApproval", () => {
  const needing = (needsApproval: unknown, more: object = OPEN): AnyTool<null> =>
    fromAiTool(
      tool({ inputSchema: z.object({ euros: z.number() }), needsApproval, execute: async () => 1 } as never),
      more as never,
    ) as unknown as AnyTool<null>;
  const needOf = async (made: AnyTool<null>, euros: number) => {
    const outcome = await registryOf(made).preview(orderOf("weather", { euros }), now);
    return outcome.kind === "ok" ? outcome.preview.need : outcome.failure;
  };
  const gateOf = (made: AnyTool<null>) => registryOf(made).cards()[0]?.gate;

  test("true always asks, false asks as the tier does", () => {
    expect(gateOf(needing(true))).toBe("ask");
    expect(gateOf(needing(false))).toBe("never");
    expect(gateOf(needing(false, EXTERNAL))).toBe("ask");
    expect(gateOf(needing(true, { ...OPEN, approval: "deny" }))).toBe("deny");
  });

  test("as a function asks where it returns true", async () => {
    const made = needing(({ euros }: { euros: number }) => euros > 100);
    expect(gateOf(made)).toBe("depends");
    expect(await needOf(made, 100)).toEqual({ kind: "none" });
    expect(await needOf(made, 101)).toEqual({ kind: "ask", reason: "Weather asks for these arguments." });
  });

  test("as a function does not weaken a tier that asks", () => {
    expect(gateOf(needing(() => false, EXTERNAL))).toBe("ask");
  });

  test.each([
    ["throws", () => Promise.reject(new Error("no network"))],
    ["returns nothing", () => undefined],
  ])("that %s asks", async (_name, needsApproval) => {
    expect(await needOf(needing(needsApproval), 1)).toMatchObject({ kind: "ask" });
  });

  test("adds to a preview, which may refuse", async () => {
    const preview = (need: object) => async () => ({
      need,
      title: "Pay",
      summary: "Pays.",
      impact: [],
      basis: null,
    });
    const none = needing(() => true, { ...OPEN, preview: preview({ kind: "none" }) });
    expect(await needOf(none, 1)).toMatchObject({ kind: "ask" });
    const deny = needing(() => true, { ...OPEN, preview: preview({ kind: "deny", reason: "no" }) });
    expect(await needOf(deny, 1)).toEqual({ kind: "deny", reason: "no" });
  });
});

test("in a session the card, its digest and execute have one value, and nothing runs before the yes", async () => {
  const paid: unknown[] = [];
  const pay = tool({
    description: "Pays a bill.",
    inputSchema: z.object({ cents: z.number().transform((euros) => Math.round(euros * 100)) }),
    needsApproval: ({ cents }) => cents > 1000,
    execute: async (input, { toolCallId }) => {
      paid.push([input, toolCallId]);
      return { paid: input.cents };
    },
  });
  const made = fromAiTool(pay, { name: "pay_bill", effect: "keyed", tier: "write" });
  const session = sessionOf({ tools: [made as AnyTool<object>] }, [
    { calls: [["pay_bill", { cents: 5 }]] },
    { calls: [["pay_bill", { cents: 12.5 }]] },
    { text: "Both bills are paid." },
  ]);
  await session.say("Pay 5 and 12.50 euros.");
  expect(paid).toEqual([[{ cents: 500 }, expect.stringContaining("r1s1c0")]]);
  const asked = session.log.flatMap((entry) => (entry.kind === "approval_requested" ? [entry.body] : []));
  expect(asked).toMatchObject([{ tool: "pay_bill", args: { cents: 1250 } }]);
  await session.decide("approve");
  expect(paid[1]).toEqual([{ cents: 1250 }, expect.stringContaining("r1s2c0")]);
});
