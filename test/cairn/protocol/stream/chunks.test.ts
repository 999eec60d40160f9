import { readUIMessageStream, safeValidateUIMessages, uiMessageChunkSchema, type UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import type { Entry, EntryDraft } from "../../../../src/cairn/core/log/entry.ts";
import { receiptView } from "../../../../src/cairn/protocol/receipt.ts";
import { NO_RECEIPT } from "../../../../src/cairn/core/log/receipt.ts";
import { createTape } from "../../../../src/cairn/core/text/markers.ts";
import { accumulate } from "../../../../src/cairn/protocol/stream/accumulate.ts";
import { uiMessages } from "../../../../src/cairn/protocol/stream/messages.ts";
import { tapePosition, draftPosition } from "../../../../src/cairn/protocol/stream/tape-position.ts";
import { chunksAfter, RunStream } from "../../../../src/cairn/protocol/stream/stream.ts";
import type { PlacedChunk, UiChunk } from "../../../../src/cairn/protocol/stream/ui-chunk.ts";
import * as fixture from "./stream-fixture.ts";

const { aboutRun, longRun, SESSION } = fixture;

function streamOf(entries: readonly Entry[]): RunStream {
  const stream = new RunStream(SESSION, "r1");
  for (const entry of entries) stream.accept(entry);
  return stream;
}

function shownChunks(chunks: readonly PlacedChunk[]): UiChunk[] {
  return chunks.map(({ chunk }) => chunk).filter((chunk) => !chunk.type.startsWith("data-"));
}

/** The last state of the message that a client of `ai` 7 builds, plain JSON. */
async function readByAi(chunks: readonly PlacedChunk[]): Promise<unknown> {
  const source = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const { chunk } of chunks) controller.enqueue(structuredClone(chunk) as UIMessageChunk);
      controller.close();
    },
  });
  let last: unknown = null;
  const errors: unknown[] = [];
  for await (const message of readUIMessageStream({
    stream: source,
    onError: (error) => errors.push(error),
  })) {
    last = message;
  }
  expect(errors).toEqual([]);
  return JSON.parse(JSON.stringify(last));
}

