import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { accumulate } from "../../../src/cairn/protocol/stream/accumulate.ts";
import { createOutside, type Line } from "./outside.ts";
import { ada, decide, disk, api, expectSound, given, left, say, stands, stubOf } from "./session.ts";
import { Terminal } from "./terminal.ts";

/**
 * Entries are on disk before they are shown, so an object can go in between. What was never shown is asked for by the
 * client, here the terminal's: when it is told where the log ends, or when it comes back.
 */

/** The client has all that is on disk, once and in order, and nothing has complained. */
async function expectComplete(terminal: Terminal): Promise<void> {
  const { session } = terminal;
  const log = await expectSound(session);
  await terminal.until(({ seqs }) => seqs.length >= log.length);
  expect(terminal.seqs).toEqual(log.map((entry) => entry.seq));
  const { items } = await given(api(session).messages(ada, 100, null));
  const stored = JSON.parse(JSON.stringify(items)) as { id: string }[];
  // Each segment ends with one; that of the last says how the run ended.
  const hasEnded = log.at(-1)?.kind === "run_ended";
  await terminal.until(({ chunks }) => {
    const last = chunks.at(-1)?.chunk;
    return last?.type === "finish" && hasEnded === (last.messageMetadata?.["outcome"] !== undefined);
  });
  const message = stored.find(({ id }) => id === `${session}.r1`);
  expect(accumulate(`${session}.r1`, terminal.chunks)).toEqual(message);
  expect(terminal.told("complaint")).toBe(0);
}

const publish: readonly Line[] = [{ text: "Publishing.", calls: [["publish", "it"]] }];

async function begin(session: string): Promise<Terminal> {
  const terminal = new Terminal(session);
  // The cancel stops nothing; its answer comes after that of the first subscribe.
  await terminal.connection.request("cairn:cancel", { runId: "none.r1" });
  return terminal;
}

describe("rows that nobody was shown, on a socket that stays open while the object is put away,", () => {
  test.concurrent("come when the next frame wakes it", async () => {
    const outside = createOutside("by-frame", publish);
    const terminal = await begin("by-frame");
    outside.muted = true;
    await say("by-frame");
    terminal.connection.follow("by-frame.r1");
    await left("by-frame", "approval_requested");
    expect(terminal.seqs).toEqual([]);
    await evictDurableObject(stubOf("by-frame"));
    outside.muted = false;
    const fields = { approvalId: "r1s1c0a1", decision: "approve" };
    expect(await terminal.connection.request("cairn:approve", fields)).toMatchObject({ ok: true });
    await left("by-frame", "run_ended");
    await expectComplete(terminal);
    expect(terminal.told("hello")).toBe(1);
    terminal.connection.close();
  });

  test.concurrent("come when someone else wakes it", async () => {
    const outside = createOutside("by-another", publish);
    const terminal = await begin("by-another");
    await say("by-another");
    terminal.connection.follow("by-another.r1");
    await left("by-another", "approval_requested");
    await terminal.until((client) => client.last === "approval_requested");
    outside.muted = true;
    await given(decide("by-another"));
    await left("by-another", "run_ended");
    await evictDurableObject(stubOf("by-another"));
    outside.muted = false;
    const { log } = await disk("by-another");
    expect([log.at(-1)?.kind, log[terminal.seqs.length]?.kind]).toEqual(["run_ended", "approval_decided"]);
    await expectComplete(terminal);
    expect(terminal.told("hello")).toBe(1);
    terminal.connection.close();
  });

  test.concurrent("come when its own alarm wakes it, before the rows that follow", async () => {
    const limited = { class: "rate_limit", message: "slow down", retryAfterMs: 1_000, usage: null } as const;
    const outside = createOutside("by-alarm", [{ text: "It is done.", fail: limited }]);
    outside.lateAfter = "model_failed";
    const terminal = await begin("by-alarm");
    outside.muted = true;
    await say("by-alarm");
    terminal.connection.follow("by-alarm.r1");
    await left("by-alarm", "model_failed");
    expect(terminal.seqs).toEqual([]);
    await evictDurableObject(stubOf("by-alarm"));
    outside.muted = false;
    await left("by-alarm", "run_ended");
    await expectComplete(terminal);
    terminal.connection.close();
  });
});

test("rows that nobody was shown, and the sockets gone with the object, come when the client is back", async () => {
  const outside = createOutside("back", [{ text: "First this.", calls: [["put", "it"]] }], "put: after");
  const terminal = await begin("back");
  outside.muted = true;
  await say("back");
  await stands("back");
  await abortAllDurableObjects();
  outside.muted = false;
  await terminal.until((client) => client.told("hello") === 2);
  terminal.connection.follow("back.r1");
  await left("back", "run_ended");
  await expectComplete(terminal);
  terminal.connection.close();
});

test("a text that was being spoken when the object died is withdrawn, and comes once", async () => {
  createOutside("spoken", [{ text: "Half of it was shown before." }], "speaking: the first text is out");
  const terminal = await begin("spoken");
  await say("spoken");
  terminal.connection.follow("spoken.r1");
  await stands("spoken");
  await terminal.until(({ chunks }) => JSON.stringify(chunks).includes("Half"));
  await abortAllDurableObjects();
  await left("spoken", "run_ended");
  await expectComplete(terminal);
  terminal.connection.close();
});
