import { Hono } from "hono/tiny";
import { describe, expect, test } from "vitest";
import { err, ok } from "../../../src/cairn/core/log/result.ts";
import type { ToolCard } from "../../../src/cairn/core/log/tool.ts";
import type { Deps } from "../../../src/cairn/http/deps.ts";
import { createRateLimit } from "../../../src/cairn/http/kit/rate-limit.ts";
import {
  AGENT_TOOLS,
  callAgentTool,
  cancelRun,
  type AgentToolName,
} from "../../../src/plugins/mcp-server/agent-tools.ts";
import { mountMcp } from "../../../src/plugins/mcp-server/mcp-route.ts";
import { takeResponses } from "../../../src/plugins/mcp-server/inputs.ts";
import type { ReadingTools } from "../../../src/cairn/http/deps.ts";
import { read, readingToolsFor } from "../../../src/plugins/mcp-server/reading-tools.ts";
import { loadRunState, type RunState } from "../../../src/plugins/mcp-server/run-state.ts";
import { createServer, type Sdk } from "../../../src/plugins/mcp-server/server.ts";
import { taskDetailOf, textResult } from "../../../src/plugins/mcp-server/tasks.ts";
import { refusal, type Actor, type Scope } from "../../../src/cairn/session/api/session-api.ts";
import type { HttpEnv } from "../../../src/cairn/http/kit/route.ts";

/** The tools of `/mcp`, over sessions that answer what a test says: who may call which, and what each hands on. */

const SCOPES: readonly Scope[] = ["read", "send", "approve", "admin"];
const actorWith = (...scopes: Scope[]): Actor => ({ subject: "ada", scopes, via: "http" });
const ALL = actorWith("read", "send", "approve");
const RUN = "ses_a.r1";
const BELOW = "ses_a~r1s1c0.r1";
const DIGEST = `sha256:${"a".repeat(64)}`;
const AT = "2026-01-02T00:00:00.000Z";

const approval = (more: object = {}) => ({
  id: "r1s1c0a1",
  state: "pending",
  digest: DIGEST,
  title: "Publish",
  summary: "It is public.",
  impact: [],
  warnings: [],
  tool: "publish",
  args: { name: "a" },
  tainted: false,
  expiresAt: AT,
  sessionId: "ses_a",
  basis: null,
  preview: null,
  runId: RUN,
  ...more,
});
const question = { question: "r1s1c0q1", text: "Which?", context: null, options: [] };
const runView = (more: object = {}) => ({
  id: RUN,
  sessionId: "ses_a",
  status: "running",
  outcome: null,
  receipt: null,
  answer: null,
  partial: false,
  reason: null,
  progress: null,
  waitingFor: null,
  steps: 2,
  childRuns: [],
  createdAt: "c",
  startedAt: null,
  endedAt: null,
  parentRunId: null,
  usage: null,
  ...more,
});
const WAITS_APPROVAL = { status: "paused", waitingFor: { kind: "approval", id: "r1s1c0a1", until: AT } };
const WAITS_QUESTION = { status: "paused", waitingFor: { kind: "human", id: "r1s1c0q1", until: AT } };

interface Word {
  readonly session: string;
  readonly command: string;
  readonly args: readonly unknown[];
}
type Given = Record<string, Record<string, object>>;

/** Fake sessions. `given`: their answers, by session and command. */
function world(given: Given = {}) {
  const words: Word[] = [];
  let ids = 0;
  const usual: Record<string, (session: string) => unknown> = {
    awaitRun: () => ok(runView()),
    readRun: () => ok(runView()),
    approval: () => ok(approval()),
    question: () => ok(question),
    decide: () => ok({}),
    answer: () => ok({}),
    stopRun: () => ok({}),
    send: (session) => ok({ runId: `${session}.r1`, duplicate: false }),
  };
  const sessions = (session: string) =>
    new Proxy(
      {},
      {
        get:
          (_, command: string) =>
          (actor: Actor, ...args: unknown[]) => {
            expect(actor.subject).toBe("ada");
            words.push({ session, command, args });
            return Promise.resolve(given[session]?.[command] ?? usual[command]?.(session));
          },
      },
    );
  const deps = {
    sessions,
    config: {
      models: { allowed: [], own: new Map() },
      limits: { bodyBytes: 10_000 },
      publicUrl: "https://cairn.example",
    },
    tools: () => ({
      cards: () => [],
      notOffered: () => [],
      leftOut: () => new Set<string>(),
      listedNames: () => [],
    }),
    agents: { names: () => Promise.resolve(["default"]) },
    newId: () => `id${++ids}`,
    now: () => 7,
    version: "1",
    admins: null,
    report: () => {},
    readingTools: () => reading(),
  } as unknown as Deps;
  const did = (...commands: string[]) => words.filter(({ command }) => commands.includes(command));
  return { deps, words, did };
}

const call = (deps: Deps, name: AgentToolName, args: object, actor: Actor = ALL, waits = false) =>
  callAgentTool(deps, actor, name, args, { requestId: "req_1", waits });
