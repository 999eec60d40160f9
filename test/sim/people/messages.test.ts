import { describe, expect, test } from "vitest";
import type { PromptPart } from "../../../src/cairn/core/log/model.ts";
import { QUEUE_MAX } from "../../../src/cairn/core/limits.ts";
import type { Actor, SendCommand } from "../../../src/cairn/session/api/session-api.ts";
import type { SessionApi } from "../../../src/cairn/session/commands/commands.ts";
import { createCommands } from "../../../src/cairn/session/commands/create-commands.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

/** Messages from people to a session: who may send, how often, and what counts as a repeat. */

const ADA: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };
const BOB: Actor = { ...ADA, subject: "bob" };
const READER: Actor = { ...ADA, scopes: ["read"] };

const words = (text: string): readonly PromptPart[] => [{ type: "text", text }];
const command = (id: string, more: Partial<SendCommand> = {}): SendCommand => ({
  id,
  parts: words(`Words of ${id}.`),
  mode: null,
  source: "api",
  request: null,
  ask: {},
  ...more,
});

function open(
  lines: readonly Line[] = [],
  messagesPerMinute = Infinity,
): { platform: FakePlatform; api: SessionApi } {
  const platform = new FakePlatform(lines);
  const { api } = createCommands({ ...platform.commands, messagesPerMinute });
  return { platform, api };
}

const codeOf = (answer: { readonly ok: boolean; readonly error?: unknown }): unknown =>
  answer.ok ? "ok" : [(answer.error as { status: number }).status, (answer.error as { code: string }).code];
const ended = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) => (entry.kind === "run_ended" ? [[entry.run, entry.body.outcome]] : []));

