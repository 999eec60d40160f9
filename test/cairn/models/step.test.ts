import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import type {
  DraftPiece,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from "../../../src/cairn/core/log/model.ts";
import { createModel, type ModelSettings } from "../../../src/cairn/models/step.ts";

type Part = LanguageModelV4StreamPart;

const REQUEST: ModelRequest = {
  model: "workers-ai:test",
  session: "s1",
  step: "r1s1",
  attempt: 1,
  instructions: "Be brief.",
  messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }],
  tools: [
    {
      name: "look",
      description: "Looks at a page",
      inputSchema: { type: "object", properties: { slug: { type: "string" } }, required: ["slug"] },
    },
  ],
  maxOutputTokens: 100,
  temperature: null,
  timeoutMs: 5_000,
  dialect: "native",
  takesWritten: true,
};
const USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 30, noCache: 10, cacheRead: 20, cacheWrite: undefined },
  outputTokens: { total: 12, text: 8, reasoning: 4 },
};
const NO_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: undefined, reasoning: undefined },
};

const text = (...deltas: string[]): Part[] => [
  { type: "text-start", id: "0" },
  ...deltas.map((delta): Part => ({ type: "text-delta", id: "0", delta })),
  { type: "text-end", id: "0" },
];
const reasoning = (...deltas: string[]): Part[] => [
  { type: "reasoning-start", id: "0" },
  ...deltas.map((delta): Part => ({ type: "reasoning-delta", id: "0", delta })),
  { type: "reasoning-end", id: "0" },
];
const call = (toolName: string, input: string, toolCallId = "functions.look:0"): Part => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input,
});
const finish = (
  unified: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other" = "stop",
  raw: string | undefined = unified,
  usage = USAGE,
): Part => ({ type: "finish", finishReason: { unified, raw }, usage });

/** A stream of these parts that then ends, stays open, or breaks; an abort breaks it as a fetch would. */
function streamOf(parts: readonly Part[], then: "end" | "hang" | Error = "end", signal?: AbortSignal) {
  let index = 0;
  return new ReadableStream<Part>(
    {
      start(controller) {
        signal?.addEventListener("abort", () => controller.error(signal.reason));
      },
      pull(controller) {
        const part = parts[index++];
        if (part !== undefined) controller.enqueue(part);
        else if (then === "end") controller.close();
        else if (then !== "hang") controller.error(then);
      },
    },
    { highWaterMark: 0 },
  );
}

interface Played {
  readonly outcome: ModelOutcome;
  readonly drafts: readonly DraftPiece[];
  readonly asked: readonly LanguageModelV4CallOptions[];
}

async function play(
  doStream: (options: LanguageModelV4CallOptions) => ReadableStream<Part> | Promise<ReadableStream<Part>>,
  more: {
    readonly request?: Partial<ModelRequest>;
    readonly settings?: Omit<ModelSettings, "providers">;
    readonly signal?: AbortSignal;
    readonly onDraft?: (piece: DraftPiece) => void;
  } = {},
): Promise<Played> {
  const mock = new MockLanguageModelV4({
    modelId: "test-1",
    doStream: async (options) => ({ stream: await doStream(options) }),
  });
  const drafts: DraftPiece[] = [];
  const model = createModel({ providers: async () => mock, ...more.settings });
  const outcome = await model.call(
    { ...REQUEST, ...more.request },
    (piece) => {
      drafts.push(piece);
      more.onDraft?.(piece);
    },
    more.signal ?? new AbortController().signal,
  );
  return { outcome, drafts, asked: mock.doStreamCalls };
}
const playParts = (parts: readonly Part[], then?: "end" | "hang" | Error): Promise<Played> =>
  play((options) => streamOf([{ type: "stream-start", warnings: [] }, ...parts], then, options.abortSignal));

function replyOf({ outcome }: Played): ModelReply {
  if (outcome.kind !== "replied") throw new Error(JSON.stringify(outcome));
  return outcome.reply;
}
function partialOf({ outcome }: Played): ModelReply {
  if (outcome.kind !== "aborted") throw new Error(JSON.stringify(outcome));
  return outcome.partial;
}
const failureOf = ({ outcome }: Played) => (outcome.kind === "failed" ? outcome.failure : outcome);

