import { readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { NO_USAGE } from "../../../src/cairn/core/log/model.ts";
import { sessionView } from "../../../src/cairn/session/commands/views.ts";
import type { Statement } from "../../../src/cairn/session/storage/index-db.ts";
import { SessionIndex, usageRows } from "../../../src/cairn/session/background/session-index.ts";
import { NEVER_INDEXED } from "../../../src/cairn/session/storage/meta.ts";
import { FakePlatform, type Line } from "../../sim/platform/platform.ts";

/** A session's writes to the index, on the index's real tables, with writes that fail and writes that are slow. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const TABLES = readFileSync(path.join(import.meta.dirname, "../../../migrations/0001_kernel.sql"), "utf8");

class Index {
  readonly database = new DatabaseSync(":memory:");
  writes = 0;
  fails = 0;
  /** the next write waits for this before it is made, and no other does */
  gate: Promise<void> | null = null;

  constructor() {
    this.database.exec(TABLES);
  }

  async batch(statements: readonly Statement[]): Promise<void> {
    const { gate } = this;
    this.gate = null;
    await gate;
    if (this.fails > 0) {
      this.fails--;
      throw new Error("the index is away");
    }
    this.writes++;
    this.database.exec("BEGIN");
    for (const [sql, ...values] of statements) this.database.prepare(sql).run(...values);
    this.database.exec("COMMIT");
  }

  all(query: string): unknown[] {
    return this.database
      .prepare(query)
      .all()
      .map((entry) => Object.values(entry));
  }

  get texts(): unknown[] {
    return this.all("SELECT text FROM session_texts WHERE seq > 0 ORDER BY seq").flat();
  }

  /** entries of each table that a deletion takes */
  get entries(): unknown[] {
    const count = "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM session_texts)";
    return this.all(
      `${count}, (SELECT count(*) FROM approvals), (SELECT count(*) FROM approval_readers)`,
    ).flat();
  }
}

function indexed(lines: readonly Line[] | ((step: string) => Line)) {
  const platform = new FakePlatform(typeof lines === "function" ? (request) => lines(request.step) : lines);
  const index = new Index();
  const faults: unknown[] = [];
  const { store } = platform;
  const sessionIndex = new SessionIndex({
    session: "ses",
    store,
    state: () => platform.state,
    view: (meta, state) => sessionView({ session: "ses", model: "rehearsal:" }, meta, state),
    db: index,
    clock: () => platform.now,
    rearm: (body) => platform.engine.rearm(body),
    report: (error) => faults.push(error),
  });
  const say = async (id: string, text: string): Promise<void> => {
    const parts = [{ type: "text", text }] as const;
    const said = { id, parts, mode: null, source: "api", request: null, ask: {} } as const;
    expect((await platform.api.send(ADA, said)).ok).toBe(true);
    await platform.settle();
  };
  /** The next write takes until the word. */
  const hold = (): (() => void) => {
    let letGo = (): void => {};
    index.gate = new Promise((resolve) => (letGo = resolve));
    return () => letGo();
  };
  const due = (): number | null => sessionIndex.due(platform.state);
  return { platform, index, sessionIndex, faults, say, hold, due, store };
}

const publish: Line = { calls: [["publish", { name: "a" }]] };

