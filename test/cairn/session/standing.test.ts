import { describe, expect, test } from "vitest";
import type { Tools } from "../../../src/cairn/session/engine/ports.ts";
import { onTargets } from "../../../src/cairn/session/runs/target-standing.ts";
import { readTargets } from "../../../src/cairn/session/runs/targets.ts";
import type { Policy } from "../../../src/cairn/core/log/approval.ts";
import {
  createStanding,
  createVoterNow,
  policiesNow,
  roleNow,
} from "../../../src/cairn/session/runs/standing.ts";
import type { People } from "../../../src/cairn/config/rights.ts";
import type { Grant } from "../../../src/cairn/config/tokens.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";

/** Work that goes on without its person ends with their rights. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const grant = (subject: string, scopes: Grant["scopes"], expiresAt: number | null = null): Grant => ({
  name: `of-${subject}`,
  digest: "",
  subject,
  scopes,
  expiresAt,
});
const people = (...tokens: Grant[]): People => ({ tokens, anonymous: false });
const WHOLE = people(grant("ada", ["read", "send", "approve"]));

/** A run of ada that waits for a yes to publish. */
async function waiting() {
  const platform = new FakePlatform([{ calls: [["publish", { name: "Moon" }]] }, { text: "It is public." }]);
  platform.logins = WHOLE;
  platform.service.admitOrCreate(ADA);
  platform.say("Publish it");
  await platform.settle();
  const phase = platform.state.run?.phase;
  if (phase?.at !== "waiting_approval") throw new Error("nothing waits");
  const { approval, digest } = phase.approval;
  const approve = () =>
    platform.api.decide(
      { ...ADA, subject: "root", scopes: ["admin"] },
      { approval, decision: "approve", args: null, reason: null, digest },
    );
  const end = () => platform.log.find((entry) => entry.kind === "run_ended")?.body;
  return { platform, approve, end };
}

describe("a run whose person has lost access", () => {
  const CHANGES: readonly (readonly [string, (now: number) => People, boolean])[] = [
    ["nothing", () => WHOLE, true],
    ["removed", () => people(), false],
    ["expired", (now) => people(grant("ada", ["read", "send"], now)), false],
    ["given to somebody else", () => people(grant("bob", ["read", "send"])), false],
    ["narrowed to reading", () => people(grant("ada", ["read"])), false],
    ["another token of the same person", () => people({ ...grant("ada", ["send"]), name: "new" }), true],
  ];
  test.each(CHANGES)("does nothing more after its approval: %s", async (_, logins, goesOn) => {
    const { platform, approve, end } = await waiting();
    platform.logins = logins(platform.now);
    expect((await approve()).ok).toBe(true);
    await platform.settle();
    expect(platform.effects.once.length + platform.effects.keyed.size).toBe(goesOn ? 1 : 0);
    expect(end()).toMatchObject(goesOn ? { outcome: "completed" } : { outcome: "cancelled" });
    const saysWhy = /access of ada has ended|ada was member/.test(JSON.stringify(end()));
    expect(saysWhy).toBe(!goesOn);
  });

  test("is not begun from the queue", async () => {
    const { platform } = await waiting();
    platform.say("And then this");
    platform.logins = people();
    platform.cancel();
    await platform.settle();
    expect(platform.state.queue).toEqual([]);
    expect(platform.kinds.filter((kind) => kind === "run_started")).toHaveLength(1);
  });
});

test("a role is what is left of the one that was given, and a webhook has no person", () => {
  const standing = createStanding(people(grant("ada", ["admin"]), grant("bob", ["read"])), ["ada"]);
  expect([standing("ada", 0), standing("bob", 0), standing("carol", 0)]).toEqual(["admin", "guest", null]);
  expect([standing("hook:github", 0), standing("", 0)]).toEqual(["unknown", "unknown"]);
  expect(createStanding(people(grant("ada", ["admin"])), ["bob"])("ada", 0)).toBe("member");
  expect([roleNow("member", "admin"), roleNow("admin", "member"), roleNow("admin", "unknown")]).toEqual([
    "member",
    "member",
    "admin",
  ]);
  expect(roleNow("guest", null)).toBeNull();
});

