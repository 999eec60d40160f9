import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { ApprovalRules } from "../../../src/cairn/core/log/approval.ts";
import { APPROVAL_MS } from "../../../src/cairn/core/limits.ts";
import { findApproval } from "../../../src/cairn/protocol/approval.ts";
import { linkedApproval } from "../../../src/cairn/session/commands/approval-link.ts";
import { definePack, defineTool, ToolError } from "../../../src/cairn/tools/define.ts";
import type { Line } from "../platform/fake-model.ts";
import { FORBIDDEN } from "../platform/tools.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Result of a preview, and the view of it through a shared link. */

const publish = (name: string): Line => ({ calls: [["publish", { name }]] });
const asked = (platform: FakePlatform): object[] =>
  platform.log.flatMap((entry) => (entry.kind === "approval_requested" ? [entry.body] : []));
const settled = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [[entry.body.status, entry.body.failure?.code ?? null]] : [],
  );

async function platformOf(
  lines: readonly Line[],
  rules: ApprovalRules = {},
  more: object = {},
): Promise<FakePlatform> {
  const platform = new FakePlatform(lines);
  platform.approvals = { publish: rules };
  platform.restart();
  platform.say("Publish it.", more);
  await platform.settle();
  return platform;
}

describe("a preview", () => {
  test("that asks is a question with all that a person decides by, with the signs that nobody sees written out", async () => {
    const platform = await platformOf([publish("our\u200bstory\u202e")]);
    const at = platform.log.find((entry) => entry.kind === "approval_requested")?.at ?? 0;
    expect(asked(platform)).toEqual([
      {
        approval: "r1s1c0a1",
        call: "r1s1c0",
        tool: "publish",
        title: "Publish our\\u200bstory\\u202e",
        summary: "our\\u200bstory\\u202e becomes public.",
        impact: ["/our\\u200bstory\\u202e answers 200"],
        reason: "It becomes public.",
        args: { name: "our\u200bstory\u202e" },
        effect: "keyed",
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
        basis: "basis:our\u200bstory\u202e",
        requester: "ada",
        approvers: ["owner"],
        needed: 1,
        expiresAt: at + APPROVAL_MS,
        onExpiry: "deny",
        remember: ["args", "tool"],
      },
    ]);
  });

  test("that forbids is asked of nobody, and the model is told why", async () => {
    const platform = await platformOf([publish(FORBIDDEN), { text: "It may never become public." }]);
    expect([asked(platform), settled(platform)]).toEqual([[], [["refused", "not_permitted"]]]);
    expect(JSON.stringify(platform.requests.at(-1)?.messages)).toContain("It may never become public.");
  });

  test("that fails in passing is made again, and one that fails for good is told", async () => {
    const platform = new FakePlatform([publish("a"), publish("b"), { text: "Neither was published." }]);
    const busy = new ToolError("server", "busy", "It is busy.");
    platform.effects.failures.set("publish: preview", [
      busy,
      new ToolError("not_found", "no_page", "There is none."),
    ]);
    platform.say("Publish it.");
    await platform.settle(3_600_000);
    expect(settled(platform)[0]).toEqual(["error", "no_page"]);
    expect(
      platform.begun.filter(({ what, effect }) => what === "preview" && effect === "r1s1c0"),
    ).toHaveLength(2);
    expect(asked(platform)).toMatchObject([{ approval: "r1s2c0a1" }]);
  });

  test("that fails in passing is made again before a call that runs only once, too: it has done nothing", async () => {
    let previews = 0;
    const pay = defineTool<null, z.ZodType, null>({
      name: "pay",
      description: "Pays.",
      input: z.strictObject({}),
      effect: "once",
      tier: "write",
      approval: "ask",
      preview: () => {
        previews += 1;
        if (previews === 1) return Promise.reject(new ToolError("server", "busy", "It is busy."));
        const need = { kind: "ask", reason: "It pays." } as const;
        return Promise.resolve({ need, title: "Pay", summary: "Pays.", impact: [], basis: null });
      },
      run: () => Promise.resolve(null),
    });
    const platform = new FakePlatform([{ calls: [["pay", {}]] }]);
    const pack = definePack({ name: "own", tools: [pay], prompts: [], services: () => null });
    platform.own = (tools) => void tools.add(pack, null);
    platform.restart();
    platform.say("Pay it.");
    await platform.settle();
    expect([previews, settled(platform)]).toEqual([2, []]);
    expect(asked(platform)).toMatchObject([{ tool: "pay", effect: "once" }]);
  });

  test("that comes back when the run is being stopped asks nobody", async () => {
    const platform = new FakePlatform([publish("a")]);
    platform.cross = (where) => {
      if (where === "publish: preview") platform.cancel();
    };
    platform.say("Publish it.");
    await platform.settle();
    expect([asked(platform), platform.state.run]).toEqual([[], null]);
    expect(platform.state.ended.at(-1)?.outcome).toBe("cancelled");
  });

  test("of what several must decide, or of what a guard wants looked at, has no answer for later calls", async () => {
    const danger = await platformOf([{ calls: [["drop", { name: "a" }]] }], {}, { role: "admin" });
    expect(asked(danger)).toMatchObject([{ tool: "drop", reason: "Do danger asks every time." }]);
    expect(asked(danger)[0]).not.toHaveProperty("remember");
    const send: Line = { calls: [["send", { name: "a" }]] };
    const platform = new FakePlatform([send, send]);
    platform.effects.failures.set("send", [new ToolError("network", "reset", "The line broke.")]);
    platform.say("Send it.");
    await platform.settle();
    expect(settled(platform)).toEqual([["unknown", "unknown_outcome"]]);
    expect(asked(platform)).toMatchObject([{ tool: "send", call: "r1s2c0", effect: "once" }]);
    expect(asked(platform)[0]).not.toHaveProperty("remember");
  });
});

