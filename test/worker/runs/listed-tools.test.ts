import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createIsolates } from "../../../src/cairn/isolate.ts";
import { checkProject } from "../../../src/cairn/project.ts";
import { listedNameFault } from "../../../src/cairn/core/guards/named-tools.ts";
import { createAgentStore } from "../../../src/cairn/http/agents/agent-store.ts";
import { GovernedTools } from "../../../src/cairn/tools/governed.ts";
import type { Registry } from "../../../src/cairn/tools/registry.ts";
import { parseConfig } from "../../fixtures/config.ts";
import { project } from "../../fixtures/deployment/project.ts";
import { Session } from "../worker.ts";
import { openApi } from "../sessions/session-fixture.ts";

/** Every tool whose presence depends on the configuration: its doors and its sessions agree whether it is there. */

const telegram = { TELEGRAM_BOT_TOKEN: "99:t", TELEGRAM_WEBHOOK_SECRET: "secret_1" };
const MODELS = {
  MODEL: "openai-compatible:small",
  OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:11434/v1",
  OPENAI_COMPATIBLE_API_KEY: "k",
};

/** Variables, and tools that are there by them and are not without. */
const DEPLOYMENTS: readonly (readonly [
  name: string,
  variables: Record<string, unknown>,
  there: readonly string[],
])[] = [
  ["nothing", {}, []],
  ["Telegram", telegram, ["send_message"]],
  ["half of Telegram", { TELEGRAM_BOT_TOKEN: "99:t" }, []],
  ["Slack", { SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "s" }, ["send_message"]],
  ["mail", { EMAIL_ADDRESS: "agent@cairn.example", EMAIL_AUTH_SERVER: "mx.example" }, ["send_message"]],
  ["an address of mail that is none", { EMAIL_ADDRESS: "agent" }, []],
  ["half of Slack", { SLACK_SIGNING_SECRET: "s" }, []],
  [
    "every channel",
    {
      ...telegram,
      SLACK_BOT_TOKEN: "xoxb-1",
      SLACK_SIGNING_SECRET: "s",
      EMAIL_ADDRESS: "agent@cairn.example",
      EMAIL_AUTH_SERVER: "mx.example",
    },
    ["send_message"],
  ],
  [
    "half of Telegram and all of Slack",
    { TELEGRAM_BOT_TOKEN: "99:t", SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "s" },
    ["send_message"],
  ],
  ["an empty token of Telegram", { TELEGRAM_BOT_TOKEN: "", TELEGRAM_WEBHOOK_SECRET: "" }, []],
  ["pushes alone", { VAPID_PUBLIC_KEY: "x", VAPID_PRIVATE_KEY: "y", VAPID_SUBJECT: "mailto:a@b.c" }, []],
  ["the web", { WEB: "on" }, ["visit"]],
  ["a search", { BRAVE_API_KEY: "k", WEB: "on" }, ["web_search"]],
  ["papers", { SCHOLAR_CONTACT: "a@b.example", WEB: "on" }, ["scholar_search"]],
  ["stock photos", { PEXELS_API_KEY: "k" }, []],
  [
    "a model that reads pages",
    { ...MODELS, EXTRACTOR_MODEL: "openai-compatible:small", WEB: "on" },
    ["visit", "read_values"],
  ],
  ["code in a sandbox", { SANDBOX_URL: "https://sandbox.example" }, []],
  ["requests", { HTTP: "on" }, ["http_get"]],
];

let sessions = 0;

/** The tools that a session of this deployment is made with. */
async function toolsOfSession(bound: Env): Promise<Registry> {
  let made: Registry | null = null;
  const stub = env.SESSION.get(env.SESSION.idFromName(`listed-${(sessions += 1)}`));
  await runInDurableObject(stub, (_, state) => {
    class Shown extends Session {
      protected override createTools(...given: Parameters<Session["createTools"]>): Registry {
        const tools = super.createTools(...given);
        made ??= tools;
        return tools;
      }
    }
    void new Shown(state, bound);
  });
  if (made === null) throw new Error("the session has made no tools");
  return made;
}

const isolateOf = createIsolates(checkProject(project));
const doorsOf = (bound: Env): Registry => isolateOf(bound).listTools();

const named = (tools: Registry) => ({
  offered: tools.cards().map(({ name, inputSchema, description }) => ({ name, inputSchema, description })),
  notOffered: tools.notOffered(),
});

describe.each(DEPLOYMENTS)("a deployment with %s", (_, variables, there) => {
  const bound = { ...env, ...variables } as unknown as Env;

  test("names the same tools, with the same schemas and the same reasons, at its doors and in its sessions", async () => {
    const [doors, session] = [doorsOf(bound), await toolsOfSession(bound)];
    expect(named(doors)).toEqual(named(session));
    expect(there.filter((name) => !doors.cards().some((card) => card.name === name))).toEqual([]);
  });

  test("lists a tool, has an agent name it, and has a run name it, or none of the three", async () => {
    const session = await toolsOfSession(bound);
    const registry = () => doorsOf(bound);
    const config = parseConfig({ ...bound });
    const api = openApi(variables, {
      tools: () => new GovernedTools(registry(), isolateOf(bound).project.agents.deployment.spec),
      agents: createAgentStore({
        db: env.DB,
        files: {},
        tools: registry,
        context: { models: config.models, admins: null, options: new Map() },
        modelName: config.modelName,
        report: () => {},
      }),
    });
    const { items } = await api.json<{ items: { name: string; available: boolean }[] }>(200, "/api/tools");
    const named_: Record<string, readonly [listed: boolean, agent: boolean, run: boolean]> = {};
    for (const { name, available } of items) {
      const faults = [registry(), session].map((tools) => listedNameFault(name, tools) === null);
      named_[name] = [available, faults[0] === true, faults[1] === true];
    }
    expect(
      Object.entries(named_).filter(([, [listed, agent, run]]) => listed !== agent || agent !== run),
    ).toEqual([]);
  });
});

test("without a channel each says the same of send_message", async () => {
  const doors = doorsOf(env);
  const session = await toolsOfSession({ ...env } as Env);
  const why = "No channel is set up: docs/channels.md of Cairn says how.";
  for (const tools of [doors, session])
    expect(tools.notOffered().filter(({ tool }) => tool === "send_message")).toEqual([
      { tool: "send_message", why },
    ]);
});
