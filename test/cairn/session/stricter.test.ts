import { describe, expect, test } from "vitest";
import { defineAgent, type Agent } from "../../../src/cairn/agents/define.ts";
import type { ChildAsk } from "../../../src/cairn/core/family/ask.ts";
import { PLAIN_SPEC, type RunSpec } from "../../../src/cairn/core/log/run-spec.ts";
import type { ToolCard } from "../../../src/cairn/core/log/tool.ts";
import type { ChildOrder } from "../../../src/cairn/session/engine/ports.ts";
import type { RunOptions } from "../../../src/cairn/protocol/run-spec/run-options.ts";
import { childAsk, resolveChild } from "../../../src/cairn/session/runs/resolve-child.ts";
import { resolveRun } from "../../../src/cairn/session/runs/resolve-run.ts";
import { LISTED, agentsOf, NO_TARGETS, PLAIN_FILES } from "../../fixtures/agents.ts";

/** A run can only be stricter than its agent, and a child stricter than both its agent and its parent. */

const GATES = ["ask", "deny"] as const;
type Gate = (typeof GATES)[number] | null;
const strictest = (...gates: readonly (Gate | "auto" | undefined)[]): Gate =>
  gates.includes("deny") ? "deny" : gates.includes("ask") ? "ask" : null;

const card = (name: string, gate: ToolCard["gate"] = "never"): ToolCard =>
  ({
    name,
    pack: "site",
    version: 1,
    effect: "keyed",
    tier: "write",
    gate,
    inputSchema: {},
  }) as unknown as ToolCard;
const RUN: ToolCard = { ...card("run_agent"), starts: true };
const TOOLS = {
  cards: () => [card("put"), card("publish", "ask"), RUN],
  notOffered: () => [],
  listedNames: () => LISTED,
};

const agentWith = (spec: Partial<RunSpec>): Agent => {
  const agent = defineAgent({ description: "An agent of the tests." });
  return { ...agent, spec: { ...agent.spec, ...spec } };
};
const defaultsOf = (agent: Agent) => ({
  session: "ses",
  model: "rehearsal:",
  fallbacks: [],
  admins: null,
  messagesPerMinute: 60,
  agents: agentsOf(agent),
  targets: NO_TARGETS,
  tools: TOOLS,
  files: PLAIN_FILES,
});

function runOf(agent: Partial<RunSpec>, asked: RunOptions) {
  return resolveRun(
    defaultsOf(agentWith(agent)),
    { loadMeta: () => null },
    { subject: "ada", scopes: ["send"] },
    asked,
  );
}

const gatesOf = (gate: Gate): RunSpec["gates"] => (gate === null ? {} : { put: gate });

describe("the rule of a tool", () => {
  test.each(
    ([null, ...GATES] as const).flatMap((agent) =>
      (["auto", ...GATES] as const).map((run) => [agent, run] as const),
    ),
  )("that an agent has at %s and its run at %s is the stricter one", (agent, run) => {
    const found = runOf({ gates: gatesOf(agent) }, { approval: { rules: { put: run } } });
    const outcome = found.ok
      ? (found.value.spec.gates["put"] ?? null)
      : found.error.issues?.map(({ code }) => code);
    // Only a rule that would loosen is refused.
    const loosens = run === "auto" && agent !== null;
    expect(outcome).toEqual(loosens ? ["approval_weakened"] : strictest(agent, run));
  });

  test("that a run says of one tool leaves those of the others as they are", () => {
    const found = runOf({ gates: { put: "deny" } }, { approval: { rules: { publish: "ask" } } });
    expect(found.ok && found.value.spec.gates).toEqual({ put: "deny", publish: "ask" });
  });

  test("that asks by itself cannot be loosened by a run", () => {
    const found = runOf({}, { approval: { rules: { publish: "auto" } } });
    expect(found.ok ? [] : found.error.issues?.map(({ path, code }) => [path, code])).toEqual([
      ["approval.rules.publish", "approval_weakened"],
    ]);
  });
});