describe("a link", () => {
  const linked = (platform: FakePlatform, subject = "ada", at = platform.now, id = "r1s2c0a1") => {
    const voter = { subject, owner: subject === "ada", admin: false };
    const approval = findApproval("ses", platform.log, id);
    if (approval === null) return "not_found";
    return linkedApproval(approval, voter, platform.state, platform.store, at);
  };
  const lines: readonly Line[] = [
    { text: "I look first.", calls: [["look", { name: "a" }]] },
    { text: "Now I would publish.", ...publish("a") },
    { text: "Then I was asked to wait." },
  ];

  test("shows the question, what was asked for, and the words beside it", async () => {
    const platform = await platformOf(lines);
    expect(linked(platform)).toMatchObject({
      approval: { id: "r1s2c0a1", state: "pending", title: "Publish a" },
      objective: "Publish it.",
      words: "Now I would publish.",
      objection: null,
    });
    expect(linked(platform, "bob")).toMatchObject({
      objection: { message: "This decision is other people's." },
    });
    expect(linked(platform, "ada", platform.now, "r1s9c0a1")).toBe("not_found");
    platform.decide("approve");
    await platform.settle(3_600_000);
    expect(linked(platform)).toMatchObject({
      approval: { state: "approved" },
      objective: "Publish it.",
      words: "Now I would publish.",
    });
  });

  test("without words beside the call shows none", async () => {
    const platform = await platformOf([publish("a")]);
    expect(linked(platform, "ada", platform.now, "r1s1c0a1")).toMatchObject({ words: null });
  });

  test("says that its time is over, or that it was stopped, before anyone has written so", async () => {
    const stateOf = (platform: FakePlatform, at: number): unknown => {
      const shown = linked(platform, "ada", at);
      return typeof shown === "string" ? shown : shown.approval.state;
    };
    const plain = await platformOf(lines);
    const asking = plain.log.find((entry) => entry.kind === "approval_requested");
    const ends = (asking?.kind === "approval_requested" ? asking.body.expiresAt : 0) ?? 0;
    expect([ends - 1, ends].map((at) => stateOf(plain, at))).toEqual(["pending", "expired"]);
    plain.cancel();
    expect(stateOf(plain, ends - 1)).toBe("cancelled");
    await plain.settle();
    // Another run that is being stopped is not this one.
    const rules = { onExpiry: "escalate", escalateTo: ["eve"], expiresMs: 600_000 } as const;
    const later = await platformOf(lines, rules);
    expect(stateOf(later, later.now + 600_000)).toBe("pending");
    later.now += 600_000;
    await later.settle(0);
    expect([stateOf(later, later.now + 599_000), stateOf(later, later.now + 600_000)]).toEqual([
      "pending",
      "expired",
    ]);
  });
});