/** Content that a client would show if it saw only the drafts. */
function joinDrafts(drafts: readonly DraftPiece[]): Record<number, { type: string; text: string }> {
  const joined: Record<number, { type: string; text: string }> = {};
  for (const { part, type, text: piece } of drafts) {
    joined[part] = { type, text: (joined[part]?.text ?? "") + piece };
  }
  return joined;
}
function expectDraftsMatch(drafts: readonly DraftPiece[], parts: ModelReply["parts"]): void {
  const spoken = Object.fromEntries(
    parts.flatMap((part, index) =>
      part.type === "call" || part.text === "" ? [] : [[index, { type: part.type, text: part.text }]],
    ),
  );
  expect(joinDrafts(drafts)).toEqual(spoken);
  const order = drafts.map((piece) => piece.part);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
}

describe("a reply", () => {
  it("is plain text with its usage, its model and its finish", async () => {
    const played = await playParts([
      { type: "response-metadata", modelId: "test-1-2026" },
      ...text("Hello", ", ", "you."),
      finish(),
    ]);
    expect(replyOf(played)).toEqual({
      parts: [{ type: "text", text: "Hello, you." }],
      finish: "stop",
      usage: {
        inputTokens: 30,
        cachedInputTokens: 20,
        outputTokens: 12,
        reasoningTokens: 4,
        estimated: false,
      },
      model: "test-1-2026",
      ms: expect.any(Number),
      firstTokenMs: expect.any(Number),
    });
    expectDraftsMatch(played.drafts, replyOf(played).parts);
  });

  it("keeps reasoning, text and calls in their order, and the drafts are its parts", async () => {
    const played = await playParts([
      ...reasoning("I ", "should ", "look."),
      ...text("Looking", " now."),
      call("look", '{"slug":"a"}'),
      call("look", '{"slug":"b"}', "functions.look:1"),
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "Wait." },
      { type: "text-end", id: "1" },
      finish("tool-calls"),
    ]);
    expect(replyOf(played).parts).toEqual([
      { type: "reasoning", text: "I should look." },
      { type: "text", text: "Looking now." },
      { type: "call", tool: "look", input: { slug: "a" } },
      { type: "call", tool: "look", input: { slug: "b" } },
      { type: "text", text: "Wait." },
    ]);
    expectDraftsMatch(played.drafts, replyOf(played).parts);
  });

  it("makes a new part when a text goes on after something else came between", async () => {
    const played = await playParts([
      { type: "text-start", id: "t" },
      { type: "text-delta", id: "t", delta: "one" },
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "hm" },
      { type: "reasoning-end", id: "r" },
      { type: "text-delta", id: "t", delta: "two" },
      call("look", '{"slug":"a"}'),
      { type: "text-delta", id: "t", delta: "three" },
      { type: "text-end", id: "t" },
      finish(),
    ]);
    expect(replyOf(played).parts).toEqual([
      { type: "text", text: "one" },
      { type: "reasoning", text: "hm" },
      { type: "text", text: "two" },
      { type: "call", tool: "look", input: { slug: "a" } },
      { type: "text", text: "three" },
    ]);
    expectDraftsMatch(played.drafts, replyOf(played).parts);
  });

  it("keeps two calls that share one id, in order", async () => {
    const { parts } = replyOf(
      await playParts([call("look", '{"slug":"a"}'), call("look", '{"slug":"b"}'), finish("tool-calls")]),
    );
    expect(parts).toEqual([
      { type: "call", tool: "look", input: { slug: "a" } },
      { type: "call", tool: "look", input: { slug: "b" } },
    ]);
  });

  it("returns unknown tools and unreadable arguments for the loop to refuse, beside the valid call", async () => {
    const { parts } = replyOf(
      await playParts([
        call("fly", '{"to":"moon"}', "1"),
        call("look", '{"slug":', "2"),
        call("look", '{"slug":7}', "3"),
        call("look", "", "4"),
        call("fly", "", "5"),
        call("fly", "{to}", "6"),
        call("look", '{"a":{"__proto__":{"slug":"b"}}}', "7"),
        finish("tool-calls"),
      ]),
    );
    expect(parts).toEqual([
      { type: "call", tool: "fly", input: { to: "moon" } },
      { type: "call", tool: "look", input: null, malformed: '{"slug":' },
      { type: "call", tool: "look", input: { slug: 7 } },
      { type: "call", tool: "look", input: {} },
      { type: "call", tool: "fly", input: {} },
      { type: "call", tool: "fly", input: null, malformed: "{to}" },
      { type: "call", tool: "look", input: null, malformed: '{"a":{"__proto__":{"slug":"b"}}}' },
    ]);
  });

  it("trusts the calls when the finish says stop", async () => {
    expect(replyOf(await playParts([call("look", '{"slug":"a"}'), finish("stop")])).finish).toBe(
      "tool-calls",
    );
  });

  it("says length when it was too long, with the half of a call", async () => {
    const reply = replyOf(
      await playParts([...text("I will"), call("look", '{"slug":"ab'), finish("length")]),
    );
    expect(reply.finish).toBe("length");
    expect(reply.parts).toEqual([
      { type: "text", text: "I will" },
      { type: "call", tool: "look", input: null, malformed: '{"slug":"ab' },
    ]);
  });

  it("is empty when the model said nothing", async () => {
    const reply = replyOf(await playParts([finish()]));
    expect(reply.parts).toEqual([]);
    expect(reply.finish).toBe("stop");
    expect(reply.firstTokenMs).toBeNull();
  });

  it("keeps the provider's metadata of every part, also of a part without text", async () => {
    const { parts } = replyOf(
      await playParts([
        { type: "reasoning-start", id: "0", providerMetadata: { p: { redacted: "xyz" } } },
        { type: "reasoning-end", id: "0" },
        { type: "reasoning-start", id: "1" },
        { type: "reasoning-delta", id: "1", delta: "hm" },
        { type: "reasoning-delta", id: "1", delta: "", providerMetadata: { p: { signature: "abc" } } },
        { type: "reasoning-end", id: "1" },
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: "Yes." },
        { type: "text-end", id: "0", providerMetadata: { p: { item: "i1" } } },
        {
          type: "tool-call",
          toolCallId: "1",
          toolName: "look",
          input: "{}",
          providerMetadata: { p: { thought: "t" } },
        },
        finish(),
      ]),
    );
    expect(parts).toEqual([
      { type: "reasoning", text: "", options: { p: { redacted: "xyz" } } },
      { type: "reasoning", text: "hm", options: { p: { signature: "abc" } } },
      { type: "text", text: "Yes.", options: { p: { item: "i1" } } },
      { type: "call", tool: "look", input: {}, options: { p: { thought: "t" } } },
    ]);
  });

  it("is drafted in fewer than 60 pieces when it comes in 500 deltas", async () => {
    const deltas = Array.from({ length: 500 }, (_, index) => `d${index} `);
    const played = await playParts([...text(...deltas), finish()]);
    expect(replyOf(played).parts).toEqual([{ type: "text", text: deltas.join("") }]);
    expect(played.drafts.length).toBeLessThan(60);
    expectDraftsMatch(played.drafts, replyOf(played).parts);
  });

  it("estimates usage by characters when the provider reports zero", async () => {
    const { usage } = replyOf(await playParts([...text("12345678"), finish("stop", "stop", NO_USAGE)]));
    const asked = REQUEST.instructions.length + "hello".length + JSON.stringify(REQUEST.tools[0]).length;
    expect(usage).toEqual({
      inputTokens: Math.ceil(asked / 4),
      cachedInputTokens: 0,
      outputTokens: 2,
      reasoningTokens: 0,
      estimated: true,
    });
  });

  it("measures with the clock that it is given", async () => {
    let now = 1_000;
    const { outcome } = await play(
      () => {
        now += 250;
        return streamOf([...text("a"), finish()]);
      },
      { settings: { clock: () => now } },
    );
    expect(outcome).toMatchObject({ reply: { ms: 250, firstTokenMs: 250 } });
  });
});

