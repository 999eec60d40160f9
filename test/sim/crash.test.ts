import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { explore } from "./explore.ts";
import { SCRIPTS } from "./scripts.ts";

// `npm run sim` goes through all schedules with two departures; here each script is tried with one.

// A dying isolate complains on its way out.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

test.each(SCRIPTS)(
  "nothing breaks $name: no single crash, no late, repeated or lost alarm",
  async (script) => {
    const { faults, schedules, crashes } = await explore(script, { most: 1 });
    expect(faults).toEqual([]);
    expect(schedules).toBeGreaterThan(10);
    expect(crashes).toBeGreaterThan(5);
  },
);

test("a crash in a once tool is told as unknown, and the tool is not run again", async () => {
  const script = SCRIPTS.find(({ name }) => name.startsWith("three tools"));
  if (script === undefined) throw new Error("no script");
  let unknown = 0;
  await explore(script, {
    most: 1,
    inspect: (world) => {
      unknown += world.log.filter(
        (entry) => entry.kind === "call_settled" && entry.body.status === "unknown",
      ).length;
      expect(world.effects.once.length).toBeLessThanOrEqual(1);
    },
  });
  expect(unknown).toBeGreaterThan(0);
});
