import { describe, expect, test } from "vitest";
import { CHILD_PAGES_CHARS_MAX, CHILD_SHOWN_CHARS_MAX } from "../../../src/cairn/core/limits.ts";
import type { ChildReport } from "../../../src/cairn/core/log/child.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import { NO_USAGE } from "../../../src/cairn/core/log/model.ts";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { NO_AMOUNT } from "../../../src/cairn/core/state/run/children.ts";
import type { SentReport } from "../../../src/cairn/session/engine/family/take-report.ts";
import { FAMILY_ACTOR } from "../../../src/cairn/session/family/reach.ts";
import { sentReport } from "../../../src/cairn/session/api/sent-report.ts";
import { of } from "../../sim/family/attempts.ts";
import { asks, call, calls, FIRST, hands, ROOT, says, SECOND, stops } from "../../sim/family/scripts.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";
import { World } from "../../sim/family/world.ts";

/** A report on its way up: what crosses, what the parent reads of it, and what becomes of one that nobody waits for. */

const SECRET = "sk-very-secret-token-1234";
const reportOf = (more: Partial<ChildReport> = {}): ChildReport => ({
  child: FIRST,
  outcome: "completed",
  reason: null,
  answer: "It is 5.",
  used: NO_AMOUNT,
  usage: NO_USAGE,
  sessions: 1,
  tainted: false,
  private: false,
  ...more,
});

/** A tree whose children wait for a person, with its root at rest. `wait`: the root waits for their reports. */
async function waiting(wait = true): Promise<World> {
  const more: JsonObject = wait ? {} : { wait };
  const world = new World(
    {
      name: "reports",
      says: says({
        [ROOT]: [calls(hands("Look at a.", more), hands("Look at b.", more))],
        [FIRST]: [call("publish", "a")],
        [SECOND]: [call("publish", "b")],
      }),
      prepare: (platform) => {
        platform.secrets = [{ name: "TOKEN", value: SECRET }];
      },
      deeds: [asks("m1")],
    },
    new Map(),
    "all",
  );
  await playUntil(world);
  return world;
}
/** Plays until both children wait: their approvals lie far ahead. */
async function playUntil(world: World): Promise<void> {
  const platform = world.session(ROOT);
  await asks("m1").act(world, new Map());
  for (let n = 0; n < 50; n++) {
    for (const name of [ROOT, FIRST, SECOND]) {
      const one = world.session(name);
      const { alarm } = one.disk;
      if (alarm !== null && alarm !== Number.NEGATIVE_INFINITY && alarm <= world.now + 30_000) {
        world.now = Math.max(world.now, alarm);
        one.now = world.now;
        await one.fire();
      }
    }
  }
  if (platform.state.run?.children?.open.length !== 2) throw new Error("no child is awaited");
}

const sentTo = (world: World, report: ChildReport, to: object = {}, pages: SentReport["pages"] = []) => {
  const platform = world.session(ROOT);
  const createdAt = platform.store.loadMeta()?.createdAt ?? null;
  const sent = { to: { run: "r1", call: "r1s1c0", createdAt, ...to }, report, pages };
  return platform.api.takeReport(FAMILY_ACTOR, sent);
};
const taken = (value: boolean | "later") => ({ ok: true, value: { taken: value } });
const settledOf = (world: World) => of(world, ROOT, "call_settled").map(({ body }) => body);
const reported = (world: World) => of(world, ROOT, "child_reported").map(({ body }) => body);

