import type { Outcome } from "../../../src/cairn/core/log/entry.ts";
import type { ModelErrorClass } from "../../../src/cairn/core/log/model.ts";
import type { Group, Item } from "../../../src/page/trace/items/item.ts";
import { entriesOfRun, timelineOf } from "../../../src/page/trace/timeline.ts";
import { eventOf, type Event } from "../../../src/cairn/protocol/views.ts";
import { REPORT } from "../../sim/platform/fake-model.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";

/** All of them: a missing one is a type error. */
const outcomes: Readonly<Record<Outcome, true>> = {
  completed: true,
  completed_partial: true,
  failed_budget: true,
  failed_stuck: true,
  failed_invalid_output: true,
  failed_review: true,
  failed_provider: true,
  failed_auth: true,
  failed_internal: true,
  denied: true,
  expired: true,
  cancelled: true,
  superseded: true,
  skipped: true,
};
const errors: Readonly<Record<ModelErrorClass, true>> = {
  rate_limit: true,
  overloaded: true,
  network: true,
  timeout: true,
  cut_off: true,
  context_overflow: true,
  content_filter: true,
  auth: true,
  bad_request: true,
  unknown_model: true,
  no_tools: true,
  no_reasoning: true,
  internal: true,
};

export const OUTCOMES_ALL = Object.keys(outcomes) as Outcome[];
export const MODEL_ERRORS = Object.keys(errors) as ModelErrorClass[];

export const eventsOf = (platform: FakePlatform): Event[] => platform.log.map(eventOf);
export const groupsOf = (platform: FakePlatform, run = "r1"): readonly Group[] =>
  timelineOf(entriesOfRun(eventsOf(platform), run));
export const itemsOf = (platform: FakePlatform): readonly Item[] =>
  groupsOf(platform).flatMap((group) => group.items);

/** Two reads, a refused call, a provider that is busy, a publication that a person denies after an hour. */
export async function denied(): Promise<FakePlatform> {
  const platform = new FakePlatform([
    {
      calls: [
        ["look", { name: "a" }],
        ["nope", {}],
        ["look", { name: "a" }],
      ],
    },
    { fail: { class: "rate_limit", message: "slow down", retryAfterMs: 2_000, usage: null } },
    { calls: [["publish", { name: "a" }]] },
    { text: `${REPORT} It could not be published: you said no. There is no tool nope.` },
  ]);
  platform.say("Look at it, then publish it.");
  await platform.settle();
  platform.now += 3_600_000;
  platform.decide("deny", "not today");
  await platform.settle();
  return platform;
}
