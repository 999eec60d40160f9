import { describe, expect, test } from "vitest";
import type { ModelOutcome, ModelRequest } from "../../../src/cairn/core/log/model.ts";
import { createProviders } from "../../../src/cairn/models/providers.ts";
import { createModel } from "../../../src/cairn/models/step.ts";
import { ANSWERS, FAILURES, type HttpReply, type Outcome } from "./replies.ts";

const REQUEST: ModelRequest = {
  model: "openai-compatible:m",
  session: "s1",
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

const ask = ({ status = 200, type = "application/json", body }: HttpReply): Promise<ModelOutcome> =>
  answered(() => new Response(body, { status, headers: { "content-type": type } }));

async function answered(respond: () => Response): Promise<ModelOutcome> {
  const providers = createProviders({
    ai: null,
    openaiCompatible: {
      baseUrl: "https://models.example/v1",
      apiKey: "key-1",
      headers: {},
      reportsCost: false,
    },
    openrouter: null,
    gatewayId: null,
    fetch: () => Promise.resolve(respond()),
  });
  return createModel({ providers }).call(REQUEST, () => undefined, new AbortController().signal);
}

function read(outcome: ModelOutcome): Outcome | ModelOutcome {
  if (outcome.kind === "failed") return outcome.failure.class;
  if (outcome.kind !== "replied") return outcome;
  const { parts } = outcome.reply;
  const textOf = (wanted: "text" | "reasoning"): string =>
    parts.map((part) => (part.type === wanted ? part.text : "")).join("");
  const calls = parts.flatMap((part) =>
    part.type === "call" ? [{ tool: part.tool, input: part.input }] : [],
  );
  const [text, thought] = [textOf("text"), textOf("reasoning")];
  return {
    ...(text === "" ? {} : { text }),
    ...(thought === "" ? {} : { thought }),
    ...(calls.length === 0 ? {} : { calls }),
  };
}

describe("an answer", () => {
  test.each(ANSWERS)("$name", async ({ input, value }) => {
    expect(read(await ask(input))).toEqual(value);
  });
});

describe("a failure", () => {
  test.each(FAILURES)("$name", async ({ input, value }) => {
    const outcome = await ask(input);
    expect(read(outcome)).toBe(value);
    // Nothing of a page is shown.
    expect(JSON.stringify(outcome)).not.toMatch(/nginx|NextChat|example\.com|Welcome|upstream/);
  });
});

test("a refusal in the form of events is read to its end", async () => {
  const pieces = ["event: error\n", 'data: {"error":{"code":"context_length_exceeded"}}\n\n'];
  const body = (): ReadableStream<Uint8Array> =>
    new ReadableStream<string>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    }).pipeThrough(new TextEncoderStream());
  const outcome = await answered(
    () => new Response(body(), { status: 400, headers: { "content-type": "text/event-stream" } }),
  );
  expect(read(outcome)).toBe("context_overflow");
});