describe("the index", () => {
  test("has what the session shows, the words of both, its approvals and who sees them, and is then not due", async () => {
    const { platform, index, sessionIndex, say, due } = indexed([publish, { text: "It is public." }]);
    await say("m1", "Publish the page.");
    expect(due()).toBe(platform.state.at + 2_000);
    await sessionIndex.flush();
    expect(index.all("SELECT id, owner, status, archived FROM sessions")).toEqual([
      ["ses", "ada", "waiting", 0],
    ]);
    expect(index.all("SELECT session_id, id, state FROM approvals")).toEqual([
      ["ses", "r1s1c0a1", "pending"],
    ]);
    expect(index.all("SELECT subject FROM approval_readers")).toEqual([["ada"]]);
    expect(due()).toBeNull();
    platform.decide("approve");
    await platform.settle();
    expect(due()).toBe(platform.state.at + 2_000);
    await sessionIndex.flush();
    expect(index.all("SELECT status FROM sessions")).toEqual([["idle"]]);
    expect(index.all("SELECT id, state FROM approvals")).toEqual([["r1s1c0a1", "approved"]]);
    expect(index.texts).toEqual(["Publish the page.", "It is public."]);
    expect(index.all("SELECT run, subject, steps FROM session_usage")).toEqual([["r1", "ada", 2]]);
    const writes = index.writes;
    await sessionIndex.flush();
    expect(index.writes).toBe(writes);
  });

  test("is due for what a person changes, and has it", async () => {
    const { platform, index, sessionIndex, say, due, store } = indexed([{ text: "Hello." }]);
    await say("m1", "Hi.");
    await sessionIndex.flush();
    platform.now += 60_000;
    const meta = store.loadMeta();
    if (meta === null) throw new Error("no session");
    store.saveMeta({ ...meta, title: "Greetings", version: meta.version + 1, changedAt: platform.now });
    expect(due()).toBe(platform.now + 2_000);
    await sessionIndex.flush();
    expect(index.all("SELECT text FROM session_texts WHERE seq = 0")).toEqual([["Greetings"]]);
  });

  test("is written once by all who would have it written", async () => {
    const { index, sessionIndex, say } = indexed([{ text: "Hello." }]);
    await say("m1", "Hi.");
    await Promise.all([sessionIndex.flush(), sessionIndex.flush(), sessionIndex.flush()]);
    expect(index.writes).toBe(1);
  });

  test("forgets what was cleared", async () => {
    const { platform, index, sessionIndex, say } = indexed([{ text: "One." }, { text: "Two." }]);
    await say("m1", "First.");
    await sessionIndex.flush();
    await platform.api.clear(ADA);
    await say("m2", "Second.");
    await sessionIndex.flush();
    expect(index.texts).toEqual(["Second.", "Two."]);
  });

  test("forgets an answer that was made again", async () => {
    const { platform, index, sessionIndex, say } = indexed([{ text: "One." }, { text: "Another." }]);
    await say("m1", "First.");
    await sessionIndex.flush();
    expect((await platform.api.regenerate(ADA, { id: "g1", message: null, request: null })).ok).toBe(true);
    await platform.settle();
    await sessionIndex.flush();
    expect(index.texts).toEqual(["First.", "Another."]);
  });

  test("follows a long log in several writes, leaves out no row of it, and is due until the last", async () => {
    const { platform, index, sessionIndex, say, due } = indexed([{ text: "One." }, { text: "Two." }]);
    await say("m1", "First.");
    const note = { kind: "note", run: null, step: null, body: { code: "old", text: "long ago" } } as const;
    platform.engine.record((tx) => tx.append(Array.from({ length: 4_500 }, () => note)));
    await say("m2", "Second.");
    await sessionIndex.flush();
    expect(index.texts).toEqual(["First.", "One."]);
    expect(due()).not.toBeNull();
    await sessionIndex.flush();
    expect(due()).not.toBeNull();
    await sessionIndex.flush();
    expect([index.texts, index.writes, due()]).toEqual([["First.", "One.", "Second.", "Two."], 3, null]);
  });

  test("follows large texts in several writes too", async () => {
    const { index, sessionIndex, say, due } = indexed(() => ({ text: "So it is." }));
    for (let n = 0; n < 7; n++) await say(`m${n}`, `${n}${"x".repeat(60_000)}`);
    await sessionIndex.flush();
    expect([index.texts.length, due() === null]).toEqual([13, false]);
    await sessionIndex.flush();
    expect([index.texts.length, due()]).toEqual([14, null]);
  });
});

