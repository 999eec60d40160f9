import { NO_WORDS } from "../../../src/cairn/core/guards/no-words.ts";
import { GovernedTools } from "../../../src/cairn/tools/governed.ts";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { NO_TARGETS, PLAIN_FILES, NO_TOOLS, PLAIN_AGENTS } from "../../fixtures/agents.ts";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { RUN_LIMITS, SCHEDULES_MAX } from "../../../src/cairn/core/limits.ts";
import type { ModelReply } from "../../../src/cairn/core/log/model.ts";
import { NO_HOOKS } from "../../../src/cairn/core/loop/hooks.ts";
import { receiveSend } from "../../../src/cairn/core/loop/receive.ts";
import { createRedactor } from "../../../src/cairn/core/text/redact.ts";
import { prompts } from "../../fixtures/deployment/plugins.ts";
import { newMeta } from "../../../src/cairn/session/commands/access.ts";
import { sessionView } from "../../../src/cairn/session/commands/views.ts";
import { calendar } from "../../../src/cairn/session/background/cron.ts";
import { SessionOutbox } from "../../../src/cairn/session/background/outbox.ts";
import { ScheduleStore } from "../../../src/cairn/session/background/schedules.ts";
import { SessionIndex } from "../../../src/cairn/session/background/session-index.ts";
import { Engine } from "../../../src/cairn/session/engine/engine.ts";
import { WAKE } from "../../../src/cairn/testing/wake.ts";
import type { Background, Ports } from "../../../src/cairn/session/engine/ports.ts";
import { earlier, type LogWriter } from "../../../src/cairn/session/engine/transaction.ts";
import { objectDisk } from "../../../src/cairn/session/storage/durable-disk.ts";
import { runMigrations } from "../../../src/cairn/session/storage/migrations.ts";
import { SESSION_TABLES } from "../../../src/cairn/session/storage/tables.ts";
import { SqlStore, type Disk } from "../../../src/cairn/session/storage/store.ts";
import { definePack, defineTool } from "../../../src/cairn/tools/define.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";

const DAY_MS = 86_400_000;

/** Billed rows, as the platform counts them: each statement's own count, and one for each alarm set. */
interface Meter {
  written: number;
  read: number;
}

