import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Share } from "../../../src/cairn/core/log/child.ts";
import { AMOUNT_PARTS } from "../../../src/cairn/core/state/run/children.ts";
import { of } from "./attempts.ts";
import { playTree } from "./explore.ts";
import { asks, call, calls, childOf, hands, ROOT, says, stops } from "./scripts.ts";
import type { TreeScript, World } from "./world.ts";

/** Money reserved for one child goes to no other, for every amount that a run can spend. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const LATER = { wait: false };
const WAITS = [call("publish", "a")];

async function sharesOf(
  script: TreeScript,
): Promise<{ world: World; shares: readonly Share[]; limits: Omit<Share, "sessions"> }> {
  const { world, faults } = await playTree(script, new Map());
  expect(faults).toEqual([]);
  const shares = of(world, ROOT, "call_intended").flatMap(({ body }) => body.share ?? []);
  const limits = of(world, ROOT, "run_started")[0]?.body.limits;
  if (limits === undefined) throw new Error("the run has not begun");
  return { world, shares, limits };
}

test("two children of one reply have equal parts, and a third is left for the run", async () => {
  const { shares, limits } = await sharesOf({
    name: "two at once",
    says: says({ [ROOT]: [calls(hands("Look at a."), hands("Look at b."))] }),
    deeds: [asks("m1")],
  });
  const [first, second] = shares;
  for (const part of AMOUNT_PARTS) {
    const [one, other] = [first?.[part] ?? 0, second?.[part] ?? 0];
    // The time that passes between the two starts is of no matter here.
    expect(Math.abs(one - other), part).toBeLessThanOrEqual(1_000);
    expect(one + other, part).toBeLessThan(limits[part]);
  }
  for (const part of ["tokens", "cost"] as const)
    expect(Math.abs((first?.[part] ?? 0) - (second?.[part] ?? 0)), part).toBeLessThanOrEqual(1);
});

test("children that are at work keep their shares from those that start later", async () => {
  const children = [1, 2, 3].map((step) => childOf(ROOT, `r1s${step}c0`));
  const { shares, limits } = await sharesOf({
    name: "one after another",
    says: says({
      [ROOT]: ["a", "b", "c"].map((name) => calls(hands(`Publish ${name}.`, LATER))),
      ...Object.fromEntries(children.map((child) => [child, WAITS])),
    }),
    deeds: [asks("m1"), stops(ROOT)],
    ends: "by chance",
  });
  expect(shares).toHaveLength(3);
  for (const part of AMOUNT_PARTS) {
    const given = shares.map((share) => share[part]);
    expect(
      given.reduce((sum, one) => sum + one, 0),
      part,
    ).toBeLessThanOrEqual(limits[part]);
    // Each has half of what the one before it has left, and never half of the whole again.
    for (const [index, one] of given.entries()) {
      const left = limits[part] - given.slice(0, index).reduce((sum, other) => sum + other, 0);
      expect(one, `${part} ${index}`).toBeLessThanOrEqual(Math.ceil(left / 2));
    }
  }
});
