import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Entry } from "../../../../src/cairn/core/log/entry.ts";
import type {
  ModelFailure,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from "../../../../src/cairn/core/log/model.ts";
import { createModel } from "../../../../src/cairn/models/step.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** A provider behind its own package: answers in its wire format, and every request that it gets. */

export const REQUEST: ModelRequest = {
  model: "own",
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

type Answer = () => Response;

export class Wire<Body> {
  readonly bodies: Body[] = [];
  readonly headers: Headers[] = [];
  readonly #answers: Answer[] = [];

  /** the answers of the next requests, in order */
  answers(...answers: readonly Answer[]): this {
    this.#answers.push(...answers);
    return this;
  }

  /** Injected into the provider's package. */
  readonly fetch: typeof fetch = (_input, init) => {
    this.bodies.push(JSON.parse(String(init?.body)) as Body);
    this.headers.push(new Headers(init?.headers));
    const answer = this.#answers.shift();
    if (answer === undefined) throw new Error("no answer is left");
    return Promise.resolve(answer());
  };
}

/** A stream of events that carry their own names, as Anthropic's and OpenAI's do; Google's have none. */
export const streamed =
  (...events: readonly object[]): Answer =>
  () =>
    new Response(
      events
        .map(
          (data) =>
            `${"type" in data ? `event: ${String(data.type)}\n` : ""}data: ${JSON.stringify(data)}\n\n`,
        )
        .join(""),
      { headers: { "content-type": "text/event-stream" } },
    );

export const refused =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  () =>
    Response.json(body, { status, headers });

/** text of one event of a stream without an end; streams of events with few characters are in step.test.ts */
export const LONG = "so ".repeat(100);

/** A stream that sends the first events and then the same one for ever. */
export const endless =
  (first: readonly object[], again: object): Answer =>
  () => {
    const text = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
    const head = new TextEncoder().encode(first.map(text).join(""));
    const piece = new TextEncoder().encode(text(again).repeat(500));
    let isFirst = true;
    return new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(isFirst ? head : piece);
          isFirst = false;
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  };

export const ask = (
  model: LanguageModelV4,
  request: Partial<ModelRequest> = {},
  signal = new AbortController().signal,
): Promise<ModelOutcome> =>
  createModel({ providers: () => Promise.resolve(model) }).call(
    { ...REQUEST, ...request },
    () => undefined,
    signal,
  );

export function replyOf(outcome: ModelOutcome): ModelReply {
  if (outcome.kind !== "replied") throw new Error(JSON.stringify(outcome));
  return outcome.reply;
}

export function failureOf(outcome: ModelOutcome): ModelFailure {
  if (outcome.kind !== "failed") throw new Error(JSON.stringify(outcome));
  return outcome.failure;
}

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;

/** A run that waits for a person, and whose isolate dies while it waits. The log at its end. */
export async function runWithCrash(model: LanguageModelV4): Promise<readonly Entry[]> {
  const platform = new FakePlatform(createModel({ providers: () => Promise.resolve(model) }));
  platform.service.admitOrCreate(ADA);
  platform.say("Publish it.", { model: "own" });
  await platform.settle();
  platform.restart();
  const decided = platform.decide("approve");
  if (!decided.ok) throw new Error(decided.message);
  await platform.settle();
  return platform.log;
}

export const outcomes = (log: readonly Entry[]): readonly string[] =>
  log.flatMap((entry) => (entry.kind === "run_ended" ? [entry.body.outcome] : []));