function metered(storage: DurableObjectStorage, meter: Meter): Disk {
  runMigrations((query) => storage.sql.exec(query).toArray(), SESSION_TABLES, new Map());
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
function streamed(step: string, draft: Parameters<NonNullable<Ports["model"]>["call"]>[1]): ModelReply {
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

/** Session data next to its log: distant schedules, webhooks that wait for their receiver, its row in the index. */
function createErrands(name: string, disk: Disk, store: SqlStore, log: () => LogWriter) {
  const redact = createRedactor([]);
  const target = { id: "t", url: "https://receiver.test/", secret: "whsec_c2VjcmV0", events: ["run.ended"] };
  const outbox = new SessionOutbox(disk, {
    session: name,
    targets: [target],
    store,
    inputSchema: () => null,
    redact,
    owner: () => "ada",
    links: null,
  });
  const defaults = {
    session: name,
    model: "metered",
    fallbacks: [],
    messagesPerMinute: 100,
    admins: null,
    agents: PLAIN_AGENTS,
    targets: NO_TARGETS,
    tools: NO_TOOLS,
    files: PLAIN_FILES,
  };
  const scheduleStore = new ScheduleStore(disk, { defaults, store, calendar, reportUnread: () => {} });
  for (let n = 0; n < SCHEDULES_MAX; n++)
    scheduleStore.save({
      id: `sch_${n}`,
      text: "Look.",
      timing: { kind: "interval", everyMs: DAY_MS },
      catchUp: "once",
      agent: null,
      nextAt: Date.now() + DAY_MS,
      createdAt: 0,
      by: "ada",
      role: "member",
      lastRun: null,
      missed: null,
    });
  store.saveMeta(newMeta({ subject: "ada", scopes: [], via: "http" }, Date.now()));
  const sessionIndex = new SessionIndex({
    session: name,
    store,
    state: () => log().cachedState(),
    view: (meta, state) => sessionView({ session: name, model: "metered" }, meta, state),
    db: { batch: () => Promise.resolve() },
    clock: Date.now,
    rearm: (body) => log().transact(false, body),
    report: (error) => {
      throw error;
    },
  });
  const background: Background = {
    due: (state) => earlier(sessionIndex.due(state), earlier(outbox.due(), scheduleStore.due())),
    fallDue: (log, since) => scheduleStore.fallDue(log, since),
    wrote: (entries, state) => outbox.wrote(entries, state),
  };
  return { background, sessionIndex };
}

/** Rows of each wake of a run of three model calls with two tool calls, after `history` earlier entries or more. */
async function costOf(
  name: string,
  history: number,
  busy = false,
): Promise<{ written: number[]; read: number[]; promptChars: number[]; prefixes: Set<string> }> {
  return runInDurableObject(env.SESSION.get(env.SESSION.idFromName(name)), async (_object, state) => {
    const meter: Meter = { written: 0, read: 0 };
    const prefixes = new Set<string>();
    const disk = metered(state.storage, meter);
    const store = new SqlStore(disk);
    const engine = new Engine({ session: name, store, clock: Date.now, redact: createRedactor([]) });
    const beside = busy ? createErrands(name, disk, store, () => engine.log) : null;
    engine.connect({
      wakeModule: WAKE,
      model: {
        call: async (request, draft) => {
          prefixes.add(request.instructions);
          return { kind: "replied", reply: streamed(request.step, draft) };
        },
      },
      tools: new GovernedTools(new Registry(name, Date.now).add(pack, null), { approvals: {} }),
      facts: {
        session: name,
        harness: "test",
        words: NO_WORDS,
        instructions: () => prompts.instructions(["cms-pages", "cms-images", "cms-navigation"]),
        transcript: () => "compact",
      },
      hooks: NO_HOOKS,
      ...(beside === null ? {} : { background: beside.background }),
    });
    /** As the object's alarm does it (session/session.ts). */
    const alarm = async (): Promise<void> => {
      await beside?.sessionIndex.flush();
      await engine.wake();
      await beside?.sessionIndex.flush();
    };
    let messages = 0;
    const say = (): void =>
      engine.record((tx) => {
        const received = receiveSend(tx.state, {
          id: `m${messages++}`,
          author: "ada",
          source: "api",
          parts: [{ type: "text", text: "go" }],
          mode: "queue",
          request: null,
          model: "metered",
          fallbacks: [],
          wanted: { limits: RUN_LIMITS, profile: "standard" },
          temperature: null,
          spec: PLAIN_SPEC,
          role: "member",
        });
        if (received.ok) tx.append(received.entries);
      });
    while (engine.log.state().head < history) {
      say();
      for (let wake = 0; wake < 3; wake++) await alarm();
    }
    say();
    const written: number[] = [];
    const read: number[] = [];
    for (let wake = 0; wake < 3; wake++) {
      Object.assign(meter, { written: 0, read: 0 });
      await alarm();
      written.push(meter.written);
      read.push(meter.read);
    }
    expect(engine.log.state().run).toBeNull();
    const rows = new SqlStore(objectDisk(state.storage)).entriesAfter(engine.log.state().head - 40, 100);
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
    // Every 40 entries one transaction stores the state as well.
    const snapshots = old.written.map((rows, wake) => rows - (young.written[wake] ?? 0));
    expect([
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]).toContainEqual(snapshots.map(Math.abs));
    // A row that is written counts as read too. Beside those a step reads the cursor, once in each of its transactions.
    expect(old.read.slice(1)).toEqual(young.read.slice(1));
    expect(old.read[1]).toBeLessThanOrEqual(12);
  });

  test("reads none of the session's schedules and webhooks, however many wait, and its line of the index once", async () => {
    const bare = await costOf("cost-bare", 100);
    const busy = await costOf("cost-busy", 100, true);
    console.log("billed rows read per wake: bare, and with all errands", bare.read, busy.read);
    expect(busy.read[1]).toBe(bare.read[1]);
    expect(busy.written[1]).toBe(bare.written[1]);
  });

  test("has its prompt's size in the log, and a static prefix that is the same to the byte", async () => {
    const { promptChars, prefixes } = await costOf("cost-prompt", 10);
    expect(promptChars).toHaveLength(3);
    expect(promptChars.every((chars) => chars > 0)).toBe(true);
    expect(prefixes.size).toBe(1);
  });
});