describe("a request", () => {
  it("carries instructions, schemas without anything to run, and limits; and no retry", async () => {
    const { asked } = await play(() => streamOf([finish()]), { request: { temperature: 0.2 } });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      maxOutputTokens: 100,
      temperature: 0.2,
      toolChoice: { type: "auto" },
      tools: [{ type: "function", name: "look", inputSchema: REQUEST.tools[0]?.inputSchema }],
      prompt: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "hello" }] },
      ],
    });
  });

  it("offers no tools when there are none, and a call that comes all the same is returned beside the text", async () => {
    const played = await play(
      () => streamOf([...text("The answer."), call("look", '{"slug":"a"}'), finish("tool-calls")]),
      { request: { tools: [] } },
    );
    expect(played.asked[0]?.tools).toBeUndefined();
    expect(replyOf(played).parts).toEqual([
      { type: "text", text: "The answer." },
      { type: "call", tool: "look", input: { slug: "a" } },
    ]);
  });

  it("sends back what a reply carried: options as they were, calls under our names, results in order", async () => {
    const { asked } = await play(() => streamOf([finish()]), {
      request: {
        messages: [
          { role: "user", parts: [{ type: "text", text: "go" }] },
          {
            role: "assistant",
            parts: [
              { type: "reasoning", text: "hm", options: { p: { signature: "abc" } } },
              {
                type: "call",
                call: "r1s1c0",
                tool: "look",
                input: { slug: "a" },
                options: { p: { thought: "t" } },
              },
            ],
          },
          { role: "tool", results: [{ call: "r1s1c0", tool: "look", observation: "gone", failed: true }] },
        ],
      },
    });
    expect(asked[0]?.prompt.slice(2)).toMatchObject([
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", providerOptions: { p: { signature: "abc" } } },
          {
            type: "tool-call",
            toolCallId: "000100100",
            toolName: "look",
            providerOptions: { p: { thought: "t" } },
          },
        ],
      },
      { role: "tool", content: [{ toolCallId: "000100100", output: { type: "error-text", value: "gone" } }] },
    ]);
  });

  it("fetches nothing for a file that is not inline", async () => {
    const { outcome, asked } = await play(() => streamOf([finish()]), {
      request: {
        messages: [
          {
            role: "user",
            parts: [{ type: "file", mediaType: "image/png", url: "http://127.0.0.1:1/a.png" }],
          },
        ],
      },
    });
    expect(outcome.kind).toBe("replied");
    expect(asked[0]?.prompt[1]?.content).toMatchObject([{ type: "text" }]);
  });
});