describe("a write of the index that fails", () => {
  test("is told, tried again ever later, and after so many only when something else wakes", async () => {
    const { platform, index, sessionIndex, faults, say, due } = indexed([{ text: "Hello." }]);
    await say("m1", "Hi.");
    index.fails = 13;
    const waits: number[] = [];
    for (let tries = 1; tries <= 13; tries++) {
      await sessionIndex.flush();
      expect(faults).toHaveLength(tries);
      const at = due();
      if (at !== null) waits.push((at - platform.now) / 1_000);
      // Not before its time.
      await sessionIndex.flush();
      expect(faults).toHaveLength(tries);
      platform.now = at ?? platform.now + 3_600_000;
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600]);
    expect(due()).toBeNull();
    await sessionIndex.flush();
    expect([index.writes, index.texts]).toEqual([1, ["Hi.", "Hello."]]);
  });
});

describe("a session that is deleted", () => {
  test("is in no table of the index but that of what was spent", async () => {
    const { index, sessionIndex, say } = indexed([publish]);
    await say("m1", "Publish the page.");
    await sessionIndex.flush();
    expect(index.entries).toEqual([1, 2, 1, 1]);
    await sessionIndex.leave();
    expect(index.entries).toEqual([0, 0, 0, 0]);
  });

  test("is not put back by a write that was on its way, nor by one that comes after", async () => {
    const { index, sessionIndex, say, hold, due, store } = indexed([publish]);
    await say("m1", "Publish the page.");
    const letGo = hold();
    const work = [sessionIndex.flush(), sessionIndex.leave(), sessionIndex.flush()];
    expect(due()).toBeNull();
    letGo();
    await Promise.all(work);
    await sessionIndex.flush();
    expect(index.entries).toEqual([0, 0, 0, 0]);
    // The write was for the deleted session, so the store does not record it.
    expect(store.loadIndexed()).toMatchObject({ token: "", seq: 0, tries: 0 });
  });

  test("and made anew while it was written has all of its own written", async () => {
    const { platform, index, sessionIndex, say, hold, due, store } = indexed(() => ({ text: "Hello." }));
    await say("m1", "Hi.");
    const letGo = hold();
    const writing = sessionIndex.flush();
    store.erase();
    platform.engine.drop();
    platform.now += 1_000;
    await say("m1", "Hi again.");
    letGo();
    await writing;
    expect(store.loadIndexed()).toEqual(NEVER_INDEXED);
    expect(due()).not.toBeNull();
    await sessionIndex.flush();
    expect(index.texts).toEqual(["Hi again.", "Hello."]);
  });

  test("stays in the index where that could not be written, and goes on being indexed", async () => {
    const { platform, index, sessionIndex, say, due } = indexed([{ text: "Hello." }]);
    await say("m1", "Hi.");
    index.fails = 1;
    await expect(sessionIndex.leave()).rejects.toThrow("the index is away");
    const at = due();
    expect(at).toBe(platform.now + 5_000);
    platform.now = at ?? 0;
    await sessionIndex.flush();
    expect(index.entries).toEqual([1, 3, 0, 0]);
  });

  test("lets another of its name be indexed once it is gone", async () => {
    const { platform, index, sessionIndex, say, store } = indexed(() => ({ text: "Hello." }));
    await say("m1", "Hi.");
    await sessionIndex.leave();
    store.erase();
    platform.engine.drop();
    sessionIndex.left();
    await say("m1", "Hi again.");
    await sessionIndex.flush();
    expect(index.texts).toEqual(["Hi again.", "Hello."]);
  });
});