describe("entries to chunks", () => {
  it("makes the example of the protocol chunk by chunk", () => {
    const { segments } = streamOf(aboutRun());
    expect(segments.map((segment) => segment.id)).toEqual(["ses_demo.r1", "ses_demo.r1.c1"]);
    expect(shownChunks(segments[0]?.chunks ?? [])).toEqual([
      {
        type: "start",
        messageId: "ses_demo.r1",
        messageMetadata: {
          runId: "ses_demo.r1",
          sessionId: "ses_demo",
          seq: 3,
          model: "rehearsal:",
          createdAt: "2026-08-20T12:00:03.000Z",
        },
      },
      { type: "start-step" },
      {
        type: "tool-input-available",
        toolCallId: "r1s1c0",
        toolName: "page_delete",
        input: { pages: ["about"] },
        title: "Delete pages",
      },
      {
        type: "tool-approval-request",
        approvalId: "r1s1c0a1",
        toolCallId: "r1s1c0",
        reason: "Delete page “About” (3 sections, 2 navigation items).",
        approvalDescriptor: {
          digest: fixture.ABOUT_DIGEST,
          expiresAt: "2026-08-21T12:00:00.000Z",
          needed: 1,
        },
      },
      { type: "finish-step" },
      { type: "finish", finishReason: "tool-calls" },
    ]);
    expect(shownChunks(segments[1]?.chunks ?? [])).toEqual([
      { type: "start", messageId: "ses_demo.r1" },
      { type: "tool-approval-response", approvalId: "r1s1c0a1", approved: true },
      { type: "tool-output-available", toolCallId: "r1s1c0", output: { deleted: ["about"] } },
      { type: "start-step" },
      { type: "text-start", id: "r1s2t0" },
      { type: "text-delta", id: "r1s2t0", delta: "The about page is deleted." },
      { type: "text-end", id: "r1s2t0" },
      { type: "finish-step" },
      {
        type: "finish",
        finishReason: "stop",
        messageMetadata: {
          status: "completed",
          outcome: "answered",
          reason: null,
          usage: {
            inputTokens: 100,
            cachedInputTokens: 0,
            outputTokens: 20,
            costUsd: null,
            estimated: false,
          },
          result: {
            result: { answer: "The about page is deleted.", confidence: null, summary: null },
          },
          receipt: receiptView({ receipt: NO_RECEIPT }, { outcome: "answered", reason: null }),
        },
      },
    ]);
  });

  it("places every chunk strictly after the one before it", () => {
    for (const entries of [aboutRun(), longRun()]) {
      const places = streamOf(entries)
        .after(0)
        .map(({ pos }) => pos ?? 0);
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    }
  });

  it("sends only chunks that ai 7 knows", async () => {
    const schema = uiMessageChunkSchema();
    const ended = (outcome: "cancelled" | "failed_provider") =>
      fixture.entries([
        fixture.said("r1", "m1", "x"),
        fixture.queued("r1", "m1", 1),
        fixture.started("r1"),
        fixture.ended("r1", outcome, "why"),
      ]);
    for (const entries of [aboutRun(), longRun(), ended("cancelled"), ended("failed_provider")]) {
      for (const { chunk } of streamOf(entries).after(0)) {
        const result = await schema.validate?.(chunk);
        expect(result, JSON.stringify(chunk)).toMatchObject({ success: true });
      }
    }
  });

  it("tells that a wait for a provider is over when a person ends it", () => {
    const retry: EntryDraft = {
      kind: "command_queued",
      run: "r1",
      step: null,
      body: { id: "x1", actor: "ann", command: "retry_now", reason: null, superseded: false },
    };
    const log = fixture.entries([
      fixture.said("r1", "m1", "Hello?"),
      fixture.queued("r1", "m1", 1),
      fixture.started("r1"),
      fixture.step("r1", 1),
      fixture.failed("r1s1", 1),
      retry,
    ]);
    const placed = streamOf(log).segments[0]?.chunks ?? [];
    const steps = placed.flatMap(({ chunk }) => (chunk.type === "data-step" ? [chunk.data] : []));
    expect(steps).toMatchObject([
      { phase: "thinking", until: null },
      { phase: "retrying", until: "2026-08-20T12:01:00.000Z" },
      { phase: "thinking", until: null, attempt: 2 },
    ]);
  });

  it("marks a lost and a failed attempt with reset-step and opens the step once", () => {
    const [first] = streamOf(longRun()).segments;
    expect(shownChunks(first?.chunks ?? []).map(({ type }) => type)).toEqual([
      "start",
      "start-step",
      "reset-step",
      "reset-step",
      "reasoning-start",
      "reasoning-delta",
      "reasoning-end",
      "text-start",
      "text-delta",
      "text-end",
      "text-start",
      "text-delta",
      "text-end",
      "tool-input-error",
      "tool-input-available",
      "tool-output-available",
      "finish-step",
      "steering-message",
      "start-step",
      "tool-input-available",
      "tool-approval-request",
      "finish-step",
      "finish",
    ]);
    const steps = (first?.chunks ?? []).flatMap(({ chunk }) =>
      chunk.type === "data-step" ? [chunk.data] : [],
    );
    // In words, why each attempt failed; the one that replied needs none.
    expect(steps.slice(0, 4).map((data) => (data as { note: unknown }).note)).toEqual([
      null,
      "it was interrupted",
      "the model is overloaded",
      null,
    ]);
  });

  it("shows an edited call with its new input, an unknown outcome and a denial as what they are", () => {
    const { segments } = streamOf(longRun());
    expect(shownChunks(segments[1]?.chunks ?? []).slice(0, 4)).toEqual([
      { type: "start", messageId: "ses_demo.r1" },
      {
        type: "tool-input-available",
        toolCallId: "r1s2c0",
        toolName: "page_delete",
        input: { pages: ["old"] },
        title: "Delete pages",
      },
      { type: "tool-approval-response", approvalId: "r1s2c0a1", approved: true },
      {
        type: "tool-output-error",
        toolCallId: "r1s2c0",
        errorText: "Unknown outcome: It was interrupted.",
      },
    ]);
    expect(shownChunks(segments[2]?.chunks ?? []).map(({ type }) => type)).toEqual([
      "start",
      "tool-approval-response",
      "tool-output-denied",
      "start-step",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ]);
  });

  describe("votes and escalation", () => {
    const place = { run: "r1", step: "r1s1" } as const;
    const about = { approval: "r1s1c0a1", call: "r1s1c0" } as const;
    const vote = (decision: "approve" | "edit", actor: string) =>
      ({
        kind: "approval_voted",
        ...place,
        body: {
          ...about,
          decision,
          actor,
          via: "http",
          reason: null,
          digest: decision === "edit" ? "sha256:edited" : fixture.ABOUT_DIGEST,
          args: decision === "edit" ? { pages: ["old"] } : null,
          shown: decision === "edit" ? { title: "T", summary: "S", impact: [], basis: null } : null,
        },
      }) as const;

    it("are the card again, in a segment of its own each: the run still waits", () => {
      const escalated = {
        kind: "approval_escalated",
        ...place,
        body: { ...about, approvers: ["eve"], expiresAt: fixture.START + 1 },
      } as const;
      const more = [
        vote("approve", "bob"),
        escalated,
        vote("edit", "eve"),
        fixture.decided("r1s1c0", "approve"),
      ];
      const entries = [...aboutRun().slice(0, 6), ...fixture.entries(more, 7)];
      const { segments, open } = streamOf(entries);
      expect(segments.slice(1, 4).map(({ chunks, end }) => [shownChunks(chunks), end?.outcome])).toEqual(
        [1, 2, 3].map(() => [
          [
            { type: "start", messageId: "ses_demo.r1" },
            { type: "finish", finishReason: "tool-calls" },
          ],
          "completed",
        ]),
      );
      const cards = segments.flatMap(({ chunks }) =>
        chunks.flatMap(({ chunk }) => (chunk.type === "data-approval" ? [chunk.data] : [])),
      );
      expect(cards).toMatchObject([
        { state: "pending", votes: [], approvers: ["owner"] },
        { state: "pending", votes: [{ subject: "bob" }] },
        { state: "pending", escalated: true, approvers: ["owner", "eve"], votes: [{ subject: "bob" }] },
        { state: "pending", args: { pages: ["old"] }, votes: [{ subject: "eve", decision: "edit" }] },
        { state: "approved", args: { pages: ["old"] }, votes: [{ subject: "eve" }, { subject: "ann" }] },
      ]);
      expect(open?.id).toBe("ses_demo.r1.c4");
      expect(shownChunks(segments[4]?.chunks ?? []).slice(1)).toMatchObject([
        { type: "tool-input-available", input: { pages: ["old"] } },
        { type: "tool-approval-response", approved: true },
      ]);
    });

    it("build one valid message of the stock client, with one card", async () => {
      const entries = [...aboutRun().slice(0, 6), ...fixture.entries([vote("approve", "bob")], 7)];
      const [message] = uiMessages(SESSION, entries, 0).filter(({ role }) => role === "assistant");
      const checked = await safeValidateUIMessages({ messages: [message] });
      expect(checked.success).toBe(true);
      expect(message?.parts.filter(({ type }) => type === "data-approval")).toHaveLength(1);
    });

    it("a remembered decision asks nobody: no request, and no end of the segment", () => {
      const [asked] = fixture.entries([fixture.asked("r1s1c0", { pages: ["about"] })], 6);
      if (asked?.kind !== "approval_requested") throw new Error("not asked");
      const byPolicy = { ...asked, body: { ...asked.body, policy: "r1s0c0a1p" } };
      const entries = [
        ...aboutRun().slice(0, 5),
        byPolicy,
        ...fixture.entries([fixture.decided("r1s1c0", "approve")], 7),
      ];
      const { segments } = streamOf(entries);
      expect(segments).toHaveLength(1);
      expect(shownChunks(segments[0]?.chunks ?? []).map(({ type }) => type)).toEqual([
        "start",
        "start-step",
        "tool-input-available",
      ]);
    });
  });

  it("ends a cancelled run with abort and a failed one with an error, outcome told before", () => {
    const end = (outcome: "cancelled" | "failed_provider") =>
      streamOf(
        fixture.entries([
          fixture.said("r1", "m1", "x"),
          fixture.queued("r1", "m1", 1, "req1"),
          fixture.started("r1"),
          fixture.step("r1", 1),
          fixture.ended("r1", outcome, "why"),
        ]),
      ).segments;
    const [cancelled] = end("cancelled");
    expect(cancelled?.id).toBe("req1");
    expect(cancelled?.end).toEqual({ outcome: "aborted", errorText: null, last: true });
    expect(shownChunks(cancelled?.chunks ?? []).map(({ type }) => type)).toEqual([
      "start",
      "start-step",
      "finish-step",
      "message-metadata",
      "abort",
    ]);
    const [failed] = end("failed_provider");
    expect(failed?.end?.outcome).toBe("error");
    expect(failed?.chunks.at(-1)?.chunk).toEqual({
      type: "error",
      errorText: "The run could not be finished.",
    });
  });
});

