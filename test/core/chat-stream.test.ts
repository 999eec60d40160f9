import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { createCompatibleModel } from "../../src/model/chat/models.ts";
import { readEvents } from "../../src/model/chat/stream.ts";
import { asked, chunk, text } from "./chat-fixture.ts";

/** How an answer is read from bytes, and what stops it. What it means: chat-compatible and chat-binding. */

const DIALECT = { endsByDone: false, namesModel: true };
const said = (content: string): unknown => chunk({ content });
const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** Bytes in pieces of a size, which respect no line and no character. */
function bytes(all: string, size = 1_000): ReadableStream<Uint8Array> {
  const whole = new TextEncoder().encode(all);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= whole.length) return controller.close();
      controller.enqueue(whole.slice(at, (at += size)));
    },
  });
}

async function read(source: ReadableStream<Uint8Array>): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of readEvents(source, DIALECT)) parts.push(part);
  return parts;
}
const wordsOf = (parts: readonly LanguageModelV4StreamPart[]): string =>
  parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");

describe("readEvents", () => {
  it.each([1, 3, 1_000])(
    "reads pieces of %i bytes, with the word error in what the model says",
    async (size) => {
      const words = ['an {"error": true} ', "in “quotes”, 你好"];
      const all = [...words.map(said), { error: null }, { error: "" }, chunk({}, "stop")].map(event).join("");
      const parts = await read(bytes(all, size));
      expect(wordsOf(parts)).toBe(words.join(""));
      expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop", raw: "stop" } });
    },
  );

  it.each(["\r\n", "\r", "\n"])(
    "takes lines that end in %j, comments, other fields and no space",
    async (end) => {
      const lines = [
        ": hello",
        "event: message",
        `data:${JSON.stringify(said("Hi"))}`,
        "",
        "id: 7",
        "data: [DONE]",
      ];
      expect(wordsOf(await read(bytes(lines.join(end))))).toBe("Hi");
    },
  );

  it("reads a last line without an end", async () => {
    expect(wordsOf(await read(bytes(`data: ${JSON.stringify(said("Hi"))}`)))).toBe("Hi");
  });

  it.each<[string, unknown]>([
    ["an error", { error: { message: "odd" } }],
    ["an error in words", { error: "odd" }],
    ["an envelope that says so", { success: false, errors: [] }],
  ])("breaks at %s", async (_, broken) => {
    await expect(read(bytes(event(said("a")) + event(broken) + "data: [DONE]\n\n"))).rejects.toMatchObject({
      name: "StreamEventError",
      data: broken,
    });
  });

  it.each<[string, string]>([
    ["a line that is no JSON", "data: {\n\n"],
    [
      "a call that never gets a name",
      event(chunk({ tool_calls: [{ index: 0, id: "a", function: { arguments: "{}" } }] }, "tool_calls")),
    ],
  ])("breaks at %s", async (_, line) => {
    await expect(read(bytes(line))).rejects.toMatchObject({ name: "UnreadableAnswerError" });
  });

  it("leaves its source when it breaks, and when it is left", async () => {
    const reasons: unknown[] = [];
    const source = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('data: {"error":"x"}\n\n')),
        cancel: (reason) => void reasons.push(reason),
      });
    await expect(read(source())).rejects.toThrow("error event");
    await readEvents(source(), DIALECT).cancel("enough");
    expect(reasons).toEqual([expect.any(Error), "enough"]);
  });

  it.each([
    null,
    7,
    [],
    { choices: 5 },
    { choices: [null] },
    { choices: [{ delta: { content: {}, tool_calls: [null, 5, {}] } }] },
    { choices: [{ delta: 3 }], usage: [] },
  ])("is not upset by the event %j", async (odd) => {
    const parts = await read(bytes(event(odd) + event(said("Hi")) + event(chunk({}, "stop"))));
    expect(wordsOf(parts)).toContain("Hi");
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
  });
});

it("reads no more of a refusal than its beginning", async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1_024;
      controller.enqueue(new Uint8Array(1_024).fill(120));
    },
  });
  const model = createCompatibleModel("m", {
    baseUrl: "http://models.invalid",
    apiKey: null,
    fetch: async () => new Response(endless, { status: 500, headers: { "retry-after": "3" } }),
  });
  await expect(model.doStream(asked(text("hi")))).rejects.toMatchObject({
    statusCode: 500,
    responseHeaders: { "retry-after": "3" },
    responseBody: expect.stringMatching(/^x+$/),
  });
  expect(sent).toBeLessThan(100_000);
});
