import { describe, expect, test } from "vitest";
import type { BodyOf } from "../../../src/cairn/core/log/entry.ts";
import { CLIENT_ANSWER_MS } from "../../../src/cairn/core/limits.ts";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import type { ModelErrorClass } from "../../../src/cairn/core/log/model.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { whyNotDone, whyOf, type Why } from "../../../src/page/log-text/why.ts";
import { GUARD_WORDS } from "../../../src/page/log-text/codes.ts";
import { entriesOfRun } from "../../../src/page/trace/timeline.ts";
import { eventOf } from "../../../src/cairn/protocol/views.ts";
import { REPORT } from "../../sim/platform/fake-model.ts";
import { WHERE } from "../../sim/platform/client-tool.ts";
import { FakePlatform, type Line } from "../../sim/platform/platform.ts";
import { codesOf } from "../../sim/verdicts/codes.ts";

const why = (platform: FakePlatform, run = "r1"): Why =>
  whyOf(entriesOfRun(platform.log.map(eventOf), run), platform.now);
const fail = (kind: ModelErrorClass, retryAfterMs: number | null = null): Line => ({
  fail: { class: kind, message: "It said so.", retryAfterMs, usage: null },
});

/** Lets time run to the next alarm, and no further. */
async function wake(platform: FakePlatform): Promise<void> {
  platform.now = Math.max(platform.now, platform.disk.alarm ?? 0);
  await platform.fire();
}

describe("why a run waits", () => {
  test("for its turn", () => {
    const platform = new FakePlatform([]);
    platform.say("go");
    expect(why(platform)).toEqual({
      tone: "waits",
      sentence: "Queued: another run is in progress.",
      until: null,
    });
  });

  test("for a person's yes, until when", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }]);
    platform.say("go");
    await platform.settle();
    expect(why(platform)).toEqual({
      tone: "waits",
      sentence: "Needs approval: Publish a.",
      until: new Date(platform.now + 86_400_000).toISOString(),
    });
  });

  test("for the page that brought the tool, until when", async () => {
    const platform = new FakePlatform([{ calls: [["where", {}]] }]);
    platform.say("go", { spec: { ...PLAIN_SPEC, clientTools: [WHERE] } });
    await platform.settle();
    expect(why(platform)).toEqual({
      tone: "waits",
      sentence: "Waits for the page that brought where: it runs there.",
      until: new Date(platform.now + CLIENT_ANSWER_MS).toISOString(),
    });
  });

  test("for several people's yes, and for those who have not said it yet", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }]);
    platform.approvals = { publish: { approvers: ["ada", "bob"], needed: 2 } };
    platform.restart();
    platform.say("go");
    await platform.settle();
    expect(why(platform).sentence).toBe("Needs 2 approvals: Publish a.");
    const { phase } = platform.state.run ?? {};
    platform.decide("approve", null, phase?.at === "waiting_approval" ? phase.approval.digest : null);
    expect(why(platform).sentence).toBe("1 of 2 people have approved Publish a, waiting for the others.");
  });

  test("for more people, once nobody has decided in time", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }]);
    platform.approvals = { publish: { expiresMs: 60_000, onExpiry: "escalate", escalateTo: ["bob"] } };
    platform.restart();
    platform.say("go");
    await platform.settle(30_000);
    await wake(platform);
    expect(why(platform).sentence).toBe(
      "Needs approval: Publish a; nobody decided in time, so it is asked of bob too.",
    );
  });

  test("for an answer", async () => {
    const platform = new FakePlatform([{ calls: [["ask_human", { question: "Which page?" }]] }]);
    platform.say("go");
    await platform.settle();
    expect(why(platform)).toMatchObject({ tone: "waits", sentence: "Needs an answer: “Which page?”" });
  });

  test("for what to do, when it repeats itself and its agent asks then", async () => {
    const platform = new FakePlatform(() => ({ calls: [["look", { name: "same" }]] }));
    platform.policy = { onStuck: { action: "escalate" } };
    platform.restart();
    platform.say("go");
    await platform.settle();
    expect(why(platform).sentence).toMatch(
      /^It keeps repeating itself, so it asks what to do: “I keep trying the same/,
    );
  });

  test("before the model is asked again, and no longer than that", async () => {
    const platform = new FakePlatform([fail("rate_limit", 50_000), { text: REPORT }]);
    platform.say("go");
    await platform.settle(1_000);
    expect(why(platform)).toEqual({
      tone: "waits",
      sentence: "Waiting before the model is asked again: too many requests at the moment (It said so).",
      until: new Date(platform.now + 50_000).toISOString(),
    });
    platform.now += 50_000;
    expect(why(platform)).toEqual({
      tone: "plain",
      sentence: "Working: the model is asked (step 1).",
      until: null,
    });
  });

  test("before the model is asked again, until a person has it asked at once", async () => {
    const platform = new FakePlatform([fail("rate_limit", 50_000), { text: REPORT }]);
    platform.sayOnce("m1", {});
    await platform.settle(1_000);
    const ada = { subject: "ada", scopes: ["send"], via: "http" } as const;
    platform.now += 1_000;
    expect((await platform.api.retryNow(ada, { id: "x1", runId: "ses.r1" })).ok).toBe(true);
    expect(why(platform)).toMatchObject({ tone: "plain", until: null });
  });

  test("before a tool is tried again", async () => {
    const platform = new FakePlatform([{ calls: [["look", { name: "a" }]] }, { text: REPORT }]);
    platform.effects.failures.set("look", [new ToolError("server", "down", "It is down.")]);
    platform.say("go");
    await platform.settle(100);
    expect(why(platform).sentence).toBe("Waiting before “Look” is tried again: it is down.");
  });

  test("for a model that fails for everybody", async () => {
    const platform = new FakePlatform(() => fail("overloaded"));
    for (let run = 1; run <= 3; run += 1) {
      platform.say("go");
      await platform.settle(3_600_000);
    }
    const down = platform.log.find((entry) => entry.kind === "verdict" && entry.body.code === "MODEL_DOWN");
    const entries = entriesOfRun(platform.log.map(eventOf), down?.run ?? "").filter(
      ({ seq }) => seq <= (down?.seq ?? 0),
    );
    expect(whyOf(entries, down?.at ?? 0).sentence).toBe(
      "Waiting: the model fails for everybody at the moment, so it is not called for a while.",
    );
  });

  test("for its own end, once a person has stopped it", async () => {
    const platform = new FakePlatform([{ calls: [["ask_human", { question: "Which?" }]] }]);
    platform.say("go");
    await platform.settle();
    platform.cancel();
    expect(why(platform).sentence).toBe("ada stopped it: it ends after the current action.");
  });
});

