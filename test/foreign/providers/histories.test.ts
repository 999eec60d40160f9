import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { createProviders } from "../../../src/cairn/models/providers.ts";
import { createModel } from "../../../src/cairn/models/step.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";

/**
 * Ids of calls in histories that are long, that waited for a person, and that another session continues. The provider accepts
 * nine letters and digits only, and a result only for a call that has no result yet
 * (https://docs.mistral.ai/capabilities/function_calling).
 */

interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}
type Call = readonly [tool: string, input: object];

/** The fault of a request, or null. */
function faultOf(messages: readonly WireMessage[]): string | null {
  const open = new Set<string>();
  const known = new Set<string>();
  for (const { tool_calls: calls = [], tool_call_id: answered } of messages) {
    for (const { id } of calls) {
      if (!/^[A-Za-z0-9]{9}$/.test(id)) return `Tool call id was ${id}`;
      if (known.has(id)) return `Duplicate tool call id ${id}`;
      known.add(id);
      open.add(id);
    }
    if (answered !== undefined && !open.delete(answered)) return `Unexpected tool call id ${answered}`;
  }
  return open.size === 0 ? null : "Not the same number of function calls and responses";
}

class Provider {
  readonly faults: string[] = [];
  /** ids of calls by their arguments, over all requests */
  readonly ids = new Map<string, Set<string>>();
  /** calls of the next answers; beyond them it answers in words */
  readonly turns: (readonly Call[])[];
  requests = 0;
  readonly model;

  constructor(turns: readonly (readonly Call[])[], id: (turn: number, index: number) => string) {
    this.turns = [...turns];
    const providers = createProviders({
      ai: null,
      openaiCompatible: {
        baseUrl: "https://models.example/v1",
        apiKey: null,
        headers: {},
        reportsCost: false,
      },
      openrouter: null,
      gatewayId: null,
      fetch: (_input: unknown, init?: { readonly body?: unknown }) => {
        const { messages, tools } = JSON.parse(String(init?.body)) as {
          readonly messages: readonly WireMessage[];
          readonly tools?: readonly unknown[];
        };
        const fault = faultOf(messages);
        if (fault !== null) {
          this.faults.push(fault);
          return Promise.resolve(Response.json({ message: fault }, { status: 400 }));
        }
        for (const { tool_calls: calls = [] } of messages)
          for (const call of calls) {
            const key = call.function.arguments;
            this.ids.set(key, (this.ids.get(key) ?? new Set()).add(call.id));
          }
        const calls = tools === undefined ? [] : (this.turns.shift() ?? []);
        const turn = (this.requests += 1);
        const delta =
          calls.length === 0
            ? { content: "All of it is done." }
            : {
                tool_calls: calls.map(([name, input], index) => ({
                  index,
                  id: id(turn, index),
                  type: "function",
                  function: { name, arguments: JSON.stringify(input) },
                })),
              };
        const events = [
          { choices: [{ index: 0, delta, finish_reason: null }] },
          { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
        ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
        return Promise.resolve(new Response([...events, "data: [DONE]\n\n"].join("")));
      },
    });
    this.model = createModel({ providers });
  }
}

const MODEL = "openai-compatible:m";
const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const endsOf = (log: readonly Entry[]): readonly string[] =>
  log.flatMap((entry) => (entry.kind === "run_ended" ? [entry.body.outcome] : []));
const look = (name: string): Call => ["look", { name }];

/** Ids as the models of other programs give them to their calls. */
const OTHER_IDS: readonly (readonly [name: string, id: (turn: number, index: number) => string])[] = [
  ["OpenAI's", (turn, index) => `call_${turn}${index}${"x".repeat(22)}`],
  ["Anthropic's", (turn, index) => `toolu_01${turn}${index}${"A".repeat(20)}`],
  ["one for all calls", () => "functions.look:0"],
  ["a Cairn's of another run", () => "r1s1c0"],
  ["Bedrock's", (turn, index) => `tooluse_${turn}_${index}-Zk3w`],
];

describe.each(OTHER_IDS)("a provider that is strict about ids, after calls whose ids are %s", (_name, id) => {
  const sound = (provider: Provider): void => {
    expect(provider.faults).toEqual([]);
    for (const [input, ids] of provider.ids) expect([input, ids.size]).toEqual([input, 1]);
    const all = [...provider.ids.values()].flatMap((ids) => [...ids]);
    expect(new Set(all).size).toBe(all.length);
  };

  test("accepts a history that waited for an approval and a question, also after a crash in between", async () => {
    const provider = new Provider(
      [
        [look("a"), ["publish", { name: "b" }], look("c")],
        [["ask_human", { question: "Which color?" }]],
        [look("d")],
      ],
      id,
    );
    const platform = new FakePlatform(provider.model);
    platform.service.admitOrCreate(ADA);
    platform.say("Publish it.", { model: MODEL });
    await platform.settle();
    platform.restart();
    expect(platform.decide("approve").ok).toBe(true);
    await platform.settle();
    platform.restart();
    expect((await platform.api.answer(ADA, { runId: null, question: null, value: "Blue" })).ok).toBe(true);
    await platform.settle();
    expect(endsOf(platform.log)).toEqual(["completed"]);
    expect(provider.ids.size).toBe(5);
    sound(provider);
  });

  test("accepts a denied call, and the same call in the run after it", async () => {
    const provider = new Provider([[["publish", { name: "b" }], look("a")], [], [look("z")]], id);
    const platform = new FakePlatform(provider.model);
    platform.say("Publish it.", { model: MODEL });
    await platform.settle();
    expect(platform.decide("deny", "Not yet.").ok).toBe(true);
    await platform.settle();
    platform.say("Look again.", { model: MODEL });
    await platform.settle();
    expect(endsOf(platform.log)).toEqual(["completed", "completed"]);
    sound(provider);
  });

  test("accepts a history that was summed up", async () => {
    const turns = Array.from({ length: 6 }, (_, step): Call[] => [
      ["bulk", { name: `b${step}` }],
      look(`l${step}`),
    ]);
    const provider = new Provider(turns, id);
    const platform = new FakePlatform(provider.model);
    platform.effects.bulk = "a word and another ".repeat(1_000);
    platform.windows = { [MODEL]: 16_000 };
    platform.say("Look at all of them.", { model: MODEL });
    await platform.settle();
    expect(platform.kinds).toContain("compacted");
    expect(endsOf(platform.log)).toEqual(["completed"]);
    sound(provider);
  });

  test("accepts a history that a session of another name continues", async () => {
    const provider = new Provider([[look("a"), look("b")], [], [look("c")]], id);
    const first = new FakePlatform(provider.model);
    first.say("Look.", { model: MODEL });
    await first.settle();
    const copy = new FakePlatform(provider.model, "copy");
    copy.inherit(first.log, first.state);
    copy.say("Go on.", { model: MODEL });
    await copy.settle();
    expect(endsOf(copy.log)).toEqual(["completed", "completed"]);
    expect(provider.ids.size).toBe(3);
    sound(provider);
  });
});
