import { describe, expect, test } from "vitest";
import { answers } from "../../../src/cairn/protocol/api.ts";
import type { RunView } from "../../../src/cairn/protocol/views.ts";
import { FakePlatform, type Line } from "../../sim/platform/platform.ts";

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;

/** The run of this script as its session shows it, once it ends or waits for longer than a second. */
async function shown(...script: Line[]): Promise<RunView> {
  const platform = new FakePlatform(script);
  platform.sayOnce("m1", {});
  await platform.settle(1_000);
  const read = await platform.api.readRun(ADA, "ses.r1");
  if (!read.ok) throw new Error(read.error.message);
  expect(answers().Run.safeParse(read.value).error ?? null).toBeNull();
  return read.value;
}
const failing = (kind: "auth" | "rate_limit"): Line => ({
  fail: { class: kind, message: "no", retryAfterMs: 60_000, usage: null },
});

describe("a run", () => {
  test("that waits for a provider goes on by itself, so it is running", async () => {
    expect(await shown(failing("rate_limit"))).toMatchObject({
      status: "running",
      waitingFor: { kind: "provider", id: null, until: expect.any(String) },
      result: null,
      receipt: null,
      error: null,
    });
  });

  test("that waits for a person is paused", async () => {
    const run = await shown({ calls: [["publish", { name: "a" }]] });
    expect(run).toMatchObject({ status: "paused", waitingFor: { kind: "approval", id: "r1s1c0a1" } });
  });

  test("that failed says why in words, and what it came to all the same", async () => {
    const run = await shown(failing("auth"));
    expect(run).toMatchObject({
      status: "failed",
      outcome: "failed",
      answer: run.result?.["result"]?.answer,
      error: {
        code: run.reason,
        message: expect.stringMatching(/^The run could not be finished, because .+\.$/),
      },
    });
  });

  test("that has ended has its answer under one name, with what the model says of it", async () => {
    const said = { answer: "It is public now.", confidence: 0.9, summary: "Published." };
    expect(await shown({ calls: [["complete", said]] })).toMatchObject({
      status: "completed",
      answer: said.answer,
      result: { result: said },
    });
  });
});
