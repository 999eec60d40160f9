import { describe, expect, test } from "vitest";
import { defineAgent, type Agent, type AgentFault, type Agents } from "../../../src/cairn/agents/define.ts";
import { agentTool } from "../../../src/cairn/core/family/ask.ts";
import { PRESETS } from "../../../src/cairn/core/guards/budget/profiles.ts";
import { CHILD_DEPTH_MAX, TARGET_TTL_MS } from "../../../src/cairn/core/limits.ts";
import { PLAIN_SPEC, type RunSpec } from "../../../src/cairn/core/log/run-spec.ts";
import { err, ok, type Result } from "../../../src/cairn/core/log/result.ts";
import type { ClientTool } from "../../../src/cairn/core/log/client-tool.ts";
import type { ToolCard } from "../../../src/cairn/core/log/tool.ts";
import type { RunOptions } from "../../../src/cairn/protocol/run-spec/run-options.ts";
import type { ChildOrder, Tools } from "../../../src/cairn/session/engine/ports.ts";
import { childAsk, resolveChild } from "../../../src/cairn/session/runs/resolve-child.ts";
import { isUnread, loadRunParts, resolveRun } from "../../../src/cairn/session/runs/resolve-run.ts";
import { onTargets } from "../../../src/cairn/session/runs/target-standing.ts";
import { readTargets, type KnownTargets } from "../../../src/cairn/session/runs/targets.ts";
import type { Meta } from "../../../src/cairn/session/storage/meta.ts";
import { LISTED, NO_TARGETS, PLAIN_FILES } from "../../fixtures/agents.ts";
import type { RunDefaults } from "../../../src/cairn/session/runs/run-defaults.ts";

/** Resolving a run: which settings come from the request, the session, the agent and the deployment. */

const card = (name: string, more: Partial<ToolCard> = {}): ToolCard =>
  ({
    name,
    pack: "site",
    version: 1,
    effect: "keyed",
    tier: "write",
    gate: "never",
    reads: "none",
    inputSchema: {},
    ...more,
  }) as unknown as ToolCard;
const CARDS = [
  card("put"),
  card("publish", { gate: "ask" }),
  card("search", { pack: "web", reads: "outside" }),
  card("complete", { pack: "builtin" }),
  card("run_agent", { pack: "agents", starts: true }),
];
const TOOLS = { cards: () => CARDS, notOffered: () => [], listedNames: () => LISTED };

const agentWith = ({
  spec = {},
  ...more
}: Partial<Omit<Agent, "spec">> & { spec?: Partial<RunSpec> } = {}): Agent => {
  const agent = defineAgent({ description: "An agent of the tests." });
  return { ...agent, ...more, spec: { ...agent.spec, ...spec } };
};

/** Agents by name; every other name has a fault. */
function shelf(known: Record<string, Agent>, fault: AgentFault = { kind: "unknown" }) {
  const loaded: string[] = [];
  const agents: Agents = {
    find: (name): Result<Agent, AgentFault> => {
      const agent = Object.hasOwn(known, name) ? known[name] : undefined;
      return agent === undefined ? err(fault) : ok(agent);
    },
    names: () => Object.keys(known),
    load: (name) => Promise.resolve(void loaded.push(name)),
  };
  return { agents, loaded };
}

const defaultsWith = (agent: Agent, more: Partial<RunDefaults> = {}): RunDefaults => ({
  session: "ses",
  model: "rehearsal:house",
  fallbacks: ["rehearsal:spare"],
  admins: null,
  messagesPerMinute: 60,
  agents: shelf({ default: agent, other: agent }).agents,
  targets: NO_TARGETS,
  tools: TOOLS,
  files: PLAIN_FILES,
  ...more,
});
const META: Meta = { owner: "ada", title: "", titleSource: "auto", model: null, createdAt: 1, version: 1 };

interface Given {
  readonly agent?: Agent;
  readonly meta?: Partial<Meta> | null;
  readonly scopes?: readonly string[];
  readonly defaults?: Partial<RunDefaults>;
}