const codeOf = (result: { ok: boolean; error?: { code: string } }) => (result.ok ? "ok" : result.error?.code);

const WORK = ["send", "decide", "answer", "stopRun"];

describe("who may call which tool", () => {
  const decision = { runId: RUN, approvalId: "r1s1c0a1", digest: DIGEST, decision: "deny" };
  const CALLS: readonly (readonly [AgentToolName, object, readonly Scope[], string | null])[] = [
    ["agent_start", { objective: "Do." }, ["send"], "send"],
    ["agent_get", { runId: RUN, waitSeconds: 0 }, ["read"], null],
    ["agent_update", { ...decision, waitSeconds: 0 }, ["read", "approve"], "decide"],
    ["agent_update", { runId: RUN, answer: "This.", waitSeconds: 0 }, ["read", "send"], "answer"],
    ["agent_cancel", { runId: RUN }, ["send"], "stopRun"],
  ];
  const ended = { ses_a: { awaitRun: ok(runView({ status: "completed" })) } };
  test.each(CALLS)("%s %j takes %j", async (name, args, needed, command) => {
    for (let bits = 0; bits < 16; bits++) {
      const scopes = SCOPES.filter((_, at) => (bits & (1 << at)) !== 0);
      const { deps, did } = world(name === "agent_cancel" ? ended : {});
      const may = scopes.includes("admin") || needed.every((scope) => scopes.includes(scope));
      const result = await call(deps, name, args, actorWith(...scopes));
      expect([scopes, codeOf(result)]).toEqual([scopes, may ? "ok" : "missing_scope"]);
      expect(did(...WORK).map((word) => word.command)).toEqual(may && command !== null ? [command] : []);
    }
  });

  test("cancelRun by a task takes the scope that the tool takes", async () => {
    const { deps, did } = world(ended);
    expect(codeOf(await cancelRun(deps, actorWith("read", "approve"), RUN, 0))).toBe("missing_scope");
    expect(did("stopRun", "awaitRun")).toEqual([]);
    expect(codeOf(await cancelRun(deps, ALL, RUN, 0))).toBe("ok");
  });
});

describe("agent_start", () => {
  const sentBy = async (args: object) => {
    const { deps, did } = world();
    expect(codeOf(await call(deps, "agent_start", args))).toBe("ok");
    const [word] = did("send");
    return { session: word?.session, command: word?.args[0] as { id: string; digest: string; ask: object } };
  };

  test("hands on the objective, the session, the agent and the instructions, with the id of the request", async () => {
    const args = { objective: "Do.", sessionId: "ses_given", agent: "default", instructions: "Be quick." };
    const { session, command } = await sentBy(args);
    expect(session).toBe("ses_given");
    expect(command).toMatchObject({
      parts: [{ type: "text", text: "Do." }],
      mode: "queue",
      source: "api",
      ask: { agent: "default", instructions: "Be quick.", traceId: "req_1" },
    });
    expect((await sentBy({ objective: "Do." })).session).toMatch(/^ses_[a-z0-9]{20}$/);
  });

  test("hands on the further fields of a run, and refuses those that have arguments of their own", async () => {
    const targets = { site: { siteId: "site_main", environmentId: "env_main" } };
    const { command } = await sentBy({
      objective: "Do.",
      run: { targets, metadata: { ticket: 7 }, output: { type: "object" }, max_iterations: 4 },
    });
    expect(command.ask).toMatchObject({
      targets,
      metadata: { ticket: 7 },
      output: { type: "object" },
      limits: { steps: 4 },
      traceId: "req_1",
    });
    const refused = async (run: object) =>
      codeOf(await call(world().deps, "agent_start", { objective: "Do.", run }));
    expect([
      await refused({ objective: "Other." }),
      await refused({ session_id: "ses_other" }),
      await refused({ instructons: "Be brief." }),
      await refused({ metadata: 7 }),
    ]).toEqual(["unknown_field", "unknown_field", "invalid_run", "invalid_run"]);
  });

  test("is the same run for the same key, arguments and person, and another one for each that differs", async () => {
    const idsOf = async (args: object, subject: string) => {
      const { deps } = world();
      const words: unknown[] = [];
      const sessions = (session: string) => ({
        send: (_actor: Actor, { id, digest }: { id: string; digest: string }) => {
          words.push([session, id, digest]);
          return Promise.resolve(ok({ runId: `${session}.r1`, duplicate: false }));
        },
        awaitRun: () => Promise.resolve(ok(runView())),
      });
      await callAgentTool(
        { ...deps, sessions } as unknown as Deps,
        { ...ALL, subject },
        "agent_start",
        args,
        { requestId: "r", waits: false },
      );
      return words[0] as [string, string, string];
    };
    const base = await idsOf({ objective: "Do.", idempotencyKey: "k" }, "ada");
    expect(await idsOf({ objective: "Do.", idempotencyKey: "k" }, "ada")).toEqual(base);
    const bob = await idsOf({ objective: "Do.", idempotencyKey: "k" }, "bob");
    const key = await idsOf({ objective: "Do.", idempotencyKey: "l" }, "ada");
    for (const other of [bob, key]) {
      expect(other[0]).not.toBe(base[0]);
      expect(other[1]).not.toBe(base[1]);
      expect(other[2]).toBe(base[2]);
    }
    const more = [
      { objective: "Do!" },
      { objective: "Do.", agent: "default" },
      { objective: "Do.", instructions: "x" },
      { objective: "Do.", sessionId: "ses_given_1" },
    ];
    for (const args of more) {
      const [, id, digest] = await idsOf({ ...args, idempotencyKey: "k" }, "ada");
      expect([id, digest === base[2]]).toEqual([base[1], false]);
    }
  });

  test("of who may not read tells nothing that the run's session knows", async () => {
    const { deps, did } = world();
    const result = await call(
      deps,
      "agent_start",
      { objective: "Do.", sessionId: "ses_given" },
      actorWith("send"),
    );
    expect(did("awaitRun", "readRun")).toEqual([]);
    expect(result).toMatchObject({
      ok: true,
      value: {
        runId: "ses_given.r1",
        sessionId: "ses_given",
        status: "working",
        answer: null,
        receipt: null,
      },
    });
  });

  test("waits as long as it is asked to, and a task does not wait", async () => {
    const waited = async (args: object, waits: boolean) => {
      const { deps, did } = world();
      await call(deps, "agent_start", { objective: "Do.", ...args }, ALL, waits);
      return did("awaitRun").map(({ args: given }) => given[1]);
    };
    expect(await waited({ waitSeconds: 3 }, true)).toEqual([0, 2_000, 1_000]);
    expect(await waited({ waitSeconds: 3 }, false)).toEqual([0]);
    expect(await waited({}, true)).toHaveLength(11);
  });
});