describe("what the index shows of an approval", () => {
  const rules = { approvers: ["bob", "carol", "eve"], needed: 3, expiresMs: 600_000 } as const;
  const person = (subject: string) => ({ subject, scopes: ["approve"], via: "http" }) as const;

  test("is due when it is asked, voted on, changed, and asked of more people", async () => {
    const { platform, sessionIndex, due, say } = indexed([publish]);
    platform.approvals = { publish: { ...rules, onExpiry: "escalate", escalateTo: ["dan"] } };
    platform.restart();
    platform.onModel = () => sessionIndex.flush();
    await say("m1", "Publish the page.");
    const vote = async (who: string, decision: "approve" | "edit", args: { name: string } | null = null) => {
      const phase = platform.state.run?.phase;
      const digest = phase?.at === "waiting_approval" ? phase.approval.digest : null;
      const command = { approval: "r1s1c0a1", decision, args, reason: null, digest } as const;
      expect((await platform.api.decide(person(who), command)).ok).toBe(true);
    };
    const changes: (() => Promise<void>)[] = [
      async () => {},
      () => vote("bob", "approve"),
      // An edit leaves the number of votes unchanged.
      () => vote("carol", "edit", { name: "b" }),
      () => vote("eve", "approve"),
      async () => {
        platform.now += 600_000;
        await platform.settle(0);
      },
    ];
    for (const change of changes) {
      await change();
      expect(due()).not.toBeNull();
      await sessionIndex.flush();
      expect(due()).toBeNull();
    }
  });
});

describe("what the index has for the inbox", () => {
  const items = (index: Index): unknown[] =>
    index.all("SELECT id, owner, kind, view ->> 'question', view ->> 'objective' FROM inbox_items");
  const scheduled = async ({ platform }: ReturnType<typeof indexed>, id: string): Promise<void> => {
    const parts = [{ type: "text", text: "Count the visitors." }] as const;
    const said = { id, parts, mode: null, source: "schedule", request: null, ask: {} } as const;
    expect((await platform.api.send(ADA, said)).ok).toBe(true);
    await platform.settle();
  };
  const fail = {
    class: "auth",
    code: "unauthorized",
    message: "No key.",
    retryable: false,
    retryAfterMs: null,
    usage: NO_USAGE,
  } as const;

  test("is the question that waits, until it is answered", async () => {
    const it = indexed([{ calls: [["ask_human", { question: "Which colour?" }]] }, { text: "Green." }]);
    await it.say("m1", "Paint it.");
    await it.sessionIndex.flush();
    expect(items(it.index)).toEqual([["r1s1c0q1", "ada", "question", "Which colour?", null]]);
    const answer = { runId: null, question: null, value: "green" } as const;
    expect((await it.platform.api.answer(ADA, answer)).ok).toBe(true);
    await it.platform.settle();
    await it.sessionIndex.flush();
    expect(items(it.index)).toEqual([]);
  });

  test("is a scheduled run that failed, until another run follows, and what was dismissed stays dismissed", async () => {
    const it = indexed(() => ({ fail }));
    await scheduled(it, "m1");
    await it.sessionIndex.flush();
    const row = ["r1", "ada", "failed_run", null, "Count the visitors."];
    expect(items(it.index)).toEqual([row]);
    it.index.database.exec("UPDATE inbox_items SET dismissed = 1");
    expect((await it.platform.api.change(ADA, { title: "Visitors", ifVersion: null })).ok).toBe(true);
    await it.sessionIndex.flush();
    expect(it.index.all("SELECT id, dismissed FROM inbox_items")).toEqual([["r1", 1]]);
    await scheduled(it, "m2");
    await it.sessionIndex.flush();
    expect(it.index.all("SELECT id, dismissed FROM inbox_items")).toEqual([["r2", 0]]);
  });

  test("is no run that a person asked for, whatever came of it, and goes with the session", async () => {
    const it = indexed(() => ({ fail }));
    await it.say("m1", "Count the visitors.");
    await it.sessionIndex.flush();
    expect(items(it.index)).toEqual([]);
    await scheduled(it, "m2");
    await it.sessionIndex.flush();
    expect(items(it.index)).toHaveLength(1);
    await it.sessionIndex.leave();
    expect(items(it.index)).toEqual([]);
  });
});