describe("a vote that was given before", () => {
  const now = people(
    grant("ada", ["read", "approve"]),
    grant("bob", ["read"]),
    grant("root", ["admin"]),
    grant("eve", ["approve"], 5),
  );
  const voter = createVoterNow(now, null);

  test.each([
    ["by a grant that may approve", { subject: "ada", grant: "of-ada" }, { owner: true, admin: false }],
    ["by another grant of its person", { subject: "ada", grant: "of-old" }, null],
    ["before votes named grants", { subject: "ada" }, { owner: true, admin: false }],
    ["by a grant that may only read now", { subject: "bob", grant: "of-bob" }, null],
    ["by an admin", { subject: "root", grant: "of-root" }, { owner: false, admin: true }],
    ["by a grant that has ended", { subject: "eve", grant: "of-eve" }, null],
    ["over a link of an admin", { subject: "guest", maker: "of-root" }, { owner: false, admin: false }],
    ["over a link of one who is no admin", { subject: "guest", maker: "of-ada" }, null],
    ["over a link of nobody that is known", { subject: "guest", maker: "of-nobody" }, null],
  ])("%s is good as the rights of its person are now", (_, given, left) => {
    expect(voter(given, "ada", 5)).toEqual(left === null ? null : { ...given, ...left });
  });

  test("is remembered without rights that its person did not have then", () => {
    const policy = (by: object) => ({ id: "p", by: { owner: false, ...by } }) as unknown as Policy;
    const policies = [
      policy({ subject: "root", grant: "of-root", admin: false }),
      policy({ subject: "root", grant: "of-root", admin: true }),
      policy({ subject: "bob", grant: "of-bob", admin: false }),
    ];
    const left = policiesNow({ policies, owner: "ada" }, voter, 5);
    expect(left.map(({ by }) => [by.subject, by.admin])).toEqual([
      ["root", false],
      ["root", true],
    ]);
    expect(policiesNow({ policies, owner: "ada" }, undefined, 5)).toEqual(policies);
    expect(policiesNow(null, voter, 5)).toEqual([]);
  });
});

describe("the tools of a run on a site that its person was removed from", () => {
  const SITE = { siteId: "site_main", environmentId: "env_staging" };
  function open(members: { list: readonly string[] | null }) {
    const ran: string[] = [];
    const card = (name: string, pack: string) => ({ name, pack });
    const tools = {
      cards: () => [card("page_update", "cms"), card("store_memory", "builtin")],
      run: async ({ tool }: { tool: string }) => {
        ran.push(tool);
        return { kind: "ok", text: "", showMax: 1, entities: [], ms: 0 };
      },
      preview: async ({ tool }: { tool: string }) => {
        ran.push(`preview ${tool}`);
        return { kind: "ok", preview: {} };
      },
    } as unknown as Tools;
    const sites = readTargets({
      kinds: new Map([
        [
          "site",
          {
            find: async () => {
              if (members.list === null) throw new Error("D1 is down");
              return { isOwn: false, members: members.list };
            },
          },
        ],
      ]),
      clock: () => 0,
      report: () => {},
    });
    const asking = () => ({ actor: "ada", role: "member" }) as const;
    const onIt = onTargets(tools, { site: SITE }, { known: sites, asking });
    const call = (tool: string) => ({ tool }) as Parameters<Tools["run"]>[0];
    const { signal } = new AbortController();
    return {
      ran,
      run: (tool: string) => onIt.run(call(tool), signal),
      preview: (tool: string) => onIt.preview(call(tool), signal),
    };
  }

  test("do nothing there from the next call on, and say why", async () => {
    const members: { list: readonly string[] | null } = { list: ["ada"] };
    const { ran, run, preview } = open(members);
    expect(await run("page_update")).toMatchObject({ kind: "ok" });
    members.list = ["bob"];
    const ended = { kind: "failed", failure: { code: "target_access_ended", retryable: false } };
    expect(await run("page_update")).toMatchObject(ended);
    expect(await preview("page_update")).toMatchObject(ended);
    // The session's own tools touch no site.
    expect(await run("store_memory")).toMatchObject({ kind: "ok" });
    members.list = null;
    expect(await run("page_update")).toMatchObject({
      kind: "failed",
      failure: { code: "target_unavailable", retryable: true },
    });
    expect(ran).toEqual(["page_update", "store_memory"]);
  });
});
