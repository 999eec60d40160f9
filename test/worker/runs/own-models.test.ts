import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createCairn } from "../../../src/cairn/create.ts";
import { objectDisk } from "../../../src/cairn/session/storage/durable-disk.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { defineTool } from "../../../src/cairn/tools/define.ts";
import { project } from "../../fixtures/deployment/project.ts";

/** A project with a model of its own, in the real session and behind the real doors. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const weighed: string[] = [];
const weigh = defineTool({
  name: "weigh_parcel",
  description: "Weighs a parcel.",
  input: z.strictObject({ parcel: z.string().max(100) }),
  effect: "read",
  tier: "open",
  run: async ({ parcel }) => {
    weighed.push(parcel);
    return { grams: 250 };
  },
});

const USAGE = {
  inputTokens: { total: 40, noCache: 10, cacheRead: 30, cacheWrite: 0 },
  outputTokens: { total: 9, text: 9, reasoning: 0 },
};
const said = (text: string): LanguageModelV4StreamPart[] => [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: text },
  { type: "text-end", id: "0" },
  { type: "finish", finishReason: { unified: "stop", raw: "end_turn" }, usage: USAGE },
];
const called: LanguageModelV4StreamPart[] = [
  { type: "tool-call", toolCallId: "toolu_1", toolName: "weigh_parcel", input: '{"parcel":"Ada\'s"}' },
  { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_use" }, usage: USAGE },
];

/** Calls the tool first, and answers with its result once the prompt has one. */
const scripted: LanguageModelV4 = {
  specificationVersion: "v4",
  provider: "scripted.chat",
  modelId: "scripted-1",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("every call streams")),
  doStream: async ({ prompt }) => {
    const isWeighed = prompt.some(({ role }) => role === "tool");
    const parts = isWeighed ? said("It weighs 250 grams.") : called;
    return {
      stream: new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
    };
  },
};

const cairn = createCairn({ ...project, tools: [weigh], models: { scripted: () => scripted } });
const boundTo = (variables: Record<string, string>): Env => ({ ...env, ...variables }) as unknown as Env;

test("a session works a run with a tool by a model of its project, and counts its cached tokens", async () => {
  const stub = env.SESSION.get(env.SESSION.idFromName("own-models"));
  const log = await runInDurableObject(stub, async (_, state) => {
    // The wakes are this test's: the object behind the stub has another project.
    state.storage.setAlarm = () => Promise.resolve();
    const session = new cairn.Session(state, boundTo({ MODEL: "scripted" }));
    const message = {
      id: "m1",
      parts: [{ type: "text", text: "How heavy is Ada's parcel?" }],
      mode: null,
      source: "message",
      request: null,
      ask: {},
    };
    expect(await session.command("send", ADA, [message])).toMatchObject({ ok: true });
    const store = new SqlStore(objectDisk(state.storage));
    const entries = () => store.entriesAfter(0, 1_000);
    for (let wakes = 0; wakes < 20 && entries().at(-1)?.kind !== "run_ended"; wakes++) await session.alarm();
    return entries();
  });
  expect(weighed).toEqual(["Ada's"]);
  expect(log.findLast(({ kind }) => kind === "run_ended")?.body).toMatchObject({ outcome: "completed" });
  const replies = log.flatMap((entry) => (entry.kind === "model_replied" ? [entry.body] : []));
  expect(replies.map(({ model, usage }) => [model, usage.inputTokens, usage.cachedInputTokens])).toEqual([
    ["scripted-1", 40, 30],
    ["scripted-1", 40, 30],
  ]);
  const started = log.find(({ kind }) => kind === "step_started");
  expect(started?.body).toMatchObject({ model: "scripted" });
});

describe("/healthz", () => {
  const health = async (variables: Record<string, string>, models = {}) => {
    const { worker } = createCairn({ ...project, models: { scripted: () => scripted, ...models } });
    const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
    const answer = await worker.fetch(
      new Request("http://127.0.0.1/healthz") as Parameters<typeof worker.fetch>[0],
      boundTo(variables),
      context as unknown as ExecutionContext,
    );
    const body = await answer.json<{
      model: string;
      problems: { variable: string; message: string }[];
    }>();
    return { code: answer.status, ...body };
  };

  test("names the model, and is 503 with the names there are where MODEL matches none", async () => {
    expect(await health({ MODEL: "scripted" })).toMatchObject({ code: 200, model: "scripted" });
    const wrong = await health({ MODEL: "scrypted" });
    expect(wrong.code).toBe(503);
    expect(wrong.problems.find(({ variable }) => variable === "MODEL")?.message).toMatch(
      /^Must be scripted, rehearsal:, workers-ai:<id>, .* Until it is fixed, no run starts/,
    );
  });

  test("names a model that cannot be made, and none of the words that its factory threw", async () => {
    const broken = () => {
      throw new Error("secret-of-the-factory");
    };
    const answer = await health({ MODEL: "rehearsal:" }, { broken });
    expect(answer).toMatchObject({ code: 200 });
    expect(answer.problems.find(({ variable }) => variable === "models")?.message).toMatch(
      /^The model broken of createCairn could not be made: the log of the worker says why\. Only/,
    );
    expect(JSON.stringify(answer)).not.toContain("secret-of-the-factory");
  });
});
