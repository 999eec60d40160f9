import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { SessionApi } from "../../../src/cairn/session/commands/commands.ts";
import { createCommands } from "../../../src/cairn/session/commands/create-commands.ts";
import type { Actor, CreateCommand, SettleCommand } from "../../../src/cairn/session/api/session-api.ts";
import { sessionView } from "../../../src/cairn/session/commands/views.ts";
import type { Statement } from "../../../src/cairn/session/storage/index-db.ts";
import { SessionIndex } from "../../../src/cairn/session/background/session-index.ts";
import { byStep, REPORT, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** A session as a whole: how it is made, changed, copied and deleted, by whom, and what each leaves on the disk. */

const ADA: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };
const BOB: Actor = { ...ADA, subject: "bob" };
const READER: Actor = { ...ADA, scopes: ["read"] };
const LINES: readonly Line[] = [{ calls: [["look", { name: "a" }]] }, { text: REPORT }];

interface Opened {
  readonly platform: FakePlatform;
  readonly record: SessionApi;
  /** what was written to the index */
  readonly index: Statement[][];
  /** what happened to those who watch, and what stood on the disk then */
  readonly dismissed: number[];
}

function open(
  platform = new FakePlatform(byStep(...LINES)),
  fails: { index: boolean } = { index: false },
): Opened {
  const index: Statement[][] = [];
  const dismissed: number[] = [];
  const { engine, store } = platform;
  const clock = (): number => platform.now;
  const parts = { session: "ses", model: "rehearsal:", engine, store, clock };
  const sessionIndex = new SessionIndex({
    session: "ses",
    store,
    clock,
    state: () => engine.log.state(),
    view: (meta, state) => sessionView(parts, meta, state),
    db: {
      batch: (statements) => {
        if (fails.index) return Promise.reject(new Error("the index is away"));
        index.push([...statements]);
        return Promise.resolve();
      },
    },
    rearm: (body) => engine.rearm(body),
    report: () => {},
  });
  const { api: record } = createCommands({
    ...platform.commands,
    sessionIndex,
    dismiss: () => void dismissed.push(platform.log.length),
  });
  return { platform, record, index, dismissed };
}

const create = (more: Partial<CreateCommand> = {}): CreateCommand => ({
  title: null,
  model: null,
  agent: null,
  targets: null,
  metadata: {},
  idempotency: null,
  ...more,
});
const codeOf = (answer: { readonly ok: boolean; readonly error?: unknown }): unknown =>
  answer.ok ? "ok" : [(answer.error as { status: number }).status, (answer.error as { code: string }).code];

/** A session that was worked, and its entries. */
async function worked(): Promise<Opened & { readonly log: readonly Entry[] }> {
  const opened = open();
  await opened.record.create(ADA, create({ title: "One" }));
  opened.platform.say("go");
  await opened.platform.settle();
  return { ...opened, log: opened.platform.log };
}

describe("a session that is made", () => {
  test("is its maker's, stands in the index at once, and is the same when it is asked for again", async () => {
    const { platform, record, index } = open();
    expect(codeOf(await record.create(READER, create()))).toEqual([403, "missing_scope"]);
    expect(platform.store.loadMeta()).toBeNull();
    const made = await record.create(ADA, create({ title: "One", metadata: { a: 1 }, model: "rehearsal:" }));
    expect(made).toMatchObject({
      value: { created: true, replayed: false, session: { id: "ses", title: "One", metadata: { a: 1 } } },
    });
    expect(platform.store.loadMeta()).toEqual({
      owner: "ada",
      title: "One",
      titleSource: "user",
      model: "rehearsal:",
      createdAt: platform.now,
      version: 1,
      metadata: { a: 1 },
    });
    expect(index).toHaveLength(1);
    expect(await record.create(ADA, create({ title: "Two" }))).toMatchObject({
      value: { created: false, replayed: false, session: { title: "One" } },
    });
    expect(codeOf(await record.create(BOB, create()))).toEqual([409, "id_taken"]);
    expect(platform.store.loadMeta()?.title).toBe("One");
  });

  test("under a key is what was answered first, and another request under it is a conflict", async () => {
    const { record } = open();
    const idempotency = { key: "k1", digest: "d1" };
    expect(await record.recall(ADA, idempotency)).toEqual({ ok: true, value: null });
    await record.create(ADA, create({ title: "One", idempotency }));
    await record.change(ADA, { title: "Two", ifVersion: null });
    expect(await record.create(ADA, create({ title: "Three", idempotency }))).toMatchObject({
      value: { created: true, replayed: true, session: { title: "One" } },
    });
    expect(await record.recall(ADA, idempotency)).toMatchObject({ ok: true, value: { title: "One" } });
    const other = { key: "k1", digest: "d2" };
    expect((await record.create(ADA, create({ idempotency: other }))).ok).toBe(false);
    expect((await record.recall(ADA, other)).ok).toBe(false);
    expect(codeOf(await record.recall(BOB, idempotency))).toEqual([409, "id_taken"]);
  });
});

