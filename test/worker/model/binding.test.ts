import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type {
  DraftPiece,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from "../../../src/cairn/core/log/model.ts";
import { watchBinding } from "../../../src/cairn/models/binding.ts";
import { inWholeLines } from "../../../src/cairn/models/bounded-body.ts";
import { createLineReader } from "../../../src/cairn/models/event-line.ts";
import { createProviders } from "../../../src/cairn/models/providers.ts";
import { createModel, type ModelSettings } from "../../../src/cairn/models/step.ts";

/** The Workers AI path in workerd: a binding whose `run` gives the stream that the platform would give. */

interface Asked {
  readonly model: string;
  readonly inputs: Record<string, unknown>;
  readonly options: Record<string, unknown>;
}
type Run = (asked: Asked) => unknown;

/** As strict as the real one: `run` needs its own `this`, so a binding that was spread or unbound fails here too. */
class FakeAi {
  readonly #run: Run;
  readonly asked: Asked[] = [];

  constructor(run: Run) {
    this.#run = run;
  }
  async run(
    model: string,
    inputs: Record<string, unknown>,
    options: Record<string, unknown>,
  ): Promise<unknown> {
    const asked = { model, inputs, options };
    this.asked.push(asked);
    return this.#run(asked);
  }
  gateway(id: string): string {
    return `${this.asked.length} ${id}`;
  }
}
const asBinding = (fake: FakeAi): Ai => fake as unknown as Ai;

const REQUEST: ModelRequest = {
  model: "workers-ai:@cf/test/model",
  session: "session-1",
  step: "r1s1",
  attempt: 1,
  instructions: "Be brief.",
  messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }],
  tools: [{ name: "look", description: "Looks", inputSchema: { type: "object", properties: {} } }],
  maxOutputTokens: 100,
  temperature: null,
  timeoutMs: 5_000,
  dialect: "native",
  takesWritten: true,
};

const event = (data: unknown): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const chunk = (delta: unknown, finish: string | null = null): unknown => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const said = (content: string): unknown => chunk({ content });
const called = (index: number, text: string, id = `call-${index}`): unknown =>
  chunk({ tool_calls: [{ index, id, type: "function", function: { name: "look", arguments: text } }] });
const usage = {
  response: "",
  usage: { prompt_tokens: 40, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 32 } },
};

/** Bytes in pieces that respect no line and no character, as a network would cut them. */
function bytes(text: string, then: "end" | "hang" | Error = "end", size = 7): ReadableStream<Uint8Array> {
  const all = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < all.length) controller.enqueue(all.slice(at, (at += size)));
      else if (then === "end") controller.close();
      else if (then !== "hang") controller.error(then);
      else return new Promise(() => undefined);
    },
  });
}
const stream =
  (...events: unknown[]): Run =>
  () =>
    bytes(events.map(event).join(""));

async function ask(
  run: Run,
  more: {
    readonly request?: Partial<ModelRequest>;
    readonly settings?: Omit<ModelSettings, "providers">;
    readonly signal?: AbortSignal;
    readonly onDraft?: (piece: DraftPiece) => void;
    readonly gatewayId?: string;
  } = {},
): Promise<{ outcome: ModelOutcome; drafts: DraftPiece[]; fake: FakeAi }> {
  const fake = new FakeAi(run);
  const providers = createProviders({
    ai: asBinding(fake),
    openaiCompatible: null,
    openrouter: null,
    gatewayId: more.gatewayId ?? null,
  });
  const drafts: DraftPiece[] = [];
  const outcome = await createModel({ providers, ...more.settings }).call(
    { ...REQUEST, ...more.request },
    (piece) => {
      drafts.push(piece);
      more.onDraft?.(piece);
    },
    more.signal ?? new AbortController().signal,
  );
  return { outcome, drafts, fake };
}
function replyOf(outcome: ModelOutcome): ModelReply {
  if (outcome.kind !== "replied") throw new Error(JSON.stringify(outcome));
  return outcome.reply;
}
const failureOf = (outcome: ModelOutcome) => (outcome.kind === "failed" ? outcome.failure : outcome);