describe("agent_update", () => {
  const waiting = { ses_a: { awaitRun: ok(runView(WAITS_APPROVAL)) } };
  const asked = { ses_a: { awaitRun: ok(runView(WAITS_QUESTION)) } };
  const base = { runId: RUN, waitSeconds: 0 };
  const decide = (more: object = {}) => ({
    ...base,
    approvalId: "r1s1c0a1",
    digest: DIGEST,
    decision: "approve",
    reason: "Fine.",
    ...more,
  });

  test("hands on a decision with the digest that it names", async () => {
    for (const decision of ["approve", "deny"]) {
      const { deps, did } = world(waiting);
      expect(codeOf(await call(deps, "agent_update", decide({ decision })))).toBe("ok");
      expect(did(...WORK)).toEqual([
        {
          session: "ses_a",
          command: "decide",
          args: [{ approval: "r1s1c0a1", decision, args: null, reason: "Fine.", digest: DIGEST }],
        },
      ]);
    }
  });

  test("hands on an answer with the question that it names", async () => {
    for (const question of [null, "r1s1c0q1", "r9s1c0q1"]) {
      const { deps, did } = world(asked);
      const named = question === null ? {} : { questionId: question };
      await call(deps, "agent_update", { ...base, answer: "This.", ...named });
      expect(did(...WORK)).toEqual([
        { session: "ses_a", command: "answer", args: [{ runId: RUN, question, value: "This." }] },
      ]);
    }
  });

  test.each([
    ["neither", {}, "invalid_request"],
    ["both", { ...decide(), answer: "This." }, "invalid_request"],
    ["a decision and a question", { ...decide(), questionId: "r1s1c0q1" }, "invalid_request"],
    ["a decision without its digest", { ...decide(), digest: undefined }, "invalid_request"],
    ["a decision without its approval", { ...decide(), approvalId: undefined }, "invalid_request"],
    ["an answer and an approval", { answer: "This.", approvalId: "r1s1c0a1" }, "invalid_request"],
    ["an approval of another run", decide({ approvalId: "r2s1c0a1" }), "not_waiting"],
    ["an approval of a run whose name begins alike", decide({ approvalId: "r11s1c0a1" }), "not_waiting"],
    ["what is no approval", decide({ approvalId: "../x" }), "not_waiting"],
  ])("of %s decides nothing", async (_, args, code) => {
    const { deps, did } = world(waiting);
    expect(codeOf(await call(deps, "agent_update", { ...base, ...args }))).toBe(code);
    expect(did(...WORK)).toEqual([]);
  });

  test("approves nothing that is too long to be shown, and denies it", async () => {
    const long = approval({ args: { text: "x".repeat(9_000) } });
    const cut = { ses_a: { awaitRun: ok(runView(WAITS_APPROVAL)), approval: ok(long) } };
    const yes = world(cut);
    expect(codeOf(await call(yes.deps, "agent_update", decide()))).toBe("not_shown_whole");
    expect(yes.did(...WORK)).toEqual([]);
    const no = world(cut);
    expect(codeOf(await call(no.deps, "agent_update", decide({ decision: "deny" })))).toBe("ok");
    expect(no.did(...WORK)).toHaveLength(1);
  });

  test("reaches the run below that asks, and only for what that asks", async () => {
    const child = { id: BELOW, sessionId: "ses_a~r1s1c0", parentRunId: RUN };
    const tree: Given = {
      ses_a: {
        awaitRun: ok(runView({ childRuns: [{ sessionId: "ses_a~r1s1c0", runId: BELOW }] })),
        readRun: ok(runView({ childRuns: [{ sessionId: "ses_a~r1s1c0", runId: BELOW }] })),
      },
      "ses_a~r1s1c0": { readRun: ok(runView({ ...child, ...WAITS_APPROVAL })) },
    };
    const shown = world(tree);
    expect(codeOf(await call(shown.deps, "agent_update", decide()))).toBe("ok");
    expect(shown.did(...WORK).map(({ session }) => session)).toEqual(["ses_a~r1s1c0"]);
    const other = world(tree);
    await call(other.deps, "agent_update", decide({ approvalId: "r1s2c0a1" }));
    expect(other.did(...WORK).map(({ session }) => session)).toEqual(["ses_a"]);
  });

  test("answers the question of the run below that asks, and another question is the run's own", async () => {
    const childRuns = [{ sessionId: "ses_a~r1s1c0", runId: BELOW }];
    const child = { id: BELOW, sessionId: "ses_a~r1s1c0", parentRunId: RUN };
    const tree: Given = {
      ses_a: { awaitRun: ok(runView({ childRuns })), readRun: ok(runView({ childRuns })) },
      "ses_a~r1s1c0": { readRun: ok(runView({ ...child, ...WAITS_QUESTION })) },
    };
    const answeredWith = async (more: object): Promise<unknown> => {
      const { deps, did } = world(tree);
      expect(codeOf(await call(deps, "agent_update", { runId: RUN, answer: "This.", ...more }))).toBe("ok");
      return did(...WORK);
    };
    const word = (session: string, runId: string, asked: string | null) => [
      { session, command: "answer", args: [{ runId, question: asked, value: "This." }] },
    ];
    expect(await answeredWith({})).toEqual(word("ses_a~r1s1c0", BELOW, null));
    expect(await answeredWith({ questionId: "r1s1c0q1" })).toEqual(word("ses_a~r1s1c0", BELOW, "r1s1c0q1"));
    expect(await answeredWith({ questionId: "r1s9c0q1" })).toEqual(word("ses_a", RUN, "r1s9c0q1"));
    // By a form too, under a key that names the run below.
    const { deps, did } = world(tree);
    const state = await loadRunState(deps, ALL, RUN, 0);
    if (!state.ok) throw new Error(state.error.code);
    const accepted = { action: "accept", content: { answer: "This." } };
    const own = await takeResponses(deps, ALL, state.value, { "question/r1s1c0q1": accepted });
    expect([codeOf(own), did(...WORK)]).toEqual(["digest_mismatch", []]);
    const below = await takeResponses(deps, ALL, state.value, { [`question/r1s1c0q1/${BELOW}`]: accepted });
    expect(codeOf(below)).toBe("ok");
    expect(did(...WORK)).toEqual(word("ses_a~r1s1c0", BELOW, "r1s1c0q1"));
  });

  test("stops no run that its caller cannot read", async () => {
    const missing = { ok: false, error: refusal(404, "not_found", "Nothing.", "") };
    const { deps, did } = world({ ses_a: { awaitRun: missing } });
    expect(codeOf(await call(deps, "agent_cancel", { runId: RUN }))).toBe("not_found");
    expect(did(...WORK)).toEqual([]);
  });
});