describe("a failure", () => {
  it.each<[string, Part[], "end" | Error]>([
    ["a finish of error", [...text("half"), finish("error", "stream-truncated")], "end"],
    [
      "a finish without a reason",
      [...text("half"), { type: "finish", finishReason: { unified: "other", raw: undefined }, usage: USAGE }],
      "end",
    ],
    ["a stream that ends without a finish", text("half"), "end"],
    ["a stream that ends without anything", [], "end"],
    ["a connection that breaks in the middle", text("half"), new Error("Network connection lost.")],
    [
      "a connection that breaks in the middle of a call",
      [
        { type: "tool-input-start", id: "c", toolName: "look" },
        { type: "tool-input-delta", id: "c", delta: '{"sl' },
      ],
      new Error("Network connection lost."),
    ],
    [
      "a connection that breaks in the middle of a thought",
      reasoning("half"),
      new Error("Network connection lost."),
    ],
    [
      "an error part in the middle",
      [...text("half"), { type: "error", error: { message: "odd" } }, finish()],
      "end",
    ],
  ])("is cut_off for %s, and its content is discarded", async (_, parts, then) => {
    const { outcome } = await playParts(parts, then);
    expect(outcome).toMatchObject({
      kind: "failed",
      failure: { class: "cut_off", message: "The model's answer broke off.", retryAfterMs: null },
    });
    expect(outcome).not.toHaveProperty("reply");
  });

  it("keeps the usage that a cut-off answer reported", async () => {
    expect(failureOf(await playParts([...text("half"), finish("error")]))).toMatchObject({
      usage: { inputTokens: 30, outputTokens: 12, estimated: false },
    });
  });

  it("keeps its class when the error part has one", async () => {
    const parts: Part[] = [
      ...text("half"),
      { type: "error", error: { message: "slow down", code: 429 } },
      finish(),
    ];
    expect(failureOf(await playParts(parts))).toMatchObject({ class: "rate_limit" });
  });

  it("is that of the provider when the call itself throws", async () => {
    const played = await play(() => Promise.reject(Object.assign(new Error("no"), { statusCode: 401 })));
    expect(failureOf(played)).toMatchObject({ class: "auth" });
  });

  it("is a timeout when the server never answers", async () => {
    const played = await play(() => new Promise(() => undefined), { settings: { firstChunkMs: 10 } });
    expect(failureOf(played)).toMatchObject({ class: "timeout" });
  });

  it("is a timeout when the first content never comes", async () => {
    const played = await play(() => streamOf([{ type: "stream-start", warnings: [] }], "hang"), {
      settings: { firstChunkMs: 10 },
    });
    expect(failureOf(played)).toMatchObject({ class: "timeout" });
  });

  it("is a timeout when the content stops coming, and nothing of it is kept", async () => {
    const played = await play(
      () =>
        streamOf(
          [
            { type: "text-start", id: "0" },
            { type: "text-delta", id: "0", delta: "half" },
          ],
          "hang",
        ),
      {
        settings: { chunkMs: 10 },
      },
    );
    expect(played.outcome).toEqual({
      kind: "failed",
      failure: {
        class: "timeout",
        message: "The model did not answer in time.",
        retryAfterMs: null,
        usage: null,
      },
    });
  });

  it("is a timeout when the whole call takes too long", async () => {
    const played = await play(() => streamOf(text("half"), "hang"), { request: { timeoutMs: 10 } });
    expect(failureOf(played)).toMatchObject({ class: "timeout" });
  });

  it("is a history with a call that has no result, before the provider is asked", async () => {
    const played = await play(() => streamOf([finish()]), {
      request: {
        messages: [{ role: "assistant", parts: [{ type: "call", call: "r1s1c0", tool: "look", input: {} }] }],
      },
    });
    expect(failureOf(played)).toMatchObject({ class: "internal" });
    expect(played.asked).toEqual([]);
  });

  it("is a draft that throws, and not an exception", async () => {
    const played = await play(() => streamOf([...text("a"), finish()]), {
      onDraft: () => {
        throw new Error("socket");
      },
    });
    expect(failureOf(played)).toMatchObject({ class: "internal" });
  });

  it("is a model that this deployment does not have, in the words of the settings", async () => {
    const model = createModel({ providers: async () => ({ problem: "No key is set." }) });
    expect(await model.call(REQUEST, () => undefined, new AbortController().signal)).toEqual({
      kind: "failed",
      failure: { class: "unknown_model", message: "No key is set.", retryAfterMs: null, usage: null },
    });
  });
});

