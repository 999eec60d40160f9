import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Item } from "../../../src/page/trace/items/item.ts";
import { entriesOfRun, timelineOf } from "../../../src/page/trace/timeline.ts";
import { chosenRun, runsOf, totalsOf } from "../../../src/page/trace/totals.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { REPORT } from "../../sim/platform/fake-model.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { WHERE } from "../../sim/platform/client-tool.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";
import { denied, eventsOf, groupsOf, itemsOf } from "./trace-fixture.ts";

// A dying isolate complains on its way out.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;

/** `kind/tone title (note)`, a `…` for what goes on. */
const lines = (items: readonly Item[]): string[] =>
  items.map(
    ({ kind, tone, title, note, to }) => `${kind}/${tone} ${title} (${note})${to === null ? "…" : ""}`,
  );

describe("the timeline of a run", () => {
  test("tells each thing once, in its step, in plain words", async () => {
    const groups = groupsOf(await denied());
    expect(groups.map(({ title }) => title)).toEqual(["Before the first step", "Step 1", "Step 2", "Step 3"]);
    expect(groups.map(({ items }) => lines(items))).toEqual([
      [
        "run/plain ada asked (Look at it, then publish it.)",
        "run/plain A run for ada is queued (from a message)",
        "run/plain The run started (standard work, at most 15 steps, 19 tools, rehearsal model)",
      ],
      [
        "model/plain The model asked for: Look, nope (scripted)",
        "tool/bad nope (Not run: there is no tool nope.)",
        "tool/plain Look (look)",
        "tool/plain Look (look, with the result of an earlier call)",
      ],
      [
        "model/bad The model did not answer: too many requests at the moment (slow down; tried again after a wait)",
        "retry/waits Waiting before the next attempt (null)",
        "model/plain The model asked for: Publish (scripted)",
        "person/bad Approval requested: Publish a (asked of owner; ada declined: “not today”)",
        "tool/bad Publish (Not run: ada declined: not today.)",
      ],
      [
        "model/plain The model answered (scripted)",
        "check/good Answer check passed (null)",
        expect.stringMatching(/^run\/plain The answer \(I have looked at everything/),
        "run/good The run ended: answered (null)",
      ],
    ]);
  });

  test("loses no entry of the run, and has none twice but that of a failure that is waited after", async () => {
    for (const platform of [await denied(), await interrupted(), await asked(), await looping()]) {
      const entries = entriesOfRun(eventsOf(platform), "r1");
      const told = itemsOf(platform).flatMap(({ id, entries: own }) =>
        id.endsWith("w") ? [] : own.map(({ seq }) => seq),
      );
      expect(told.toSorted((a, b) => a - b)).toEqual(entries.map(({ seq }) => seq));
      expect(new Set(itemsOf(platform).map(({ id }) => id)).size).toBe(itemsOf(platform).length);
    }
  });

  test("grows with the log: what is there keeps its name and its beginning", async () => {
    for (const platform of [await denied(), await interrupted(), await asked(), await looping()]) {
      const entries = entriesOfRun(eventsOf(platform), "r1");
      let before: readonly Item[] = [];
      for (let count = 1; count <= entries.length; count += 1) {
        const now = timelineOf(entries.slice(0, count)).flatMap((group) => group.items);
        for (const item of before) {
          // An attempt that is announced gets its name with its first entry.
          if (item.id.endsWith("+")) continue;
          expect(now.find(({ id }) => id === item.id)).toMatchObject({ kind: item.kind, from: item.from });
        }
        before = now;
      }
    }
  });

  test("a wait for a person lasts from the question to the decision, and goes on until then", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: REPORT }]);
    platform.say("go");
    await platform.settle();
    expect(lines(itemsOf(platform)).at(-1)).toBe(
      "person/waits Approval requested: Publish a (asked of owner)…",
    );
    platform.now += 60_000;
    platform.decide("approve");
    await platform.settle();
    const approval = itemsOf(platform).find(({ kind }) => kind === "person");
    expect(approval).toMatchObject({ tone: "good", note: "asked of owner; ada approved", waits: true });
    expect((approval?.to ?? 0) - (approval?.from ?? 0)).toBe(60_000);
  });

  test("a wait for a provider that a person ends lasts until they say so", async () => {
    const slow = { class: "rate_limit", message: "slow down", retryAfterMs: 60_000, usage: null } as const;
    const platform = new FakePlatform([{ fail: slow }, { text: REPORT }]);
    platform.sayOnce("m1", {});
    await platform.settle(1_000);
    platform.now += 5_000;
    await platform.api.retryNow(ADA, { id: "x1", runId: "ses.r1" });
    await platform.settle(1_000);
    const items = itemsOf(platform);
    const wait = items.find(({ waits }) => waits);
    expect((wait?.to ?? 0) - (wait?.from ?? 0)).toBe(5_000);
    expect(lines(items)).toContain("person/plain ada had it tried again at once (null)");
    expect(items.every(({ to }) => (to ?? 0) <= platform.now)).toBe(true);
  });

  test("votes, an escalation and a remembered decision stand with what they are about", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: REPORT }]);
    platform.approvals = { publish: { approvers: ["ada", "bob"], needed: 2 } };
    platform.restart();
    platform.say("go");
    await platform.settle();
    const phase = platform.state.run?.phase;
    platform.decide("approve", null, phase?.at === "waiting_approval" ? phase.approval.digest : null);
    expect(lines(itemsOf(platform)).at(-1)).toBe(
      "person/waits Approval requested: Publish a (asked of ada, bob, 2 of whom must agree; ada approved)…",
    );
  });

  test("an interrupted tool and a failure that is tried again are told beside the call", async () => {
    const told = lines(itemsOf(await interrupted()));
    expect(told).toContain("retry/bad A wait before “Look” is tried again (It is down)");
    expect(told).toContain("tool/plain Look (look, attempt 2)");
    expect(told).toContain("retry/bad A tool was interrupted (Publish: the server stopped meanwhile)");
    expect(told).toContain(
      "model/bad The model call was interrupted (The server stopped; the call is made again)",
    );
  });

  test("a call that the client runs, until it has answered", async () => {
    const platform = new FakePlatform([{ calls: [["where", {}]] }, { text: REPORT }]);
    const parts = [{ type: "text", text: "go" }] as const;
    const message = { id: "m1", parts, mode: null, source: "web", request: null } as const;
    await platform.api.send(ADA, { ...message, ask: { clientTools: [WHERE] } });
    await platform.settle();
    expect(lines(itemsOf(platform)).at(-1)).toBe(
      "person/waits The client runs where (waits for the client)…",
    );
    await platform.api.answerCall(ADA, { call: "r1s1c0", result: { kind: "output", value: "here" } });
    await platform.settle();
    expect(lines(itemsOf(platform))).toContain(
      "person/good The client runs where (waits for the client; the client of ada answered)",
    );
  });

  test("a question, its answer and what was added meanwhile", async () => {
    const told = lines(itemsOf(await asked()));
    expect(told).toContain(
      "person/good It asked: “Which page?” (waits for an answer; ada answered: “The first”)",
    );
    expect(told).toContain("run/plain ada answered (The first)");
  });

  test("what the guards say is told in words, with what the model was told", async () => {
    const told = lines(itemsOf(await looping()));
    expect(
      told.some((line) =>
        line.startsWith("check/plain It kept repeating itself and got a hint (it was told: “"),
      ),
    ).toBe(true);
    expect(told).toContain("check/bad It kept repeating itself (the answer is written from what is known)");
    expect(told).toContain("tool/bad Look (look: not run: it repeated a call after a warning.)");
  });

  test("words of a model or a tool stay what they are", async () => {
    const platform = new FakePlatform([
      { calls: [["ask_human", { question: "<img src=x onerror=alert(1)>\u0000?" }]] },
    ]);
    platform.say("go");
    await platform.settle();
    expect(itemsOf(platform).at(-1)?.title).toContain("<img src=x onerror=alert(1)>");
  });
});