function resolve(
  asked: RunOptions,
  { agent = agentWith(), meta = null, scopes = ["send"], defaults = {} }: Given = {},
) {
  const store = { loadMeta: () => (meta === null ? null : { ...META, ...meta }) };
  return resolveRun(defaultsWith(agent, defaults), store, { subject: "ada", scopes: scopes as never }, asked);
}
function made(...of: Parameters<typeof resolve>) {
  const found = resolve(...of);
  if (!found.ok) throw new Error(JSON.stringify(found.error));
  return found.value;
}
const faultsOf = (found: ReturnType<typeof resolve>): unknown =>
  found.ok ? "ok" : (found.error.issues?.map(({ path, code }) => `${path} ${code}`) ?? found.error.code);

describe("who says what a run is", () => {
  const own = agentWith({ model: "rehearsal:agent", fallbacks: ["rehearsal:agents"] });

  test("the request before the session, the session before the agent, the agent before the deployment", () => {
    const modelOf = (asked: RunOptions, given: Given) => made(asked, given).model;
    const session = { agent: own, meta: { model: "rehearsal:session" } };
    expect(modelOf({ model: "rehearsal:asked" }, session)).toBe("rehearsal:asked");
    expect(modelOf({}, session)).toBe("rehearsal:session");
    expect(modelOf({}, { agent: own, meta: {} })).toBe("rehearsal:agent");
    expect(modelOf({}, {})).toBe("rehearsal:house");
    expect(resolve({}, { defaults: { model: null } })).toMatchObject({
      error: { code: "model_unavailable" },
    });
    expect(made({ fallbacks: ["x"] }, { agent: own }).fallbacks).toEqual(["x"]);
    expect(made({}, { agent: own }).fallbacks).toEqual(["rehearsal:agents"]);
    expect(made({}).fallbacks).toEqual(["rehearsal:spare"]);
  });

  test("its agent is the asked one, else that of the session, else the default one", () => {
    expect(made({ agent: "other" }, { meta: { agent: "default" } }).spec.agent).toBe("other");
    expect(made({}, { meta: { agent: "other" } }).spec.agent).toBe("other");
    expect(made({}, { meta: {} }).spec.agent).toBe("default");
    expect(faultsOf(resolve({ agent: "nobody" }))).toBe("unknown_agent");
  });

  test("its role is that of the caller, or the one that was given before", () => {
    const roleOf = (scopes: readonly string[], asked: RunOptions = {}, admins: string[] | null = null) =>
      made(asked, { scopes, defaults: { admins } }).role;
    expect([roleOf(["admin"]), roleOf(["send"]), roleOf(["read"]), roleOf([])]).toEqual([
      "admin",
      "member",
      "guest",
      "guest",
    ]);
    expect(roleOf(["admin"], {}, ["bob"])).toBe("member");
    expect(roleOf(["admin"], { role: "guest" })).toBe("guest");
  });

  test("only an admin may raise its budget", () => {
    for (const scopes of [["read"], ["send"], ["approve", "send"], []])
      expect(made({}, { scopes }).budget.mayRaise).toBe(false);
    expect(made({}, { scopes: ["admin"] }).budget.mayRaise).toBe(true);
  });

  test("its class, its limits and its temperature are those that are asked, over the preset and the agent", () => {
    const temperate = agentWith({
      budget: { wanted: { limits: {}, profile: "simple" } as never, temperature: 0.1 } as never,
    });
    expect(made({ profile: "complex", limits: { steps: 3 } }, { agent: temperate })).toMatchObject({
      budget: { profile: "complex", limits: { steps: 3 } },
      wanted: { profile: "simple" },
      temperature: 0.1,
    });
    expect(made({ profile: "auto" }, { agent: temperate }).budget.profile).toBeNull();
    expect(made({ profile: "auto" }, { agent: temperate }).wanted).not.toHaveProperty("profile");
    const research = made({ preset: "deepresearch", limits: { steps: 3 } }, { agent: temperate });
    expect(research.budget).toMatchObject({
      profile: "research",
      limits: { steps: 3, activeMs: 150 * 60_000 },
    });
    expect(research.temperature).toBe(0.6);
    expect(made({ preset: "deepresearch", temperature: 0 }).temperature).toBe(0);
    expect(made({ preset: "deepresearch", profile: "simple" }).budget.profile).toBe("simple");
    expect(made({ onExhausted: "fail" }).wanted.onExhausted).toBe("fail");
    expect(made({ onExhausted: "answer" }).wanted).not.toHaveProperty("onExhausted");
  });

  test("a preset leaves the tools that its work needs", () => {
    const { tools } = PRESETS.deepresearch;
    const defaults = {
      tools: {
        ...TOOLS,
        cards: () => [...CARDS, card("web_search", { pack: "search" }), card("visit", { pack: "web" })],
      },
    };
    const toolsOf = (asked: RunOptions, own: readonly string[] | null) =>
      made(asked, { agent: agentWith({ spec: { tools: own } }), defaults }).spec.tools;
    expect(toolsOf({ preset: "deepresearch" }, null)).toEqual(tools);
    expect(tools).toContain("pack:search");
    expect(toolsOf({ preset: "deepresearch" }, ["put", "visit", "pack:search", "pack:site"])).toEqual([
      "visit",
      "pack:search",
    ]);
    expect(toolsOf({ preset: "deepresearch" }, ["mcp_x_find", "pack:mcp_y", "run_agent"])).toEqual([
      "mcp_x_find",
      "pack:mcp_y",
      "run_agent",
    ]);
    expect(toolsOf({ preset: "deepresearch" }, [])).toEqual([]);
    // A run that names tools has them.
    expect(toolsOf({ preset: "deepresearch", tools: ["put"] }, null)).toEqual(["put"]);
    for (const preset of ["cms", "hyphen", "orcbot"] as const) expect(toolsOf({ preset }, null)).toBeNull();
    expect(defineAgent({ description: "x", preset: "deepresearch" }).spec.tools).toEqual(tools);
    expect(defineAgent({ description: "x", preset: "deepresearch", tools: ["put"] }).spec.tools).toEqual([
      "put",
    ]);
  });

  test("marks of evidence are wanted as the run, else the agent, else the preset says", () => {
    const strict = { agent: agentWith({ spec: { citations: "require" } }) };
    expect(made({ preset: "deepresearch" }).spec.citations).toBe("check");
    expect(made({ preset: "deepresearch" }, strict).spec.citations).toBe("require");
    expect(made({ preset: "deepresearch", citations: "off" }, strict).spec.citations).toBe("off");
    expect(made({ preset: "cms" }).spec).not.toHaveProperty("citations");
    const defined = (citations?: "require") =>
      defineAgent({
        description: "x",
        preset: "deepresearch",
        ...(citations === undefined ? {} : { citations }),
      });
    expect([defined().spec.citations, defined("require").spec.citations]).toEqual(["check", "require"]);
  });

  test("its approvers are those that a door says, else those that are asked", () => {
    expect(made({ approval: { of: ["bob"] } }).approvers).toEqual(["bob"]);
    expect(made({ approval: { of: ["bob"] }, approvers: ["eve"] }).approvers).toEqual(["eve"]);
    expect(made({})).not.toHaveProperty("approvers");
    expect(made({}, { meta: { imported: true } }).imported).toBe(true);
    expect(made({}, { meta: { imported: false } })).not.toHaveProperty("imported");
  });

  test("its words, its form and its policy", () => {
    const agent = agentWith({
      spec: { instructions: "Agent.", resultKey: "a", output: { type: "string" }, requestTokens: 9_000 },
    });
    const { spec } = made({ instructions: "Caller.", onStuck: { action: "fail" } as never }, { agent });
    expect(spec).toMatchObject({
      instructions: "Agent.\n\nCaller.",
      resultKey: "a",
      output: { type: "string" },
      policy: { onStuck: { action: "fail" } },
      votes: { needed: 1, expiresMs: null, denyOnExpiry: false },
      metadata: null,
      traceId: null,
      previous: null,
    });
    expect(made({ resultKey: "b", output: { type: "number" } }, { agent }).spec).toMatchObject({
      resultKey: "b",
      output: { type: "number" },
    });
    const votes = made({ approval: { needed: 2, expiresMs: 5, denyOnExpiry: true } }).spec.votes;
    expect(votes).toEqual({ needed: 2, expiresMs: 5, denyOnExpiry: true });
    // The smaller of the two request limits wins.
    expect(made({ preset: "deepresearch" }, { agent }).spec.requestTokens).toBe(9_000);
    expect(made({ preset: "deepresearch" }).spec.requestTokens).toBe(PRESETS.deepresearch.requestTokens);
    expect(made({ preset: "orcbot" }).spec).toMatchObject({
      classLabel: true,
      planFirst: true,
      observationChars: { reads: 1_400, others: 500 },
      policy: { questions: { waitMs: 60 * 60_000 } },
    });
  });

  test.each([
    [true, undefined, true],
    [true, true, true],
    [true, false, false],
    [false, undefined, false],
    [false, true, false],
  ] as const)(
    "thoughts that an agent shows (%s) and a request wants (%s) are shown: %s",
    (agent, asked, shown) => {
      const found = made(asked === undefined ? {} : { showThoughts: asked }, {
        agent: agentWith({ spec: { showThoughts: agent } }),
      });
      expect(found.spec.showThoughts).toBe(shown);
    },
  );

  test("several attempts check what they cite, and more than one needs the tool that starts them", () => {
    expect(made({ rollouts: 3 }).spec).toMatchObject({ rollouts: 3, citations: "check" });
    expect(made({ rollouts: 3, citations: "require" }).spec.citations).toBe("require");
    expect(made({ rollouts: 3, citations: "off" }).spec.citations).toBe("check");
    expect(made({ rollouts: 1, citations: "off" }).spec).not.toHaveProperty("rollouts");
    const denied = agentWith({ spec: { gates: { run_agent: "deny" } } });
    expect(faultsOf(resolve({ rollouts: 2 }, { agent: denied }))).toEqual(["rollouts tool_not_available"]);
    expect(faultsOf(resolve({ rollouts: 2, approval: { rules: { run_agent: "deny" } } }))).toEqual([
      "rollouts tool_not_available",
    ]);
    expect(faultsOf(resolve({ rollouts: 1 }, { agent: denied }))).toBe("ok");
  });
});