describe("where a run stands", () => {
  const WAITS_CLIENT = { status: "paused", waitingFor: { kind: "client", id: "r1s1c0", until: AT } };
  const stateOf = async (given: Given) => {
    const state = await loadRunState(world(given).deps, ALL, RUN, 0);
    if (!state.ok) throw new Error(state.error.code);
    return state.value;
  };
  const of = (more: object, others: Record<string, object> = {}): Given => ({
    ses_a: { awaitRun: ok(runView(more)), ...others },
  });

  test("that waits for its chat page says so, because nobody can answer it here", async () => {
    expect(await stateOf(of(WAITS_CLIENT))).toMatchObject({
      status: "working",
      waitingFor: null,
      progress: "It waits for the chat page that brought the tool which it called.",
    });
  });

  test.each([
    ["running", {}, "working"],
    ["queued", { status: "queued" }, "working"],
    ["completed", { status: "completed", outcome: "answered" }, "completed"],
    ["failed", { status: "failed", outcome: "failed" }, "failed"],
    ["cancelled", { status: "cancelled", outcome: "cancelled" }, "cancelled"],
    ["waiting for a decision", WAITS_APPROVAL, "input_required"],
    ["waiting for an answer", WAITS_QUESTION, "input_required"],
    ["waiting for its chat page", WAITS_CLIENT, "working"],
  ])("that is %s", async (_, more, status) => {
    expect((await stateOf(of(more))).status).toBe(status);
  });

  test("that waited a moment ago and goes on is working", async () => {
    const decided = of(WAITS_APPROVAL, { approval: ok(approval({ state: "approved" })) });
    expect(await stateOf(decided)).toMatchObject({ status: "working", waitingFor: null });
    const answered = of(WAITS_QUESTION, { question: ok(null) as object });
    expect(await stateOf(answered)).toMatchObject({ status: "working", waitingFor: null });
  });

  test("tells its answer, its receipt and its times as they are", async () => {
    const receipt = { lines: [] };
    const more = { status: "completed", receipt, answer: "A.", partial: true, reason: "budget" };
    expect(await stateOf(of({ ...more, startedAt: "s", progress: { text: "p" } }))).toEqual({
      runId: RUN,
      sessionId: "ses_a",
      status: "completed",
      receipt,
      answer: "A.",
      partial: true,
      reason: "budget",
      progress: "p",
      waitingFor: null,
      steps: 2,
      createdAt: "c",
      updatedAt: "s",
    });
    expect((await stateOf(of({ endedAt: "e", startedAt: "s" }))).updatedAt).toBe("e");
    expect((await stateOf(of({}))).updatedAt).toBe("c");
  });

  test("is asked for all that a person decides by", async () => {
    const { waitingFor } = await stateOf(of(WAITS_APPROVAL));
    expect(waitingFor).toMatchObject({
      kind: "approval",
      runId: RUN,
      approvalId: "r1s1c0a1",
      digest: DIGEST,
      complete: true,
      tool: "publish",
      args: { name: "a" },
      lookAt: "https://cairn.example/#/approvals",
      expiresAt: AT,
    });
    expect((await stateOf(of(WAITS_QUESTION))).waitingFor).toEqual({
      kind: "question",
      runId: RUN,
      questionId: "r1s1c0q1",
      question: "Which?",
      context: null,
      options: [],
      expiresAt: AT,
    });
  });

  test.each(["ses_a", "ses_a.r0", "../x.r1", "ses a.r1", ""])(
    "of no name of a run (%j) asks no session",
    async (id) => {
      const { deps, words } = world();
      expect(codeOf(await loadRunState(deps, ALL, id, 0))).toBe("not_found");
      expect(words).toEqual([]);
    },
  );

  test("of another person is as missing as one that is not there", async () => {
    const no = err(refusal(404, "not_found", "No such session.", "x"));
    const found = await loadRunState(world({ ses_a: { awaitRun: no } }).deps, ALL, RUN, 0);
    expect(found).toMatchObject({ ok: false, error: { message: "There is no such run." } });
    const busy = err(refusal(503, "busy", "Later.", "x"));
    expect(codeOf(await loadRunState(world({ ses_a: { awaitRun: busy } }).deps, ALL, RUN, 0))).toBe("busy");
  });

  test("that has ended waits for nobody below", async () => {
    const childRuns = [{ sessionId: "ses_a~r1s1c0", runId: BELOW }];
    const { deps, did } = world(of({ status: "completed", outcome: "answered", childRuns }));
    await loadRunState(deps, ALL, RUN, 0);
    expect(did("readRun")).toEqual([]);
  });

  test("skips a run below that has ended or is gone", async () => {
    const second = "ses_a~r1s1c1";
    const childRuns = [
      { sessionId: "ses_a~r1s1c0", runId: BELOW },
      { sessionId: second, runId: `${second}.r1` },
    ];
    const ended = { ...WAITS_APPROVAL, outcome: "cancelled", status: "cancelled" };
    const given = (first: object): Given => ({
      ses_a: { awaitRun: ok(runView({ childRuns })), readRun: ok(runView({ childRuns })) },
      "ses_a~r1s1c0": { readRun: first },
      [second]: {
        readRun: ok(runView({ ...WAITS_QUESTION, id: `${second}.r1`, sessionId: second, parentRunId: RUN })),
      },
    });
    for (const first of [
      ok(runView({ ...ended, id: BELOW, sessionId: "ses_a~r1s1c0", parentRunId: RUN })),
      err(refusal(404, "not_found", "No such session.", "x")),
    ]) {
      expect((await stateOf(given(first))).waitingFor).toMatchObject({
        kind: "question",
        runId: `${second}.r1`,
      });
    }
  });
});

