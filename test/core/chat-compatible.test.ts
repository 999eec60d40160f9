import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { createCompatibleModel } from "../../src/model/chat/models.ts";
import { ANSWERS, asked, body, CALL, called, chunk, collect, file, look, text } from "./chat-fixture.ts";

/** Pieces of calls that only the package for the open format puts together. */
const PIECES: Record<string, readonly unknown[]> = {
  "calls without an index": [
    called({ id: "a", function: look('{"slug":"a"}') }),
    called({ id: "b", function: look('{"slug":"b"}') }),
  ],
  "calls that share an index": [
    called({ index: 0, id: "a", function: look('{"slug":"a"}') }),
    called({ index: 0, id: "b", function: look('{"slug":"b"}') }),
  ],
  "calls that share an index and have no id": [
    called({ index: 0, function: look('{"slug":"a"}') }),
    called({ index: 0, function: look('{"slug":"b"}') }),
  ],
  "calls that share an id": [
    called({ index: 0, id: "a", function: look('{"slug":"a"}') }),
    called({ index: 1, id: "a", function: look('{"slug":"b"}') }),
  ],
  "a name in each piece": [
    called({ index: 0, id: "a", function: look('{"sl') }),
    called({ index: 0, id: "a", function: look('ug":"a"}') }),
  ],
  "pieces that have nothing but text": [
    called({ id: "a", function: look('{"sl') }),
    called({ function: { arguments: 'ug":"a"}' } }),
  ],
  "a name that comes late": [
    called({ index: 0, id: "a", function: { arguments: '{"slug"' } }),
    called({ index: 0, function: look(':"a"}') }),
  ],
  "pieces of two calls by turns": [
    called({ index: 0, id: "a", function: look('{"slug"') }),
    called({ index: 1, id: "b", function: look('{"slug"') }),
    called({ index: 0, function: { arguments: ':"a"}' } }),
    called({ index: 1, function: { arguments: ':"b"}' } }),
  ],
  "a signature of Gemini": [
    called({ id: "a", function: look("{}"), extra_content: { google: { thought_signature: "sig" } } }),
  ],
};

describe("a compatible model, beside @ai-sdk/openai-compatible", () => {
  async function both(call: LanguageModelV4CallOptions, events: readonly unknown[]) {
    const sent: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const { url, method, headers, ...request } = new Request(input, init);
      sent.push({
        url,
        method,
        authorization: headers.get("authorization"),
        type: headers.get("content-type"),
        body: JSON.parse(String(init?.body)),
        ...request,
      });
      return new Response(body(events), { headers: { "content-type": "text/event-stream" } });
    };
    const baseUrl = "http://models.invalid/v1/";
    const theirs = createOpenAICompatible({
      name: "compatible",
      baseURL: baseUrl,
      apiKey: "key-1",
      includeUsage: true,
      fetch,
    }).chatModel("m");
    const ours = createCompatibleModel("m", { baseUrl, apiKey: "key-1", fetch });
    return { theirs: await collect(theirs, call), ours: await collect(ours, call), sent };
  }

  it.each<[string, LanguageModelV4CallOptions]>([
    ["a whole history", CALL],
    ["a message and nothing else", asked(text("hi"))],
    ["an image", asked(text("what is it?"), file("image/png"))],
    ["a sound", asked(file("audio/mpeg"))],
    ["a document", asked(file("application/pdf"), text("?"))],
    ["a text file", asked(file("text/plain", btoa("caf\u00c3\u00a9")))],
    ["a film", asked(file("video/mp4"))],
  ])("sends the same for %s", async (_, call) => {
    const { sent } = await both(call, [chunk({}, "stop")]);
    expect(sent[1]).toEqual(sent[0]);
  });

  it.each(["application/zip", "audio/ogg", "model/obj"])("refuses a file of %s, as they do", async (type) => {
    await expect(both(asked(file(type)), [])).rejects.toMatchObject({
      name: "AI_UnsupportedFunctionalityError",
    });
    const ours = createCompatibleModel("m", { baseUrl: "http://x.invalid", apiKey: null, fetch });
    await expect(ours.doStream(asked(file(type)))).rejects.toMatchObject({ name: "UnsupportedFileError" });
  });

  const events = {
    ...ANSWERS,
    ...Object.fromEntries(
      Object.entries(PIECES).map(([name, pieces]) => [name, [...pieces, chunk({}, "tool_calls"), "[DONE]"]]),
    ),
  };
  it.each(
    Object.entries({
      ...events,
      "a refusal": [chunk({ refusal: "I will not." }), chunk({}, "stop"), "[DONE]"],
      "an answer that was filtered": [chunk({ content: "x" }, "content_filter"), "[DONE]"],
      "text in parts": [chunk({ content: [{ type: "text", text: "Hi" }] }), chunk({}, "stop"), "[DONE]"],
    }),
  )("understands %s as they do", async (_, answer) => {
    const { ours, theirs } = await both(CALL, answer);
    expect(ours).toEqual(theirs);
  });

  it("says of a stream that breaks off that it has no end", async () => {
    const { ours, theirs } = await both(CALL, [chunk({ content: "half" })]);
    expect(theirs).toMatchObject({ text: "half", finish: "error", broken: true });
    expect(ours).toMatchObject({ text: "half", finish: "other", broken: false });
  });
});
