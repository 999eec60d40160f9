import { afterEach, describe, expect, test } from "vitest";
import { APPROVAL_MS } from "../../../src/cairn/core/limits.ts";
import type { ApprovalRules } from "../../../src/cairn/core/log/approval.ts";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import type { Actor, DecideCommand } from "../../../src/cairn/session/api/session-api.ts";
import type { ApprovalView } from "../../../src/cairn/protocol/approval.ts";
import { checkPlatform } from "../invariants/invariants.ts";
import type { Line } from "../platform/fake-model.ts";
import type { FakePlatform } from "../platform/platform.ts";
import { FakeD1 } from "./d1.ts";
import { siteSession } from "./session.ts";
import { makeSmallSite } from "./small-site.ts";

/** A change set is decided as any other call is: by votes, with other arguments, or by nobody until its time is over. */

const person = (subject: string, scopes: Actor["scopes"] = ["approve"]): Actor => ({
  subject,
  scopes,
  via: "http",
});
const ada = person("ada", ["read", "send", "approve"]);
const [bob, carol, dan] = [person("bob"), person("carol"), person("dan")];
const root = person("root", ["admin"]);
const TWO: ApprovalRules = { approvers: ["bob", "carol", "dan"], needed: 2, requesterMayApprove: false };
/** the call of the third step */
const APPROVAL = "r1s3c0a1";
const DAY_MS = 86_400_000;

const say = (tool: string, input: JsonObject): Line => ({ calls: [[tool, input]] });
const LINES: readonly Line[] = [
  say("changes_begin", { name: "Spring" }),
  {
    calls: [
      ["page_create", { name: "Flowers", sections: [{ template: "hero", content: { title: "Flowers" } }] }],
      ["page_create", { name: "Birds", sections: [{ template: "hero", content: { title: "Birds" } }] }],
    ],
  },
  say("changes_publish", {}),
  { text: "Done." },
];

let db = new FakeD1();
afterEach(() => db.close());

/** A session of ada's that has collected two pages and asks to publish them. */
async function asked(rules: ApprovalRules | null): Promise<FakePlatform> {
  db = new FakeD1();
  makeSmallSite(db);
  const platform = siteSession(db, LINES);
  if (rules !== null) platform.approvals = { changes_publish: rules };
  platform.restart();
  const parts = [{ type: "text", text: "Publish the spring pages." }] as const;
  const said = { id: "m1", parts, mode: null, source: "api", request: null, ask: {} } as const;
  expect((await platform.api.send(ada, said)).ok).toBe(true);
  await platform.settle();
  expect(await seen(platform)).toMatchObject({ state: "pending", batch: { name: "Spring" } });
  return platform;
}

async function seen(platform: FakePlatform): Promise<ApprovalView> {
  const answer = await platform.api.approval(root, APPROVAL);
  if (!answer.ok) throw new Error(answer.error.code);
  return answer.value;
}

/** View of the approval after the decision, or the reason for a refusal. */
async function decide(
  platform: FakePlatform,
  who: Actor,
  decision: DecideCommand["decision"],
  more: Partial<DecideCommand> = {},
): Promise<ApprovalView | string> {
  const { digest } = await seen(platform);
  const command = { approval: APPROVAL, decision, reason: null, digest, args: null, ...more };
  const answer = await platform.api.decide(who, command);
  return answer.ok ? answer.value.approval : answer.error.code;
}

const publicPages = (): unknown[] =>
  db.rows("SELECT doc->>'$.name' AS name FROM published_docs ORDER BY name").map((row) => row["name"]);
const setRow = (): unknown => db.rows("SELECT state, publish_at FROM change_sets")[0];
const publications = (): number =>
  db.rows("SELECT 1 AS one FROM operations WHERE tool='changes_publish'").length;

describe("a change set", () => {
  test("with two of three votes is published once, whole, and with one vote not at all", async () => {
    const platform = await asked(TWO);
    expect(await decide(platform, ada, "approve")).toBe("not_an_approver");
    expect(await decide(platform, bob, "approve")).toMatchObject({
      state: "pending",
      needed: 2,
      votes: [{ subject: "bob" }],
    });
    await platform.settle();
    expect([publicPages(), publications()]).toEqual([[], 0]);
    expect(await decide(platform, carol, "approve")).toMatchObject({ state: "approved" });
    expect(await decide(platform, dan, "deny")).toBe("already_decided");
    await platform.settle();
    expect([publicPages(), publications()]).toEqual([["Birds", "Flowers"], 1]);
    expect(setRow()).toMatchObject({ state: "published" });
    expect(checkPlatform(platform)).toEqual([]);
  });

  test("that a person gives a time waits for it: the edit is what runs, and the votes before it are void", async () => {
    const platform = await asked(TWO);
    await decide(platform, bob, "approve");
    const at = new Date(platform.now + DAY_MS).toISOString();
    expect(await decide(platform, carol, "edit", { args: { at } })).toMatchObject({
      state: "pending",
      args: { at },
      askedArgs: {},
      votes: [{ subject: "carol", decision: "edit" }],
      title: expect.stringContaining("at ") as string,
    });
    expect(await decide(platform, bob, "approve")).toMatchObject({
      state: "approved",
      result: { args: { at } },
    });
    await platform.settle();
    expect([publicPages(), publications()]).toEqual([[], 1]);
    expect(setRow()).toEqual({ state: "open", publish_at: Date.parse(at) });
    expect(checkPlatform(platform)).toEqual([]);
  });

  test("that nobody decides in time is not published, and is still there to be asked about", async () => {
    const platform = await asked(null);
    const before = db.rows("SELECT * FROM change_set_rows");
    platform.now += APPROVAL_MS;
    await platform.settle(0);
    expect(await seen(platform)).toMatchObject({ state: "expired" });
    expect(await decide(platform, ada, "approve")).toBe("approval_expired");
    expect([publicPages(), publications()]).toEqual([[], 0]);
    expect(setRow()).toEqual({ state: "open", publish_at: null });
    expect(before.length).toBeGreaterThan(3);
    expect(db.rows("SELECT * FROM change_set_rows")).toEqual(before);
    expect(checkPlatform(platform)).toEqual([]);
  });
});