describe("an answer to an input request", () => {
  const shown = async (more: object, others: Record<string, object> = {}): Promise<RunState> => {
    const found = await loadRunState(
      world({ ses_a: { awaitRun: ok(runView(more)), ...others } }).deps,
      ALL,
      RUN,
      0,
    );
    if (!found.ok) throw new Error(found.error.code);
    return found.value;
  };
  const KEY = `approval/r1s1c0a1/${DIGEST}`;
  const ASKED = "question/r1s1c0q1";
  const accept = (content: object) => ({ action: "accept", content });
  const other = `approval/r1s1c0a1/sha256:${"b".repeat(64)}`;

  test.each([
    ["a yes", WAITS_APPROVAL, { [KEY]: accept({ decision: "approve" }) }, "taken", "approve"],
    ["a no", WAITS_APPROVAL, { [KEY]: accept({ decision: "deny" }) }, "taken", "deny"],
    ["a form that is declined", WAITS_APPROVAL, { [KEY]: { action: "decline" } }, "taken", "deny"],
    ["a form that is closed", WAITS_APPROVAL, { [KEY]: { action: "cancel" } }, "ignored", null],
    ["no decision", WAITS_APPROVAL, { [KEY]: accept({}) }, "invalid_request", null],
    ["another word", WAITS_APPROVAL, { [KEY]: accept({ decision: "yes" }) }, "invalid_request", null],
    ["a yes without its form", WAITS_APPROVAL, { [KEY]: { action: "accept" } }, "invalid_request", null],
    ["no response", WAITS_APPROVAL, { [KEY]: "approve" }, "invalid_request", null],
    ["another digest", WAITS_APPROVAL, { [other]: accept({ decision: "approve" }) }, "digest_mismatch", null],
    ["a key of nothing", WAITS_APPROVAL, { x: accept({ decision: "approve" }) }, "ignored", null],
    ["a key of a question", WAITS_APPROVAL, { [ASKED]: accept({ answer: "x" }) }, "ignored", null],
    [
      "a key of the prototype",
      WAITS_APPROVAL,
      { constructor: accept({ decision: "approve" }) },
      "ignored",
      null,
    ],
    ["an answer", WAITS_QUESTION, { [ASKED]: accept({ answer: "This." }) }, "taken", "This."],
    ["no words", WAITS_QUESTION, { [ASKED]: accept({ answer: "" }) }, "invalid_request", null],
    ["a question that is declined", WAITS_QUESTION, { [ASKED]: { action: "decline" } }, "ignored", null],
    [
      "an older question",
      WAITS_QUESTION,
      { "question/r1s0c0q1": accept({ answer: "x" }) },
      "digest_mismatch",
      null,
    ],
    ["a run that waits for nobody", {}, { [KEY]: accept({ decision: "approve" }) }, "not_waiting", null],
  ])("%s", async (_, more, responses, outcome, did) => {
    const state = await shown(more);
    const { deps, did: done } = world();
    const result = await takeResponses(deps, ALL, state, responses);
    expect(result.ok ? result.value : result.error.code).toBe(outcome);
    const [word] = done(...WORK);
    const given = word?.args[0] as { decision?: string; value?: string; digest?: string } | undefined;
    expect(given?.decision ?? given?.value ?? null).toBe(did);
    expect(given?.digest ?? DIGEST).toBe(DIGEST);
  });

  test("is no yes to what was not shown whole", async () => {
    const state = await shown(WAITS_APPROVAL, {
      approval: ok(approval({ args: { text: "x".repeat(9_000) } })),
    });
    const { deps, did } = world();
    const yes = await takeResponses(deps, ALL, state, { [KEY]: accept({ decision: "approve" }) });
    expect([codeOf(yes), did(...WORK)]).toEqual(["not_shown_whole", []]);
    expect(codeOf(await takeResponses(deps, ALL, state, { [KEY]: { action: "decline" } }))).toBe("ok");
  });
});

