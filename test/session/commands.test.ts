import { describe, expect, test } from "vitest";
import { COMMANDS, type CommandName } from "../../src/session/api/commands.ts";
import type { Actor, Scope } from "../../src/session/api/session-api.ts";
import { FakePlatform } from "../sim/platform/platform.ts";

/** The table of a session's commands: whoever may not is refused by its line, before the method is reached. */

const ADA: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };
const SCOPES: readonly Scope[] = ["read", "send", "approve", "admin"];
const lines = Object.entries(COMMANDS) as [CommandName, { readonly admits: Scope | "itself" }][];
const admitted = lines.flatMap(([name, { admits }]) => (admits === "itself" ? [] : [{ name, admits }]));
const itself = lines.flatMap(([name, { admits }]) => (admits === "itself" ? [name] : []));

function open(): FakePlatform {
  const platform = new FakePlatform([{ text: "Hello." }]);
  platform.service.admitOrCreate(ADA);
  return platform;
}
/** The code of the refusal; "reached" where the method was. */
async function codeOf(platform: FakePlatform, name: CommandName, actor: Actor): Promise<string> {
  const ask = platform.api[name] as (actor: Actor, ...args: unknown[]) => Promise<unknown>;
  try {
    const answer = (await ask(actor)) as { ok: boolean; error?: { code: string } };
    return answer.ok ? "reached" : (answer.error?.code ?? "");
  } catch {
    // It was asked without what it takes beside the actor.
    return "reached";
  }
}

describe.each(admitted)("$name, for who may $admits", ({ name, admits }) => {
  test("is of a foreign session as of one that is not there", async () => {
    expect(await codeOf(open(), name, { ...ADA, subject: "bob" })).toBe("not_found");
    expect(await codeOf(new FakePlatform([]), name, ADA)).toBe("not_found");
  });

  test("needs its scope, and no other will do", async () => {
    for (const scope of SCOPES) {
      const code = await codeOf(open(), name, { ...ADA, scopes: [scope] });
      const may = scope === admits || scope === "admin";
      expect([scope, code === "missing_scope"]).toEqual([scope, !may]);
    }
  });
});

test("those that admit by a rule of their own are these, each tried where its rule is", () => {
  expect(itself).toEqual([
    ...["send", "decide", "approval", "revoke", "linked", "schedule"],
    ...["create", "recall", "copyPoint", "copyRows", "copyNames", "copyText", "adopt", "settle"],
  ]);
});