it("a step says how long a person was waited for, apart from how long it took", () => {
  const entries = aboutRun();
  const timeOf = (kind: Entry["kind"]): number => entries.find((entry) => entry.kind === kind)?.at ?? NaN;
  const steps = streamOf(entries)
    .segments.flatMap(({ chunks }) => chunks)
    .flatMap(({ chunk }) => (chunk.type === "data-step" ? [chunk.data as Record<string, unknown>] : []));
  const waited = timeOf("approval_decided") - timeOf("approval_requested");
  expect(waited).toBeGreaterThan(0);
  expect(steps.find(({ phase }) => phase === "waiting")).toMatchObject({ waitedMs: 0, durationMs: null });
  const [asked, answered] = steps.filter(({ phase }) => phase === "done");
  expect(asked).toMatchObject({ step: "r1s1", waitedMs: waited });
  expect(asked?.["durationMs"]).toBeGreaterThan(waited);
  expect(answered).toMatchObject({ step: "r1s2", waitedMs: 0 });
});

describe("pos and the tape", () => {
  it("counts a unit for each start, UTF-16 unit and end of a part", () => {
    const tape = createTape();
    expect(tape.add({ part: 0, text: "ab" })).toBe(3);
    expect(tape.add({ part: 0, text: "🗿" })).toBe(5);
    expect(tape.add({ part: 2, text: "x" })).toBe(8);
    expect(tape.add({ part: 3, text: "" })).toBe(8);
    expect(draftPosition(4, 3)).toBe(4 * 2 ** 22 + 1024 + 3);
    expect(tapePosition(4, 3)).toBe(4 * 2 ** 22 + 3);
  });

  it("resumes at every pos with exactly the rest, and never repeats", () => {
    for (const entries of [aboutRun(), longRun()]) {
      const all = streamOf(entries).after(0);
      const whole = accumulate("x", all);
      const places = all.flatMap(({ pos, chunk }) => {
        const length = "delta" in chunk ? chunk.delta.length : 1;
        return Array.from({ length }, (_, back) => (pos ?? 0) - back);
      });
      for (const cut of places) {
        const after = chunksAfter(all, cut);
        expect(after.every(({ pos }) => (pos ?? 0) > cut)).toBe(true);
        const before = all.flatMap((placed) => headUpTo(placed, cut));
        expect(accumulate("x", [...before, ...after])).toEqual(whole);
      }
    }
  });

  it("streams the same chunks as the log rebuilds, however the text is cut", () => {
    const entries = longRun();
    const rebuilt = streamOf(entries);
    const reply = entries.find((entry) => entry.kind === "model_replied");
    if (reply?.kind !== "model_replied") throw new Error("no reply");
    const shown = ["Two pages look stale 🗿, one is not.", "I look at both.\nnot yet", "And I ask."];
    for (const size of [1, 2, 5, 100]) {
      const live = new RunStream(SESSION, "r1");
      const tape = createTape();
      for (const entry of entries) {
        if (entry === reply) {
          for (const [part, text] of shown.entries()) {
            for (let at = 0; at < text.length; at += size) {
              const piece = { part, text: text.slice(at, at + size) };
              const type = part === 0 ? "reasoning" : "text";
              live.draft({ ...piece, type, step: "r1s1", base: 6, end: tape.add(piece) });
            }
          }
        }
        live.accept(entry);
      }
      const merged = mergeDeltas(live.after(0));
      expect(merged).toEqual(rebuilt.after(0));
    }
  });

  it("withdraws the streamed text of a lost attempt and drops late pieces of it", () => {
    const entries = longRun();
    const live = new RunStream(SESSION, "r1");
    for (const entry of entries.slice(0, 4)) live.accept(entry);
    const piece = { type: "text", part: 0, text: "Hel", step: "r1s1", base: 4, end: 4 } as const;
    expect(live.draft(piece)?.chunks.map(({ chunk }) => chunk.type)).toEqual(["text-start", "text-delta"]);
    const reset = live.accept(entries[4] as Entry);
    expect(reset?.withdrawn).toBe(true);
    expect(live.draft({ ...piece, text: "lo", end: 6 })).toBeNull();
    for (const entry of entries.slice(5)) live.accept(entry);
    expect(live.after(0)).toEqual(streamOf(entries).after(0));
  });
});