/** A tool that fails at first, one whose wake dies, a model call whose wake dies. */
async function interrupted(): Promise<FakePlatform> {
  const lines = { r1s1: ["look", { name: "a" }], r1s2: ["publish", { name: "a" }] } as const;
  const platform = new FakePlatform(({ step }) =>
    step === "r1s1" || step === "r1s2" ? { calls: [[lines[step][0], lines[step][1]]] } : { text: REPORT },
  );
  platform.effects.failures.set("look", [new ToolError("server", "down", "It is down.")]);
  platform.say("go");
  await platform.settle();
  platform.decide("approve");
  await dieOnceAt(platform, "publish: before");
  await dieOnceAt(platform, "model: before");
  await platform.settle();
  return platform;
}

/** The isolate dies where this place is crossed first, and stands up again. */
async function dieOnceAt(platform: FakePlatform, place: string): Promise<void> {
  let dead = false;
  platform.cross = (where) => {
    dead ||= where === place;
    if (dead) throw new Crash();
  };
  await platform.settle().catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
  platform.cross = () => {};
  platform.restart();
}

async function asked(): Promise<FakePlatform> {
  const platform = new FakePlatform([
    { calls: [["ask_human", { question: "Which page?" }]] },
    { text: REPORT },
  ]);
  platform.service.admitOrCreate(ADA);
  platform.say("go");
  await platform.settle();
  const said = { id: "m_answer", parts: [{ type: "text", text: "The first" }], mode: null } as const;
  await platform.api.send(ADA, { ...said, source: "web", request: null, ask: {} });
  await platform.settle();
  return platform;
}