test("a quarantine that an agent or a run asks for is one of the run", () => {
  const quarantineOf = (agent: Partial<RunSpec>, asked: RunOptions) => {
    const found = runOf(agent, asked);
    return found.ok ? found.value.spec.quarantine : found.error.code;
  };
  expect(quarantineOf({}, { quarantine: true })).toBe(true);
  expect(quarantineOf({ quarantine: true }, {})).toBe(true);
  expect(quarantineOf({ quarantine: true }, { quarantine: false })).toBe(true);
  expect(quarantineOf({}, {})).toBeUndefined();
});

const AMOUNT = { steps: 9, activeMs: 60_000, tokens: 90_000, cost: 100_000, toolCalls: 20, messages: 3 };

interface Above {
  readonly request?: Partial<ChildOrder["from"]["request"]>;
  readonly depth?: number;
  readonly grant?: readonly string[];
  /** that the agent of the child names */
  readonly model?: string;
}

function childOf(
  own: Partial<RunSpec>,
  above: Partial<RunSpec>,
  ask: Partial<ChildAsk> = {},
  { request = {}, depth = 1, grant = [], model }: Above = {},
) {
  const order: ChildOrder = {
    child: "root~r1s1c0",
    key: "root/r1s1c0",
    share: { ...AMOUNT, sessions: 3 },
    parent: {
      session: "root",
      createdAt: null,
      run: "r1",
      call: "r1s1c0",
      depth,
      root: "root",
      sessions: 3,
    },
    ask: { objective: "Look.", ...ask },
    from: {
      request: {
        actor: "ada",
        source: "api",
        role: "member",
        temperature: 0.5,
        approvers: ["bob"],
        ...request,
      },
      model: "m:parent",
      fallbacks: ["m:second"],
      spec: { ...PLAIN_SPEC, ...above },
      grant: ["put", "publish", ...grant],
    },
  };
  const agent = agentWith(own);
  const defaults = defaultsOf(model === undefined ? agent : { ...agent, model });
  const found = resolveChild(defaults, { loadMeta: () => null }, order, childAsk(order));
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

describe("of a child", () => {
  test.each(
    ([null, ...GATES] as const).flatMap((own) =>
      ([null, ...GATES] as const).map((above) => [own, above] as const),
    ),
  )("whose agent has a tool at %s and whose parent at %s, the stricter rule holds", (own, above) => {
    for (const ask of [{}, { agent: "other" }]) {
      const { spec } = childOf({ gates: gatesOf(own) }, { gates: gatesOf(above) }, ask);
      expect(spec.gates["put"] ?? null).toBe(strictest(own, above));
    }
  });

  test("votes, their time and what expiry does are the strictest of both", () => {
    const votes = { needed: 1, expiresMs: null, denyOnExpiry: false };
    const both = (own: Partial<RunSpec["votes"]>, above: Partial<RunSpec["votes"]>) =>
      childOf({ votes: { ...votes, ...own } }, { votes: { ...votes, ...above } }).spec.votes;
    // A child is asked for no votes of its own: those of its parent hold.
    expect(both({}, { needed: 2, expiresMs: 5_000, denyOnExpiry: true })).toEqual({
      needed: 2,
      expiresMs: 5_000,
      denyOnExpiry: true,
    });
    expect(both({}, {})).toEqual(votes);
  });

  test("each rule about who decides is the stricter one", () => {
    const rules = (own: RunSpec["approvals"][string], above: RunSpec["approvals"][string]) =>
      childOf({ approvals: { put: own } }, { approvals: { put: above } }).spec.approvals["put"];
    expect(
      rules(
        { needed: 3, expiresMs: 9_000, requesterMayApprove: false, remember: ["session", "run"] as never },
        { needed: 2, expiresMs: 5_000, alwaysAsk: true, remember: ["run"] as never },
      ),
    ).toEqual({
      needed: 3,
      expiresMs: 5_000,
      requesterMayApprove: false,
      alwaysAsk: true,
      remember: ["run"],
    });
    expect(rules({ alwaysAsk: true, expiresMs: 4_000 }, { requesterMayApprove: false })).toEqual({
      needed: 1,
      expiresMs: 4_000,
      requesterMayApprove: false,
      alwaysAsk: true,
    });
    expect(rules({}, { remember: [] })).toMatchObject({ remember: [] });
    expect(rules({ remember: ["run"] as never }, { remember: ["session", "run"] as never })).toMatchObject({
      remember: ["run"],
    });
    expect(childOf({}, { approvals: { put: { needed: 2 } } }).spec.approvals).toEqual({ put: { needed: 2 } });
  });

  test("a quarantine of the parent is one of the child, and thoughts that are hidden stay so", () => {
    expect(childOf({}, { quarantine: true }).spec.quarantine).toBe(true);
    expect(childOf({}, {}).spec.quarantine).toBeUndefined();
    expect(childOf({ showThoughts: true }, { showThoughts: false }).spec.showThoughts).toBe(false);
    expect(childOf({ showThoughts: false }, { showThoughts: true }).spec.showThoughts).toBe(false);
    expect(childOf({ showThoughts: true }, { showThoughts: true }).spec.showThoughts).toBe(true);
  });

  test("its limits are its share, which nobody may raise, and what was asked above is told", () => {
    const { budget, approvers, spec, temperature } = childOf({}, {}, { limits: { steps: 50, tokens: 10 } });
    expect(budget).toEqual({ profile: null, limits: AMOUNT, mayRaise: false });
    expect(approvers).toEqual(["bob"]);
    expect(temperature).toBe(0.5);
    expect(spec.warnings.map(({ code, path }) => [code, path])).toEqual([["limit_above_parent", "steps"]]);
  });

  test("what it does without a person is what its parent does without one", () => {
    const unattended = (source: "api" | "schedule") =>
      childOf({ unattended: ["put", "publish"] }, { unattended: ["put"] }, {}, { request: { source } }).spec
        .unattended;
    expect([unattended("schedule"), unattended("api")]).toEqual([["put"], ["put", "publish"]]);
  });

  test("its model is that of its parent, unless its own agent names one", () => {
    const models = (ask: Partial<ChildAsk>, model?: string) => {
      const child = childOf({}, { agent: "writer" }, ask, model === undefined ? {} : { model });
      return [child.model, child.fallbacks, child.temperature];
    };
    const parents = ["m:parent", ["m:second"], 0.5];
    expect(models({})).toEqual(parents);
    expect(models({ agent: "other" })).toEqual(parents);
    // The agent of the parent goes on with what its parent was asked to use.
    expect(models({}, "m:own")).toEqual(parents);
    expect(models({ agent: "other" }, "m:own").slice(0, 2)).toEqual(["m:own", []]);
  });

  test("the name of its trace is its parent's, and nobody is asked for its budget", () => {
    const { spec } = childOf({}, { traceId: "t-1" });
    expect([spec.traceId, spec.policy.questions.budget]).toEqual(["t-1", false]);
    expect(childOf({}, { traceId: null }).spec.traceId).toBeNull();
  });

  test("citations and agents are those of the run that it is like, and else of its own agent", () => {
    const above: Partial<RunSpec> = { citations: "require", agents: [{ name: "writer", description: "W." }] };
    const grant = ["agent_writer"];
    const like = childOf({}, above, {}, { grant }).spec;
    expect([like.citations, like.agents, like.tools]).toEqual([
      above.citations,
      above.agents,
      ["put", "publish", "agent:writer"],
    ]);
    expect(childOf({}, above, {}, { grant, depth: 3 }).spec.tools).toEqual(["put", "publish"]);
    const other = childOf({}, above, { agent: "other" }, { grant }).spec;
    expect([other.citations, other.agents]).toEqual([undefined, undefined]);
  });

  test("its tools are those that it is asked for, and it starts runs only where its agent names that", () => {
    const grant = ["run_agent"];
    const toolsOf = (above: Partial<RunSpec>, ask: Partial<ChildAsk> = {}, depth = 1) =>
      childOf({}, above, ask, { grant, depth }).spec.tools;
    expect(toolsOf({ tools: null })).toEqual(["put", "publish"]);
    expect(toolsOf({ tools: null }, { tools: ["put"] })).toEqual(["put"]);
    const named = { tools: ["put", "run_agent"] };
    expect(toolsOf(named)).toEqual(["put", "run_agent"]);
    expect(toolsOf(named, {}, 3)).toEqual(["put"]);
  });
});
