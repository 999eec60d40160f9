import type { Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";
import { ADA, calls, look, type Scenarios } from "./scenario.ts";

const MINUTE_MS = 60_000;

/** A run that starts a capsule of ten minutes, which a person allows. */
async function started(step: (n: number, tools: number) => Line): Promise<FakePlatform> {
  const platform = new FakePlatform(({ step: name, tools }) => {
    if (name === "r1s1")
      return calls(["start_time_capsule", { goal: "Look at every page", minutes: 10, costUsd: 5 }]);
    if (name.startsWith("r1")) return { text: "It is started." };
    return step(Number(name.slice(3)), tools.length);
  });
  platform.plans = true;
  platform.restart();
  platform.service.admitOrCreate(ADA);
  platform.say("Work at the pages for ten minutes");
  await platform.settle();
  platform.decide("approve");
  return platform;
}

/** A person writes in the middle of the first step, and is answered in the second. */
async function answered(): Promise<FakePlatform> {
  const platform = await started((n) => {
    if (n === 1 || n === 3) return calls(look(`page ${n}`));
    return { text: n === 2 ? "One page so far." : "Both pages were looked at." };
  });
  platform.onModel = async ({ step }) => {
    if (step !== "r2s1") return;
    await platform.api.send(ADA, {
      id: "m2",
      mode: null,
      source: "web",
      request: null,
      ask: {},
      parts: [{ type: "text", text: "How far are you?" }],
    });
  };
  await platform.settle();
  return platform;
}

/** Scenarios of verdicts on capsules. */
export const CAPSULES: Scenarios = {
  DEADLINE: async () => {
    const platform = await started((n, tools) =>
      tools === 0 ? { text: "Pages." } : calls(look(`page ${n}`)),
    );
    platform.onModel = () => void (platform.now += MINUTE_MS);
    await platform.settle();
    return platform;
  },
  ANSWER_FIRST: answered,
  GOAL_GOES_ON: answered,
};
