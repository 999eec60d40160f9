import { describe, expect, test } from "vitest";
import type { DecideCommand } from "../../../src/cairn/session/api/session-api.ts";
import { LiveSession, type Line } from "./sockets/session-fixture.ts";

/** The digest of an approval, and the session that it belongs to. */

const PUBLISH: Line = { calls: [["publish", { name: "about" }]] };
const DONE: Line = { text: "The page is public." };
const OPEN = "r1s1c0a1";

/** Begins a run that asks for its approval, and reads the digest of that. */
async function asked(session: LiveSession): Promise<string> {
  await session.say("publish the page", "m1");
  await session.settle();
  const shown = await session.api.approval(session.actor(), OPEN);
  if (!shown.ok) throw new Error(shown.error.message);
  return shown.value.digest;
}
const approve = (digest: string): DecideCommand => ({
  approval: OPEN,
  decision: "approve",
  args: null,
  reason: null,
  digest,
});

describe("the digest of an approval", () => {
  test("of a deleted session decides nothing in the next session of its name", async () => {
    const session = new LiveSession([PUBLISH, PUBLISH, DONE]);
    const old = await asked(session);
    await session.api.remove(session.actor());
    session.now += 1_000;
    const present = await asked(session);
    expect(await session.api.decide(session.actor(), approve(old))).toMatchObject({
      ok: false,
      error: { code: "digest_mismatch" },
    });
    expect(session.state.run?.phase.at).toBe("waiting_approval");
    expect(await session.api.decide(session.actor(), approve(present))).toMatchObject({ ok: true });
    await session.settle();
    expect(session.tools.keyed.size).toBe(1);
  });

  test.each(["before", "after"])(
    "of an earlier release holds where the update comes %s the decision",
    async (when) => {
      const session = new LiveSession([PUBLISH, DONE]);
      session.digestsNameSession = false;
      session.boot();
      const digest = await asked(session);
      session.digestsNameSession = true;
      if (when === "before") session.boot();
      expect(await session.api.decide(session.actor(), approve(digest))).toMatchObject({ ok: true });
      session.boot();
      await session.settle();
      expect(session.tools.keyed.size).toBe(1);
    },
  );
});
