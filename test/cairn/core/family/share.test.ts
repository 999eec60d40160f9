import { describe, expect, test } from "vitest";
import { DAY_CAPS, type DayCaps } from "../../../../src/cairn/core/guards/budget/admit.ts";
import { depthOf, sessionsLeft, shareOf } from "../../../../src/cairn/core/family/share.ts";
import { lostReport, reportOf, stopChildren, treeOf } from "../../../../src/cairn/core/family/tree.ts";
import {
  CHILD_DEPTH_MAX,
  CHILD_SHARE_MAX,
  CHILDREN_PER_RUN_MAX,
  TREE_SESSIONS_MAX,
} from "../../../../src/cairn/core/limits.ts";
import type { Amount, Share } from "../../../../src/cairn/core/log/child.ts";
import type { Entry } from "../../../../src/cairn/core/log/entry.ts";
import { NO_USAGE } from "../../../../src/cairn/core/log/model.ts";
import {
  AMOUNT_PARTS,
  NO_AMOUNT,
  NO_CHILDREN,
  sumOf,
  type Children,
} from "../../../../src/cairn/core/state/run/children.ts";
import { dayNo } from "../../../../src/cairn/core/state/apply.ts";
import type { LiveRun, State } from "../../../../src/cairn/core/state/state.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** Money, steps and time of a tree: what is set aside is given to nobody else, and what came back is counted once. */

const LIMITS = { steps: 20, activeMs: 600_000, tokens: 400_000, cost: 1_000_000, toolCalls: 40, messages: 8 };
const CALL = { call: "r1s1c0" };

/** A run in the middle of its first step, as the loop makes it, with other numbers. */
async function working(): Promise<State> {
  let state: State | null = null;
  const platform: FakePlatform = new FakePlatform(() => {
    state = platform.state;
    return { text: "Done." };
  });
  platform.say("Do it.", { limits: LIMITS });
  await platform.settle();
  if (state === null) throw new Error("nothing was asked");
  return state;
}
const BASE = await working();

type Change = Partial<Omit<LiveRun, "children" | "request">> & {
  readonly children?: Partial<Children>;
  readonly depth?: number;
  readonly sessions?: number;
};

function runWith({ children, depth, sessions = 9, ...more }: Change = {}): LiveRun {
  const { run } = BASE;
  if (run === null) throw new Error("no run");
  const parent = { session: "ses", createdAt: null, run: "r1", call: "r1s1c0", root: "ses", sessions };
  return {
    ...run,
    ...more,
    ...(children === undefined ? {} : { children: { ...NO_CHILDREN, ...children } }),
    request: { ...run.request, ...(depth === undefined ? {} : { parent: { ...parent, depth } }) },
  };
}

const shareFor = (run: LiveRun, wish: Partial<Amount> = {}, state: State = BASE, caps: DayCaps = DAY_CAPS) =>
  shareOf({ ...state, run }, run, CALL, wish, BASE.at, caps);
const given = (...of: Parameters<typeof shareFor>): Share => {
  const shared = shareFor(...of);
  if (!shared.ok) throw new Error(shared.failure.message);
  return shared.share;
};
const refusedFor = (...of: Parameters<typeof shareFor>): string | null => {
  const shared = shareFor(...of);
  return shared.ok ? null : shared.failure.code;
};

const held = (call: string, share: Partial<Share>) => ({
  call,
  child: `ses~${call}`,
  wait: true,
  share: { ...NO_AMOUNT, sessions: 0, ...share },
});