describe("Workers AI", () => {
  it("answers with text and usage, and is sent the session, the tools and the limits", async () => {
    const { outcome, drafts, fake } = await ask(
      stream(said("Héllo, "), said("wörld."), chunk({}, "stop"), usage, "[DONE]"),
    );
    expect(replyOf(outcome)).toMatchObject({
      parts: [{ type: "text", text: "Héllo, wörld." }],
      finish: "stop",
      usage: { inputTokens: 40, cachedInputTokens: 32, outputTokens: 7, estimated: false },
      model: "@cf/test/model",
    });
    expect(drafts.map((piece) => piece.text).join("")).toBe("Héllo, wörld.");
    expect(fake.asked).toMatchObject([
      {
        model: "@cf/test/model",
        inputs: {
          stream: true,
          max_tokens: 100,
          messages: [
            { role: "system", content: "Be brief." },
            { role: "user", content: "hello" },
          ],
          tools: [{ type: "function", function: { name: "look" } }],
        },
        options: { extraHeaders: { "x-session-affinity": "session-1" } },
      },
    ]);
    expect(fake.asked[0]?.options["gateway"]).toBeUndefined();
  });

  it("reasons, speaks and calls, and two calls may share one id", async () => {
    const { outcome, drafts } = await ask(
      stream(
        chunk({ reasoning_content: "Hm." }),
        said("I look."),
        called(0, '{"slug":', "same"),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] }),
        called(1, '{"slug":"b"}', "same"),
        chunk({}, "stop"),
        usage,
        "[DONE]",
      ),
    );
    expect(replyOf(outcome)).toMatchObject({
      parts: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "I look." },
        { type: "call", tool: "look", input: { slug: "a" } },
        { type: "call", tool: "look", input: { slug: "b" } },
      ],
      finish: "tool-calls",
    });
    expect(JSON.stringify(outcome)).not.toContain("same");
    expect(drafts).toEqual([
      { type: "reasoning", part: 0, text: "Hm." },
      { type: "text", part: 1, text: "I look." },
    ]);
  });

  it("goes through the gateway when the model is named so", async () => {
    const { outcome, fake } = await ask(stream(said("ok"), chunk({}, "stop"), "[DONE]"), {
      request: { model: "gateway:openai/gpt-test" },
      gatewayId: "gw-1",
    });
    expect(replyOf(outcome).parts).toEqual([{ type: "text", text: "ok" }]);
    expect(fake.asked).toMatchObject([{ model: "openai/gpt-test", options: { gateway: { id: "gw-1" } } }]);
  });

  it("may be answered whole by a model that does not stream", async () => {
    const { outcome } = await ask(() => ({
      response: "All at once.",
      usage: { prompt_tokens: 4, completion_tokens: 3 },
    }));
    expect(replyOf(outcome)).toMatchObject({
      parts: [{ type: "text", text: "All at once." }],
      finish: "stop",
    });
  });

  it("has its usage estimated when no usage came", async () => {
    const { outcome } = await ask(stream(said("12345678"), chunk({}, "stop"), "[DONE]"));
    expect(replyOf(outcome).usage).toMatchObject({ outputTokens: 2, estimated: true });
  });

  it("is drafted in fewer than 60 pieces when it comes in 500 deltas", async () => {
    const words = Array.from({ length: 500 }, (_, index) => `w${index} `);
    const { outcome, drafts } = await ask(() =>
      bytes([...words.map(said), chunk({}, "stop"), "[DONE]"].map(event).join(""), "end", 4_096),
    );
    expect(replyOf(outcome).parts).toEqual([{ type: "text", text: words.join("") }]);
    expect(drafts.map((piece) => piece.text).join("")).toBe(words.join(""));
    expect(drafts.length).toBeLessThan(60);
  });

  it.each<[string, Run, object]>([
    [
      "an error event with [DONE] after it",
      stream(said("half"), { error: { message: "worker died" } }, "[DONE]"),
      { class: "cut_off" },
    ],
    [
      "an error event after a finish",
      stream(said("half"), chunk({}, "stop"), { error: "3040: no capacity" }, "[DONE]"),
      { class: "overloaded" },
    ],
    [
      "an error event without [DONE]",
      stream(said("half"), { error: { code: 429, message: "slow" } }),
      { class: "rate_limit" },
    ],
    [
      "an error envelope",
      stream({ success: false, errors: [{ code: 5007, message: "No such model" }] }, "[DONE]"),
      { class: "unknown_model" },
    ],
    ["a stream that ends too early", stream(said("half")), { class: "cut_off" }],
    [
      "a call that is complete in a stream that ends too early",
      stream(called(0, '{"slug":"a"}')),
      { class: "cut_off" },
    ],
    [
      "a connection that breaks",
      () => bytes(event(said("half")), new Error("Network connection lost.")),
      { class: "cut_off" },
    ],
    [
      "a connection that cannot be made",
      () => Promise.reject(new Error("Network connection lost.")),
      { class: "network" },
    ],
    [
      "no capacity",
      () => Promise.reject(new Error("3040: No more data centers to forward the request to")),
      { class: "rate_limit" },
    ],
    [
      "a model that does not exist",
      () => Promise.reject(new Error("5007: No such model")),
      { class: "unknown_model" },
    ],
    [
      "too long a prompt",
      () => Promise.reject(new Error("AiError: 3006: Request is too large")),
      { class: "context_overflow" },
    ],
  ])("fails with its class for %s", async (_, run, failure) => {
    const { outcome } = await ask(run);
    expect(failureOf(outcome)).toMatchObject(failure);
  });

  it.each<[string, Run, Omit<ModelSettings, "providers">]>([
    ["no answer at all", () => new Promise(() => undefined), { firstChunkMs: 20 }],
    ["content that stops coming", () => bytes(event(said("half")), "hang"), { chunkMs: 20 }],
  ])("is given up after %s", async (_, run, settings) => {
    expect(failureOf((await ask(run, { settings })).outcome)).toMatchObject({ class: "timeout" });
  });

  it("keeps what had come when it is aborted in the middle", async () => {
    const stop = new AbortController();
    const { outcome, drafts, fake } = await ask(() => bytes(event(said("Half an")), "hang"), {
      signal: stop.signal,
      onDraft: () => stop.abort(),
    });
    expect(outcome).toMatchObject({
      kind: "aborted",
      partial: { parts: [{ type: "text", text: "Half an" }], finish: "aborted", usage: { estimated: true } },
    });
    expect(drafts).toEqual([{ type: "text", part: 0, text: "Half an" }]);
    expect(fake.asked[0]?.options["signal"]).toMatchObject({ aborted: true });
  });

  it("says what to do when the binding is that of a local start", async () => {
    const providers = createProviders({
      ai: env.AI,
      openaiCompatible: null,
      openrouter: null,
      gatewayId: null,
    });
    const outcome = await createModel({ providers }).call(
      REQUEST,
      () => undefined,
      new AbortController().signal,
    );
    expect(failureOf(outcome)).toMatchObject({
      class: "auth",
      message: expect.stringContaining("set MODEL"),
    });
  });
});