describe("a request is refused", () => {
  const narrow = agentWith({ spec: { tools: ["put", "pack:web"] } });
  test.each<[string, RunOptions, Given, unknown]>([
    [
      "for a tool that its agent does not have",
      { tools: ["publish"] },
      { agent: narrow },
      ["tools[0] tool_not_available"],
    ],
    ["not for one of its agent", { tools: ["put"] }, { agent: narrow }, "ok"],
    ["not for one of a pack of its agent", { tools: ["search"] }, { agent: narrow }, "ok"],
    ["not for a tool of the session itself", { tools: ["complete"] }, { agent: narrow }, "ok"],
    ["for a tool that there is not", { tools: ["put", "pus"] }, {}, ["tools[1] unknown_tool"]],
    [
      "for words from outside in quarantine",
      { tools: ["search"], quarantine: true },
      {},
      ["tools[0] quarantined"],
    ],
    [
      "for them where its agent is in quarantine",
      { tools: ["put", "search"], quarantine: false },
      { agent: agentWith({ spec: { quarantine: true } }) },
      ["tools[1] quarantined"],
    ],
    [
      "where more must agree than are named",
      { approval: { needed: 2, of: ["bob"] } },
      {},
      ["approval.k out_of_range"],
    ],
    [
      "where one is named twice",
      { approval: { needed: 2, of: ["bob", "bob"] } },
      {},
      ["approval.k out_of_range"],
    ],
    ["not where anybody may", { approval: { needed: 2, of: ["*"] } }, {}, "ok"],
    ["not where nobody is named", { approval: { needed: 2, of: [] } }, {}, "ok"],
    [
      "for a rule of a tool that asks nobody",
      { approval: { rules: { complete: "ask" } } },
      {},
      ["approval.rules.complete out_of_range"],
    ],
    [
      "for a rule that would loosen the agent's",
      { approval: { rules: { put: "auto" } } },
      { agent: agentWith({ spec: { gates: { put: "ask" } } }) },
      ["approval.rules.put approval_weakened"],
    ],
    [
      "for a rule of no tool",
      { approval: { rules: { nothing: "deny" } } },
      {},
      ["approval.rules.nothing unknown_tool"],
    ],
    ["for an agent that is gone", { tools: ["agent:gone"] }, {}, ["tools[0] unknown_agent"]],
  ])("%s", (_, asked, given, expected) => {
    expect(faultsOf(resolve(asked, given))).toEqual(expected);
  });

  test("and not for an agent that its agent names, which is left out with a warning", () => {
    const found = made({}, { agent: agentWith({ spec: { tools: ["agent:gone", "agent:other"] } }) });
    expect(found.spec.agents?.map(({ name }) => name)).toEqual(["other"]);
    expect(found.spec.warnings.map(({ code }) => code)).toEqual(["unknown_agent"]);
  });

  test("limits above what the caller may have are cut, and said", () => {
    const capped = agentWith({ budget: { wanted: { caps: { steps: 9 } } } as never });
    const found = made({ limits: { steps: 50, tokens: 1 } }, { agent: capped });
    expect(found.spec.warnings.map(({ code, path }) => [code, path])).toEqual([
      ["clipped_to_cap", "max_iterations"],
    ]);
  });
});