test("a change counts the version, and one that was made for another version changes nothing", async () => {
  const { platform, record, index } = open();
  await record.create(ADA, create());
  const changed = await record.change(ADA, { title: "One", archived: true, ifVersion: 1 });
  expect(changed).toMatchObject({ ok: true, value: { title: "One", archived: true, version: 2 } });
  expect((await record.change(ADA, { title: "Two", ifVersion: 1 })).ok).toBe(false);
  expect(codeOf(await record.change(BOB, { title: "Two", ifVersion: null }))).toEqual([404, "not_found"]);
  expect(platform.store.loadMeta()).toMatchObject({ title: "One", titleSource: "user", version: 2 });
  await record.change(ADA, { archived: false, ifVersion: null });
  expect(platform.store.loadMeta()).toMatchObject({ title: "One", archived: false, version: 3 });
  expect(index).toHaveLength(3);
});

describe("a session that is deleted", () => {
  test("has left the index first, then the disk; those who watch are sent away, and it can be made anew", async () => {
    const { platform, record, index, dismissed } = await worked();
    platform.say("more");
    const before = index.length;
    expect(codeOf(await record.remove(BOB))).toEqual([404, "not_found"]);
    expect(await record.remove(ADA)).toEqual({ ok: true, value: null });
    expect(index.slice(before).map((statements) => statements[0]?.[0])).toEqual([
      "DELETE FROM session_texts WHERE session_id = ?1",
    ]);
    expect([platform.log, platform.store.loadMeta(), platform.disk.alarm, dismissed]).toEqual([
      [],
      null,
      null,
      [0],
    ]);
    expect(codeOf(await record.remove(ADA))).toEqual([404, "not_found"]);
    await record.create(BOB, create());
    platform.say("hello");
    await platform.settle();
    expect(platform.log[0]).toMatchObject({ seq: 1, kind: "user_message" });
    expect(platform.log.at(-1)?.kind).toBe("run_ended");
    expect(JSON.stringify(platform.requests.at(-1)?.messages)).not.toContain('"go"');
  });

  test("stays whole where the index cannot be written", async () => {
    const fails = { index: false };
    const { platform, record, dismissed } = open(new FakePlatform([{ text: "Hello." }]), fails);
    await record.create(ADA, create());
    platform.say("hi");
    fails.index = true;
    expect(codeOf(await record.remove(ADA))).toEqual([503, "index_unavailable"]);
    expect([platform.log.length, platform.store.loadMeta()?.owner, dismissed]).toEqual([2, "ada", []]);
    fails.index = false;
    expect((await record.remove(ADA)).ok).toBe(true);
  });
});

