import { describe, expect, test } from "vitest";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import type { SessionApi } from "../../../src/cairn/session/commands/commands.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { FORBIDDEN } from "../platform/tools.ts";
import { FakePlatform } from "../platform/platform.ts";

const ada: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };

async function asked(): Promise<{ platform: FakePlatform; api: SessionApi }> {
  const platform = new FakePlatform([{ calls: [["publish", { name: "about" }]] }, { text: "Done." }]);
  const { api } = platform;
  const parts = [{ type: "text", text: "publish about" }] as const;
  await api.send(ada, { id: "m1", parts, mode: null, source: "api", request: null, ask: {} });
  await platform.settle();
  return { platform, api };
}

const edit = (api: SessionApi, args: unknown, digest: string | null = null) =>
  api.decide(ada, { approval: "r1s1c0a1", decision: "edit", args: args as never, reason: "better", digest });

describe("edited arguments", () => {
  test("are what runs, with their own impact and digest, and the model is told", async () => {
    const { platform, api } = await asked();
    const before = await api.approval(ada, "r1s1c0a1");
    const decided = await edit(api, { name: "our-story" });
    if (!decided.ok || !before.ok) throw new Error("refused");
    const { approval } = decided.value;
    expect(approval).toMatchObject({
      state: "approved",
      title: "Publish our-story",
      impact: ["/our-story answers 200"],
      args: { name: "our-story" },
      result: { decision: "edit", by: "ada", reason: "better", digest: approval.digest },
    });
    expect(approval.digest).not.toBe(before.value.digest);
    await platform.settle();
    const settled = platform.log.find((entry) => entry.kind === "call_settled");
    expect(settled?.kind === "call_settled" && settled.body.observation).toBe(
      '{"ok":true,"published":"our-story"}',
    );
    const intended = platform.log.find((entry) => entry.kind === "call_intended");
    expect(intended?.kind === "call_intended" && intended.body.argsDigest).not.toBe(before.value.digest);
    expect(JSON.stringify(platform.requests.at(-1)?.messages)).toContain("the person changed the arguments");
    expect(platform.folded).toEqual(platform.state);
  });

  test("that do not fit the schema are refused with their place, and the approval waits on", async () => {
    const { platform, api } = await asked();
    expect(await edit(api, { name: "" })).toMatchObject({
      ok: false,
      error: { status: 422, code: "invalid_args", issues: [{ path: "args.name" }] },
    });
    expect(platform.state.run?.phase.at).toBe("waiting_approval");
    expect((await edit(api, { name: "ok" })).ok).toBe(true);
  });

  test("are no more than the model's may be, have no field that the tool does not know, and write nothing before", async () => {
    const { platform, api } = await asked();
    const before = platform.log.length;
    for (const [args, code] of [
      [{ name: "a".repeat(262_144) }, "too_large"],
      [{ name: "a", also: 1 }, "unknown_field"],
      [["a"], "invalid_input"],
      [null, "invalid_input"],
    ] as const)
      expect(await edit(api, args)).toMatchObject({
        ok: false,
        error: { status: 422, code: "invalid_args", issues: [{ code }] },
      });
    expect(platform.log.length).toBe(before);
  });

  test("that the tool forbids are refused with its reason, and the approval waits on as it was", async () => {
    const { platform, api } = await asked();
    const before = { log: platform.log, asked: await api.approval(ada, "r1s1c0a1") };
    expect(await edit(api, { name: FORBIDDEN })).toMatchObject({
      ok: false,
      error: { status: 422, code: "invalid_args", message: "It may never become public." },
    });
    platform.effects.failures.set("publish: preview", [
      new ToolError("not_found", "no_page", "There is no such page.", { at: "name" }),
    ]);
    expect(await edit(api, { name: "gone" })).toMatchObject({
      ok: false,
      error: { status: 422, issues: [{ path: "args.name", code: "no_page" }] },
    });
    expect({ log: platform.log, asked: await api.approval(ada, "r1s1c0a1") }).toEqual(before);
    expect((await edit(api, { name: "ok" })).ok).toBe(true);
    await platform.settle();
    expect([...platform.effects.keyed.keys()]).toEqual(["ses/r1s1c0"]);
  });

  test("are what the schema makes of them, in all that is shown and run; so is a repeat of them", async () => {
    const { platform, api } = await asked();
    const first = await edit(api, { name: " story " });
    const plain = await asked();
    const other = await edit(plain.api, { name: "story" });
    if (!first.ok || !other.ok) throw new Error("refused");
    expect(first.value.approval).toMatchObject({ title: "Publish story", args: { name: "story" } });
    expect(first.value.approval.digest).toBe(other.value.approval.digest);
    expect(await edit(api, { name: " story " })).toMatchObject({ ok: true, value: { replayed: true } });
    expect(await edit(api, { name: "story" })).toMatchObject({ ok: true, value: { replayed: true } });
    await platform.settle();
    const settled = platform.log.find((entry) => entry.kind === "call_settled");
    expect(settled?.kind === "call_settled" && settled.body.observation).toBe(
      '{"ok":true,"published":"story"}',
    );
  });

  test("are shown with the signs that nobody sees written out", async () => {
    const { api } = await asked();
    const decided = await edit(api, { name: "our\u200bstory\u202e" });
    expect(decided.ok && decided.value.approval.title).toBe("Publish our\\u200bstory\\u202e");
  });

  test("are weighed for the approval that waits, and for no other", async () => {
    const { platform } = await asked();
    expect(await platform.engine.previewEdit("r1s1c0a2", { name: "a" })).toMatchObject({
      ok: false,
      error: { status: 409, code: "already_decided" },
    });
    expect(await platform.engine.previewEdit("r1s1c0a1", { name: "a" })).toMatchObject({ ok: true });
  });

  test("decide once: the same edit again is its first result, another comes too late", async () => {
    const { platform, api } = await asked();
    expect((await edit(api, { name: "a" })).ok).toBe(true);
    expect(await edit(api, { name: "a" })).toMatchObject({ ok: true, value: { replayed: true } });
    expect(await edit(api, { name: "b" })).toMatchObject({ ok: false, error: { code: "already_decided" } });
    await platform.settle();
    expect(platform.effects.keyed.size).toBe(1);
  });

  test("are not taken for a card that was not the one shown", async () => {
    const { platform, api } = await asked();
    expect(await edit(api, { name: "a" }, "sha256:other")).toMatchObject({
      ok: false,
      error: { code: "digest_mismatch" },
    });
    expect(platform.effects.keyed.size).toBe(0);
  });

  test("are nobody's when the session was deleted while they were weighed", async () => {
    const { platform, api } = await asked();
    const weighing = edit(api, { name: "a" });
    platform.store.erase();
    platform.engine.drop();
    expect(await weighing).toMatchObject({ ok: false, error: { status: 404, code: "not_found" } });
    expect(platform.store.entriesAfter(0, 10)).toEqual([]);
  });

  test("are not taken by a session that was made anew meanwhile, although it asks under the same name", async () => {
    const { platform, api } = await asked();
    const weigh = platform.engine.previewEdit.bind(platform.engine);
    platform.engine.previewEdit = async (approval, args) => {
      const weighed = await weigh(approval, args);
      platform.store.erase();
      platform.engine.drop();
      platform.now += 1_000;
      platform.script = () => ({ calls: [["publish", { name: "secret" }]] });
      const parts = [{ type: "text", text: "publish it" }] as const;
      await api.send(ada, { id: "m1", parts, mode: null, source: "api", request: null, ask: {} });
      await platform.settle();
      return weighed;
    };
    expect(await edit(api, { name: "a" })).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await api.approval(ada, "r1s1c0a1")).toMatchObject({
      ok: true,
      value: { state: "pending", args: { name: "secret" } },
    });
  });

  test("of an approval that was stopped or ran out come too late", async () => {
    const stopped = await asked();
    stopped.platform.cancel();
    await stopped.platform.settle();
    expect(await edit(stopped.api, { name: "a" })).toMatchObject({
      ok: false,
      error: { status: 409, code: "approval_cancelled" },
    });
    const late = await asked();
    late.platform.now += 25 * 3_600_000;
    expect(await edit(late.api, { name: "a" })).toMatchObject({
      ok: false,
      error: { status: 410, code: "approval_expired" },
    });
  });

  test("survive a crash between the decision and the act", async () => {
    const { platform, api } = await asked();
    await edit(api, { name: "our-story" });
    platform.restart();
    await platform.settle();
    const settled = platform.log.find((entry) => entry.kind === "call_settled");
    expect(settled?.kind === "call_settled" && settled.body.observation).toContain("our-story");
  });
});