describe("messages", () => {
  it("builds the message that ai 7 builds, at the end of every segment", async () => {
    for (const entries of [aboutRun(), longRun()]) {
      const { segments } = streamOf(entries);
      for (let count = 1; count <= segments.length; count += 1) {
        const chunks = segments.slice(0, count).flatMap((segment) => segment.chunks);
        expect(await readByAi(chunks)).toEqual(accumulate("ses_demo.r1", chunks));
      }
    }
  });

  it("joins the segments to one stream with one start and one finish", async () => {
    const stream = streamOf(longRun());
    const whole = stream.whole();
    expect(whole.filter(({ chunk }) => chunk.type === "start")).toHaveLength(1);
    expect(whole.filter(({ chunk }) => chunk.type === "finish")).toHaveLength(1);
    expect(await readByAi(whole)).toEqual(stream.toMessage());
  });

  it("lists what was said and one message per run, none of them twice", async () => {
    const entries = longRun();
    const messages = uiMessages(SESSION, entries, 0);
    expect(messages.map(({ id, role }) => [id, role])).toEqual([
      ["m1", "user"],
      ["ses_demo.r1", "assistant"],
      ["m2", "user"],
    ]);
    expect(messages[0]).toEqual({
      id: "m1",
      role: "user",
      parts: [{ type: "text", text: "Tidy up" }],
      metadata: { seq: 1, createdAt: "2026-08-20T12:00:01.000Z", author: "ann", source: "web" },
    });
    expect(messages[1]?.parts.filter((part) => part["type"] === "text")).toHaveLength(3);
    const valid = await safeValidateUIMessages({ messages });
    expect(valid.success).toBe(true);
  });

  it("shows a live run only up to its last closed segment", () => {
    const entries = aboutRun();
    const waiting = uiMessages(SESSION, entries.slice(0, 6), 0);
    expect(waiting.at(-1)?.parts.at(1)?.["type"]).toBe("data-step");
    expect(uiMessages(SESSION, entries.slice(0, 5), 0).map(({ id }) => id)).toEqual(["m1"]);
    expect(uiMessages(SESSION, entries.slice(0, 10), 0)).toEqual(waiting);
  });

  it("puts the answer of each run after its own question, and shows nothing that was cleared", () => {
    const entries = fixture.entries([
      fixture.said("r1", "m1", "one"),
      fixture.queued("r1", "m1", 1),
      fixture.started("r1"),
      fixture.said("r2", "m2", "two"),
      fixture.queued("r2", "m2", 4),
      fixture.said("r3", "m3", "three"),
      fixture.queued("r3", "m3", 6),
      fixture.ended("r1", "completed"),
      fixture.started("r2"),
      fixture.ended("r2", "completed"),
    ]);
    const ids = (cleared: number) => uiMessages(SESSION, entries, cleared).map(({ id }) => id);
    expect(ids(0)).toEqual(["m1", "ses_demo.r1", "m2", "ses_demo.r2", "m3"]);
    expect(ids(5)).toEqual(["m3"]);
  });

  it("shows a message that joined too late once, before the run that it got for itself", () => {
    const entries = fixture.entries([
      fixture.said("r1", "m1", "one"),
      fixture.queued("r1", "m1", 1),
      fixture.started("r1"),
      fixture.said("r1", "m2", "and two", "join"),
      fixture.said("r2", "m3", "three"),
      fixture.queued("r2", "m3", 5),
      fixture.said("r1", "m4", "and four", "join"),
      fixture.ended("r1", "completed"),
      fixture.queued("r3", "m4", 7),
      fixture.started("r2"),
      fixture.ended("r2", "completed"),
      fixture.started("r3"),
      fixture.ended("r3", "completed"),
    ]);
    const ids = (count: number) => uiMessages(SESSION, entries.slice(0, count), 0).map(({ id }) => id);
    expect(ids(7)).toEqual(["m1", "m2", "m4", "m3"]);
    expect(ids(9)).toEqual(["m1", "ses_demo.r1", "m2", "m3", "m4"]);
    expect(ids(13)).toEqual(["m1", "ses_demo.r1", "m2", "m3", "ses_demo.r2", "m4", "ses_demo.r3"]);
  });
});

/** The part of a chunk that a client with everything up to `cut` has. */
function headUpTo(placed: PlacedChunk, cut: number): PlacedChunk[] {
  const pos = placed.pos ?? 0;
  if (pos <= cut) return [placed];
  const { chunk } = placed;
  if (!("delta" in chunk) || pos % 2 ** 22 < 1024 || pos - chunk.delta.length >= cut) return [];
  return [{ pos: cut, chunk: { ...chunk, delta: chunk.delta.slice(0, cut - (pos - chunk.delta.length)) } }];
}

function mergeDeltas(chunks: readonly PlacedChunk[]): PlacedChunk[] {
  const out: PlacedChunk[] = [];
  for (const placed of chunks) {
    const last = out.at(-1);
    if (last !== undefined && "delta" in last.chunk && "delta" in placed.chunk) {
      const delta = last.chunk.delta + placed.chunk.delta;
      out[out.length - 1] = { pos: placed.pos, chunk: { ...placed.chunk, delta } };
    } else out.push(placed);
  }
  return out;
}
