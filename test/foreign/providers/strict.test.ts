import { describe, expect, test } from "vitest";
import { createProviders } from "../../../src/cairn/models/providers.ts";
import { createModel } from "../../../src/cairn/models/step.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";
import { STRICT, type Strict, type WireMessage } from "./strict.ts";

interface Server {
  readonly fetch: typeof fetch;
  readonly asked: (readonly WireMessage[])[];
}

/** A server that judges each request, and whose model makes two calls one after the other before it answers. */
function serverOf({
  refuses,
  status = 400,
  errorBody = (message) => ({ error: { message, type: "invalid_request_error" } }),
  ids = [""],
  callsAtOnce = 1,
  thinks = false,
  thought = { reasoning_content: "I send it." },
  words,
}: Strict): Server {
  const asked: (readonly WireMessage[])[] = [];
  const answer = (messages: readonly WireMessage[]): unknown => {
    const calls = messages.filter(({ tool_calls: made }) => made !== undefined).length;
    if (calls === 2) return { content: "Done." };
    const id = ids[Math.min(calls, ids.length - 1)];
    const callOf = (index: number) => ({
      name: "send",
      arguments: JSON.stringify({ name: `letter ${calls * callsAtOnce + index}` }),
    });
    return {
      content: words ?? null,
      ...(thinks ? thought : {}),
      tool_calls: Array.from({ length: callsAtOnce }, (_, index) => ({
        index,
        id,
        type: "function",
        function: callOf(index),
      })),
    };
  };
  const respond = (_input: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
    const { messages } = JSON.parse(String(init?.body)) as { readonly messages: readonly WireMessage[] };
    asked.push(messages);
    const refusal = refuses(messages);
    if (refusal !== null) {
      return Promise.resolve(Response.json(errorBody(refusal), { status }));
    }
    const events = [
      { choices: [{ index: 0, delta: answer(messages), finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
    return Promise.resolve(new Response([...events, "data: [DONE]\n\n"].join("")));
  };
  return { fetch: respond, asked };
}

const endsOf = (platform: FakePlatform): readonly string[] =>
  platform.log.flatMap((entry) => (entry.kind === "run_ended" ? [entry.body.outcome] : []));

describe("a run with calls finishes at", () => {
  test.each(STRICT)("$name", async ({ input, value }) => {
    const server = serverOf(input);
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
      fetch: server.fetch,
    });
    const platform = new FakePlatform(createModel({ providers }));
    platform.say("Send two letters.", { model: "openai-compatible:m" });
    await platform.settle();
    expect(endsOf(platform)).toEqual([value.outcome]);
    expect(server.asked).toHaveLength(value.requests);
    const { callsAtOnce = 1 } = input;
    const names = [1, 2].flatMap((step) =>
      Array.from({ length: callsAtOnce }, (_, index) => `r1s${step}c${index}`),
    );
    expect(platform.effects.once).toEqual(names);

    // A call has one id in every request.
    const idsOf = (messages: readonly WireMessage[]): readonly string[] =>
      messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
    const [all = []] = server.asked.map(idsOf).toSorted((one, other) => other.length - one.length);
    for (const messages of server.asked)
      expect(idsOf(messages)).toEqual(all.slice(0, idsOf(messages).length));

    // The next run of the session works as well.
    platform.say("And?", { model: "openai-compatible:m" });
    await platform.settle();
    expect(endsOf(platform)).toEqual([value.outcome, value.outcome]);
  });
});
