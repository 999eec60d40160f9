import { expect, test } from "vitest";
import {
  createBelow,
  isBelow,
  pathOf,
  type ApprovalBelow,
  type Below,
} from "../../../src/cli/chat/approvals/below.ts";
import type { Approval } from "../../../src/cli/chat/chunks.ts";
import type { Acknowledged } from "../../../src/cli/chat/connection.ts";
import { Conversation, type TerminalPort } from "../../../src/cli/chat/conversation.ts";
import { paint } from "../../../src/cli/chat/screen/ansi.ts";
import type { Answered, SessionRequest } from "../../../src/cli/chat/session-request.ts";

/** Approvals of the runs below a conversation, in the terminal. */

const asked = (id: string, digest = "d1"): Approval => ({
  id,
  callId: "c",
  tool: "page_delete",
  title: "Delete the page “About”",
  summary: "It goes.",
  impact: [],
  args: { pages: ["about"] },
  digest,
  state: "pending",
});

test("of the inbox what other conversations ask is left out; a decision goes to the session that asks", async () => {
  const calls: unknown[][] = [];
  const waits: (() => void)[] = [];
  const items = ["s~r1s1c0", "s", "t~r1s1c0", "s2~r1s1c0"].map((sessionId) => ({
    ...asked("a1"),
    sessionId,
  }));
  const api: SessionRequest = (method, path, body) => {
    calls.push([method, path, ...(body === undefined ? [] : [body])]);
    const bodies: Readonly<Record<string, unknown>> = {
      "/inbox": { approvals: items },
      "/sessions/s~r1s1c0": { title: "Clear up the pages" },
    };
    const answer: Answered =
      method === "POST"
        ? { ok: false, why: { text: "Too late.", issues: [] } }
        : { ok: true, body: bodies[path] ?? null };
    return Promise.resolve(answer);
  };
  const below = createBelow("s", api, (_ms, callback) => {
    waits.push(callback);
    return () => void waits.splice(0);
  });
  const heard: (readonly ApprovalBelow[])[] = [];
  const stop = below.watch((found) => void heard.push(found));
  await expect.poll(() => heard.length).toBe(1);
  expect(heard[0]).toMatchObject([{ approval: { id: "s~r1s1c0/a1" }, objective: "Clear up the pages" }]);
  waits.shift()?.();
  await expect.poll(() => heard.length).toBe(2);
  stop();
  expect(waits).toEqual([]);

  expect([isBelow("r1s1c0a1"), isBelow("s~r1s1c0/a1"), pathOf("s~r1s1c0/a1")]).toEqual([
    false,
    true,
    "/sessions/s~r1s1c0/approvals/a1",
  ]);
  expect(await below.decide("s~r1s1c0/a1", { decision: "deny", digest: "d1" })).toMatchObject({
    ok: false,
    error: { code: "already_decided", message: "Too late." },
  });
  expect(calls.at(-1)).toEqual([
    "POST",
    "/sessions/s~r1s1c0/approvals/a1",
    { decision: "deny", digest: "d1" },
  ]);
  // The title of a run is asked for once.
  expect(calls.filter(([, path]) => path === "/sessions/s~r1s1c0")).toHaveLength(1);
});

test("what a run below asks is shown with what it works for, asked for once, and decided there", async () => {
  let printed = "";
  let tell: (asked: readonly ApprovalBelow[]) => void = () => {};
  let watched = 0;
  const decided: unknown[][] = [];
  const prompts: ((line: string | null) => void)[] = [];
  const below: Below = {
    watch: (told) => {
      watched += 1;
      tell = told;
      return () => void (watched -= 1);
    },
    decide: (id, choice) => {
      decided.push([id, choice]);
      return Promise.resolve({ ok: true, result: { digest: "d1" } });
    },
  };
  const stage: TerminalPort = {
    show: (pieces) => void (printed += paint(pieces, false)),
    showRequest: (pieces) => stage.show(pieces),
    note: () => {},
    print: () => {},
    busy: () => {},
    interactive: true,
    editor: null,
    record: () => {},
    now: () => 0,
    preview: () => Promise.resolve({ ok: true, body: null }),
    ask: (_prompt, signal) =>
      new Promise((answer, refuse) => {
        prompts.push(answer);
        signal.addEventListener("abort", () => refuse(new Error("aborted")));
      }),
  };
  const line = {
    request: (): Promise<Acknowledged> =>
      Promise.resolve({ ok: true, result: { runId: "s.r1", seq: 1, queued: 0 } }),
    follow: () => {},
  };
  const conversation = new Conversation("s", line, stage, { approveAll: false }, below);
  const ending = conversation.send("Go", "m1");
  await expect.poll(() => conversation.atWork()).toBe("s.r1");
  const chunk = (pos: number, body: object) =>
    conversation.handle({ kind: "chunk", runId: "s.r1", pos, chunk: body as never });
  chunk(1, {
    type: "tool-input-available",
    toolCallId: "c1",
    toolName: "page_list",
    title: "List",
    input: {},
  });
  expect(watched).toBe(0);
  const call = { toolName: "run_agent", title: "Delegate to an agent", input: {} };
  chunk(2, { type: "tool-input-available", toolCallId: "c2", ...call });
  chunk(3, { type: "tool-input-available", toolCallId: "c3", ...call });
  expect(watched).toBe(1);
  conversation.handle({ kind: "caught_up", runId: "s.r1" });

  const first = { approval: asked("s~r1s1c0/a1"), objective: "Clear up the pages" };
  tell([first]);
  tell([first]);
  expect(printed.match(/A sub-run asks, for: Clear up the pages/g)).toHaveLength(1);
  expect(printed).toContain("Delete the page “About”");
  expect([conversation.waitsFor(), prompts.length]).toEqual(["a decision", 1]);
  prompts[0]?.("y");
  await expect.poll(() => decided).toEqual([["s~r1s1c0/a1", { digest: "d1", decision: "approve" }]]);
  await expect.poll(() => conversation.waitsFor()).toBeNull();
  // The approval was decided elsewhere while this terminal asked: the question goes away.
  tell([{ approval: asked("s~r1s1c1/a1"), objective: null }]);
  await expect.poll(() => prompts.length).toBe(2);
  tell([]);
  await expect.poll(() => conversation.waitsFor()).toBeNull();
  expect(decided).toHaveLength(1);

  const ended = { outcome: "completed", class: "answered", reason: null, steps: 1, activeMs: 1 };
  const usage = { inputTokens: 1, outputTokens: 1, cost: null, estimated: false };
  chunk(4, { type: "finish" });
  conversation.handle({
    kind: "entry",
    entry: { seq: 9, run: "r1", kind: "run_ended", body: { ...ended, usage } } as never,
  });
  expect(await ending).toMatchObject({ kind: "ended" });
  expect(watched).toBe(0);
});
