import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Plan } from "../choices.ts";
import { exploreTree, playTree } from "./explore.ts";
import {
  asks,
  call,
  calls,
  FIRST,
  GREAT_GRANDCHILD,
  hands,
  LONG,
  ROOT,
  says,
  stops,
  type Parts,
} from "./scripts.ts";
import { treeOf } from "./all.ts";
import { of } from "./attempts.ts";
import type { TreeScript, World } from "./world.ts";

/** Scenarios that the tree of sessions was built for. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const USUAL: Plan = new Map();

const tree = (parts: Parts, ask = {}): TreeScript => ({
  name: "a tree of a test",
  says: says(parts),
  deeds: [asks("m1", ask)],
});

async function play(script: TreeScript): Promise<World> {
  const { world, faults } = await playTree(script, USUAL);
  expect(faults).toEqual([]);
  return world;
}

const endOf = (world: World, session: string): unknown[] =>
  of(world, session, "run_ended").map(({ body }) => [body.outcome, body.reason]);

/** Outcome of each call that was to start a child. */
const starts = (world: World, session: string): unknown[] =>
  of(world, session, "call_settled").flatMap(({ body }) =>
    body.tool === "run_agent" ? [[body.status, body.failure?.code ?? null]] : [],
  );

test("scenario 20: a child at the end of its share answers with what it has, and its parent goes on", async () => {
  const looks = Array.from({ length: 20 }, (_, n) => call("look", `a${n}`));
  const world = await play(
    tree(
      { [ROOT]: [calls(hands("Look at all."))], [FIRST]: looks },
      { profile: "standard", limits: { steps: 10 } },
    ),
  );
  const [share] = of(world, ROOT, "call_intended").flatMap(({ body }) => body.share ?? []);
  const steps = of(world, FIRST, "step_started");
  expect(steps).toHaveLength(share?.steps ?? 0);
  expect(steps.at(-1)?.body.purpose).toBe("final");
  expect(of(world, ROOT, "child_reported").map(({ body }) => [body.outcome, body.used.steps])).toEqual([
    ["completed_partial", share?.steps],
  ]);
  expect(endOf(world, ROOT)).toEqual([["completed", null]]);
});

test("scenario 20: what a child leaves of its share is there for the next one", async () => {
  const world = await play(treeOf("what a child leaves over"));
  const shares = of(world, ROOT, "call_intended").flatMap(({ body }) => body.share?.steps ?? []);
  const used = of(world, ROOT, "child_reported").map(({ body }) => body.used.steps);
  // Half of what is left beside the answer: of 12 steps those of the parent and of the children that have reported are gone.
  const gone = (n: number): number => n + 1 + used.slice(0, n).reduce((sum, steps) => sum + steps, 0);
  expect(shares).toEqual([0, 1, 2].map((n) => Math.floor((12 - gone(n) - 1) / 2)));
  expect(used).toEqual([2, 1, 1]);
});

test("scenario 32: a recursion bomb stops at depth 3 and 50 sessions", async () => {
  const world = await play(treeOf("a bomb of children"));
  const names = world.names.filter((name) => world.session(name).log.length > 0);
  expect(names.length).toBeGreaterThan(10);
  expect(names.length).toBeLessThanOrEqual(50);
  expect(Math.max(...names.map((name) => name.split("~").length - 1))).toBe(3);
  const refused = names
    .flatMap((name) => starts(world, name))
    .filter((start) => String(start).includes("refused"));
  expect(refused.length).toBeGreaterThan(0);
  for (const name of names) expect(endOf(world, name)).toHaveLength(1);
});

test("scenario 32: a stop of its root ends all of a bomb", async () => {
  const bomb = treeOf("a bomb of children");
  const deeds = [asks("m1", LONG), stops(ROOT, `model ${GREAT_GRANDCHILD} r1s1`)];
  const { world, faults } = await playTree({ ...bomb, deeds }, USUAL);
  expect(faults).toEqual([]);
  expect(endOf(world, ROOT)).toMatchObject([["cancelled", expect.anything()]]);
  for (const name of world.names) expect(world.session(name).state.run).toBeNull();
});

test("scenario 33: a child dies after finishing; its report comes once, and what it did not use goes back", async () => {
  const script = treeOf("one child that looks");
  const seen = new Set<string>();
  const { faults, crashes } = await exploreTree(script, {
    reach: "family",
    inspect: (world) => {
      const reports = of(world, ROOT, "child_reported");
      seen.add(JSON.stringify(reports.map(({ body }) => [body.outcome, body.used.steps])));
      expect(of(world, ROOT, "run_ended")[0]?.body.tree?.used.steps).toBeLessThan(
        of(world, ROOT, "call_intended")[0]?.body.share?.steps ?? 0,
      );
    },
  });
  expect(faults).toEqual([]);
  expect(crashes).toBeGreaterThan(5);
  expect([...seen]).toEqual([JSON.stringify([["completed", 2]])]);
});

test("a share that is too small for one step is a result that the model is told of", async () => {
  const small = await play(
    tree({ [ROOT]: [calls(hands("Look."))] }, { profile: "standard", limits: { steps: 2 } }),
  );
  expect(starts(small, ROOT)).toEqual([["refused", "share_too_small"]]);
});

test("a child is given no more than the day of its parent's session has left", async () => {
  const tokens = 200_000;
  const world = await play({
    ...tree({ [ROOT]: [calls(hands("Look."))], [FIRST]: [call("look", "a")] }, { profile: "complex" }),
    prepare: (platform) => {
      platform.day = { tokens, cost: 1_000_000 };
    },
  });
  const [share] = of(world, ROOT, "call_intended").flatMap(({ body }) => body.share ?? []);
  expect(share?.tokens).toBeGreaterThan(1_000);
  expect(share?.tokens).toBeLessThan(tokens);
  expect(share?.cost).toBeLessThanOrEqual(1_000_000);
});

test("a capsule waits for its children no longer than its time: they are stopped, and it answers", async () => {
  const TEN_MINUTES = 600_000;
  const world = await play(
    tree(
      { [ROOT]: [calls(hands("Put it in."))], [FIRST]: [call("put", "a")] },
      {
        profile: "time_capsule",
        limits: { activeMs: TEN_MINUTES, cost: 5_000_000 },
        approval: { rules: { put: "ask" } },
      },
    ),
  );
  expect(of(world, FIRST, "approval_requested")).toHaveLength(1);
  expect(endOf(world, FIRST)).toMatchObject([["cancelled", expect.anything()]]);
  const [started] = of(world, ROOT, "run_started");
  const [ended] = of(world, ROOT, "run_ended");
  expect(of(world, ROOT, "verdict").map(({ body }) => body.code)).toContain("DEADLINE");
  expect((ended?.at ?? 0) - (started?.at ?? 0)).toBeGreaterThanOrEqual(TEN_MINUTES);
  expect((ended?.at ?? 0) - (started?.at ?? 0)).toBeLessThan(TEN_MINUTES + 5_000);
});
