import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parsePlan, type Choice, type Part } from "./choices.ts";
import { explore } from "./explore.ts";
import { PLACED } from "./platform/outside.ts";
import { play } from "./play.ts";
import type { Branch } from "./scripts/harness.ts";
import { branchKey } from "./scripts/same-branch.ts";
import { SCRIPTS } from "./scripts/scripts.ts";
import { FakePlatform } from "./platform/platform.ts";

// `npm run sim` goes through all schedules with up to two departures; here each script is tried with some of those with one.

// A dying isolate complains on its way out.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

/** one schedule with a departure of so many is played from its beginning as well */
const EVERY = 4;

/** kinds of places with the option that was taken there: those where a sample departs, and all that come by */
const departed = new Set<string>();
const passed = new Set<string>();
const kindOf = ({ what }: Choice, option: number): string => `${what}, ${option}`;

/** one schedule of so many, and the first departure of each kind */
const SAMPLE: Part = {
  index: 0,
  of: 11,
  also: (place, option) => !departed.has(kindOf(place, option)),
};

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
    part: SAMPLE,
    inspect: (platform, text, places) => {
      const plan = parsePlan(text);
      for (const [at, option] of plan) {
        const place = places[at];
        if (place !== undefined) departed.add(kindOf(place, option));
      }
      for (const place of plan.size === 0 ? places : [])
        for (let option = 1; option < place.options; option++) passed.add(kindOf(place, option));
      if (plan.size > 0 && seen++ % EVERY === 0) results.set(text, resultOf(platform));
    },
  });
  expect(faults).toEqual([]);
  expect(schedules).toBeGreaterThan(1);
  expect(crashes).toBeGreaterThan(0);
  expect(results.size).toBeGreaterThan(0);
  // Taken up at a crash a schedule goes as from its beginning, on one platform that lives through all of it.
  for (const [plan, result] of results) {
    const platform = script.platform();
    const played = await play({ ...script, platform: () => platform }, parsePlan(plan));
    expect([plan, resultOf(played.platform)]).toEqual([plan, result]);
    platform.disk.close();
  }
});

test("the samples depart at places of every kind, in each of their ways", () => {
  expect(passed.size).toBeGreaterThan(20);
  // Reading a page leaves nothing behind: a death after it is the same as one before it.
  expect([...passed].filter((kind) => !departed.has(kind))).toEqual(["visit: after, 1"]);
});

test("schedules whose crashes leave the same behind go the same way", async () => {
  const script = SCRIPTS.find(({ name }) => name.startsWith("a message that replaces"));
  if (script === undefined) throw new Error("no script");
  const alike = new Map<string, Branch[]>();
  const keep = (_place: number, branch: Branch): void => {
    const key = branchKey(branch, script.deeds);
    alike.set(key, [...(alike.get(key) ?? []), branch]);
  };
  await play(script, new Map(), { keep });
  const groups = [...alike.values()].filter((branches) => branches.length > 1);
  expect(groups.length).toBeGreaterThan(2);
  expect(alike.size).toBeGreaterThan(10);
  for (const group of groups) {
    const results: unknown[] = [];
    for (const from of group) results.push(resultOf((await play(script, new Map(), { from })).platform));
    expect(results).toEqual(results.map(() => results[0]));
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