describe("a share", () => {
  test("of one child is half of what is left, and the last step and its time stay with the run", () => {
    const share = given(runWith());
    // The step at work is paid by whoever is asked next.
    expect(share.steps).toBe(Math.floor((LIMITS.steps - 1) / 2));
    for (const part of ["tokens", "cost", "toolCalls", "messages"] as const)
      expect(share[part], part).toBe(LIMITS[part] / 2);
    expect(share.activeMs).toBeLessThan(LIMITS.activeMs / 2);
  });

  test.each(AMOUNT_PARTS)("that asks for all %s has no more than a run may give away", (part) => {
    const share = given(runWith(), { [part]: 10 * LIMITS[part] });
    const most = LIMITS[part] * CHILD_SHARE_MAX;
    expect(share[part]).toBeLessThanOrEqual(most);
    expect(share[part]).toBeGreaterThan(LIMITS[part] / 2);
    const small = part === "activeMs" ? 2_000 : 1;
    expect(given(runWith(), { [part]: small })[part]).toBe(small);
  });

  test.each(AMOUNT_PARTS)("leaves the %s that are set aside for others", (part) => {
    const aside = Math.floor(LIMITS[part] / 2);
    const children = { open: [held("r1s0c0", { [part]: aside })], started: 1 };
    const before = given(runWith())[part];
    const share = given(runWith({ children }))[part];
    expect(share).toBeLessThanOrEqual(Math.ceil(before / 2));
    const spent = { ...NO_AMOUNT, [part]: aside };
    expect(given(runWith({ children: { used: spent, started: 1 } }))[part], "spent below").toBe(share);
  });

  test("is never more than the day has left, without what is set aside", () => {
    const day = { no: dayNo(BASE.at), tokens: 1_000_000, cost: 2_000_000 };
    const caps = { tokens: 1_100_000, cost: 2_200_000 };
    const state = { ...BASE, day };
    const share = given(runWith(), {}, state, caps);
    expect([share.tokens, share.cost]).toEqual([50_000, 100_000]);
    const open = [held("r1s0c0", { tokens: 60_000, cost: 160_000 })];
    const next = given(runWith({ children: { open, started: 1 } }), {}, state, caps);
    expect([next.tokens, next.cost]).toEqual([20_000, 20_000]);
    // The day before is over.
    const over = given(runWith(), {}, { ...BASE, day: { ...day, no: day.no - 1 } }, caps);
    expect(over.tokens).toBe(LIMITS.tokens / 2);
  });

  test("is the one that was set aside where the call is made again", () => {
    const share = { ...NO_AMOUNT, steps: 3, sessions: 2 };
    const children = { open: [{ ...held("r1s1c0", share), child: null }], started: CHILDREN_PER_RUN_MAX };
    expect(given(runWith({ children, depth: CHILD_DEPTH_MAX }))).toEqual(share);
  });
});

describe("no child is started", () => {
  test.each([
    ["at the deepest level", { depth: CHILD_DEPTH_MAX }, "too_deep"],
    ["one level above it", { depth: CHILD_DEPTH_MAX - 1 }, null],
    [
      "when as many were started as may be",
      { children: { started: CHILDREN_PER_RUN_MAX } },
      "too_many_children",
    ],
    ["one before that", { children: { started: CHILDREN_PER_RUN_MAX - 1 } }, null],
    ["when the tree has no session left", { depth: 1, sessions: 0 }, "tree_full"],
    ["with the last session of the tree", { depth: 1, sessions: 1 }, null],
    ["when all steps but one are spent", { step: LIMITS.steps }, "share_too_small"],
  ] as const)("%s", (_, change, code) => {
    expect(refusedFor(runWith(change as Change))).toBe(code);
  });

  test.each([
    ["steps", LIMITS.steps - 2, "share_too_small"],
    ["tokens", LIMITS.tokens, "share_too_small"],
    ["activeMs", LIMITS.activeMs - 2_000, "share_too_small"],
    ["cost", LIMITS.cost, null],
    ["messages", LIMITS.messages, null],
    ["toolCalls", LIMITS.toolCalls, null],
  ] as const)("when all %s but %i are set aside: %s", (part, aside, code) => {
    const children = { open: [held("r1s0c0", { [part]: aside })], started: 1 };
    expect(refusedFor(runWith({ children }))).toBe(code);
  });
});

describe("sessions of a tree", () => {
  test("are those that the run was given, without those that it has made and given on", () => {
    expect(sessionsLeft(runWith())).toBe(TREE_SESSIONS_MAX - 1);
    expect(sessionsLeft(runWith({ depth: 1, sessions: 7 }))).toBe(7);
    const open = [held("r1s0c0", { sessions: 2 })];
    expect(sessionsLeft(runWith({ depth: 1, sessions: 7, children: { open, sessions: 1 } }))).toBe(7 - 1 - 3);
  });

  test("below a child are an equal part without itself, fewer next to the last level, and none at it", () => {
    expect(given(runWith()).sessions).toBe(Math.floor((TREE_SESSIONS_MAX - 1) / 2) - 1);
    expect(given(runWith({ depth: 1, sessions: 40 })).sessions).toBe(CHILDREN_PER_RUN_MAX);
    expect(given(runWith({ depth: CHILD_DEPTH_MAX - 1, sessions: 40 })).sessions).toBe(0);
    expect(given(runWith({ depth: 1, sessions: 1 })).sessions).toBe(0);
  });

  test("are counted from the run that a person started", () => {
    expect([depthOf(runWith()), depthOf(runWith({ depth: 2 }))]).toEqual([0, 2]);
  });
});

