import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import { asKind, type Entry } from "../../../src/cairn/core/log/entry.ts";
import { outcomeClass } from "../../../src/cairn/core/log/run.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import type { RunOptions } from "../../../src/cairn/protocol/run-spec/run-options.ts";
import type { Answer } from "../../../src/cairn/protocol/api.ts";
import { makeSite } from "../cms/fixture.ts";
import { openApi } from "../sessions/session-fixture.ts";

/** Runs that start runs, each in a Durable Object of its own. */

const ada: Actor = { subject: "alice", scopes: ["read", "send", "approve"], via: "http" };
const doors = openApi();
beforeAll(makeSite);

let messages = 0;
const LEADS: RunOptions = {
  tools: ["run_agent", "page_list", "page_create", "page_delete"],
  profile: "complex",
};

async function say(session: string, text: string, ask: RunOptions = LEADS): Promise<string> {
  const parts = [{ type: "text", text }] as const;
  const command = { parts, mode: null, source: "api", request: null, ask } as const;
  const sent = await sessionClient(env, session).send(ada, { id: `m${++messages}`, ...command });
  if (!sent.ok) throw new Error(sent.error.message);
  return sent.value.runId;
}

async function entriesOf(session: string): Promise<readonly Entry[]> {
  const page = await sessionClient(env, session).events(ada, 0, 1_000);
  return page.ok ? page.value.items : [];
}

/** The log once its last entry is of this kind. */
async function until(session: string, kind: Entry["kind"]): Promise<readonly Entry[]> {
  let entries: readonly Entry[] = [];
  const rests = async (): Promise<boolean> => {
    entries = await entriesOf(session);
    return entries.some((entry) => entry.kind === kind);
  };
  await expect.poll(rests, { timeout: 15_000, interval: 20 }).toBe(true);
  return entries;
}

const of = <Kind extends Entry["kind"]>(entries: readonly Entry[], kind: Kind) =>
  entries.flatMap((entry) => asKind(entry, kind) ?? []).map(({ body }) => body);
const kindsOf = (entries: readonly Entry[]): readonly string[] =>
  entries.map(({ kind }) => kind).filter((kind) => kind !== "verdict");
const call = (input: object): string => `/call run_agent ${JSON.stringify(input)}`;

