import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { explore, play, type Script } from "./explore.ts";
import { World, type Line } from "./world.ts";

// A dying isolate complains on its way out.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

/** Answers by what the conversation holds, so that a repeated call says the same. */
const byStep = (lines: readonly Line[]) => () =>
  new World((request) => lines[Number(/s(\d+)$/.exec(request.step)?.[1] ?? 1) - 1] ?? { text: "The end." });

const sayOnce = (world: World): void => {
  if (world.state.runs === 0) world.say("do it");
};

const decideIfAsked =
  (decision: "approve" | "deny") =>
  (world: World, turn: number): boolean => {
    sayOnce(world);
    if (world.state.run?.phase.at === "waiting_approval") world.decide(decision);
    return (turn < 8 && world.state.run !== null) || world.state.queue.length > 0;
  };

const scripts: readonly Script[] = [
  { name: "a plain answer", world: byStep([{ text: "Hello." }]), people: decideIfAsked("approve") },
  {
    name: "three tools of the three effect classes",
    world: byStep([
      {
        calls: [
          ["look", { name: "a" }],
          ["look", { name: "b" }],
        ],
      },
      { calls: [["put", { name: "b" }]] },
      { calls: [["send", { name: "c" }]] },
      { text: "Done." },
    ]),
    people: decideIfAsked("approve"),
  },
  {
    name: "several calls in one reply",
    world: byStep([
      {
        calls: [
          ["look", { name: "a" }],
          ["put", { name: "b" }],
          ["send", { name: "c" }],
        ],
      },
      { text: "Done." },
    ]),
    people: decideIfAsked("approve"),
  },
  {
    name: "an approval given",
    world: byStep([{ calls: [["publish", { name: "a" }]] }, { text: "Public." }]),
    people: decideIfAsked("approve"),
  },
  {
    name: "an approval denied",
    world: byStep([{ calls: [["publish", { name: "a" }]] }, { text: "Not public." }]),
    people: decideIfAsked("deny"),
  },
  {
    name: "a retry after 429",
    world: () => {
      const world = new World((request) =>
        request.attempt === 1
          ? { fail: { class: "rate_limit", message: "slow down", retryAfterMs: 2_000, usage: null } }
          : { text: "Hello." },
      );
      return world;
    },
    people: decideIfAsked("approve"),
  },
];

test.each(scripts)("no single crash breaks $name", async (script) => {
  const { faults, schedules } = await explore(script, 1);
  expect(faults).toEqual([]);
  expect(schedules).toBeGreaterThan(10);
});

test("no two crashes break a run with an approval", { timeout: 60_000 }, async () => {
  const script = scripts[3];
  if (script === undefined) throw new Error("no script");
  const { faults, schedules } = await explore(script, 2);
  expect(faults).toEqual([]);
  expect(schedules).toBeGreaterThan(500);
});

test("a crash in a once tool is told as unknown, and the tool is not run again", async () => {
  const script = scripts[2];
  if (script === undefined) throw new Error("no script");
  let unknown = 0;
  for (let crash = 1; crash < 60; crash++) {
    const { world } = await play(script, [crash]);
    unknown += world.log.filter(
      (entry) => entry.kind === "call_settled" && entry.body.status === "unknown",
    ).length;
    expect(world.effects.once.length).toBeLessThanOrEqual(1);
  }
  expect(unknown).toBeGreaterThan(0);
});
