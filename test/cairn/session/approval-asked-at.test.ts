import { expect, test } from "vitest";
import { FakePlatform } from "../../sim/platform/platform.ts";

/** A decision without a digest that names when its approval was asked for decides no other approval of that name. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;

test("a no to the approval of an earlier session of the name decides nothing", async () => {
  const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: "It is public." }]);
  platform.service.admitOrCreate(ADA);
  platform.say("Publish it");
  await platform.settle();
  const phase = platform.state.run?.phase;
  if (phase?.at !== "waiting_approval") throw new Error("nothing waits");
  const { approval } = phase.approval;
  const view = await platform.api.approval(ADA, approval);
  if (!view.ok) throw new Error(view.error.message);
  const deny = { approval, decision: "deny", args: null, reason: null, digest: null } as const;
  const askedAt = Date.parse(view.value.createdAt);
  const other = await platform.api.decide(ADA, { ...deny, askedAt: askedAt - 1 });
  expect(other.ok ? null : other.error.status).toBe(404);
  expect(platform.state.run?.phase.at).toBe("waiting_approval");
  const decided = await platform.api.decide(ADA, { ...deny, askedAt });
  expect(decided.ok ? decided.value.approval.state : decided.error).toBe("denied");
});