describe("a message", () => {
  test("of someone without the scope, or to a session of someone else, changes nothing", async () => {
    const { platform, api } = open([{ text: "Hello." }]);
    expect(codeOf(await api.send(READER, command("m0")))).toEqual([403, "missing_scope"]);
    expect(platform.log).toEqual([]);
    expect(codeOf(await api.send(ADA, command("m1")))).toBe("ok");
    const { head } = platform.state;
    expect(codeOf(await api.send(BOB, command("m2")))).toEqual([409, "id_taken"]);
    expect(codeOf(await api.steer(BOB, { id: "m3", parts: words("x") }))).toEqual([404, "not_found"]);
    const again = { id: "g1", message: null, request: null };
    expect(codeOf(await api.regenerate(BOB, again))).toEqual([404, "not_found"]);
    expect(codeOf(await api.steer(READER, { id: "m4", parts: words("x") }))).toEqual([403, "missing_scope"]);
    await platform.settle();
    expect(codeOf(await api.regenerate(READER, again))).toEqual([403, "missing_scope"]);
    expect(platform.log.slice(0, head).map((entry) => entry.kind)).toEqual(["user_message", "run_queued"]);
    expect(ended(platform)).toEqual([["r1", "completed"]]);
  });

  test("that comes again is the first one, and with other words is refused", async () => {
    const { platform, api } = open([{ text: "Hello." }]);
    const first = await api.send(ADA, command("m1"));
    expect(first).toMatchObject({
      ok: true,
      value: { runId: "ses.r1", seq: 1, queued: 0, duplicate: false },
    });
    expect(await api.send(ADA, command("m1"))).toMatchObject({
      ok: true,
      value: { runId: "ses.r1", seq: 1, mode: "queue", messageId: "m1", duplicate: true },
    });
    expect(codeOf(await api.send(ADA, command("m1", { parts: words("other") })))).toEqual([
      409,
      "message_exists",
    ]);
    expect(platform.state.head).toBe(2);
  });

  test("of a webhook is known by its delivery alone, and not counted", async () => {
    const { platform, api } = open([], 1);
    const hook = (id: string, text: string): SendCommand =>
      command(id, { source: "webhook", parts: words(text) });
    expect(codeOf(await api.send(ADA, hook("d1", "one")))).toBe("ok");
    expect(await api.send(ADA, hook("d1", "two"))).toMatchObject({ value: { duplicate: true } });
    expect(codeOf(await api.send(ADA, hook("d2", "three")))).toBe("ok");
    expect(codeOf(await api.send(ADA, command("m1")))).toBe("ok");
    expect(codeOf(await api.send(ADA, command("m2")))).toEqual([429, "rate_limited"]);
    expect(platform.state.queue.map((run) => run.request.message)).toEqual(["d1", "d2", "m1"]);
  });

  test("wakes a session whose alarm the platform has lost", async () => {
    const { platform, api } = open([{ text: "One." }, { text: "Two." }]);
    await api.send(ADA, command("m1"));
    platform.disk.alarm = null;
    platform.now += 60_000;
    // A repeat writes nothing: what arms the alarm is the touch.
    await api.send(ADA, command("m1"));
    expect(platform.disk.alarm).not.toBeNull();
  });

  test("above twenty that wait is refused, and says when to come again", async () => {
    const { platform, api } = open();
    for (let id = 1; id <= QUEUE_MAX; id++)
      expect(await api.send(ADA, command(`m${id}`))).toMatchObject({ ok: true, value: { queued: id - 1 } });
    expect(await api.send(ADA, command("late"))).toMatchObject({
      ok: false,
      error: { status: 429, code: "queue_full", retryAfter: 30 },
    });
    expect(platform.state.queue).toHaveLength(QUEUE_MAX);
    platform.onModel = async () => {
      platform.onModel = null;
      // One is live now, and counts for who waits behind it.
      expect(await api.send(ADA, command("late"))).toMatchObject({ ok: true, value: { queued: QUEUE_MAX } });
    };
    await platform.settle(1);
    expect(platform.log.filter((entry) => entry.kind === "user_message")).toHaveLength(QUEUE_MAX + 1);
  });

  test("may be one of so many in any minute; one that was refused does not count", async () => {
    const { platform, api } = open([], 2);
    const say = async (id: string): Promise<unknown> => codeOf(await api.send(ADA, command(id)));
    expect([await say("m1"), (platform.now += 20_000), await say("m2")]).toEqual(["ok", platform.now, "ok"]);
    platform.now += 10_000;
    expect(await api.send(ADA, command("m3"))).toMatchObject({
      error: { status: 429, code: "rate_limited", retryAfter: 30 },
    });
    platform.now += 29_999;
    expect(await say("m3")).toEqual([429, "rate_limited"]);
    platform.now += 1;
    expect(await say("m3")).toBe("ok");
    expect(await say("m4")).toEqual([429, "rate_limited"]);
    platform.now += 20_000;
    expect(await say("m4")).toBe("ok");
  });

  test("asks for more than its class has only where its author is an admin", async () => {
    const { platform, api } = open();
    const ask = { limits: { steps: 40 } };
    const admin: Actor = { ...ADA, scopes: [...ADA.scopes, "admin"] };
    await api.send(ADA, command("m1", { ask }));
    await api.send(admin, command("m2", { ask }));
    const wanted = platform.log.flatMap((entry) =>
      entry.kind === "run_queued" ? [[entry.body.limits, entry.body.caps ?? null]] : [],
    );
    expect(wanted).toEqual([
      [{}, { steps: 40 }],
      [{ steps: 40 }, null],
    ]);
  });

  test("gives the session its owner, its title, and its large files", async () => {
    const { platform, api } = open([{ text: "I see." }]);
    const url = `data:image/png;base64,${"A".repeat(70_000)}`;
    const parts: readonly PromptPart[] = [
      { type: "text", text: "  Look at\n this  " },
      { type: "file", mediaType: "image/png", url },
    ];
    await api.send(ADA, command("m1", { parts }));
    expect(platform.store.loadMeta()).toMatchObject({ owner: "ada", title: "Look at this" });
    expect(platform.log[0]).toMatchObject({
      body: { parts: [parts[0], { type: "file", url: "blob:m1/1", bytes: url.length }] },
    });
    expect(platform.log[1]).toMatchObject({ body: { files: true } });
    platform.restart();
    await platform.settle();
    expect(platform.requests[0]?.messages[0]).toEqual({ role: "user", parts });
  });

  test("is kept without the secrets of the deployment, as is what the deployment itself says", async () => {
    const platform = new FakePlatform([{ text: "I see." }]);
    const secret = "sentinel-4f9a8b7c6d5e";
    platform.words = `You are Cairn, and your key is ${secret}.`;
    platform.protect([{ name: "KEY", value: secret }]);
    const url = `data:text/plain,${"a".repeat(70_000)}${secret}`;
    const parts: readonly PromptPart[] = [{ type: "file", mediaType: "text/plain", url }];
    await platform.api.send(ADA, command("m1", { parts }));
    await platform.settle();
    expect(platform.store.loadBlob("blob:m1/0")).toContain("aaaa");
    expect(platform.requests[0]?.instructions).toMatch(/^You are Cairn, and your key is \S+$/);
    expect(
      [platform.disk.dump(), JSON.stringify(platform.requests)].map((text) => text.includes(secret)),
    ).toEqual([false, false]);
  });

  test("answers no question of a run that is being stopped", async () => {
    const { platform, api } = open([{ calls: [["ask_human", { question: "Which page?" }]] }]);
    await api.send(ADA, command("m1"));
    await platform.settle();
    platform.cancel("enough");
    const answer = { runId: null, question: null, value: "the first" };
    expect(codeOf(await api.answer(ADA, answer))).toEqual([409, "not_waiting"]);
    expect(await api.send(ADA, command("m2"))).toMatchObject({ value: { mode: "queue", runId: "ses.r2" } });
  });

  test("that joins goes into the live run, and is no answer to what the run has asked", async () => {
    const { platform, api } = open([
      { calls: [["ask_human", { question: "Which page?" }]] },
      { text: "Done." },
    ]);
    await api.send(ADA, command("m1"));
    await platform.settle();
    expect(platform.state.run?.phase.at).toBe("waiting_human");
    expect(await api.send(ADA, command("m2", { mode: "queue" }))).toMatchObject({ value: { mode: "queue" } });
    expect(await api.send(ADA, command("m3", { mode: "join" }))).toMatchObject({ value: { mode: "join" } });
    expect(platform.state.run?.phase.at).toBe("waiting_human");
    expect(await api.send(ADA, command("m4"))).toMatchObject({ value: { mode: "answer", runId: "ses.r1" } });
    expect(platform.state.run?.phase.at).toBe("thinking");
  });
});