describe("a session in which nothing was said", () => {
  test("is in the index once it has a schedule, and again when that gave it a title", async () => {
    const timing = { at: new Date(1_700_000_000_000 + 86_400_000).toISOString() };
    const command = {
      id: "sch_a",
      digest: "",
      text: "Count the visitors.",
      timing,
      catchUp: "once",
      agent: null,
    } as const;
    const fresh = indexed([]);
    expect((await fresh.platform.api.schedule(ADA, command)).ok).toBe(true);
    await fresh.sessionIndex.flush();
    expect(fresh.index.all("SELECT text FROM session_texts")).toEqual([["Count the visitors."]]);
    const set = indexed([]);
    set.platform.service.admitOrCreate(ADA);
    const meta = set.store.loadMeta();
    if (meta === null) throw new Error("no session");
    set.store.saveMeta({ ...meta, metadata: { team: "a" }, changedAt: set.platform.now });
    await set.sessionIndex.flush();
    expect([set.index.entries[0], set.due()]).toEqual([1, null]);
    expect((await set.platform.api.schedule(ADA, command)).ok).toBe(true);
    await set.sessionIndex.flush();
    expect(set.index.all("SELECT text FROM session_texts")).toEqual([["Count the visitors."]]);
    // A person changes a field other than the title.
    const now = set.store.loadMeta();
    if (now === null) throw new Error("no session");
    set.store.saveMeta({ ...now, archived: true, version: now.version + 1 });
    await set.sessionIndex.flush();
    expect(set.index.all("SELECT archived FROM sessions")).toEqual([[1]]);
  });
});

test("what a run has used stands under each model that it asked, and what was lost under its first", () => {
  const usage = (inputTokens: number, cost: number) => ({
    inputTokens,
    cachedInputTokens: 0,
    outputTokens: 10,
    reasoningTokens: 0,
    estimated: false,
    cost,
  });
  const entry = (kind: string, body: object, at = 5): Entry =>
    ({ run: "r1", kind, at, body }) as unknown as Entry;
  const entries = [
    entry("run_queued", { model: "a:", fallbacks: ["b:"], actor: "ada" }),
    entry("step_started", { model: "a:" }),
    entry("model_failed", { then: "retry", usage: usage(100, 1) }),
    entry("model_failed", { then: "fallback", usage: null }),
    entry("model_replied", { usage: usage(200, 2) }),
    entry("step_started", { model: "b:" }),
    entry("model_replied", { usage: usage(300, 3) }),
    entry("run_ended", { usage: { ...usage(1_000, 9), outputTokens: 40 } }, 9),
  ];
  const of = { run: "r1", subject: "ada", endedAt: 9 };
  expect(usageRows(entries)).toEqual([
    { ...of, model: "a:", steps: 1, inputTokens: 100 + 400, outputTokens: 10 + 10, costMicros: 1 + 3 },
    { ...of, model: "b:", steps: 1, inputTokens: 500, outputTokens: 20, costMicros: 5 },
  ]);
  expect(usageRows(entries.slice(0, -1))).toEqual([]);
});

test("a session that was only visited is in no index until something is said in it", async () => {
  const { platform, index, sessionIndex, say, due } = indexed([{ text: "Hello." }]);
  platform.service.admitOrCreate(ADA);
  expect(due()).toBeNull();
  await sessionIndex.flush();
  expect(index.writes).toBe(0);
  await say("m1", "Hi.");
  await sessionIndex.flush();
  expect(index.entries).toEqual([1, 3, 0, 0]);
});

