import { NO_WORDS } from "../../../src/cairn/core/guards/no-words.ts";
import { GovernedTools } from "../../../src/cairn/tools/governed.ts";
import { runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { createRedactor } from "../../../src/cairn/core/text/redact.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { NO_HOOKS } from "../../../src/cairn/core/loop/hooks.ts";
import { objectDisk } from "../../../src/cairn/session/storage/durable-disk.ts";
import { Engine } from "../../../src/cairn/session/engine/engine.ts";
import { WAKE } from "../../../src/cairn/testing/wake.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { createOutside, Outside, outsidePack, scriptedModel, type Line, type Place } from "./outside.ts";
import { PATIENCE, decide, disk, expectSound, given, say, stands, stubOf } from "./session.ts";

/**
 * Two instances of one session at once, as in the seconds of a failover. While the first stands still in an effect, the
 * second finds its claim, gives it up, and stands in an effect of its own. Then the first comes back with what it has.
 */

/** Second instance on the same disk: a separate engine, which nobody else wakes. */
function secondEngine(session: string, storage: DurableObjectStorage, outside: Outside): Engine {
  const store = new SqlStore(objectDisk(storage));
  return new Engine({ session, store, clock: Date.now, redact: createRedactor([]) }).connect({
    wakeModule: WAKE,
    model: scriptedModel(outside),
    tools: new GovernedTools(new Registry(session, Date.now).add(outsidePack, outside), { approvals: {} }),
    facts: {
      session,
      harness: "test",
      words: NO_WORDS,
      instructions: () => "You are Cairn.",
      transcript: () => "compact",
    },
    hooks: NO_HOOKS,
    createdAt: () => store.loadMeta()?.createdAt ?? null,
  });
}

const STALE: readonly {
  readonly name: string;
  /** what the model says to either */
  readonly lines: readonly [first: Line, second: Line];
  /** where they stand */
  readonly at: readonly [first: Place, second: Place];
  readonly after?: (session: string) => Promise<unknown>;
  readonly check: (first: Outside, second: Outside, log: readonly Entry[]) => void;
}[] = [
  {
    name: "the reply of a model",
    lines: [{ text: "From the first." }, { text: "From the second." }],
    at: ["spoken: the reply is whole", "spoken: the reply is whole"],
    check: (_first, _second, log) =>
      expect(log.flatMap((entry) => (entry.kind === "answer" ? [entry.body.text] : []))).toEqual([
        "From the second.",
      ]),
  },
  {
    name: "the result of a keyed call",
    lines: [{ calls: [["put", "it"]] }, {}],
    at: ["put: after", "put: after"],
    check: (first, second) => {
      const key = expect.stringMatching(/^the-result-of-a-keyed-call@\d+\/r1s1c0$/) as string;
      expect([...first.put]).toEqual([[key, 1]]);
      expect([...second.put]).toEqual([...first.put]);
    },
  },
  {
    name: "the result of a once call, which is known to be unknown already",
    lines: [{ calls: [["send", "it"]] }, {}],
    at: ["send: after", "asked: nothing has come yet"],
    check: (first, second, log) => {
      expect([first.sent, second.sent]).toEqual([["r1s1c0"], []]);
      expect(log.find((entry) => entry.kind === "call_settled")?.body).toMatchObject({ status: "unknown" });
    },
  },
  {
    name: "a preview",
    lines: [{ calls: [["publish", "it"]] }, {}],
    at: ["preview", "preview"],
    after: (session) => given(decide(session)),
    check: (first, _second, log) => {
      expect(log.filter((entry) => entry.kind === "approval_requested")).toHaveLength(1);
      expect([...first.put.values()]).toEqual([1]);
    },
  },
];

test.each(STALE)(
  "a commit of a stale instance is dropped: $name",
  async ({ name, lines, at, after, check }) => {
    const session = name.replaceAll(/\W+/g, "-");
    const first = createOutside(session, [lines[0]], at[0]);
    const second = new Outside([lines[1]], at[1]);
    await say(session);
    await stands(session);

    let waking = Promise.resolve();
    await runInDurableObject(stubOf(session), async (_object, { storage }) => {
      const engine = secondEngine(session, storage, second);
      waking = engine.wake();
      await vi.waitUntil(() => second.stands, PATIENCE);
      // A recovery alarm that comes late: the second is given all the time that it needs.
      await storage.setAlarm(Date.now() + 60_000);
    });
    const { log: before } = await disk(session);

    await runInDurableObject(stubOf(session), () => first.goOn());
    // The first one's wake has ended, and looked at the disk as it left it.
    await vi.waitUntil(() => first.log.length > 0, { timeout: 20_000, interval: 5 });
    expect((await disk(session)).log).toEqual(before);

    await runInDurableObject(stubOf(session), async () => {
      second.goOn();
      await waking;
    });
    await after?.(session);
    const isOver = async () => (await disk(session)).state.run === null;
    await vi.waitUntil(isOver, { timeout: 20_000, interval: 20 });
    const log = await expectSound(session);
    expect(log.slice(0, before.length)).toEqual(before);
    expect(log.filter((entry) => entry.kind === "attempt_lost")).toHaveLength(1);
    check(first, second, log);
  },
);