const SITE = { siteId: "site_main", environmentId: "env_a" };
const ON_SITE = { site: SITE };

describe("the targets of a run", () => {
  const targetsOf = (find: KnownTargets["find"]) => {
    const loaded: unknown[] = [];
    const targets: KnownTargets = { find, load: (named) => Promise.resolve(void loaded.push(named)) };
    return { targets, loaded };
  };
  const found = targetsOf((named) => ok(named)).targets;

  test("are the asked ones, else those of the session, else those of the agent; the deployment's own are none", () => {
    const agent = agentWith({ spec: { targets: { site: { ...SITE, environmentId: "env_agent" } } } });
    const meta = { targets: { site: { ...SITE, environmentId: "env_session" } } };
    const siteOf = (asked: RunOptions, given: Given) =>
      made(asked, { defaults: { targets: found }, ...given }).spec.targets;
    expect(siteOf({ targets: ON_SITE }, { agent, meta })).toEqual(ON_SITE);
    expect(siteOf({}, { agent, meta })).toEqual(meta.targets);
    expect(siteOf({}, { agent })).toEqual(agent.spec.targets);
    expect(siteOf({ targets: {} }, { agent, meta })).toBeUndefined();
    const { targets: own } = targetsOf(() => ok({}));
    expect(siteOf({ targets: ON_SITE }, { defaults: { targets: own } })).toBeUndefined();
  });

  test("are looked up for its caller, who is an admin or not", () => {
    const visitors: unknown[] = [];
    const { targets } = targetsOf((named, visitor) => (visitors.push(visitor), ok(named)));
    made({ targets: ON_SITE }, { defaults: { targets } });
    made({ targets: ON_SITE }, { defaults: { targets }, scopes: ["admin"] });
    expect(visitors).toEqual([
      { subject: "ada", isAdmin: false },
      { subject: "ada", isAdmin: true },
    ]);
  });

  test.each([
    ["unknown", { targets: ON_SITE }, ["targets.site unknown_target"]],
    ["unknown", {}, "unknown_target"],
    ["unavailable", { targets: ON_SITE }, "target_unavailable"],
    ["unread", {}, "target_unavailable"],
  ] as const)("that is %s, asked by %j, refuses the run", (fault, asked, expected) => {
    const { targets } = targetsOf(() => err({ target: "site", fault }));
    expect(faultsOf(resolve(asked, { meta: { targets: ON_SITE }, defaults: { targets } }))).toEqual(expected);
  });

  test("and the agents of a run are read before it, and only where they were not", async () => {
    const unknown = (fault: "unread" | "unknown") =>
      targetsOf((named) => (Object.keys(named).length === 0 ? ok({}) : err({ target: "site", fault })));
    const { targets, loaded } = unknown("unread");
    const agent = agentWith({ spec: { tools: ["agent:other"], targets: ON_SITE } });
    const { agents, loaded: names } = shelf({ default: agent, other: agent });
    const defaults = defaultsWith(agent, { targets, agents });
    expect(await loadRunParts(defaults, null, {})).toEqual(ON_SITE);
    expect([loaded, names]).toEqual([[ON_SITE], ["default", "other"]]);
    expect(await loadRunParts(defaults, null, { targets: {}, tools: [] })).toEqual({});
    expect(loaded.slice(1)).toEqual([{}]);
    const ada = { subject: "ada", scopes: [] };
    const unread = (of: Partial<RunDefaults>, asked: RunOptions = {}) =>
      isUnread({ ...defaults, ...of }, null, ada, asked);
    expect(unread({})).toBe(true);
    expect(unread({ targets: found })).toBe(false);
    expect(unread({}, { targets: {} })).toBe(false);
    expect(unread({ targets: unknown("unknown").targets })).toBe(false);
    const missing = (kind: "unread" | "unknown") => shelf({ default: agent }, { kind }).agents;
    expect(unread({ targets: found, agents: missing("unread") })).toBe(true);
    expect(unread({ targets: found, agents: missing("unknown") })).toBe(false);
    expect(unread({ targets: found, agents: shelf({}, { kind: "unread" }).agents })).toBe(true);
    expect(unread({ targets: found, agents: shelf({}, { kind: "unknown" }).agents })).toBe(false);
  });

  test("are their members' for a moment after they were read, and then they are read again", async () => {
    let now = 1_000;
    let members: readonly string[] | null | Error = ["ada"];
    const reports: unknown[] = [];
    const known = readTargets({
      kinds: new Map([
        [
          "site",
          {
            hint: "Ask Bob.",
            find: () =>
              members instanceof Error
                ? Promise.reject(members)
                : Promise.resolve(members === null ? null : { isOwn: false, members }),
          },
        ],
      ]),
      clock: () => now,
      report: (error) => reports.push(error),
    });
    const by = (subject: string, isAdmin = false) => {
      const one = known.find(ON_SITE, { subject, isAdmin });
      return one.ok ? "ok" : one.error.fault;
    };
    expect(by("ada")).toBe("unread");
    await known.load(ON_SITE);
    expect([by("ada"), by("bob"), by("bob", true)]).toEqual(["ok", "unknown", "ok"]);
    const ada = { subject: "ada", isAdmin: false };
    expect(known.find({ site: { ...SITE, environmentId: "env_b" } }, ada).ok).toBe(false);
    expect(known.find({ ...ON_SITE, shop: {} }, ada)).toEqual(err({ target: "shop", fault: "unread" }));
    await known.load({ ...ON_SITE, shop: {} });
    expect(known.find({ ...ON_SITE, shop: {} }, ada)).toEqual(err({ target: "shop", fault: "unknown" }));
    expect(known.find(ON_SITE, { subject: "bob", isAdmin: false })).toEqual(
      err({ target: "site", fault: "unknown", hint: "Ask Bob." }),
    );
    now += TARGET_TTL_MS;
    expect(by("ada")).toBe("ok");
    now += 1;
    expect(by("ada")).toBe("unread");
    for (const [next, word] of [
      [[], "unknown"],
      [null, "unknown"],
      [new Error("D1"), "unavailable"],
    ] as const) {
      members = next;
      await known.load(ON_SITE);
      expect(by("ada")).toBe(word);
    }
    expect(reports).toHaveLength(1);
  });

  test.each([
    ["put", ok({}), null],
    ["put", err({ target: "site", fault: "unknown" } as const), "target_access_ended"],
    ["put", err({ target: "site", fault: "unavailable" } as const), "target_unavailable"],
    ["complete", err({ target: "site", fault: "unknown" } as const), null],
  ])("are looked up before each call: %s, %j", async (tool, given, code) => {
    const seen: unknown[] = [];
    const ran: string[] = [];
    const known: KnownTargets = {
      find: (target, visitor) => (seen.push([target, visitor]), given as never),
      load: () => Promise.resolve(void ran.push("load")),
    };
    const tools = {
      cards: () => CARDS,
      preview: () => Promise.resolve({ kind: "ok" }),
      run: () => (ran.push("run"), Promise.resolve({ kind: "ok" })),
    } as unknown as Tools;
    for (const role of ["member", "admin"] as const) {
      const watched = onTargets(tools, ON_SITE, { known, asking: () => ({ actor: "ada", role }) });
      const signal = new AbortController().signal;
      const outcomes = [
        await watched.preview({ tool } as never, signal),
        await watched.run({ tool } as never, signal, () => {}),
      ];
      for (const outcome of outcomes) expect("failure" in outcome ? outcome.failure.code : null).toBe(code);
    }
    expect(ran.filter((what) => what === "run")).toHaveLength(code === null ? 2 : 0);
    const looks = (isAdmin: boolean) => [ON_SITE, { subject: "ada", isAdmin }];
    expect(seen).toEqual(tool === "complete" ? [] : [looks(false), looks(false), looks(true), looks(true)]);
    expect(ran[0]).toBe(tool === "complete" ? "run" : "load");
  });
});

