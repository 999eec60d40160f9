import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { NO_HOOKS } from "../../src/core/hooks.ts";
import { RUN_LIMITS } from "../../src/core/limits.ts";
import type { ModelReply } from "../../src/core/model.ts";
import { createRedactor } from "../../src/core/redact.ts";
import { instructions } from "../../src/prompts.ts";
import { receiveSay } from "../../src/core/receive.ts";
import { objectDisk } from "../../src/session/disk.ts";
import { Engine } from "../../src/session/engine.ts";
import type { Ports } from "../../src/session/ports.ts";
import { SqlStore, type Disk } from "../../src/session/store.ts";
import { definePack, defineTool } from "../../src/tools/define.ts";
import { Registry } from "../../src/tools/registry.ts";

/** Billed rows, as the platform counts them: each statement's own count, and one for each alarm set (platform 2.4). */
interface Meter {
  written: number;
  read: number;
}

function metered(storage: DurableObjectStorage, meter: Meter): Disk {
  return {
    ...objectDisk(storage),
    exec: (query, ...values) => {
      const cursor = storage.sql.exec<Record<string, string | number | null>>(query, ...values);
      const rows = cursor.toArray();
      meter.written += cursor.rowsWritten;
      meter.read += cursor.rowsRead;
      return rows;
    },
    // Counted and not set: the test is the one that wakes this engine.
    setAlarm: () => void meter.written++,
    deleteAlarm: () => void meter.written++,
    getAlarm: () => Promise.resolve(null),
  };
}

const named = z.strictObject({ name: z.string() });
const pack = definePack<null, null>({
  name: "cost",
  prompts: [],
  services: () => null,
  tools: [
    defineTool<null, typeof named, { readonly ok: true }>({
      name: "put",
      version: 1,
      title: "Put",
      description: "Writes.",
      input: named,
      effect: "keyed",
      tier: "write",
      entities: (input) => [{ op: "touch", type: "page", id: input.name, name: input.name }],
      run: async () => ({ ok: true }),
    }),
  ],
});

/** A model that streams 40 deltas, then calls one tool; in the last step of three it answers. */
function streamed(step: string, draft: Parameters<Ports["model"]["call"]>[1]): ModelReply {
  const text = Array.from({ length: 40 }, (_, n) => `word ${n} `);
  for (const piece of text) draft({ type: "text", part: 0, text: piece });
  const last = step.endsWith("s3");
  return {
    parts: [
      { type: "text", text: text.join("") },
      ...(last ? [] : [{ type: "call" as const, tool: "put", input: { name: step } }]),
    ],
    finish: last ? "stop" : "tool-calls",
    usage: { inputTokens: 100, cachedInputTokens: 0, outputTokens: 40, reasoningTokens: 0, estimated: false },
    model: "metered",
    ms: 1,
    firstTokenMs: 1,
  };
}

/** Rows of each wake of a run of three model calls with two tool calls, after `history` earlier entries or more. */
async function costOf(
  name: string,
  history: number,
): Promise<{ written: number[]; read: number[]; promptChars: number[]; prefixes: Set<string> }> {
  return runInDurableObject(env.SESSION.get(env.SESSION.idFromName(name)), async (_object, state) => {
    const meter: Meter = { written: 0, read: 0 };
    const prefixes = new Set<string>();
    const engine = new Engine({
      store: new SqlStore(metered(state.storage, meter)),
      model: {
        call: async (request, draft) => {
          prefixes.add(request.instructions);
          return { kind: "replied", reply: streamed(request.step, draft) };
        },
      },
      tools: new Registry(name, Date.now).add(pack, null),
      audience: { committed: () => {}, draft: () => {} },
      clock: Date.now,
      facts: {
        session: name,
        harness: "test",
        instructions: () => instructions(["cms-pages", "cms-images", "cms-navigation"]),
        transcript: () => "compact",
      },
      hooks: NO_HOOKS,
      redact: createRedactor([]),
    });
    let messages = 0;
    const say = (): void =>
      engine.record((tx) => {
        const received = receiveSay(tx.state, {
          id: `m${messages++}`,
          author: "ada",
          source: "api",
          parts: [{ type: "text", text: "go" }],
          mode: "queue",
          request: null,
          model: "metered",
          fallbacks: [],
          limits: RUN_LIMITS,
          temperature: null,
          role: "member",
        });
        if (received.ok) tx.append(received.entries);
      });
    while (engine.ledger.state().head < history) {
      say();
      for (let wake = 0; wake < 3; wake++) await engine.wake();
    }
    say();
    const written: number[] = [];
    const read: number[] = [];
    for (let wake = 0; wake < 3; wake++) {
      Object.assign(meter, { written: 0, read: 0 });
      await engine.wake();
      written.push(meter.written);
      read.push(meter.read);
    }
    expect(engine.ledger.state().run).toBeNull();
    const rows = new SqlStore(objectDisk(state.storage)).entriesAfter(engine.ledger.state().head - 40, 100);
    const promptChars = rows
      .flatMap((row) => (row.kind === "step_started" ? [row.body.promptChars] : []))
      .slice(-3);
    return { written, read, promptChars, prefixes };
  });
}

describe("the cost of a step", () => {
  test("is at most 14 billed rows, the same at a history of 10 and of 1,000 entries", async () => {
    const young = await costOf("cost-young", 10);
    const old = await costOf("cost-old", 1_000);
    console.log(
      "billed rows per wake (model call + tool call, streamed; the last one answers)",
      young,
      old.written,
      old.read,
    );
    // The warm step in the middle: a model call with one tool call.
    expect(young.written[1]).toBeLessThanOrEqual(14);
    expect(old.written).toEqual(young.written);
    // Once a run is loaded, its steps read the cursor and nothing of the history.
    expect(old.read.slice(1)).toEqual(young.read.slice(1));
    expect(old.read[1]).toBeLessThanOrEqual(16);
  });

  test("has its prompt's size in the log, and a static prefix that is the same to the byte", async () => {
    const { promptChars, prefixes } = await costOf("cost-prompt", 10);
    expect(promptChars).toHaveLength(3);
    expect(promptChars.every((chars) => chars > 0)).toBe(true);
    expect(prefixes.size).toBe(1);
  });
});