const card = (name: string, more: Partial<ToolCard> = {}): ToolCard =>
  ({
    name,
    pack: "site",
    tier: "open",
    effect: "read",
    gate: "never",
    reach: "none",
    reads: "private",
    public: false,
    title: name,
    description: name,
    inputSchema: {},
    ...more,
  }) as unknown as ToolCard;
const CARDS = [
  card("pages"),
  card("public_pages", { public: true }),
  card("put", { effect: "keyed", tier: "write" }),
  card("once", { effect: "once" }),
  card("fetch", { reach: "external" }),
  card("hear", { reads: "outside" }),
  card("asks", { gate: "ask" }),
  card("depends", { gate: "depends" }),
  card("denied", { gate: "deny" }),
  card("publishes", { tier: "publish" }),
  card("dangers", { tier: "danger" }),
  card("of_files", { pack: "files" }),
  card("of_messages", { pack: "messages" }),
  card("of_messaging", { pack: "messaging" }),
  card("of_session", { pack: "builtin" }),
];
const ran: unknown[] = [];
const reading = (): ReadingTools => ({
  cards: () => CARDS,
  check: (_name, input) =>
    input === null
      ? {
          ok: false,
          card: null,
          failure: { class: "invalid_args", code: "bad", message: "No.", retryable: false },
        }
      : ({ ok: true, input } as never),
  run: (order) => {
    ran.push(order);
    return Promise.resolve({ kind: "ok", text: "It says." } as never);
  },
});

describe("the reading tools", () => {
  test.each([
    ["nobody", [], []],
    ["who may only read", ["read"], ["public_pages"]],
    ["who may read and send", ["read", "send"], ["pages", "public_pages"]],
    ["who may send and not read", ["send", "approve"], []],
    ["an admin", ["admin"], ["pages", "public_pages"]],
  ] as const)("of %s", (_, scopes, names) => {
    const found = readingToolsFor(reading(), actorWith(...scopes), null);
    expect(found.map(({ name }) => name)).toEqual(names);
  });

  test("run in the name of the caller, with what was checked", async () => {
    ran.length = 0;
    const { signal } = new AbortController();
    const by = { id: "req_1", subject: "ada", at: 7, signal };
    expect(await read(reading(), card("pages"), { a: 1 }, by)).toEqual({ ok: true, text: "It says." });
    expect(ran).toEqual([
      {
        call: "req_1",
        tool: "pages",
        input: { a: 1 },
        key: "mcp/req_1",
        run: "req_1",
        subject: "ada",
        attempt: 1,
        at: 7,
        approved: null,
      },
    ]);
    expect(await read(reading(), card("pages"), null, by)).toEqual({ ok: false, words: "bad: No." });
    expect(ran).toHaveLength(1);
  });
});

