import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { coalesceDeltas } from "../../../src/cairn/models/coalesce.ts";

type Part = LanguageModelV4StreamPart;
const LIMITS = { chars: 64, ms: 40 };
/** so long that only a flush for another reason can pass the test */
const NEVER = { chars: 64, ms: 60_000 };

function open(): {
  stream: ReadableStream<Part>;
  controller: ReadableStreamDefaultController<Part>;
  cancelled: () => unknown;
} {
  let controller: ReadableStreamDefaultController<Part> | undefined;
  let cancelled: unknown;
  const stream = new ReadableStream<Part>({
    start: (made) => {
      controller = made;
    },
    cancel: (reason) => {
      cancelled = reason;
    },
  });
  if (controller === undefined) throw new Error("a stream starts at once");
  return { stream, controller, cancelled: () => cancelled };
}

const text = (delta: string, id = "0"): Part => ({ type: "text-delta", id, delta });
const reasoning = (delta: string): Part => ({ type: "reasoning-delta", id: "0", delta });

async function readAll(stream: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
const joined = (parts: readonly Part[]): string =>
  parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");

describe("coalesceDeltas", () => {
  it("makes fewer than 60 pieces of 500 deltas and keeps every character", async () => {
    const source = open();
    const words = Array.from({ length: 500 }, (_, index) => `w${index} `);
    for (const word of words) source.controller.enqueue(text(word));
    source.controller.close();
    const parts = await readAll(coalesceDeltas(source.stream, LIMITS));
    expect(joined(parts)).toBe(words.join(""));
    expect(parts.length).toBeLessThan(60);
  });

  it("passes the first delta without waiting", async () => {
    const source = open();
    source.controller.enqueue(text("a"));
    const reader = coalesceDeltas(source.stream, NEVER).getReader();
    expect(await reader.read()).toEqual({ done: false, value: text("a") });
  });

  it("lets out what it holds when the model pauses", async () => {
    const source = open();
    for (const word of ["a", "b", "c"]) source.controller.enqueue(text(word));
    const reader = coalesceDeltas(source.stream, { chars: 64, ms: 5 }).getReader();
    expect((await reader.read()).value).toEqual(text("a"));
    expect((await reader.read()).value).toEqual(text("bc"));
    source.controller.enqueue(text("d"));
    source.controller.close();
    expect((await reader.read()).value).toEqual(text("d"));
    expect((await reader.read()).done).toBe(true);
  });

  it("lets out what it holds before the stream breaks", async () => {
    const source = open();
    for (const word of ["a", "b", "c"]) source.controller.enqueue(text(word));
    const reader = coalesceDeltas(source.stream, NEVER).getReader();
    expect((await reader.read()).value).toEqual(text("a"));
    const held = reader.read();
    await Promise.resolve();
    source.controller.error(new Error("cut"));
    // Chunks still queued in the source are lost with its error; chunks already taken from it are not.
    expect(["b", "bc"]).toContain(joined([(await held).value ?? text("")]));
    await expect(reader.read()).rejects.toThrow("cut");
  });

  it("lets out what it holds before any other part, and joins only deltas of one kind and id", async () => {
    const source = open();
    const parts: Part[] = [
      { type: "stream-start", warnings: [] },
      { type: "reasoning-start", id: "0" },
      reasoning("r1"),
      reasoning("r2"),
      reasoning("r3"),
      text("t1"),
      text("t2"),
      text("u1", "1"),
      { type: "error", error: "bad" },
      text("v1"),
      { type: "text-delta", id: "0", delta: "v2", providerMetadata: { p: { signature: "s" } } },
      text("v3"),
    ];
    for (const part of parts) source.controller.enqueue(part);
    source.controller.close();
    expect(await readAll(coalesceDeltas(source.stream, NEVER))).toEqual([
      { type: "stream-start", warnings: [] },
      { type: "reasoning-start", id: "0" },
      reasoning("r1"),
      reasoning("r2r3"),
      text("t1t2"),
      text("u1", "1"),
      { type: "error", error: "bad" },
      text("v1"),
      { type: "text-delta", id: "0", delta: "v2", providerMetadata: { p: { signature: "s" } } },
      text("v3"),
    ]);
  });

  it("does not change the parts that it was given", async () => {
    const source = open();
    const second = text("b");
    for (const part of [text("a"), second, text("c")]) source.controller.enqueue(part);
    source.controller.close();
    expect(joined(await readAll(coalesceDeltas(source.stream, NEVER)))).toBe("abc");
    expect(second).toEqual(text("b"));
  });

  it("cancels its source when it is cancelled", async () => {
    const source = open();
    source.controller.enqueue(text("a"));
    source.controller.enqueue(text("b"));
    const reader = coalesceDeltas(source.stream, NEVER).getReader();
    await reader.read();
    const pending = reader.read();
    await reader.cancel("enough");
    expect((await pending).done).toBe(true);
    expect(source.cancelled()).toBe("enough");
  });
});