async function looping(): Promise<FakePlatform> {
  const platform = new FakePlatform(() => ({ calls: [["look", { name: "same" }]] }));
  platform.say("go");
  await platform.settle();
  return platform;
}

describe("what a run has used", () => {
  test("is counted from its entries, and waiting is no work", async () => {
    const platform = await denied();
    const totals = totalsOf(entriesOfRun(eventsOf(platform), "r1"), platform.now);
    expect(totals).toMatchObject({
      steps: 3,
      modelCalls: 4,
      toolCalls: 1,
      notDone: 2,
      retries: 1,
      tokens: { input: 300, output: 30, estimated: false },
      extended: false,
    });
    expect(totals.limits?.steps).toBe(15);
    expect(totals.waitedMs).toBe(3_602_000);
    expect(totals.workedMs).toBeLessThan(100);
  });

  test("of a run that works is what its entries say so far, and at its end what the end says", async () => {
    const entries = entriesOfRun(eventsOf(await denied()), "r1");
    const now = Date.parse(entries.at(-1)?.at ?? "");
    const open = totalsOf(entries.slice(0, -1), now);
    expect(open.tokens).toEqual(totalsOf(entries, now).tokens);
    expect(open.cost).toBe(totalsOf(entries, now).cost);
  });

  test("knows the limits after an extension, and that a person gave it", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: REPORT }]);
    platform.service.admitOrCreate(ADA);
    platform.say("go");
    await platform.settle();
    const more = { id: "x1", runId: "ses.r1", amounts: { steps: 5 } };
    expect(await platform.api.extend(ADA, more)).toMatchObject({ ok: true });
    const totals = totalsOf(entriesOfRun(eventsOf(platform), "r1"), platform.now);
    expect(totals).toMatchObject({ extended: true, limits: { steps: 20 } });
  });
});

describe("the runs of a session", () => {
  test("are listed with their words and state; the live one is shown when none is asked for", async () => {
    const platform = await denied();
    platform.say("Second wish");
    const queued = runsOf(eventsOf(platform));
    expect(queued).toMatchObject([
      { run: "r1", state: "answered", objective: "Look at it, then publish it." },
      { run: "r2", state: "queued", objective: "Second wish" },
    ]);
    expect(chosenRun(queued, null)?.run).toBe("r1");
    expect(chosenRun(queued, "r2")?.run).toBe("r2");
    expect(chosenRun(queued, "r1s2")?.run).toBe("r1");
    expect(chosenRun(queued, "r9")?.run).toBe("r1");
    expect(chosenRun([], null)).toBeNull();
  });
});
