import { describe, expect, test } from "vitest";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import type { Item } from "../../../src/page/trace/items/item.ts";
import { entriesOfRun } from "../../../src/page/trace/timeline.ts";
import { REPORT } from "../../sim/platform/fake-model.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";
import { eventsOf, itemsOf } from "./trace-fixture.ts";

/** Wording of a run's request for more budget, and of the reason after a refusal. */

const ADA: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };
const ASKED = "It asked: “4 of 5 calls of tools are used. May it have more?”";
const MORE = "a yes adds 4 steps, 3 calls of tools";

/** Looks at something new in each step. Four of its five calls are used when the fifth step begins, where this is done. */
async function curious(act: (platform: FakePlatform) => Promise<unknown>): Promise<FakePlatform> {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0 || request.step === "r1s7"
      ? { text: `This far I came: ${REPORT}` }
      : { calls: [["look", { name: `thing of ${request.step}` }]] },
  );
  platform.service.admitOrCreate(ADA);
  platform.onModel = async (request) => {
    if (request.step === "r1s5") await act(platform);
  };
  platform.say("Look at everything.", { limits: { steps: 8, toolCalls: 5 } });
  await platform.settle(3_600_000);
  return platform;
}

const press = (decision: "extend" | "finish") => (platform: FakePlatform) =>
  platform.api.answerBudget(ADA, { id: "x1", question: "r1b1", decision });
const questionIn = (platform: FakePlatform): Item | undefined =>
  itemsOf(platform).find(({ title }) => title === ASKED);
const kindsOf = (item: Item | undefined): readonly string[] => item?.entries.map(({ kind }) => kind) ?? [];

describe("the question whether a run may have more", () => {
  test("goes on while it is open, and nothing waits for it", async () => {
    let open: Item | undefined;
    await curious(async (platform) => {
      open = questionIn(platform);
    });
    expect(open).toMatchObject({ kind: "person", tone: "waits", note: MORE, to: null, waits: false });
  });

  test("ends with its answer, and the extension that a yes is stands with it", async () => {
    const platform = await curious(press("extend"));
    const item = questionIn(platform);
    expect(item).toMatchObject({ tone: "good", note: `${MORE}; ada gave it this` });
    expect(kindsOf(item)).toEqual(["budget_asked", "budget_answered", "command_queued"]);
    const ended = eventsOf(platform).find(({ kind }) => kind === "run_ended");
    expect(item?.to).toBeLessThan(Date.parse(ended?.at ?? ""));
  });

  test("says that the run finishes with what there is", async () => {
    const item = questionIn(await curious(press("finish")));
    expect(item).toMatchObject({
      tone: "plain",
      note: `${MORE}; ada had it finish with what there is`,
    });
    expect(kindsOf(item)).toEqual(["budget_asked", "budget_answered"]);
  });

  test("is over where the run was given more by another way", async () => {
    const item = questionIn(
      await curious((platform) => platform.api.extend(ADA, { id: "x2", runId: "r1", amounts: { calls: 9 } })),
    );
    expect(item).toMatchObject({ tone: "good", note: `${MORE}; ada gave it more` });
    expect(kindsOf(item)).toEqual(["budget_asked", "command_queued"]);
  });

  test("is over without an answer where the run ends or is stopped, and each entry is told once", async () => {
    const stop = { id: "stop", runId: null, all: true, reason: null };
    for (const act of [async () => {}, (platform: FakePlatform) => platform.api.cancel(ADA, stop)]) {
      const platform = await curious(act);
      const item = questionIn(platform);
      expect(item).toMatchObject({ tone: "plain", note: `${MORE}; nobody answered` });
      expect(kindsOf(item)).toEqual(["budget_asked"]);
      const told = itemsOf(platform).flatMap(({ entries }) => entries.map(({ seq }) => seq));
      const all = entriesOfRun(eventsOf(platform), "r1").map(({ seq }) => seq);
      expect(told.toSorted((a, b) => a - b)).toEqual(all);
    }
  });
});

test("the reason that follows a no stands with what was denied", async () => {
  const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: REPORT }]);
  platform.service.admitOrCreate(ADA);
  platform.say("Publish it.");
  await platform.settle();
  platform.decide("deny");
  const why = { id: "m1", approval: "r1s1c0a1", reason: "Too early.\nWait for May." };
  expect(await platform.api.explain(ADA, why)).toMatchObject({ value: { became: "explained" } });
  await platform.settle();
  const item = itemsOf(platform).find(({ title }) => title === "Approval requested: Publish a");
  expect(item).toMatchObject({
    tone: "bad",
    note: "asked of owner; ada declined; because: “Too early. Wait for May.”",
  });
  expect(kindsOf(item)).toEqual(["approval_requested", "approval_decided", "approval_explained"]);
});