describe("the server", () => {
  type Handler = (params: object, ctx: object) => unknown;
  /** The handlers that a server of this actor has, by their methods. */
  function handlers(actor: Actor, era: "legacy" | "modern", given: Given = {}) {
    const found = new Map<string, Handler>();
    class ProtocolError extends Error {
      constructor(_code: number, message: string) {
        super(message);
      }
    }
    class McpServer {
      server = {
        setRequestHandler: (method: string, first: unknown, second?: Handler) =>
          found.set(method, second ?? (first as Handler)),
      };
    }
    const sdk = { McpServer, ProtocolError } as unknown as Sdk;
    const one = world(given);
    const { signal } = new AbortController();
    createServer(sdk, one.deps, { actor, era, requestId: "req_1", signal });
    return { ...one, found };
  }
  const envelope = (tasks: boolean, form: boolean) => ({
    "io.modelcontextprotocol/clientCapabilities": {
      ...(form ? { elicitation: {} } : {}),
      extensions: tasks ? { "io.modelcontextprotocol/tasks": {} } : {},
    },
  });
  const ctx = (tasks = false, form = false, inputResponses?: object) => ({
    mcpReq: { envelope: envelope(tasks, form), ...(inputResponses === undefined ? {} : { inputResponses }) },
  });
  const names = async (found: Map<string, Handler>) => {
    const listed = (await found.get("tools/list")?.({}, {})) as { tools: { name: string }[] };
    return listed.tools.map(({ name }) => name);
  };

  test("lists the tools that the caller may call", async () => {
    const agent = Object.values(AGENT_TOOLS);
    for (const scopes of [["read"], ["send"], ["read", "send"], ["approve"], []] as const) {
      const { found } = handlers(actorWith(...scopes), "modern");
      const listed = await names(found);
      for (const { name, scope } of agent)
        expect([name, listed.includes(name)]).toEqual([name, (scopes as readonly Scope[]).includes(scope)]);
    }
  });

  test("runs a reading tool for the caller, and none that is not listed to them", async () => {
    ran.length = 0;
    const { found } = handlers(ALL, "modern");
    const run = (name: string) => found.get("tools/call")?.({ name, arguments: {} }, ctx());
    expect(await run("pages")).toEqual({ content: [{ type: "text", text: "It says." }] });
    expect(ran).toMatchObject([{ subject: "ada", at: 7 }]);
    for (const name of ["put", "fetch", "hear", "of_files", "toString", "nothing"])
      await expect(Promise.resolve().then(() => run(name))).rejects.toThrow(/no tool/);
    const reader = handlers(actorWith("read"), "modern");
    await expect(
      Promise.resolve().then(() => reader.found.get("tools/call")?.({ name: "pages" }, ctx())),
    ).rejects.toThrow(/no tool/);
    expect(ran).toHaveLength(1);
  });

  test("answers a start with a task where the client knows tasks, and with the run where it does not", async () => {
    for (const tasks of [true, false]) {
      const { found } = handlers(ALL, "modern");
      const args = { objective: "Do.", waitSeconds: 0 };
      const result = await found.get("tools/call")?.({ name: "agent_start", arguments: args }, ctx(tasks));
      expect(result).toMatchObject(
        tasks ? { resultType: "task" } : { structuredContent: { status: "working" } },
      );
      expect("taskId" in (result as object)).toBe(tasks);
    }
  });

  test("asks a person at the client once, and takes the answer that comes with the next call", async () => {
    const waiting = { ses_a: { awaitRun: ok(runView(WAITS_APPROVAL)) } };
    const args = { name: "agent_get", arguments: { runId: RUN, waitSeconds: 0 } };
    const get = async (era: "legacy" | "modern", context: object) => {
      const one = handlers(ALL, era, waiting);
      const result = (await one.found.get("tools/call")?.(args, context)) as Record<string, unknown>;
      return { asks: result["resultType"] === "input_required", decided: one.did(...WORK).length };
    };
    expect(await get("modern", ctx(false, true))).toEqual({ asks: true, decided: 0 });
    expect(await get("modern", ctx(false, false))).toEqual({ asks: false, decided: 0 });
    expect(await get("legacy", ctx(false, true))).toEqual({ asks: false, decided: 0 });
    const key = `approval/r1s1c0a1/${DIGEST}`;
    const said = (action: string) => ({ [key]: { action, content: { decision: "approve" } } });
    expect(await get("modern", ctx(false, true, said("accept")))).toEqual({ asks: false, decided: 1 });
    expect(await get("modern", ctx(false, true, said("cancel")))).toEqual({ asks: false, decided: 0 });
  });

  test("has tasks in the later revision alone, each under the scopes of its tool", async () => {
    expect([...handlers(ALL, "legacy").found.keys()]).toEqual(["tools/list", "tools/call"]);
    const { found } = handlers(actorWith("read"), "modern");
    await expect(Promise.resolve(found.get("tasks/cancel")?.({ taskId: RUN }, ctx()))).rejects.toThrow(
      /scope/,
    );
  });
});