describe("what a run works at", () => {
  test("a tool that runs, by its title", async () => {
    const platform = new FakePlatform([{ calls: [["look", { name: "a" }]] }, { text: REPORT }]);
    let seen: Why | null = null;
    platform.effects.onTool = () => {
      seen = why(platform);
    };
    platform.say("go");
    await platform.settle();
    expect(seen).toEqual({ tone: "plain", sentence: "Working: “Look” runs.", until: null });
  });
});

describe("why a call was not run", () => {
  const settled = (more: Partial<BodyOf<"call_settled">>): BodyOf<"call_settled"> => ({
    call: "r1s1c0",
    tool: "look",
    status: "refused",
    observation: "",
    chars: 0,
    failure: null,
    attempt: 0,
    ms: 0,
    reusedFrom: null,
    ...more,
  });

  test("every verdict of the guards has words, and they are told where it kept a call from running", () => {
    const codes = new Set(codesOf("src/cairn/core"));
    expect([...codes].filter((code) => GUARD_WORDS[code] === undefined)).toEqual([]);
    // Said by older versions: their logs are read too.
    const written = new Set([...codes, ...codesOf("src/cairn/session"), "NO_SUBSTANTIVE"]);
    expect(Object.keys(GUARD_WORDS).filter((code) => !written.has(code))).toEqual([]);
    for (const skip of ["LOOP_BLOCK", "TOOL_CAP", "POLICY_DENY", "BUDGET_CALLS"])
      expect(whyNotDone(settled({ skip }))).toMatch(/^Not run: [a-z].*\.$/);
  });

  test("a person's no, a decision that nobody made, a stop, and what nobody knows", async () => {
    const platform = new FakePlatform(() => ({ calls: [["publish", { name: "a" }]] }));
    platform.say("go");
    await platform.settle();
    platform.decide("deny", "not today");
    await wake(platform);
    const entries = platform.log.flatMap((entry) =>
      entry.kind === "call_settled" ? [whyNotDone(entry.body)] : [],
    );
    expect(entries[0]).toBe("Not run: ada declined: not today.");
    const failure = { class: "policy", code: "approval_expired", message: "", retryable: false } as const;
    expect(whyNotDone(settled({ status: "denied", failure }))).toBe("Not run: nobody decided in time.");
    expect(whyNotDone(settled({ status: "cancelled" }))).toBe("Not run to its end: the run was stopped.");
    expect(whyNotDone(settled({ status: "unknown" }))).toBe("Unknown whether it took effect.");
    expect(whyNotDone(settled({ status: "error" }))).toBe("It failed.");
    expect(whyNotDone(settled({ status: "ok" }))).toBeNull();
  });
});
