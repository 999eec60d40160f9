import { describe, expect, expectTypeOf, test } from "vitest";
import { COMMANDS, type CommandName, type SessionApi } from "../../../src/cairn/session/commands/commands.ts";
import type { Actor, Scope } from "../../../src/cairn/session/api/session-api.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";

/** The table of a session's commands: whoever may not is refused by its line, before the method is reached. */

const ADA: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };
const SCOPES: readonly Scope[] = ["read", "send", "approve", "admin"];
const lines = Object.entries(COMMANDS) as [CommandName, { readonly admits: Scope | "itself" }][];
const admitted = lines.flatMap(([name, { admits }]) => (admits === "itself" ? [] : [{ name, admits }]));
const itself = lines.flatMap(([name, { admits }]) => (admits === "itself" ? [name] : []));

/** Lines whose part has no method of their name. */
type Missing = { [Name in CommandName]: [SessionApi[Name]] extends [never] ? Name : never }[CommandName];

function open(): FakePlatform {
  const platform = new FakePlatform([{ text: "Hello." }]);
  platform.service.admitOrCreate(ADA);
  return platform;
}
/** The code of the refusal; "reached" where the method was. */
async function codeOf(
  platform: FakePlatform,
  name: CommandName,
  actor: Actor,
  args: readonly unknown[] = [],
): Promise<string> {
  const ask = platform.api[name] as (actor: Actor, ...args: unknown[]) => Promise<unknown>;
  try {
    const answer = (await ask(actor, ...args)) as { ok: boolean; error?: { code: string } };
    return answer.ok ? "reached" : (answer.error?.code ?? "");
  } catch (error) {
    // The command ran without its other arguments, so it got past the check of the actor.
    if (!(error instanceof TypeError)) throw error;
    return "reached";
  }
}

/** Arguments of the commands that validate them before they answer. */
const LOOKED_AT: Readonly<Record<string, readonly unknown[]>> = {
  deliveries: [10, null],
  unschedule: ["s1"],
  setHeartbeat: [{ enabled: false }],
  sourcePage: [{ page: "p1", evidence: null, offset: null, limit: 1 }],
};

describe.each(admitted)("$name, for who may $admits", ({ name, admits }) => {
  test("is of a foreign session as of one that is not there", async () => {
    expect(await codeOf(open(), name, { ...ADA, subject: "bob" })).toBe("not_found");
    expect(await codeOf(new FakePlatform([]), name, ADA)).toBe("not_found");
  });

  test("needs its scope, and no other will do", async () => {
    for (const scope of SCOPES) {
      const args = LOOKED_AT[name] ?? [];
      const code = await codeOf(open(), name, { ...ADA, scopes: [scope] }, args);
      const may = scope === admits || scope === "admin";
      expect([scope, code === "missing_scope"]).toEqual([scope, !may]);
    }
  });
});

/** Arguments, after the actor, of the commands that check permissions by themselves. */
const TAKES: Readonly<Record<string, readonly unknown[]>> = {
  send: [{ id: "m1", parts: [], mode: null, source: "api", request: null, ask: {} }],
  decide: [{ approval: "r1s1c0a1", decision: "approve", args: null, reason: null, digest: null }],
  enter: [],
  submit: [
    {
      decisions: [{ approval: "r1s1c0a1", approved: false, reason: null, digest: null }],
      answers: [],
      message: null,
    },
  ],
  explain: [{ id: "m1", approval: "r1s1c0a1", reason: "Not now." }],
  preview: [{ approval: "r1s1c0a1", args: {} }],
  approval: ["r1s1c0a1"],
  revoke: ["r1s1c0a1p"],
  schedule: [{ id: "s1", digest: "", text: "Look.", timing: { everyMs: 60_000 }, catchUp: "once" }],
  create: [{ title: null, model: null, metadata: {}, idempotency: null }],
  copyPoint: ["read", null],
  copyEntries: ["read", 0, 10],
  copyNames: ["read"],
  copyText: ["read", "text"],
  adopt: [[], []],
  settle: [{ title: "", titleSource: "auto", model: null, metadata: {}, forkedFrom: null, stateHash: "" }],
};

describe.each(Object.entries(TAKES))("%s, which admits by a rule of its own", (name, args) => {
  const command = name as CommandName;

  test("does nothing for an owner whose token has no scope for it", async () => {
    const needs = ["read", "send", "approve"].includes(String(args[0])) ? String(args[0]) : "send or approve";
    const scopes = SCOPES.filter((scope) => scope !== "admin" && !needs.includes(scope));
    const may = command === "approval" ? [] : scopes;
    // Adopting creates a session, so its name must be free.
    const platform = ["adopt", "settle"].includes(name) ? new FakePlatform([]) : open();
    expect(await codeOf(platform, command, { ...ADA, scopes: may }, args)).toBe("missing_scope");
    expect(platform.log).toEqual([]);
  });

  test("shows and gives nothing of a session to a stranger", async () => {
    const code = await codeOf(open(), command, { ...ADA, subject: "bob" }, args);
    expect(["not_found", "id_taken"]).toContain(code);
  });
});

test("every line names a part that has its method, which the types hold", () => {
  expectTypeOf<Missing>().toBeNever();
  expect(lines.length).toBe(Object.keys(open().api).length);
});

/** Commands between sessions of one tree: each checks the caller's names. */
const OF_A_TREE: Readonly<Record<string, readonly unknown[]>> = {
  startChild: [{ parent: { session: "other", call: "r1s1c0" } }, "ada"],
  askChild: [{ session: "other", call: "r1s1c0", createdAt: null }],
  stopChild: [{ session: "other", call: "r1s1c0", createdAt: null }],
  removeChild: [{ session: "other", call: "r1s1c0", createdAt: null }],
  takeReport: [{ to: { run: "r1", call: "r1s1c0", createdAt: -1 }, report: {}, pages: [] }],
};

test.each(Object.entries(OF_A_TREE))(
  "%s is for a relative alone, whatever its caller may",
  async (name, args) => {
    const scopes = ["read", "send", "approve", "admin"] as const;
    expect(await codeOf(open(), name as CommandName, { ...ADA, scopes: [...scopes] }, args)).toBe(
      "not_found",
    );
  },
);

test("beside them, a link's holder is known by the link, and a repeated request by its key and its subject", async () => {
  const others = itself.filter((name) => TAKES[name] === undefined && OF_A_TREE[name] === undefined);
  expect(others).toEqual(["linked", "notice", "shared", "recall"]);
  const bob = { ...ADA, subject: "bob" };
  expect(await codeOf(open(), "recall", bob, [{ key: "k", digest: "d" }])).toBe("id_taken");
  expect(await codeOf(open(), "linked", bob, ["r1s1c0a1"])).toBe("not_found");
  expect(await codeOf(open(), "shared", bob, ["shr_1"])).toBe("not_found");
});