describe("the end of a run in a tree", () => {
  const own = { usage: { ...NO_USAGE, inputTokens: 5, outputTokens: 2, cost: 40 }, activeMs: 70 };

  test("stops each child that is there and was not stopped", () => {
    const open = [
      held("r1s1c0", {}),
      { ...held("r1s1c1", {}), child: null },
      { ...held("r1s1c2", {}), stopped: true as const },
    ];
    expect(stopChildren(runWith({ children: { open } }), "r1s1")).toEqual([
      { kind: "child_stopped", run: "r1", step: "r1s1", body: { call: "r1s1c0", child: "ses~r1s1c0" } },
    ]);
    expect(stopChildren(runWith(), null)).toEqual([]);
  });

  test("says nothing of a tree where there is none", () => {
    expect(treeOf(runWith(), own)).toEqual({});
  });

  test("counts its own, what those below have used, and all that those at work were given", () => {
    const share = { steps: 1, activeMs: 2, toolCalls: 3, messages: 4, tokens: 5, cost: 6, sessions: 7 };
    const used = { steps: 10, activeMs: 20, toolCalls: 30, messages: 40, tokens: 50, cost: 60 };
    const usage = { ...NO_USAGE, inputTokens: 50, cost: 60 };
    const run = runWith({ children: { open: [held("r1s1c0", share)], used, usage, sessions: 3 } });
    const mine = { steps: run.step, activeMs: 70, toolCalls: 2, messages: 9, tokens: 7, cost: 40 };
    const { tree } = treeOf(
      { ...run, used: { ...run.used, toolCalls: 2 }, output: { ...run.output, sends: 9 } },
      own,
    );
    const { sessions, ...amount } = share;
    expect(tree).toEqual({
      used: sumOf(sumOf(mine, used), amount),
      usage: { ...NO_USAGE, inputTokens: 55, outputTokens: 2, cost: 100 },
      sessions: 1 + 3 + sessions + 1,
    });
  });

  test("says what it has read, and a run that is a child says it without children", () => {
    const taint = { tainted: { seq: 1, by: "web" }, private: null };
    const run = runWith({ depth: 1 });
    const with_ = (of: object): LiveRun => ({ ...run, safety: { ...run.safety, taint: of as typeof taint } });
    expect(treeOf(with_(taint), own).tree).toMatchObject({ sessions: 1, tainted: true });
    expect(treeOf(with_(taint), own).tree).not.toHaveProperty("private");
    const secret = { tainted: null, private: { seq: 1, by: "x" } };
    expect(treeOf(with_(secret), own).tree).toMatchObject({ private: true });
    expect(treeOf(with_(secret), own).tree).not.toHaveProperty("tainted");
  });
});

describe("a report", () => {
  test("of a lost child counts all that it was given", () => {
    const share = { steps: 1, activeMs: 2, toolCalls: 3, messages: 4, tokens: 5, cost: 6, sessions: 7 };
    const { sessions, ...used } = share;
    expect(lostReport("ses~r1s1c0", held("r1s1c0", share))).toEqual({
      child: "ses~r1s1c0",
      outcome: "failed_internal",
      reason: "child_lost",
      answer: "",
      used,
      usage: { ...NO_USAGE, cost: 6, estimated: true },
      sessions: sessions + 1,
      tainted: false,
      private: false,
    });
  });

  const entry = (kind: string, body: object): Entry => ({ kind, run: "r1", body }) as unknown as Entry;
  const answer = (more: object = {}) => entry("answer", { text: "A.", citations: { items: [] }, ...more });
  const end = (more: object = {}) =>
    entry("run_ended", { outcome: "completed", reason: null, usage: NO_USAGE, ...more });

  test("is there once its run has ended, and says what the tree used and read", () => {
    expect(reportOf("c", [answer()])).toBeNull();
    const tree = { used: { ...NO_AMOUNT, cost: 5 }, usage: { ...NO_USAGE, cost: 5 }, sessions: 3 };
    expect(reportOf("c", [answer(), end({ tree: { ...tree, tainted: true, private: true } })])).toEqual({
      child: "c",
      outcome: "completed",
      reason: null,
      answer: "A.",
      ...tree,
      tainted: true,
      private: true,
    });
    expect(reportOf("c", [end({ outcome: "cancelled", reason: "parent_ended" })])).toEqual({
      child: "c",
      outcome: "cancelled",
      reason: "parent_ended",
      answer: "",
      used: NO_AMOUNT,
      usage: NO_USAGE,
      sessions: 1,
      tainted: false,
      private: false,
    });
  });

  test("has the value, the summary, the receipt and the citations of the last answer", () => {
    const receipt = { changed: [], failed: [{}], unknown: [], more: 0 };
    const items = [{ id: "e1" }];
    const report = reportOf("c", [
      answer({ text: "Old." }),
      answer({ value: { a: 1 }, summary: "S", receipt, citations: { items } }),
      end(),
    ]);
    expect(report).toMatchObject({ answer: "A.", value: { a: 1 }, summary: "S", receipt, citations: items });
    const empty = reportOf("c", [answer({ receipt: { ...receipt, failed: [] } }), end()]);
    for (const field of ["value", "summary", "receipt", "citations"]) expect(empty).not.toHaveProperty(field);
    const more = reportOf("c", [answer({ receipt: { ...receipt, failed: [], more: 1 } }), end()]);
    expect(more).toHaveProperty("receipt");
  });
});
