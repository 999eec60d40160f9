import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { exploreTree, playTree } from "./explore.ts";
import { TREE_SCRIPTS } from "./scripts.ts";

// `npm run sim` goes through all schedules; here each tree is tried with a few of them.

// A dying isolate complains on its way out.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

test.each(TREE_SCRIPTS)(
  "nothing breaks $name: no crash, and no word that is lost, late or said twice",
  async (script) => {
    const { faults, schedules, crashes } = await exploreTree(script, {
      every: 23 * (script.every ?? 1),
    });
    expect(faults).toEqual([]);
    expect(schedules).toBeGreaterThan(1);
    expect(crashes).toBeGreaterThan(0);
  },
);

test("a tree goes the same way each time it is played with the same plan", async () => {
  const [script] = TREE_SCRIPTS;
  if (script === undefined) throw new Error("there are no trees");
  const logOf = async (): Promise<unknown> => {
    const { world } = await playTree(script, new Map([[30, 1]]));
    return world.names.map((name) => [name, world.session(name).log]);
  };
  expect(await logOf()).toEqual(await logOf());
});