describe("a word to the live run", () => {
  test("needs one", async () => {
    const { api, platform } = open([{ text: "Hello." }]);
    await api.send(ADA, command("m1"));
    await platform.settle();
    expect(await api.steer(ADA, { id: "s1", parts: words("more") })).toMatchObject({
      error: { status: 409, code: "not_running", hint: "Send a message instead." },
    });
  });

  test("is not taken once the run is being stopped, or from the twentieth on", async () => {
    const { api, platform } = open([{ text: "Hello." }]);
    await api.send(ADA, command("m1"));
    platform.onModel = async () => {
      platform.onModel = null;
      for (let id = 1; id < QUEUE_MAX; id++)
        expect(codeOf(await api.steer(ADA, { id: `s${id}`, parts: words("more") }))).toBe("ok");
      expect(codeOf(await api.steer(ADA, { id: "full", parts: words("more") }))).toEqual([429, "queue_full"]);
      expect(platform.state.run?.input.all).toHaveLength(QUEUE_MAX);
      platform.cancel("enough");
      expect(codeOf(await api.steer(ADA, { id: "late", parts: words("more") }))).toEqual([
        409,
        "not_running",
      ]);
    };
    await platform.settle();
    expect(ended(platform)).toEqual([["r1", "cancelled"]]);
  });

  test("of someone with other rights is not worked with those of the run", async () => {
    const { api, platform } = open([{ text: "Hello." }]);
    const admin: Actor = { ...ADA, subject: "root", scopes: [...ADA.scopes, "admin"] };
    await api.send(ADA, command("m1"));
    platform.onModel = async () => {
      platform.onModel = null;
      expect(await api.steer(admin, { id: "s1", parts: words("more") })).toMatchObject({
        error: { code: "not_running", message: "The live run is worked with other rights than yours." },
      });
      // Nor are the words of a webhook its.
      const hook = command("d1", { source: "webhook", mode: "join" });
      expect(await api.send(ADA, hook)).toMatchObject({ value: { mode: "queue", runId: "ses.r2" } });
    };
    await platform.settle();
    expect(ended(platform)).toEqual([
      ["r1", "completed"],
      ["r2", "completed"],
    ]);
  });
});