describe("a run that hands a part to another", () => {
  test("waits for its report, which is the result of the call", async () => {
    await say(
      "tree-one",
      `${call({ objective: "/call page_list {}\n/then\n/say Two pages." })}\n/then\n/say Done.`,
    );
    const entries = await until("tree-one", "run_ended");
    const child = "tree-one~r1s1c0";
    expect(kindsOf(entries)).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "call_intended",
      "call_deferred",
      "child_reported",
      "call_settled",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(of(entries, "child_reported")).toMatchObject([
      { call: "r1s1c0", child, outcome: "completed", answer: "Two pages.", sessions: 1, tainted: false },
    ]);
    expect(of(entries, "call_settled")[0]).toMatchObject({ status: "ok", tool: "run_agent" });
    const below = await entriesOf(child);
    expect(of(below, "run_queued")[0]?.parent).toMatchObject({
      session: "tree-one",
      call: "r1s1c0",
      depth: 1,
    });
    expect(of(below, "run_started")[0]?.grant.map(({ tool }) => tool)).toContain("page_list");
    const ended = of(entries, "run_ended")[0];
    expect(ended?.tree?.sessions).toBe(2);
    expect(outcomeClass(ended?.outcome ?? "skipped")).toBe("answered");
  });

  test("hands several parts out of one reply, which are worked side by side", async () => {
    const part = (name: string) => call({ objective: `/wait 200\n/say About ${name}.` });
    await say("tree-three", `${["A", "B", "C"].map(part).join("\n")}\n/then\n/say All three.`);
    const entries = await until("tree-three", "run_ended");
    const deferred = entries.findLastIndex(({ kind }) => kind === "call_deferred");
    const reported = entries.findIndex(({ kind }) => kind === "child_reported");
    expect(of(entries, "call_deferred")).toHaveLength(3);
    expect(deferred).toBeLessThan(reported);
    expect(
      of(entries, "child_reported")
        .map(({ answer }) => answer)
        .toSorted(),
    ).toEqual(["About A.", "About B.", "About C."]);
    // Equal parts: one for each of them, and one for the run itself.
    const shares = of(entries, "call_intended").map(({ share }) => share?.steps ?? 0);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    expect(of(entries, "run_ended")[0]).toMatchObject({ outcome: "completed", tree: { sessions: 4 } });
  });

  test("asks another agent by its tool, as docs/agents.md shows it", async () => {
    const reads = { objective: "/call page_list {}\n/then\n/say There are pages." };
    await say("tree-desk", `/call agent_reader ${JSON.stringify(reads)}\n/then\n/say Written.`, {
      agent: "desk",
    });
    const entries = await until("tree-desk", "run_ended");
    const offered = of(entries, "run_started")[0]?.grant.map(({ tool }) => tool) ?? [];
    expect(offered).toContain("agent_reader");
    expect(offered).not.toContain("run_agent");
    expect(of(entries, "child_reported")[0]).toMatchObject({
      outcome: "completed",
      answer: "There are pages.",
    });
    const below = await entriesOf("tree-desk~r1s1c0");
    expect(of(below, "run_queued")[0]?.spec).toMatchObject({
      agent: "reader",
      tools: ["page_list", "page_get"],
    });
    expect(of(below, "run_started")[0]?.limits.cost).toBe(200_000);
  });

  test("goes on without waiting, and reads the report before it answers", async () => {
    await say(
      "tree-later",
      `${call({ objective: "/wait 300\n/say Later.", wait: false })}\n/then\n/say Done.`,
    );
    const entries = await until("tree-later", "run_ended");
    expect(of(entries, "call_settled")[0]?.observation).toContain('"started":true');
    expect(of(entries, "verdict").some(({ code }) => code === "WORK_PENDING")).toBe(true);
    const [reported] = of(entries, "child_reported");
    expect(reported?.observation).toContain("Later.");
    const answered = entries.findIndex(({ kind }) => kind === "answer");
    expect(entries.findIndex(({ kind }) => kind === "child_reported")).toBeLessThan(answered);
    expect(of(entries, "run_ended")[0]?.outcome).toBe("completed");
  });

  test("stops all below it when it is stopped", async () => {
    const deep = call({ objective: "/wait 5000\n/say Never." });
    await say("tree-stop", call({ objective: `${deep}\n/then\n/say Never.` }));
    const grandchild = "tree-stop~r1s1c0~r1s1c0";
    await until(grandchild, "step_started");
    await sessionClient(env, "tree-stop").cancel(ada, { id: "c1", runId: null, all: true, reason: null });
    const below = await until(grandchild, "run_ended");
    expect(of(below, "run_ended")[0]?.outcome).toBe("cancelled");
    const child = await until("tree-stop~r1s1c0", "run_ended");
    expect(of(child, "run_ended")[0]).toMatchObject({ outcome: "cancelled", reason: "parent_ended" });
    const top = await until("tree-stop", "run_ended");
    expect(kindsOf(top).slice(-4)).toEqual(["call_settled", "answer", "child_stopped", "run_ended"]);
  });

  test("is no bomb: each level has one less below it, and the deepest is not offered it", async () => {
    const nested = (depth: number): string =>
      depth === 0 ? "/say Deep." : `${call({ objective: nested(depth - 1) })}\n/then\n/say Level.`;
    await say("tree-bomb", nested(5));
    await until("tree-bomb", "run_ended");
    const deepest = await entriesOf("tree-bomb~r1s1c0~r1s1c0~r1s1c0");
    expect(of(deepest, "call_settled")[0]).toMatchObject({
      status: "refused",
      failure: { code: "unknown_tool" },
    });
    expect(of(deepest, "run_queued")[0]?.parent).toMatchObject({ depth: 3, sessions: 0, root: "tree-bomb" });
  });

  test.each([
    ["an agent that there is not", { agent: "editr", objective: "x" }, "unknown_agent", "editor"],
    [
      "a tool that it does not have",
      { tools: ["set_status"], objective: "x" },
      "tool_not_available",
      "set_status",
    ],
    [
      "too little for one call of a model",
      { budget: { tokens: 5 }, objective: "x" },
      "share_too_small",
      "model call",
    ],
  ])("is told about %s, and nothing is started", async (_what, input, code, words) => {
    const session = `tree-bad-${code}`;
    await say(session, `${call(input)}\n/then\n/say No.`);
    const entries = await until(session, "run_ended");
    const [settled] = of(entries, "call_settled");
    expect(settled).toMatchObject({ status: "error", failure: { code } });
    expect(settled?.observation).toContain(words);
    expect(await entriesOf(`${session}~r1s1c0`)).toEqual([]);
    expect(of(entries, "run_ended")[0]?.tree).toMatchObject({ sessions: 1 });
  });
});