describe("an abort", () => {
  it("in the middle keeps what had come, and the drafts are its parts", async () => {
    const stop = new AbortController();
    const parts: Part[] = [
      ...reasoning("Think."),
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Half an" },
    ];
    const played = await play((options) => streamOf(parts, "hang", options.abortSignal), {
      signal: stop.signal,
      onDraft: (piece) => {
        if (piece.type === "text") stop.abort();
      },
    });
    expect(partialOf(played)).toMatchObject({
      parts: [
        { type: "reasoning", text: "Think." },
        { type: "text", text: "Half an" },
      ],
      finish: "aborted",
      usage: { estimated: true },
    });
    expectDraftsMatch(played.drafts, partialOf(played).parts);
  });

  it("ends the call at once, also when the provider does not listen", async () => {
    const stop = new AbortController();
    const played = await play(
      () => {
        queueMicrotask(() => stop.abort());
        return new Promise(() => undefined);
      },
      { signal: stop.signal },
    );
    expect(partialOf(played).parts).toEqual([]);
  });

  it("before the call asks nobody", async () => {
    const played = await play(() => streamOf([finish()]), { signal: AbortSignal.abort() });
    expect(partialOf(played)).toMatchObject({ parts: [], finish: "aborted", firstTokenMs: null });
    expect(played.asked).toEqual([]);
  });

  it("reaches the provider when the call is left for another reason", async () => {
    let signal: AbortSignal | undefined;
    await play((options) => {
      signal = options.abortSignal;
      return streamOf([{ type: "error", error: { message: "odd" } }], "hang");
    });
    expect(signal?.aborted).toBe(true);
  });
});
