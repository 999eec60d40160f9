import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import { parentOf } from "../../../src/cairn/core/log/names.ts";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import type { ChildOrder, ChildOrigin } from "../../../src/cairn/session/engine/ports.ts";
import { FAMILY_ACTOR } from "../../../src/cairn/session/family/reach.ts";
import { FakePlatform, type Line } from "../../sim/platform/platform.ts";

/** Commands that only relatives send: each is about the session, the creation and the call that it names, and nothing else. */

const CHILD = "ses~r1s1c0";
const MADE = 1_600_000_000_000;
const KEY = { session: "ses", createdAt: MADE, call: "r1s1c0" };
type Key = { readonly session: string; readonly createdAt: number | null; readonly call: string };
const SHARE = {
  steps: 9,
  activeMs: 60_000,
  tokens: 90_000,
  cost: 100_000,
  toolCalls: 20,
  messages: 3,
  sessions: 3,
};

function orderOf(
  key: Key = KEY,
  more: Partial<ChildOrder> = {},
  from: Partial<ChildOrigin> = {},
): ChildOrder {
  return {
    child: `${key.session}~${key.call}`,
    key: `${key.session}@${key.createdAt}/${key.call}`,
    parent: { ...key, run: "r1", depth: 1, root: "ses", sessions: 3 },
    share: SHARE,
    ask: { objective: "Look at a." },
    from: {
      request: { actor: "bob", source: "api", role: "member", temperature: null },
      model: "rehearsal:",
      fallbacks: [],
      spec: PLAIN_SPEC,
      grant: ["look", "publish", "complete"],
      ...from,
    },
    ...more,
  };
}

const WAITS: Line = { calls: [["publish", { name: "a" }]] };
const child = (lines: readonly Line[] = [WAITS]): FakePlatform => new FakePlatform(lines, CHILD);
const statusOf = (
  answer: { readonly ok: true } | { readonly ok: false; readonly error: JsonObject | object },
) => (answer.ok ? "ok" : (answer.error as { readonly code: string }).code);

/** Keys that name another relative: a session, a call, or an earlier session of the same name. */
const OTHERS: readonly (readonly [string, Key])[] = [
  ["another session", { ...KEY, session: "other" }],
  ["another call", { ...KEY, call: "r1s1c1" }],
  ["an earlier session of the same name", { ...KEY, createdAt: MADE - 1 }],
  ["a session of the same name that says no creation", { ...KEY, createdAt: null }],
];

