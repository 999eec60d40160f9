import { describe, expect, it } from "vitest";
import type { ModelOutcome, ModelRequest } from "../../../src/cairn/core/log/model.ts";
import { joinEvents } from "../../../src/cairn/models/join-events.ts";
import { createProviders } from "../../../src/cairn/models/providers.ts";
import { createModel } from "../../../src/cairn/models/step.ts";

type Delta = Readonly<Record<string, unknown>>;

const chunk = (delta: Delta, more: object = {}, choice: object = {}): string =>
  `data: ${JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...more })}`;
const words = (content: string): string => chunk({ content });
const part = (text: string, call: object = {}): string =>
  chunk({ tool_calls: [{ index: 0, function: { arguments: text }, ...call }] });
const named = (text: string): string => part(text, { id: "c1", function: { name: "look", arguments: text } });
const linesOf = (events: readonly string[], end = ""): string[] =>
  events.flatMap((event) => [event + end, end]);
const joined = (...events: readonly string[]): readonly string[] => joinEvents(linesOf(events), true);

describe("joinEvents", () => {
  it.each([
    ["words", [words("a"), words('"b'), words("\\u00e9\n😀")], [words('a"b\\u00e9\n😀')]],
    ["thoughts", [1, 2].map((at) => chunk({ content: "", reasoning_content: `t${at}` })), null],
    ["arguments", [part('{"a":'), part('[1,"x'), part('"]}')], [part('{"a":[1,"x"]}')]],
    [
      "arguments of a call that each event names",
      [named('{"a":'), named("1"), named("}")],
      [named('{"a":1}')],
    ],
  ])("joins %s", (_what, events, expected) => {
    expect(joined(...events)).toEqual(
      linesOf(expected ?? [chunk({ content: "", reasoning_content: "t1t2" })]),
    );
  });

  it("joins what lies between other events, and leaves those as they are", () => {
    const first = chunk({ role: "assistant", content: "" });
    const last = chunk({}, {}, { finish_reason: "stop" });
    expect(joined(first, words("a"), words("b"), part("x"), words("c"), last, "data: [DONE]")).toEqual(
      linesOf([first, words("ab"), part("x"), words("c"), last, "data: [DONE]"]),
    );
  });

  it("joins lines that end with a carriage return", () => {
    expect(joinEvents(linesOf([words("a"), words("b")], "\r"), true)).toEqual(linesOf([words("ab")], "\r"));
  });

  it.each<readonly [string, readonly string[]]>([
    ["of different chunks", [chunk({ content: "a" }, { id: "1" }), chunk({ content: "b" }, { id: "2" })]],
    ["that end an answer", ["a", "b"].map((text) => chunk({ content: text }, {}, { finish_reason: "stop" }))],
    ["that count tokens", ["a", "b"].map((text) => chunk({ content: text }, { usage: { total_tokens: 1 } }))],
    ["with words and thoughts", ["a", "b"].map((text) => chunk({ content: text, reasoning: "t" }))],
    ["with words and a call", ["a", "b"].map((text) => chunk({ content: text, tool_calls: [{ index: 0 }] }))],
    ["with a field that is not known", ["a", "b"].map((text) => chunk({ content: text, audio: "x" }))],
    ["of two choices", ["a", "b"].map((text) => chunk({ content: text }, { choices: [{}, {}] }))],
    ["of calls without a place", ["a", "b"].map((text) => part(text, { index: undefined }))],
    ["that each name a call and open a value", [named("{"), named("{}"), named(" [")]],
    ["whose text is no JSON", [words("a"), words("b").replace('"b"', '"\\x"')]],
    ["of two lines", [`${words("a")}\n${words("b")}`, `${words("a")}\n${words("b")}`]],
    ["of another kind", ['data: {"content":"a"}', 'data: {"content":"b"}']],
  ])("leaves events %s", (_what, events) => {
    const lines = events.flatMap((event) => [...event.split("\n"), ""]);
    expect(joinEvents(lines, true)).toEqual(lines);
  });

  it("leaves an event whose end has not come, and one that began in an earlier piece", () => {
    const lines = linesOf([words("a"), words("b")]);
    expect(joinEvents(lines.slice(0, 3), true)).toEqual(lines.slice(0, 3));
    expect(joinEvents(lines, false)).toEqual(lines);
  });

  it("ends a joined event after some thousand characters", () => {
    const events = joinEvents(linesOf(Array.from({ length: 20 }, () => words("a".repeat(1_000)))), true);
    expect(events).toEqual(linesOf(Array.from({ length: 4 }, () => words("a".repeat(5_000)))));
  });
});