describe("the runs of the index", () => {
  const COLUMNS = "number, status, outcome, reason, objective, agent, source, requester";
  const runs = (index: Index): unknown[] => index.all(`SELECT ${COLUMNS} FROM runs ORDER BY number`);
  const asked = ["default", "api", "ada"];

  test("are there from their queue to their end, each written when it changes and at no step between", async () => {
    const { platform, index, sessionIndex, say } = indexed([
      publish,
      { calls: [["look", { name: "a" }]] },
      { calls: [["look", { name: "b" }]] },
      { text: "It is public." },
      { text: "Hello." },
    ]);
    await say("m1", "Publish the page.");
    await say("m2", "Say hello.");
    await sessionIndex.flush();
    expect(runs(index)).toEqual([
      [1, "paused", null, null, "Publish the page.", ...asked],
      [2, "queued", null, null, "Say hello.", ...asked],
    ]);
    platform.decide("approve");
    await platform.settle();
    await sessionIndex.flush();
    expect(runs(index)).toEqual([
      [1, "completed", "answered", null, "Publish the page.", ...asked],
      [2, "completed", "answered", null, "Say hello.", ...asked],
    ]);
    const times = index.all("SELECT created_at, started_at, ended_at FROM runs ORDER BY number");
    const of = (kind: Entry["kind"]) =>
      platform.log.flatMap((entry) => (entry.kind === kind ? [entry.at] : []));
    const queued = of("run_queued");
    const started = of("run_started");
    const ended = of("run_ended");
    expect(times).toEqual([0, 1].map((at) => [queued[at], started[at], ended[at]]));
  });

  test("are written again only where they differ", async () => {
    const { platform, index, sessionIndex, say, store } = indexed([publish, { text: "Done." }]);
    await say("m1", "Publish it.");
    await sessionIndex.flush();
    // A change of the session that is none of its run.
    const meta = store.loadMeta();
    if (meta === null) throw new Error("no session");
    store.saveMeta({ ...meta, title: "Mine", version: 2 });
    const trigger =
      "CREATE TRIGGER seen AFTER UPDATE ON runs BEGIN INSERT INTO touched VALUES (new.number, new.status); END";
    index.database.exec(`CREATE TABLE touched(number, status); ${trigger}`);
    const { writes } = index;
    await sessionIndex.flush();
    expect([index.writes, index.all("SELECT * FROM touched")]).toEqual([writes + 1, []]);
    platform.decide("deny");
    await platform.settle();
    await sessionIndex.flush();
    expect(index.all("SELECT * FROM touched")).toEqual([[1, "completed"]]);
  });

  test("are all there after writes that were lost, and after a long log was followed in pieces", async () => {
    const { platform, index, sessionIndex, say } = indexed(() => ({ text: "Hello." }));
    index.fails = 1;
    await say("m0", "x".repeat(300));
    await sessionIndex.flush();
    expect(runs(index)).toEqual([]);
    for (let n = 1; n <= 300; n++) await say(`m${n}`, `Number ${n}. ${"x".repeat(2_000)}`);
    for (let n = 0; n < 10; n++) {
      platform.now += 60_000;
      await sessionIndex.flush();
    }
    expect(index.writes).toBeGreaterThan(1);
    const states = index.all(
      "SELECT status, count(*), count(started_at), count(ended_at) FROM runs GROUP BY status",
    );
    expect(states).toEqual([["completed", 301, 301, 301]]);
    expect(index.all("SELECT objective FROM runs WHERE number = 1")).toEqual([["x".repeat(200)]]);
  });

  test("of a session that an older index knows are written from the first on", async () => {
    const { platform, index, sessionIndex, say, store } = indexed(() => ({ text: "Hello." }));
    await say("m1", "One.");
    await say("m2", "Two.");
    store.saveIndexed({ token: "v2 1 2", seq: platform.state.head, tries: 0, retryAt: 0 });
    await sessionIndex.flush();
    expect(index.all("SELECT number, objective FROM runs")).toEqual([
      [1, "One."],
      [2, "Two."],
    ]);
  });

  test("leave with their session", async () => {
    const { index, sessionIndex, say } = indexed([{ text: "Hello." }]);
    await say("m1", "Hi.");
    await sessionIndex.flush();
    await sessionIndex.leave();
    expect(runs(index)).toEqual([]);
  });
});