describe("a child that is at work", () => {
  test.each(OTHERS)("answers nothing to %s, and goes on", async (_, key) => {
    const platform = child();
    expect(statusOf(await platform.api.startChild(FAMILY_ACTOR, orderOf(), "ada"))).toBe("ok");
    await platform.settle();
    const before = platform.entries;
    const { api } = platform;
    expect(statusOf(await api.askChild(FAMILY_ACTOR, key))).toBe("not_found");
    expect(statusOf(await api.stopChild(FAMILY_ACTOR, key))).toBe("not_found");
    const again = statusOf(await api.startChild(FAMILY_ACTOR, orderOf(key), "eve"));
    expect(["not_found", "id_taken"]).toContain(again);
    // The parent call that the key names may delete its child, whenever it was created.
    const isNamed = key.session === KEY.session && key.call === KEY.call;
    const removed = isNamed ? "not_found" : statusOf(await api.removeChild(FAMILY_ACTOR, key));
    expect(removed).toBe("not_found");
    expect(platform.entries).toEqual(before);
    expect(platform.store.loadMeta()?.owner).toBe("ada");
    // The real parent gets an answer.
    expect(await api.askChild(FAMILY_ACTOR, KEY)).toEqual({ ok: true, value: { sent: null } });
    expect(statusOf(await api.stopChild(FAMILY_ACTOR, KEY))).toBe("ok");
    await platform.settle();
    expect(platform.log.find((entry) => entry.kind === "run_ended")?.body).toMatchObject({
      outcome: "cancelled",
      reason: "parent_ended",
    });
  });

  test("is started once, however often it is asked for", async () => {
    const platform = child();
    for (let n = 0; n < 3; n++)
      expect(await platform.api.startChild(FAMILY_ACTOR, orderOf(), "ada")).toEqual({
        ok: true,
        value: { child: CHILD },
      });
    expect(platform.kinds.filter((kind) => kind === "run_queued")).toHaveLength(1);
  });

  test("is started once by two words that come at the same time", async () => {
    const platform = child();
    const start = (key: Key) => platform.api.startChild(FAMILY_ACTOR, orderOf(key), "ada");
    const later = { ...KEY, createdAt: MADE + 1 };
    const answers = await Promise.all([start(KEY), start(KEY), start(later)]);
    expect(answers.map(statusOf)).toEqual(["ok", "ok", "id_taken"]);
    expect(platform.kinds.filter((kind) => kind === "run_queued")).toHaveLength(1);
    expect(platform.log.find((entry) => entry.kind === "run_queued")?.body).toMatchObject({ parent: KEY });
  });

  test("is stopped with everything in its queue, by the person it works for", async () => {
    const platform = child();
    await platform.api.startChild(FAMILY_ACTOR, orderOf(), "ada");
    await platform.settle();
    platform.say("And this as well.");
    await platform.api.stopChild(FAMILY_ACTOR, KEY);
    expect(platform.state.queue).toEqual([]);
    const commands = platform.log.flatMap((entry) => (entry.kind === "command_queued" ? [entry.body] : []));
    expect(commands.map(({ actor, reason }) => [actor, reason])).toEqual([
      ["bob", "parent_ended"],
      ["bob", "parent_ended"],
    ]);
  });

  test("is stopped once: a repeated stop leaves what a person asks of it afterwards", async () => {
    const platform = child();
    await platform.api.startChild(FAMILY_ACTOR, orderOf(), "ada");
    await platform.settle();
    expect(statusOf(await platform.api.stopChild(FAMILY_ACTOR, KEY))).toBe("ok");
    await platform.settle();
    platform.say("Go on alone.");
    // The first answer was lost on its way, so the parent asks again.
    expect(statusOf(await platform.api.stopChild(FAMILY_ACTOR, KEY))).toBe("ok");
    await platform.settle();
    const ends = platform.log.flatMap(({ kind, run, body }) =>
      kind === "run_ended" ? [[run, body.outcome]] : [],
    );
    expect(ends).toEqual([
      ["r1", "cancelled"],
      ["r2", "completed"],
    ]);
  });
});

describe("a child that is not there yet", () => {
  test.each(OTHERS.slice(0, 2))("is not made by %s", async (_, key) => {
    const platform = child();
    expect(statusOf(await platform.api.startChild(FAMILY_ACTOR, orderOf(key), "ada"))).toBe("not_found");
    expect(platform.store.loadMeta()).toBeNull();
    expect(platform.log).toEqual([]);
  });

  test.each(["stopChild", "removeChild"] as const)(
    "never begins after %s, for that parent alone",
    async (command) => {
      const platform = child();
      expect(statusOf(await platform.api[command](FAMILY_ACTOR, KEY))).toBe("not_found");
      expect(statusOf(await platform.api.startChild(FAMILY_ACTOR, orderOf(), "ada"))).toBe("not_found");
      expect(platform.log).toEqual([]);
      // The parent was deleted, and a new session has its name and its calls.
      const next = { ...KEY, createdAt: MADE + 1 };
      expect(statusOf(await platform.api.startChild(FAMILY_ACTOR, orderOf(next), "ada"))).toBe("ok");
    },
  );

  test("is not made with a share that no step fits into", async () => {
    const platform = child();
    const share = { ...SHARE, tokens: 10 };
    expect(statusOf(await platform.api.startChild(FAMILY_ACTOR, orderOf(KEY, { share }), "ada"))).toBe(
      "share_too_small",
    );
    expect(platform.store.loadMeta()).toBeNull();
  });
});

test("a child that was stopped before it came refuses its start once more, and writes that down once", async () => {
  const platform = child();
  for (let n = 0; n < 2; n++)
    expect(statusOf(await platform.api.stopChild(FAMILY_ACTOR, KEY))).toBe("not_found");
  expect(statusOf(await platform.api.startChild(FAMILY_ACTOR, orderOf(), "ada"))).toBe("not_found");
});