describe("a child", () => {
  test("asks under its own name, in the inbox of the owner of the tree, and goes on with their yes", async () => {
    const create = '/call page_create {"name":"From below"}\n/then\n/say Made.';
    await say("tree-asks", `${call({ agent: "editor", objective: create })}\n/then\n/say Done.`);
    const child = "tree-asks~r1s1c0";
    const asked = of(await until(child, "approval_requested"), "approval_requested")[0];
    expect(asked).toMatchObject({ tool: "page_create", requester: "alice" });
    const decided = await sessionClient(env, child).decide(ada, {
      approval: "r1s1c0a1",
      decision: "approve",
      args: null,
      reason: null,
      digest: asked?.digest ?? "",
    });
    expect(decided.ok).toBe(true);
    const entries = await until("tree-asks", "run_ended");
    expect(of(entries, "child_reported")[0]).toMatchObject({ outcome: "completed", answer: "Made." });
  });

  test("cannot be made, or written to, by anybody else", async () => {
    const stranger = sessionClient(env, "tree-none~r1s1c0");
    const parts = [{ type: "text", text: "Hello" }] as const;
    const command = { id: "x", parts, mode: null, source: "api", request: null, ask: {} } as const;
    expect(await stranger.send(ada, command)).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("has a name that no schedule of somebody else takes", async () => {
    const bob: Actor = { subject: "bob", scopes: ["read", "send"], via: "http" };
    const wish = { id: "s1", digest: "s1", text: "/say I was here.", agent: null, catchUp: "skip" } as const;
    const timing = { kind: "every", everyMs: 3_600_000 } as const;
    const taken = await sessionClient(env, "tree-named~r1s1c0").schedule(bob, { ...wish, timing });
    expect(taken).toMatchObject({ ok: false, error: { status: 404 } });
    await say("tree-named", `${call({ objective: "/say A." })}\n/then\n/say Done.`);
    const entries = await until("tree-named", "run_ended");
    expect(of(entries, "child_reported")).toMatchObject([{ outcome: "completed", answer: "A." }]);
  });

  test("starts nothing by runs that stand in no tree", async () => {
    await say("tree-later", `${call({ objective: "/say A." })}\n/then\n/say Done.`);
    await until("tree-later", "run_ended");
    const child = "tree-later~r1s1c0";
    await say(child, `${call({ objective: "/say B." })}\n/then\n/say Tried.`);
    const ended = async (): Promise<number> => of(await entriesOf(child), "run_ended").length;
    await expect.poll(ended, { timeout: 15_000, interval: 20 }).toBe(2);
    const below = await entriesOf(child);
    expect(of(below, "call_settled")).toMatchObject([
      { tool: "run_agent", status: "refused", failure: { code: "not_available" } },
    ]);
    expect(of(below, "call_deferred")).toEqual([]);
  });

  test("goes with the session that started it", async () => {
    await say("tree-gone", call({ objective: call({ objective: "/say A." }) }));
    await until("tree-gone", "run_ended");
    expect(await entriesOf("tree-gone~r1s1c0~r1s1c0")).not.toEqual([]);
    expect(await sessionClient(env, "tree-gone").remove(ada)).toEqual({ ok: true, value: null });
    for (const name of ["tree-gone", "tree-gone~r1s1c0", "tree-gone~r1s1c0~r1s1c0"])
      expect(await entriesOf(name)).toEqual([]);
  });

  test("that was deleted is told of, and the run goes on", async () => {
    await say("tree-lost", `${call({ objective: "/wait 3000\n/say A." })}\n/then\n/say Alone.`);
    const child = "tree-lost~r1s1c0";
    await until(child, "step_started");
    await until("tree-lost", "call_deferred");
    expect((await sessionClient(env, child).remove(ada)).ok).toBe(true);
    const entries = await until("tree-lost", "run_ended");
    expect(of(entries, "child_reported")[0]).toMatchObject({
      outcome: "cancelled",
      reason: "child_deleted",
    });
  });
});

describe("a tree, seen from outside", () => {
  test("is one answer: each run, what it costs, and which of them is gone", async () => {
    const parts = [call({ objective: call({ objective: "/say Deep." }) }), call({ objective: "/say B." })];
    await say("tree-seen", `${parts.join("\n")}\n/then\n/say Done.`);
    await until("tree-seen", "run_ended");
    const tree = await doors.json<Answer<"RunTree">>(200, "/api/runs/tree-seen.r1/tree");
    expect(tree.items.map(({ id, parentRunId, depth, call: by }) => [id, parentRunId, depth, by])).toEqual([
      ["tree-seen.r1", null, 0, null],
      ["tree-seen~r1s1c0.r1", "tree-seen.r1", 1, "r1s1c0"],
      ["tree-seen~r1s1c0~r1s1c0.r1", "tree-seen~r1s1c0.r1", 2, "r1s1c0"],
      ["tree-seen~r1s1c1.r1", "tree-seen.r1", 1, "r1s1c1"],
    ]);
    const run = await doors.json<Answer<"Run">>(200, "/api/runs/tree-seen.r1");
    expect(run.childRuns.map(({ state, outcome }) => [state, outcome])).toEqual([
      ["reported", "answered"],
      ["reported", "answered"],
    ]);
    const tokens = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
      inputTokens + outputTokens;
    expect(tree.total).toMatchObject({ runs: 4, live: 0, waiting: 0 });
    expect(tokens(run.treeUsage as never)).toBe(tree.total.tokens);
    await doors.call("/api/sessions/tree-seen~r1s1c1", { method: "DELETE" });
    expect(await doors.json(200, "/api/runs/tree-seen.r1/tree")).toMatchObject({
      missing: ["tree-seen~r1s1c1.r1"],
    });
  });

  test("does not stand in the lists of sessions and runs, and is read by its names", async () => {
    await say("tree-list", `${call({ objective: "/say A." })}\n/then\n/say Done.`);
    await until("tree-list", "run_ended");
    const child = "tree-list~r1s1c0";
    const isListed = async (path: string, id: string): Promise<boolean> => {
      const { items } = await doors.json<{ items: { id: string }[] }>(200, path);
      return items.some((item) => item.id === id);
    };
    await expect.poll(() => isListed("/api/sessions?limit=100", "tree-list")).toBe(true);
    await expect.poll(() => isListed(`/api/runs?sessionId=${child}`, `${child}.r1`)).toBe(true);
    expect(await isListed("/api/sessions?limit=100", child)).toBe(false);
    expect(await isListed("/api/runs?limit=100", `${child}.r1`)).toBe(false);
    expect(await doors.json(200, `/api/sessions/${child}`)).toMatchObject({
      owner: "alice",
      title: "/say A.",
    });
    expect(await doors.json(200, `/api/runs/${child}.r1`)).toMatchObject({ parentRunId: "tree-list.r1" });
  });

  test("has one of its branches stopped, and the others go on", async () => {
    const parts = [call({ objective: "/wait 5000\n/say Slow." }), call({ objective: "/say Quick." })];
    await say("tree-branch", `${parts.join("\n")}\n/then\n/say Done.`);
    await until("tree-branch~r1s1c0", "step_started");
    expect((await doors.call("/api/runs/tree-branch~r1s1c0.r1", { method: "DELETE" })).status).toBe(202);
    const entries = await until("tree-branch", "run_ended");
    const outcomes = of(entries, "child_reported").map(({ call: by, outcome }) => [by, outcome]);
    expect(outcomes.toSorted()).toEqual([
      ["r1s1c0", "cancelled"],
      ["r1s1c1", "completed"],
    ]);
    expect(of(entries, "run_ended")[0]?.outcome).toBe("completed");
  });

  test("asks in the inbox of its owner, under the name of the child", async () => {
    const create = '/call page_create {"name":"In the inbox"}\n/then\n/say Made.';
    await say("tree-inbox", call({ agent: "editor", objective: create }));
    const child = "tree-inbox~r1s1c0";
    await until(child, "approval_requested");
    const inbox = async (): Promise<boolean> => {
      const { items } = await doors.json<{ items: { sessionId: string }[] }>(
        200,
        "/api/approvals?state=pending",
      );
      return items.some(({ sessionId }) => sessionId === child);
    };
    await expect.poll(inbox).toBe(true);
    await doors.call("/api/runs/tree-inbox.r1", { method: "DELETE" });
    await until(child, "approval_cancelled");
  });
});