describe("a run as a result", () => {
  const state = (more: Partial<RunState>): RunState => ({
    runId: RUN,
    sessionId: "ses_a",
    status: "completed",
    receipt: null,
    answer: "A.",
    partial: false,
    reason: null,
    progress: null,
    waitingFor: null,
    steps: 1,
    createdAt: "c",
    updatedAt: "u",
    ...more,
  });
  const receipt = {
    lines: [{ text: "Failed." }, { text: "1 page was changed." }],
  } as unknown as RunState["receipt"];

  test("is an error where it failed, with the receipt first", () => {
    const failed = state({ status: "failed", reason: "budget", receipt, answer: null });
    expect(textResult(failed)).toMatchObject({ isError: true });
    expect(textResult(state({ receipt }))).not.toHaveProperty("isError");
    expect(
      textResult(state({ receipt }))
        .content.map(({ text }) => text)
        .slice(0, 2),
    ).toEqual(["Failed.\n1 page was changed.", "A."]);
    const detail = taskDetailOf(failed);
    expect(detail).toMatchObject({
      error: { message: "Failed.\n1 page was changed.\nThe run failed: budget." },
    });
    expect(taskDetailOf(state({}))).toMatchObject({ result: { resultType: "complete" } });
    expect(taskDetailOf(state({ status: "working" }))).not.toHaveProperty("result");
    expect(taskDetailOf(state({ status: "working", progress: "p", reason: "r" })).statusMessage).toBe("p");
  });
});

describe("the way in", () => {
  const MODERN = "2026-07-28";
  const TASKS = "io.modelcontextprotocol/tasks";
  const capable = { "io.modelcontextprotocol/clientCapabilities": { extensions: { [TASKS]: {} } } };

  function app(perMinute = 100) {
    const seen: Request[] = [];
    const hono = new Hono<HttpEnv>();
    const authenticator = {
      tooManyFailures: () => null,
      authenticate: (request: Request) => {
        seen.push(request);
        const who = request.headers.get("authorization");
        return who === null ? err(refusal(401, "unauthenticated", "No.", "x")) : ok({ ...ALL, subject: who });
      },
    };
    const rateLimit = createRateLimit(perMinute, () => 0);
    mountMcp(hono, world().deps, { authenticator, rateLimit });
    const post = (body: unknown, headers: Record<string, string> = {}, who: string | null = "ada") =>
      hono.request("https://cairn.example/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "mcp-protocol-version": MODERN,
          ...(who === null ? {} : { authorization: who }),
          ...headers,
        },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
    return { post, seen, hono };
  }
  const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 7, method, params });
  const refused = async (response: Response) => {
    const { error } = (await response.json()) as { error: { code: number } };
    return [response.status, error.code];
  };

  test("counts the requests of each caller, and takes no cookie for a credential", async () => {
    const { post, seen } = app(2);
    const listen = rpc("subscriptions/listen");
    const statuses = [];
    for (const who of ["ada", "ada", "ada", "bob"])
      statuses.push((await post(listen, { cookie: "c=1" }, who)).status);
    expect(statuses).toEqual([404, 404, 429, 404]);
    expect(seen.map(({ headers }) => headers.get("cookie"))).toEqual([null, null, null, null]);
    expect((await post(listen, {}, null)).status).toBe(401);
  });

  test.each([
    ["a batch", [rpc("tools/list")], {}, [400, -32_600]],
    ["what is no JSON", "{", {}, [400, -32_700]],
    ["a stream to listen on", rpc("subscriptions/listen"), {}, [404, -32_601]],
    [
      "a task that the header does not name",
      rpc("tasks/get", { taskId: RUN, _meta: capable }),
      { "mcp-name": "ses_b.r1" },
      [400, -32_020],
    ],
    ["a task without a header", rpc("tasks/cancel", { taskId: RUN, _meta: capable }), {}, [400, -32_020]],
    [
      "a task of a client that knows none",
      rpc("tasks/update", { taskId: RUN, _meta: { "io.modelcontextprotocol/clientCapabilities": {} } }),
      { "mcp-name": RUN },
      [400, -32_021],
    ],
  ])("refuses %s before the protocol's own code is loaded", async (_, body, headers, expected) => {
    expect(await refused(await app().post(body, headers as Record<string, string>))).toEqual(expected);
  });

  test("refuses any other method, once it knows who asks", async () => {
    const { hono } = app();
    const ask = (headers: Record<string, string>) => hono.request("https://cairn.example/mcp", { headers });
    expect((await ask({})).status).toBe(401);
    const refusedMethod = await ask({ authorization: "ada" });
    expect([refusedMethod.status, refusedMethod.headers.get("allow")]).toEqual([405, "POST"]);
  });
});
