import type { ModelOutcome, ModelRequest } from "../../src/cairn/core/log/model.ts";
import { createProviders } from "../../src/cairn/models/providers.ts";
import { createModel } from "../../src/cairn/models/step.ts";
import type { Input } from "./parsers.ts";

/** Answers of a provider in the format of OpenAI that have no end, or are made of one part over and over. */

const MIB = 1_048_576;
type Row = readonly [name: string, make: () => Input];

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

/** A body that begins with the head and repeats the unit in pieces of so many bytes. */
function bodyOf(head: string, unit: string, bytes: number, pieceBytes: number): ReadableStream<Uint8Array> {
  const first = new TextEncoder().encode(head);
  const piece = new TextEncoder().encode(unit.repeat(Math.ceil(pieceBytes / unit.length)));
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent >= bytes) return controller.close();
        const next = sent === 0 && first.length > 0 ? first : piece;
        sent += next.length;
        controller.enqueue(next);
      },
    },
    { highWaterMark: 0 },
  );
}

async function callOf(response: () => Response): Promise<ModelOutcome> {
  const providers = createProviders({
    ai: null,
    openaiCompatible: { baseUrl: "https://models.example/v1", apiKey: null, headers: {}, reportsCost: false },
    openrouter: null,
    gatewayId: null,
    fetch: () => Promise.resolve(response()),
  });
  return createModel({ providers }).call(REQUEST, () => undefined, new AbortController().signal);
}

/** The class of failure that a case expects of its call. */
function expectClass(outcome: ModelOutcome, wanted: string): void {
  const found = outcome.kind === "failed" ? outcome.failure.class : outcome.kind;
  if (found !== wanted) throw new Error(`expected ${wanted}, found ${found}`);
}

const row = (name: string, wanted: string, response: () => Response): Row => [
  `an answer of a model ${name}`,
  () => async () => expectClass(await callOf(response), wanted),
];
const streamed = (
  name: string,
  wanted: string,
  unit: string,
  bytes: number,
  more: { head?: string; pieceBytes?: number } = {},
): Row =>
  row(
    name,
    wanted,
    () =>
      new Response(bodyOf(more.head ?? "", unit, bytes, more.pieceBytes ?? 65_536), {
        headers: { "content-type": "text/event-stream" },
      }),
  );
const event = (delta: unknown): string =>
  `data: ${JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
const calls = (from: number, count: number, text: string): string =>
  event({
    tool_calls: Array.from({ length: count }, (_, at) => ({
      index: from + at,
      id: `c${from + at}`,
      type: "function",
      function: { name: "look", arguments: text },
    })),
  });

export const MODEL_ANSWERS: readonly Row[] = [
  streamed("of one line without an end", "cut_off", "a", 200 * MIB, { head: "data: " }),
  streamed("of one line without an end, in pieces of four bytes", "cut_off", "aaaa", 200 * MIB, {
    head: "data: ",
    pieceBytes: 4,
  }),
  streamed("of one event without an end", "cut_off", "data: aaaaaaaaaaaaaaaaaaaaaaaaa\n", 200 * MIB),
  streamed("of comments without an end", "cut_off", `:${"a".repeat(1_000)}\n`, 200 * MIB),
  streamed("of empty lines without an end", "cut_off", "\n", 200 * MIB),
  streamed("of words without an end", "cut_off", event({ content: "a".repeat(1_000) }), 200 * MIB),
  streamed(
    "of thoughts without an end",
    "cut_off",
    event({ reasoning_content: "a".repeat(1_000) }),
    200 * MIB,
  ),
  streamed(
    "of arguments without an end",
    "cut_off",
    event({ tool_calls: [{ index: 0, function: { arguments: "[".repeat(1_000) } }] }),
    200 * MIB,
    {
      head: calls(0, 1, ""),
    },
  ),
  ...[
    ["words", event({ role: "assistant", content: "a" })],
    ["thoughts", event({ content: "", reasoning_content: "a" })],
    ["arguments", event({ tool_calls: [{ index: 0, function: { arguments: "a" } }] })],
  ].map(([name = "", unit = ""]) =>
    streamed(`of ${name} without an end, one character at a time`, "cut_off", unit, 200 * MIB, {
      head: calls(0, 1, "{"),
    }),
  ),
  streamed("of nested lists", "cut_off", "[".repeat(2 * MIB - 100), 2 * MIB - 100, { head: "data: " }),
  streamed("of one event with a wide list", "cut_off", "{},", 2 * MIB - 200, {
    head: 'data: {"id":"c","model":"m","choices":[',
  }),
  streamed("of one event with 10,000 calls", "cut_off", calls(0, 10_000, "{}"), 1),
  streamed("of calls without an end", "cut_off", calls(0, 1, "{"), 200 * MIB),
  row(
    "that reports an error without an end",
    "rate_limit",
    () => new Response(bodyOf('{"error":"', "a", 200 * MIB, 65_536), { status: 429 }),
  ),
  row(
    "that reports an error, nested",
    "bad_request",
    () => new Response(bodyOf("", "[", MIB, 65_536), { status: 400 }),
  ),
];