describe("what a child is made of", () => {
  const started = async (request: Partial<ChildOrigin["request"]> = {}, parent: object = {}) => {
    const platform = child();
    const order = orderOf(
      KEY,
      {},
      {
        request: { actor: "bob", source: "api", role: "guest", temperature: 0.3, ...request },
      },
    );
    await platform.api.startChild(
      FAMILY_ACTOR,
      { ...order, parent: { ...order.parent, ...parent }, ask: { objective: "Look  at\na." } },
      "ada",
    );
    const queued = platform.log.find((entry) => entry.kind === "run_queued");
    const said = platform.log.find((entry) => entry.kind === "user_message");
    return { meta: platform.store.loadMeta(), queued: queued?.body, said: said?.body };
  };

  test("its session belongs to the owner of its parent, and its run to whoever asked", async () => {
    const { meta, said, queued } = await started();
    expect(meta).toMatchObject({ owner: "ada", title: "Look at a.", titleSource: "user", agent: "default" });
    expect(said?.author).toBe("bob");
    expect(queued).toMatchObject({ role: "guest", temperature: 0.3, parent: KEY });
  });

  test("its objective is trusted text, and the title is the beginning of it", async () => {
    const platform = child();
    const objective = `Look  at\n${"a".repeat(100)}`;
    await platform.api.startChild(FAMILY_ACTOR, { ...orderOf(), ask: { objective } }, "ada");
    const said = platform.log.find((entry) => entry.kind === "user_message");
    expect(said?.body).toMatchObject({ parts: [{ type: "text", text: objective, trusted: true }] });
    expect(platform.store.loadMeta()?.title).toBe(`Look at ${"a".repeat(52)}`);
  });

  test.each([
    ["x".repeat(80), "x".repeat(60)],
    ["x".repeat(60), "x".repeat(60)],
    ["  Look\n\n at   a. ", "Look at a."],
  ])(
    "its title is the beginning of what it is asked, at most 60 characters: %j",
    async (objective, title) => {
      const platform = child();
      await platform.api.startChild(FAMILY_ACTOR, { ...orderOf(), ask: { objective } }, "ada");
      expect(platform.store.loadMeta()?.title).toBe(title);
    },
  );

  test("rights and history of the request cross with it", async () => {
    const { meta, queued } = await started(
      { approvers: ["carol"], imported: true, askedAt: 1_650_000_000_000 },
      { tainted: true, private: true },
    );
    expect(meta?.imported).toBe(true);
    expect(queued).toMatchObject({
      approvers: ["carol"],
      askedAt: 1_650_000_000_000,
      parent: { tainted: true, private: true },
    });
    const plain = await started();
    expect(plain.meta?.imported).toBeUndefined();
    expect(plain.queued).not.toHaveProperty("askedAt");
    expect(plain.queued).not.toHaveProperty("approvers");
  });
});

describe("a report", () => {
  /** A parent whose run waits for its child, and what the child would send. */
  async function waiting() {
    const platform = new FakePlatform([{ calls: [["run_agent", { objective: "Look." }]] }], "ses");
    return platform;
  }

  test("for another creation of the session, another run or nobody is refused", async () => {
    const platform = await waiting();
    platform.service.admitOrCreate({ subject: "ada", scopes: ["read", "send"], via: "http" });
    const { createdAt } = platform.store.loadMeta() ?? { createdAt: 0 };
    const sent = (to: Partial<{ createdAt: number | null }>) =>
      platform.api.takeReport(FAMILY_ACTOR, {
        to: { run: "r1", call: "r1s1c0", createdAt, ...to },
        report: {
          child: CHILD,
          outcome: "completed",
          reason: null,
          answer: "A.",
          used: { steps: 1, activeMs: 1, toolCalls: 0, messages: 0, tokens: 1, cost: 0 },
          usage: { inputTokens: 1, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0, cost: 0 },
          sessions: 1,
          tainted: false,
          private: false,
        } as never,
        pages: [],
      });
    expect(statusOf(await sent({ createdAt: createdAt - 1 }))).toBe("not_found");
    expect(await sent({})).toEqual({ ok: true, value: { taken: false } });
    expect(await sent({ createdAt: null })).toEqual({ ok: true, value: { taken: false } });
  });
});

test("the names of these tests are names of a child", () => {
  expect(parentOf(CHILD)).toEqual({ session: "ses", call: "r1s1c0" });
});
