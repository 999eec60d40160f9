import { describe, expect, test } from "vitest";
import { FakePlatform, type Line } from "../platform/platform.ts";

const settled = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [[entry.body.call, entry.body.tool, entry.body.status]] : [],
  );
const byStep = (lines: Readonly<Record<string, Line>>) =>
  new FakePlatform((request) => lines[request.step] ?? { text: "The end." });

describe("equal calls of one reply", () => {
  test("with a change between them are two calls", async () => {
    const platform = byStep({
      r1s1: {
        calls: [
          ["put", { name: "on" }],
          ["put", { name: "off" }],
          ["put", { name: "on" }],
        ],
      },
    });
    platform.say("go");
    await platform.settle();
    expect([...platform.effects.keyed.keys()]).toEqual(["ses/r1s1c0", "ses/r1s1c1", "ses/r1s1c2"]);
  });

  test("that read before and after a change run twice", async () => {
    const platform = byStep({
      r1s1: {
        calls: [
          ["look", { name: "a" }],
          ["put", { name: "a" }],
          ["look", { name: "a" }],
        ],
      },
    });
    platform.say("go");
    await platform.settle();
    expect(platform.effects.reads).toBe(2);
  });
});

test("a denial settles a call and its duplicate", async () => {
  const platform = byStep({
    r1s1: {
      calls: [
        ["publish", { name: "about" }],
        ["publish", { name: "about" }],
      ],
    },
  });
  platform.say("go");
  await platform.settle();
  platform.engine.record((tx) => {
    const phase = tx.state.run?.phase;
    if (phase?.at !== "waiting_approval") throw new Error("nobody is asked");
    tx.append([
      {
        kind: "approval_decided",
        run: "r1",
        step: "r1s1",
        body: {
          approval: phase.approval.approval,
          call: phase.approval.call,
          decision: "deny",
          actor: "ada",
          via: "http",
          reason: null,
          digest: phase.approval.digest,
          args: null,
          shown: null,
        },
      },
    ]);
  });
  await platform.settle();
  // A plain no settles both; only an edit makes two of them.
  expect(settled(platform).map((entry) => (entry as string[])[2])).toEqual(["denied", "denied"]);
});
