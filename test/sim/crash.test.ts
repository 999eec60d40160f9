import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parsePlan } from "./choices.ts";
import { explore } from "./explore.ts";
import { PLACED } from "./platform/outside.ts";
import { play } from "./play.ts";
import { SCRIPTS } from "./scripts/scripts.ts";
import { FakePlatform } from "./platform/platform.ts";

// `npm run sim` goes through all schedules with up to two departures; here each script is tried with a sixth of those with one.

// A dying isolate complains on its way out.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const SIXTH = { index: 0, of: 6 };

/** one schedule of so many is played from its beginning as well: each part of a script comes by, none of them twice */
const EVERY = 3;

/** Everything that a schedule has come to. */
function resultOf(platform: FakePlatform): unknown {
  const { entries, state, now, disk, effects, requests, begun, drafts, published } = platform;
  const { keyed, once, reads, failures } = effects;
  const { alarm, stalls, rowsWritten } = disk;
  const outside = [[...keyed], once, reads, [...failures]];
  const text = JSON.stringify([
    now,
    alarm,
    stalls,
    rowsWritten,
    state,
    outside,
    requests,
    begun,
    drafts,
    published,
  ]);
  return [entries, text];
}

test.each(SCRIPTS)("nothing breaks $name: no crash, no late, repeated or lost alarm", async (script) => {
  const results = new Map<string, unknown>();
  let seen = 0;
  const { faults, schedules, crashes } = await explore(script, {
    most: 1,
    part: SIXTH,
    inspect: (platform, plan) => void (seen++ % EVERY === 0 && results.set(plan, resultOf(platform))),
  });
  expect(faults).toEqual([]);
  expect(schedules).toBeGreaterThan(1);
  expect(crashes).toBeGreaterThan(0);
  // Taken up at a crash a schedule goes as from its beginning, on one platform that lives through all of it.
  for (const [plan, result] of results) {
    const platform = script.platform();
    const played = await play({ ...script, platform: () => platform }, parsePlan(plan));
    expect([plan, resultOf(played.platform)]).toEqual([plan, result]);
    platform.disk.close();
  }
});

test("a crash in a once tool is told as unknown, and the tool is not run again", async () => {
  const script = SCRIPTS.find(({ name }) => name.startsWith("three tools"));
  if (script === undefined) throw new Error("no script");
  let unknown = 0;
  await explore(script, {
    most: 1,
    inspect: (platform) => {
      unknown += platform.log.filter(
        (entry) => entry.kind === "call_settled" && entry.body.status === "unknown",
      ).length;
      expect(platform.effects.once.length).toBeLessThanOrEqual(1);
    },
  });
  expect(unknown).toBeGreaterThan(0);
});

test("every field of the fake platform is kept over a death, or made anew", () => {
  expect(Object.keys(new FakePlatform([])).filter((field) => !PLACED.has(field))).toEqual([]);
});

test("the parts of a script are all of its schedules, each once", async () => {
  const script = SCRIPTS.find(({ name }) => name.startsWith("a retry after 429"));
  if (script === undefined) throw new Error("no script");
  const plansOf = async (index: number, of: number): Promise<string[]> => {
    const plans: string[] = [];
    await explore(script, {
      most: 1,
      part: { index, of },
      inspect: (_platform, plan) => void plans.push(plan),
    });
    return plans;
  };
  const parts = [await plansOf(0, 3), await plansOf(1, 3), await plansOf(2, 3)];
  expect(parts.flat().toSorted()).toEqual((await plansOf(0, 1)).toSorted());
  for (const part of parts) expect(part.length).toBeGreaterThan(5);
});