describe("a child", () => {
  const SHARE = {
    steps: 9,
    activeMs: 60_000,
    tokens: 90_000,
    cost: 100_000,
    toolCalls: 20,
    messages: 3,
    sessions: 3,
  };
  const GRANT = ["put", "search", "run_agent", "complete", agentTool("other")];

  function childOf(
    {
      ask = {},
      own = {},
      above = {},
      request = {},
      depth = 1,
      grant = GRANT,
    }: {
      ask?: Partial<ChildOrder["ask"]>;
      own?: Parameters<typeof agentWith>[0];
      above?: Partial<RunSpec>;
      request?: Partial<ChildOrder["from"]["request"]>;
      depth?: number;
      grant?: readonly string[];
    },
    targets: KnownTargets = NO_TARGETS,
  ) {
    const order: ChildOrder = {
      child: "root~r1s1c0",
      key: "root/r1s1c0",
      share: SHARE,
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
        request: { actor: "ada", source: "api", role: "guest", temperature: 0.5, ...request },
        model: "rehearsal:parent",
        fallbacks: ["rehearsal:parents"],
        spec: { ...PLAIN_SPEC, agent: "default", ...above },
        grant,
      },
    };
    const agent = agentWith(own);
    const asked = childAsk(order);
    const found = resolveChild(defaultsWith(agent, { targets }), { loadMeta: () => null }, order, asked);
    return { asked, found };
  }
  const childMade = (...of: Parameters<typeof childOf>) => {
    const { found } = childOf(...of);
    if (!found.ok) throw new Error(JSON.stringify(found.error));
    return found.value;
  };

  test("is asked for under the role, on the site and in the trace of its parent", () => {
    const { asked } = childOf({ above: { targets: ON_SITE, traceId: "t1" } });
    expect(asked).toEqual({
      agent: "default",
      role: "guest",
      targets: ON_SITE,
      traceId: "t1",
      questions: { budget: false },
    });
    const ask = { agent: "other", instructions: "i", temperature: 1, output: {}, resultKey: "k", model: "m" };
    expect(childOf({ ask }).asked).toEqual({
      ...ask,
      role: "guest",
      targets: {},
      questions: { budget: false },
    });
    expect(childMade({}).role).toBe("guest");
    expect(childMade({ request: { role: "admin" } }).role).toBe("admin");
  });

  test("has the model of its parent, unless it or its agent names another", () => {
    const modelOf = (of: Parameters<typeof childOf>[0]) => {
      const { model, fallbacks, temperature } = childMade(of);
      return [model, fallbacks[0], temperature];
    };
    expect(modelOf({})).toEqual(["rehearsal:parent", "rehearsal:parents", 0.5]);
    expect(modelOf({ ask: { temperature: 0.9 } })).toEqual(["rehearsal:parent", "rehearsal:parents", 0.9]);
    expect(modelOf({ ask: { model: "rehearsal:asked" } })[0]).toBe("rehearsal:asked");
    const own = { model: "rehearsal:agent" };
    expect(modelOf({ own })[0]).toBe("rehearsal:parent");
    expect(modelOf({ own, ask: { agent: "other" } })[0]).toBe("rehearsal:agent");
    expect(modelOf({ ask: { agent: "other" } })[0]).toBe("rehearsal:parent");
  });

  test("has no tool that its parent does not have, and none that its list or its agent leaves out", () => {
    const toolsOf = (of: Parameters<typeof childOf>[0]) => {
      const { found } = childOf(of);
      return found.ok
        ? found.value.spec.tools
        : found.error.issues?.map(({ path, code }) => `${path} ${code}`);
    };
    expect(toolsOf({})).toEqual(["put", "search"]);
    expect(toolsOf({ ask: { tools: ["put"] } })).toEqual(["put"]);
    expect(toolsOf({ ask: { tools: ["pack:web"] } })).toEqual(["search"]);
    expect(toolsOf({ ask: { tools: ["publish"] } })).toEqual(["tools tool_not_available"]);
    expect(toolsOf({ ask: { tools: ["pack:nothing"] } })).toEqual(["tools tool_not_available"]);
    expect(toolsOf({ ask: { tools: ["agent:third"] } })).toEqual(["tools tool_not_available"]);
    expect(toolsOf({ above: { tools: ["search"] } })).toEqual(["search"]);
    const other = { agent: "other" };
    expect(toolsOf({ ask: other, own: { spec: { tools: ["put", "publish"] } } })).toEqual(["put"]);
  });

  test("starts others where its agent says so by name, and its level lets it", () => {
    const starts = (depth: number, tools: readonly string[] | null, grant = GRANT) =>
      childMade({ depth, grant, above: { tools, agents: [{ name: "other", description: "" }] } }).spec.tools;
    expect(starts(1, ["put", "run_agent"])).toEqual(["put", "run_agent", "agent:other"]);
    expect(starts(1, null)).toEqual(["put", "search", "agent:other"]);
    expect(starts(CHILD_DEPTH_MAX, ["put", "run_agent"])).toEqual(["put"]);
    expect(starts(1, ["run_agent"], ["put"])).toEqual([]);
    const asked = childMade({
      ask: { tools: ["agent:other"] },
      above: { agents: [{ name: "other", description: "" }] },
    });
    expect(asked.spec.tools).toEqual(["agent:other"]);
    expect(
      childMade({ ask: { tools: ["put"] }, above: { agents: [{ name: "other", description: "" }] } }).spec
        .tools,
    ).toEqual(["put"]);
  });

  test("that nobody is there for writes with no more than its parent may", () => {
    const unattended = (source: "api" | "schedule", own: string[], above: string[]) =>
      childMade({ request: { source }, own: { spec: { unattended: own } }, above: { unattended: above } })
        .spec.unattended;
    expect(unattended("schedule", ["put", "publish"], ["put"])).toEqual(["put"]);
    expect(unattended("schedule", ["put"], [])).toEqual([]);
    expect(unattended("api", ["put"], [])).toEqual(["put"]);
  });

  test("without an agent of its own is like its parent, and with one like that", () => {
    const above = { instructions: "Parent.", dialect: "tags", citations: "require" } as const;
    const like = childMade({
      ask: { instructions: "More." },
      above,
      own: { spec: { instructions: "Agent." } },
    }).spec;
    expect(like).toMatchObject({ instructions: "Parent.\n\nMore.", dialect: "tags", citations: "require" });
    const own = childMade({
      ask: { agent: "other", instructions: "More." },
      above,
      own: { spec: { instructions: "Agent." } },
    }).spec;
    expect(own).toMatchObject({ agent: "other", instructions: "Agent.\n\nMore.", dialect: "auto" });
  });
});