describe("a copy", () => {
  /** The entries up to the point, read as a fork does. */
  async function read(record: SessionApi, atSeq: number | null): Promise<{ entries: Entry[]; hash: string }> {
    const point = await record.copyPoint(ADA, "read", atSeq);
    if (!point.ok) throw new Error(point.error.code);
    const { upTo, stateHash } = point.value;
    const entries: Entry[] = [];
    while (entries.length < upTo) {
      const page = await record.copyEntries(ADA, "read", entries.length, upTo);
      if (!page.ok) throw new Error(page.error.code);
      entries.push(...page.value);
    }
    return { entries, hash: stateHash };
  }
  const settle = (stateHash: string): SettleCommand => ({
    title: "Copy",
    titleSource: "user",
    model: null,
    metadata: {},
    imported: true,
    forkedFrom: { sessionId: "other", seq: 3 },
    stateHash,
    idempotency: { key: "c", digest: "d" },
  });

  test("ends at the last entry up to the asked one at which no step was under way", async () => {
    const { record, log } = await worked();
    const upTo = async (at: number | null): Promise<number> => (await read(record, at)).entries.length;
    expect(log.map((entry) => entry.kind)).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "call_intended",
      "call_settled",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    const ends = [];
    for (let at = 1; at <= log.length; at++) ends.push(await upTo(at));
    expect(ends).toEqual([1, 2, 3, 3, 3, 3, 7, 7, 9, 10, 11, 12]);
    expect(await upTo(null)).toBe(12);
    expect((await read(record, 3)).entries).toEqual(log.slice(0, 3));
  });

  test("is the same log in another session, at rest, and taken once", async () => {
    const from = await worked();
    const { entries, hash } = await read(from.record, 7);
    const { platform, record, index } = open();
    expect(codeOf(await record.adopt(READER, entries, []))).toEqual([403, "missing_scope"]);
    expect(await record.adopt(ADA, entries.slice(0, 5), [])).toEqual({ ok: true, value: null });
    // A part that comes twice is taken once.
    expect(await record.adopt(ADA, entries.slice(3), [["r1s1c0", "the whole"]])).toMatchObject({ ok: true });
    expect(platform.log).toEqual(entries);
    expect(platform.disk.alarm).toBeNull();
    const settled = await record.settle(ADA, settle(hash));
    expect(settled).toMatchObject({ ok: true, value: { title: "Copy" } });
    expect(platform.kinds.slice(7)).toEqual(["command_queued", "answer", "run_ended"]);
    expect(platform.log.at(-1)?.body).toMatchObject({ outcome: "cancelled", reason: "copied" });
    expect(platform.published).toEqual(platform.log.slice(7));
    expect(platform.store.loadBlob("r1s1c0")).toBe("the whole");
    expect(platform.store.loadMeta()).toMatchObject({ owner: "ada", imported: true, title: "Copy" });
    expect([platform.disk.alarm, index.length, platform.state.run]).toEqual([null, 1, null]);
    expect(platform.folded).toEqual(platform.state);
    expect(codeOf(await record.adopt(ADA, entries, []))).toEqual([409, "id_taken"]);
    expect(codeOf(await record.settle(ADA, settle(hash)))).toEqual([409, "id_taken"]);
    expect(await record.recall(ADA, { key: "c", digest: "d" })).toMatchObject({ value: { title: "Copy" } });
    // The next run continues from the imported log.
    platform.say("and now?");
    await platform.settle();
    expect(platform.log.at(-1)?.kind).toBe("run_ended");
  });

  test("whose rows do not follow from each other, or that another state came of, leaves nothing", async () => {
    const from = await worked();
    const { entries, hash } = await read(from.record, null);
    const torn = open();
    await torn.record.adopt(ADA, entries.slice(0, 4), []);
    expect(codeOf(await torn.record.adopt(ADA, entries.slice(6), []))).toEqual([422, "bad_export"]);
    expect([torn.platform.log, torn.platform.store.loadCursor()]).toEqual([[], null]);
    const other = open();
    await other.record.adopt(ADA, entries.slice(0, -1), []);
    expect(codeOf(await other.record.settle(ADA, settle(hash)))).toEqual([422, "bad_export"]);
    expect([other.platform.log, other.platform.store.loadMeta()]).toEqual([[], null]);
  });

  test("is given to nobody who may not read", async () => {
    const { record } = await worked();
    expect(codeOf(await record.copyPoint(BOB, "read", null))).toEqual([404, "not_found"]);
    expect(codeOf(await record.copyEntries(BOB, "read", 0, 5))).toEqual([404, "not_found"]);
    expect(codeOf(await record.copyNames(BOB, "read"))).toEqual([404, "not_found"]);
    expect(codeOf(await record.copyText(BOB, "read", "r1s1c0"))).toEqual([404, "not_found"]);
  });
});