const REQUEST: ModelRequest = {
  model: "openai-compatible:test-model",
  session: "s1",
  step: "r1s1",
  attempt: 1,
  instructions: "Be brief.",
  messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }],
  tools: [{ name: "look", description: "Looks", inputSchema: { type: "object", properties: {} } }],
  maxOutputTokens: 100,
  temperature: null,
  timeoutMs: 300_000,
  dialect: "native",
  takesWritten: true,
};

/** The outcome of a call whose answer comes in the given pieces. */
async function outcomeOf(pieces: readonly string[]): Promise<ModelOutcome> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  const providers = createProviders({
    ai: null,
    openaiCompatible: { baseUrl: "https://models.example/v1", apiKey: null, headers: {}, reportsCost: false },
    openrouter: null,
    gatewayId: null,
    fetch: () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } })),
  });
  return createModel({ providers, clock: () => 0 }).call(
    REQUEST,
    () => undefined,
    new AbortController().signal,
  );
}

const END = [chunk({}, {}, { finish_reason: "stop" }), "data: [DONE]"];
const asPieces = (events: readonly string[]): string[] => events.map((event) => `${event}\n\n`);

it.each<readonly [string, readonly string[]]>([
  ["words", [words("Good "), words("day"), words(".")]],
  [
    "thoughts and words",
    ["a", "b", "c", "d", "e", "f"].map((text, at) => chunk(at < 3 ? { reasoning: text } : { content: text })),
  ],
  ["a call", [named(""), part('{"a"'), part(":1"), part("}")]],
  ["a call that each event names", [named('{"a"'), named(":"), named('{"b"'), named(":1}"), named("}")]],
  ["two calls in the same place of the list", [named("{}"), named('{"a":1}')]],
  [
    "two calls with ids of their own",
    ["1", "2"].flatMap((id) =>
      ["{", "}"].map((text) =>
        part(text, { index: Number(id), id, function: { name: "look", arguments: text } }),
      ),
    ),
  ],
])("an answer of %s is the same in one piece as in a piece for each event", async (_what, events) => {
  const pieces = asPieces([...events, ...END]);
  const outcome = await outcomeOf([pieces.join("")]);
  expect(outcome.kind).toBe("replied");
  expect(outcome).toEqual(await outcomeOf(pieces));
});

it("takes an answer of 64,000 tokens with an event for each", async () => {
  const piece = asPieces(Array.from({ length: 640 }, () => words("to "))).join("");
  const outcome = await outcomeOf([...Array.from({ length: 100 }, () => piece), ...asPieces(END)]);
  expect(outcome).toMatchObject({
    kind: "replied",
    reply: { finish: "stop", parts: [{ type: "text", text: "to ".repeat(64_000) }] },
  });
});

it("takes a call of 64,000 tokens with an event for each that names it", async () => {
  const text = "to ".repeat(64_000);
  const events = ['{"a":"', ...Array.from({ length: 64_000 }, () => "to "), '"}'].map(named);
  const outcome = await outcomeOf([asPieces(events).join(""), ...asPieces(END)]);
  expect(outcome).toMatchObject({ reply: { parts: [{ type: "call", input: { a: text } }] } });
});