describe("tools of a client", () => {
  const locate: ClientTool = {
    name: "locate",
    description: "",
    inputSchema: { type: "object", properties: {} },
  };
  const rules = (rule: "auto" | "ask" | "deny") => ({ approval: { rules: { locate: rule } } });

  test("are named by the approval rules of the request that brings them", () => {
    expect(made({ clientTools: [locate], ...rules("ask") }).spec.gates).toEqual({ locate: "ask" });
    expect(made({ clientTools: [locate], ...rules("deny") }).spec.gates).toEqual({ locate: "deny" });
    expect(made({ clientTools: [locate], ...rules("auto") }).spec.gates).toEqual({});
    expect(faultsOf(resolve(rules("ask")))).toEqual(["approval.rules.locate unknown_tool"]);
  });

  test("are refused where the agent takes none", () => {
    const agent = agentWith({ clientTools: false });
    expect(resolve({ clientTools: [locate] }, { agent })).toMatchObject({
      error: {
        status: 422,
        code: "invalid_client_tools",
        message: "The agent default takes no tools of its client: leave clientTools out.",
      },
    });
    expect(faultsOf(resolve({ clientTools: [] }, { agent }))).toBe("ok");
    expect(() => defineAgent({ description: "It.", clientTools: "no" as never })).toThrow(
      "clientTools of an agent is true or false",
    );
  });
});