describe("a report", () => {
  test("is taken once, and is the result of the call that waits for it", async () => {
    const world = await waiting();
    expect(await sentTo(world, reportOf())).toEqual(taken(true));
    expect(await sentTo(world, reportOf())).toEqual(taken(false));
    expect(reported(world)).toHaveLength(1);
    expect(reported(world)[0]).not.toHaveProperty("told");
    expect(settledOf(world)).toMatchObject([{ call: "r1s1c0", status: "ok" }]);
    expect(JSON.parse(settledOf(world)[0]?.observation ?? "")).toMatchObject({
      ok: true,
      answer: "It is 5.",
    });
  });

  test("is news for a run that does not wait for it", async () => {
    const world = await waiting(false);
    const before = settledOf(world).length;
    expect(await sentTo(world, reportOf({ tainted: true }))).toEqual(taken(true));
    expect(settledOf(world)).toHaveLength(before);
    expect(reported(world)[0]?.observation).toContain("It is 5.");
    // Words of strangers are fenced wherever a model reads them.
    expect(reported(world)[0]?.observation).toMatch(/^<untrusted/);
    expect(await sentTo(world, reportOf({ child: SECOND }))).toEqual(taken(true));
    expect(reported(world)[1]?.observation).toMatch(/^\{/);
  });

  test("for another creation of the session is refused, and one that nobody waits for is not taken", async () => {
    const world = await waiting();
    const { createdAt = 0 } = world.session(ROOT).store.loadMeta() ?? {};
    expect(await sentTo(world, reportOf(), { createdAt: createdAt - 1 })).toMatchObject({ ok: false });
    expect(await sentTo(world, reportOf({ child: `${ROOT}~r9s1c0` }))).toEqual(taken(false));
    await stops(ROOT).act(world, new Map());
    expect(await sentTo(world, reportOf())).toEqual(taken(false));
    expect(reported(world)).toEqual([]);
  });

  test("that is tainted is fenced, and one that is not is not", async () => {
    const world = await waiting();
    await sentTo(world, reportOf({ tainted: true }));
    await sentTo(world, reportOf({ child: SECOND }));
    expect(settledOf(world).map(({ observation }) => observation.startsWith("<untrusted"))).toEqual([
      true,
      false,
    ]);
    expect(world.session(ROOT).state.run?.safety.taint.tainted).not.toBeNull();
  });

  test.each([
    ["cancelled", "parent_ended", "cancelled", "child_stopped"],
    ["failed_internal", "child_lost", "error", "child_failed"],
  ] as const)("of a child that ended %s is no success", async (outcome, reason, status, code) => {
    const world = await waiting();
    await sentTo(world, reportOf({ outcome, reason }));
    expect(settledOf(world)[0]).toMatchObject({ status, failure: { code } });
  });

  test("has no secret of the deployment, and all of it can be read where it is cut", async () => {
    const world = await waiting();
    const answer = `${SECRET} ${"long ".repeat(CHILD_SHOWN_CHARS_MAX / 4)}MIDDLE${" long".repeat(CHILD_SHOWN_CHARS_MAX / 4)}`;
    await sentTo(world, reportOf({ answer }));
    const [settled] = settledOf(world);
    expect(settled?.observation).not.toContain("MIDDLE");
    const blob = world.session(ROOT).store.loadBlob("r1s1c0") ?? "";
    expect(blob).toContain("MIDDLE");
    expect(settled?.chars).toBe(blob.length);
    for (const text of [settled?.observation, blob]) expect(text).not.toContain(SECRET);
    await sentTo(world, reportOf({ child: SECOND, answer: "Short." }));
    expect(world.session(ROOT).store.loadBlob("r1s1c1")).toBeNull();
  });

  test("brings the pages that it cites, under names of this session", async () => {
    const world = await waiting();
    const page = {
      url: "https://a.example/",
      title: "A",
      date: null,
      text: "It is 5.",
      links: [],
      fetchedAt: 1,
    };
    const citation = { id: "e1", page: "p1", start: 0, end: 8, quote: "It is 5.", url: page.url, title: "A" };
    const report = reportOf({ answer: "It is 5 [e1].", citations: [citation] as never });
    await sentTo(world, report, {}, [["p1", page as never]]);
    const output = JSON.parse(settledOf(world)[0]?.observation ?? "{}") as {
      answer: string;
      evidence: { id: string; url: string }[];
    };
    const [evidence] = output.evidence;
    expect(evidence).toMatchObject({ url: page.url });
    expect(output.answer).toBe(`It is 5 [${evidence?.id}].`);
    expect(settledOf(world)[0]?.sources).toBeDefined();
  });
});

test("a report that comes before its call is deferred is asked for again", async () => {
  const answers: unknown[] = [];
  class Early extends World {
    override reach(from: ReturnType<World["session"]>, to: string): ReturnType<World["reach"]> {
      const api = super.reach(from, to);
      return {
        ...api,
        startChild: async (...asked) => {
          const started = await api.startChild(...asked);
          const createdAt = from.store.loadMeta()?.createdAt ?? null;
          for (const run of ["r1", "r2"]) {
            const at = { run, call: "r1s1c0", createdAt };
            answers.push(await from.api.takeReport(FAMILY_ACTOR, { to: at, report: reportOf(), pages: [] }));
          }
          return started;
        },
      };
    }
  }
  const world = new Early(
    { name: "early", says: says({ [ROOT]: [calls(hands("Look at a."))] }), deeds: [asks("m1")] },
    new Map(),
    "all",
  );
  await world.play();
  expect(answers).toEqual([taken("later"), taken(false)]);
  expect(of(world, ROOT, "child_reported")).toHaveLength(1);
});

describe("what is sent", () => {
  const PARENT = {
    session: ROOT,
    createdAt: 5,
    run: "r3",
    call: "r3s1c0",
    depth: 1,
    root: ROOT,
    sessions: 0,
  };
  const half = "x".repeat(CHILD_PAGES_CHARS_MAX / 2);
  const PAGES: Record<string, string> = { p1: half, p2: `${half}y`, p3: half, p4: "z", p9: "z" };

  /** The report of a run that has ended, or is about to, with an answer that cites these pages. */
  async function sentBy(pages: readonly string[], { isChild = true, hasEnded = true } = {}) {
    const platform = new FakePlatform([], FIRST);
    platform.say("Look.", { spec: PLAIN_SPEC, ...(isChild ? { parent: PARENT } : {}) });
    if (hasEnded) await platform.settle();
    const items = pages.map((page, at) => ({ id: `e${at}`, page, start: 0, end: 1, quote: "x" }));
    const cited = (entry: Entry): Entry =>
      entry.kind === "answer"
        ? ({ ...entry, body: { ...entry.body, citations: { items } } } as never)
        : entry;
    const { store, state } = platform;
    const other = {
      entriesBefore: (...of: Parameters<typeof store.entriesBefore>) => store.entriesBefore(...of).map(cited),
      entriesBetween: (...of: Parameters<typeof store.entriesBetween>) =>
        store.entriesBetween(...of).map(cited),
      loadBlob: (name: string) => PAGES[name] ?? null,
      sources: {
        page: (name: string) =>
          name === "p9" ? null : { url: `https://${name}.example/`, title: name, date: null, fetchedAt: 1 },
      },
    };
    return sentReport(FIRST, other as never, state, "r1");
  }

  test("is nothing while the run goes on, or where nobody started it", async () => {
    expect(await sentBy([], { hasEnded: false })).toBeNull();
    expect(await sentBy([], { isChild: false })).toBeNull();
    expect(await sentBy([])).toMatchObject({
      to: { run: "r3", call: "r3s1c0", createdAt: 5 },
      report: { child: FIRST, outcome: "completed" },
    });
  });

  test.each([
    [
      ["p1", "p1", "p4"],
      ["p1", "p4"],
    ],
    [
      ["p1", "p3", "p4"],
      ["p1", "p3"],
    ],
    [
      ["p1", "p2", "p3"],
      ["p1", "p3"],
    ],
    [["p8", "p9", "p4"], ["p4"]],
  ])("has each page of %j once, and no more of them than fit", async (pages, sent) => {
    const found = await sentBy(pages);
    expect(found?.pages.map(([name]) => name)).toEqual(sent);
    expect(found?.pages[0]?.[1]).toMatchObject({ url: `https://${sent[0]}.example/`, fetchedAt: 1 });
  });
});
