import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/cairn/core/log/model.ts";
import { checkPlatform } from "../invariants/invariants.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

/** Work at one goal for a time of its own, through the real loop, under a clock that moves when the test moves it. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const MINUTE = 60_000;
const CAPSULE: Line = {
  calls: [["start_time_capsule", { goal: "Look at every page", minutes: 10, costUsd: 5 }]],
};

/** A session whose first run starts a capsule; each of its steps takes a minute, and it would never end by itself. */
async function started(step: (n: number, request: ModelRequest) => Line): Promise<FakePlatform> {
  const platform = new FakePlatform((request) => {
    const { step: name } = request;
    if (name === "r1s1") return CAPSULE;
    if (name.startsWith("r1")) return { text: "It is started." };
    return step(Number(name.slice(3)), request);
  });
  platform.plans = true;
  platform.restart();
  platform.service.admitOrCreate(ADA);
  platform.say("Work at the pages for ten minutes");
  await platform.settle();
  return platform;
}

async function approve(platform: FakePlatform): Promise<void> {
  const phase = platform.state.run?.phase;
  if (phase?.at !== "waiting_approval") throw new Error("a person is asked");
  await platform.api.decide(ADA, {
    approval: phase.approval.approval,
    decision: "approve",
    reason: null,
    digest: null,
    args: null,
    remember: null,
  });
}

const goesOn = (n: number): Line => ({ calls: [["look", { name: `page ${n}` }]] });
const of = (platform: FakePlatform, run: string) => platform.log.filter((entry) => entry.run === run);
const codes = (platform: FakePlatform): readonly string[] =>
  of(platform, "r2").flatMap((entry) => (entry.kind === "verdict" ? [entry.body.code] : []));

/** Each call of the model takes a minute of the clock. */
function slow(platform: FakePlatform): void {
  platform.onModel = () => void (platform.now += MINUTE);
}