describe("watchBinding", () => {
  it("keeps everything but run as it is", () => {
    const fake = new FakeAi(() => null);
    const watched = watchBinding(asBinding(fake));
    expect(watched.gateway("gw-1")).toBe("0 gw-1");
    expect(Reflect.get(watched, "asked")).toBe(fake.asked);
  });
});

describe("createLineReader", () => {
  const watched = (source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
    inWholeLines(source, createLineReader());
  it.each([1, 3, 1_000])(
    "passes the same bytes in pieces of %i, with the word error in what the model says",
    async (size) => {
      const text = [
        said('an {"error": true} in “quotes”'),
        { error: null, response: "x" },
        { error: "" },
        "[DONE]",
      ]
        .map(event)
        .join("");
      expect(await new Response(watched(bytes(text, "end", size))).text()).toBe(text);
    },
  );

  it("breaks also at an error in a last line without an end", async () => {
    const broken = watched(bytes(`${event(said("a"))}data: {"error":"x"}`));
    await expect(new Response(broken).text()).rejects.toThrow("error event");
  });

  it("cancels its source", async () => {
    let cancelled: unknown;
    const source = new ReadableStream<Uint8Array>({ cancel: (reason) => void (cancelled = reason) });
    await watched(source).cancel("enough");
    expect(cancelled).toBe("enough");
  });
});