describe("an answer that is to be made again", () => {
  const again = (id: string, message: string | null = null) => ({ id, message, request: null });

  test("is that of the last words, once for each id", async () => {
    const { api, platform } = open([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
    await api.send(ADA, command("m1"));
    await platform.settle();
    await api.send(ADA, command("m2"));
    await platform.settle();
    expect(codeOf(await api.regenerate(ADA, again("g1", "m1")))).toEqual([422, "not_the_last"]);
    const made = await api.regenerate(ADA, again("g1", "ses.r2"));
    expect(made).toMatchObject({ ok: true, value: { runId: "ses.r3", messageId: "m2", duplicate: false } });
    const { head } = platform.state;
    expect(await api.regenerate(ADA, again("g1", "ses.r2"))).toMatchObject({
      value: { runId: "ses.r3", duplicate: true },
    });
    expect(codeOf(await api.regenerate(ADA, again("g2")))).toEqual([409, "busy"]);
    expect(platform.state.head).toBe(head);
    await platform.settle();
    expect(platform.log.slice(-8).map((entry) => entry.kind)).toEqual([
      "answer_hidden",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    const prompt = JSON.stringify(platform.requests.at(-1)?.messages);
    expect([prompt.includes("One."), prompt.includes("Two."), prompt.includes("Words of m2.")]).toEqual([
      true,
      false,
      true,
    ]);
    // The words now belong to the run that answers them.
    expect(codeOf(await api.regenerate(ADA, again("g3", "m2")))).toBe("ok");
    expect(platform.state.queue.map((run) => run.request.inputSeq)).toEqual([
      platform.state.ended[1]?.inputSeq,
    ]);
  });

  test("is refused where the run has changed something, where there is none, and too often", async () => {
    const { api, platform } = open([{ calls: [["put", { name: "a" }]] }, { text: "Done." }], 2);
    await api.send(ADA, command("m1"));
    await platform.settle();
    expect(codeOf(await api.regenerate(ADA, again("g1")))).toEqual([409, "has_effects"]);
    expect(codeOf(await api.regenerate(ADA, again("g2")))).toEqual([429, "rate_limited"]);
    const empty = open();
    empty.platform.service.admitOrCreate(ADA);
    expect(codeOf(await empty.api.regenerate(ADA, again("g1")))).toEqual([422, "nothing_new"]);
  });

  test("waits for what is queued", async () => {
    const { api, platform } = open([{ text: "One." }]);
    await api.send(ADA, command("m1"));
    await platform.settle();
    await api.send(ADA, command("m2"));
    expect([platform.state.run, platform.state.queue.length]).toEqual([null, 1]);
    expect(codeOf(await api.regenerate(ADA, again("g1")))).toEqual([409, "busy"]);
  });
});