describe("a time capsule", () => {
  test("is started by a tool only after a person's yes, and inherits who asked", async () => {
    const platform = await started(() => ({ text: "Every page was looked at." }));
    const asked = platform.log.findLast((entry) => entry.kind === "approval_requested");
    expect(JSON.stringify(asked?.body)).toContain("spend at most 5 US dollars");
    expect(of(platform, "r2")).toEqual([]);
    await approve(platform);
    await platform.settle();
    const [, queued] = of(platform, "r2");
    expect(queued?.body).toMatchObject({ source: "capsule", actor: "ada", profile: "time_capsule" });
    const begun = of(platform, "r2").find((entry) => entry.kind === "run_started");
    expect(begun?.body).toMatchObject({ limits: { activeMs: 10 * MINUTE, cost: 5_000_000 } });
    expect(checkPlatform(platform)).toEqual([]);
  });

  test("is told to come to an end, and answers at its deadline, whatever its model says", async () => {
    const platform = await started((n, { tools }) =>
      tools.length === 0 ? { text: "Nine pages." } : goesOn(n),
    );
    slow(platform);
    await approve(platform);
    await platform.settle();
    const [said] = of(platform, "r2").filter((entry) => entry.kind === "run_started");
    const ended = platform.log.findLast((entry) => entry.kind === "run_ended");
    expect(ended).toMatchObject({ run: "r2", body: { outcome: "completed_partial", reason: "deadline" } });
    expect(platform.log.findLast((entry) => entry.kind === "answer")?.body.text).toBe("Nine pages.");
    const took = (ended?.at ?? 0) - (said?.at ?? 0);
    expect(took).toBeGreaterThan(7 * MINUTE);
    expect(took).toBeLessThan(11 * MINUTE + 1_000);
    expect(codes(platform)).toContain("WRAP_UP");
    expect(codes(platform)).not.toContain("EXTENDED");
    const wrapUp = of(platform, "r2").find(
      (entry) => entry.kind === "verdict" && entry.body.code === "WRAP_UP",
    );
    expect((wrapUp?.at ?? 0) - (said?.at ?? 0)).toBeGreaterThanOrEqual(8 * MINUTE);
  });

  test("keeps its whole time however long it was queued", async () => {
    const platform = await started((n, { tools }) => (tools.length === 0 ? { text: "Pages." } : goesOn(n)));
    await approve(platform);
    platform.onModel = () => {
      // The run before it takes twenty minutes to answer.
      platform.onModel = null;
      platform.now += 20 * MINUTE;
      slow(platform);
    };
    await platform.settle();
    const queued = of(platform, "r2").find((entry) => entry.kind === "run_queued");
    const begun = of(platform, "r2").find((entry) => entry.kind === "run_started");
    const ended = of(platform, "r2").find((entry) => entry.kind === "run_ended");
    expect((begun?.at ?? 0) - (queued?.at ?? 0)).toBeGreaterThanOrEqual(20 * MINUTE);
    expect((ended?.at ?? 0) - (begun?.at ?? 0)).toBeGreaterThan(7 * MINUTE);
  });

  test("counts time of the clock: a wait for a person ends before its deadline", async () => {
    const platform = await started((n, { tools }) =>
      tools.length === 0
        ? { text: "It was not published." }
        : n === 1
          ? { calls: [["publish", { name: "a" }]] }
          : goesOn(n),
    );
    await approve(platform);
    slow(platform);
    await platform.settle();
    const phase = platform.state.run?.phase;
    if (phase?.at !== "waiting_approval") throw new Error("a person is asked");
    const begun = of(platform, "r2").find((entry) => entry.kind === "run_started");
    expect(phase.approval.expiresAt).toBeLessThanOrEqual((begun?.at ?? 0) + 9 * MINUTE);
    platform.now = phase.approval.expiresAt;
    await platform.settle();
    expect(platform.log.findLast((entry) => entry.kind === "run_ended")).toMatchObject({ run: "r2" });
    expect(platform.log.findLast((entry) => entry.kind === "answer")?.body.text).toBe(
      "It was not published.",
    );
  });

  test("a message of a person joins at the next step, is answered, and the goal goes on", async () => {
    const platform = await started((n) => {
      if (n === 1) return goesOn(1);
      return n === 2
        ? { text: "One page so far." }
        : n === 3
          ? goesOn(3)
          : { text: "Both pages were looked at." };
    });
    await approve(platform);
    platform.onModel = async () => {
      if (platform.requests.at(-1)?.step !== "r2s1") return;
      platform.onModel = null;
      expect(
        await platform.api.send(ADA, {
          id: "m2",
          mode: null,
          source: "web",
          request: null,
          ask: {},
          parts: [{ type: "text", text: "How far are you?" }],
        }),
      ).toMatchObject({ ok: true, value: { runId: "ses.r2", mode: "join", queued: 0 } });
    };
    await platform.settle();
    expect(codes(platform)).toEqual(expect.arrayContaining(["ANSWER_FIRST", "GOAL_GOES_ON"]));
    const replies = of(platform, "r2").flatMap((entry) =>
      entry.kind === "model_replied"
        ? entry.body.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
        : [],
    );
    expect(replies).toEqual(["One page so far.", "Both pages were looked at."]);
    expect(platform.log.findLast((entry) => entry.kind === "answer")?.body.text).toBe(
      "Both pages were looked at.",
    );
    expect(platform.log.filter((entry) => entry.kind === "run_queued")).toHaveLength(2);
  });

  test("is given more time by a person once, and by nobody else", async () => {
    const platform = await started((n, { tools }) => (tools.length === 0 ? { text: "Pages." } : goesOn(n)));
    await approve(platform);
    slow(platform);
    let more: unknown;
    const step = platform.onModel;
    platform.onModel = async (...args) => {
      await step?.(...args);
      if (platform.requests.at(-1)?.step !== "r2s3") return;
      const wish = { wall: 5 * MINUTE };
      await platform.api.extend(ADA, { id: "x1", runId: "ses.r2", amounts: wish });
      more = await platform.api.extend(ADA, { id: "x2", runId: "ses.r2", amounts: wish });
    };
    await platform.settle();
    expect(more).toMatchObject({ ok: false, error: { code: "already_extended" } });
    const begun = of(platform, "r2").find((entry) => entry.kind === "run_started");
    const ended = of(platform, "r2").find((entry) => entry.kind === "run_ended");
    expect((ended?.at ?? 0) - (begun?.at ?? 0)).toBeGreaterThan(12 * MINUTE);
  });
});
