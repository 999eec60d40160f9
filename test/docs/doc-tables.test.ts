import { transcriptionProblems } from "../../src/plugins/channels/transcription.ts";
import { cmsSettings } from "../../src/plugins/cms/settings.ts";
import { SPEC_FIELDS } from "../../src/cairn/agents/define.ts";
import { vendors } from "../fixtures/vendors.ts";
import { checkProject } from "../../src/cairn/project.ts";
import { createTools } from "../../src/cairn/project-tools.ts";
import { describe, expect, test } from "vitest";
import { parseCommand } from "../../src/cli/chat/screen/commands.ts";
import { parseMore } from "../../src/cli/chat/extend-run.ts";
import { parseReply } from "../../src/cli/chat/approvals/reply.ts";
import { SECRET_VARIABLES } from "../../src/cli/deploy/preflight-variables.ts";
import { rulesFault } from "../../src/cairn/core/guards/approval-rules.ts";
import {
  BREAKER,
  COMPACT_SHARE,
  DAY_COST_MAX,
  DAY_TOKENS_MAX,
  FRESH_MS,
} from "../../src/cairn/core/limits.ts";
import { decidePermission, type Requester } from "../../src/cairn/core/guards/permissions.ts";
import { UNTAINTED } from "../../src/cairn/core/state/safety.ts";
import type { Tier } from "../../src/cairn/core/log/tool.ts";
import { PRESETS, PROFILES } from "../../src/cairn/core/guards/budget/profiles.ts";
import {
  AGENT_TTL_MS,
  APPROVAL_MS,
  APPROVERS_MAX,
  INTERRUPTIONS_MAX,
  DELIVERY_DELAYS_MS,
  ENTITIES_MAX,
  FACTS_MAX,
  OBSERVATION_CHARS_MAX,
  POLICY_SECONDS_MAX,
  QUESTION_MS,
  QUEUE_MAX,
  SCHEDULE_EVERY_MS_MIN,
  SCHEDULES_MAX,
  TOOL_TIMEOUT_MS,
} from "../../src/cairn/core/limits.ts";
import { readDefinition } from "../../src/cairn/agents/stored/read-definition.ts";
import { AGENTS_STORED_MAX } from "../../src/cairn/http/agents/rows.ts";
import { agentsPack } from "../../src/cairn/tools/agents/pack.ts";
import { builtinPack } from "../../src/cairn/tools/builtin/pack.ts";
import { cmsPack, imagesPack } from "../../src/plugins/cms/pack.ts";
import { Registry } from "../../src/cairn/tools/registry.ts";
import { httpPack } from "../../src/plugins/http-request/pack.ts";
import { codePack, networkedCodePack } from "../../src/plugins/code/pack.ts";
import { filesPack } from "../../src/plugins/files/pack.ts";
import { messagingPack } from "../../src/cairn/tools/messaging/pack.ts";
import { webPack } from "../../src/plugins/web/pack.ts";
import { scholarPack } from "../../src/plugins/scholar/pack.ts";
import { searchPack } from "../../src/plugins/web/search/pack.ts";
import { skillsPack } from "../../src/plugins/skills/pack.ts";
import { createSkillCatalog } from "../../src/plugins/skills/catalog.ts";
import { valuesPack } from "../../src/plugins/web/values/pack.ts";
import { UNCALLED_READER } from "../../src/cairn/documents/value-reader.ts";
import { answers } from "../../src/cairn/protocol/api.ts";
import { parseConfig } from "../fixtures/config.ts";
import { WEBHOOK_EVENTS } from "../../src/cairn/webhooks/events.ts";
import { webhooks } from "../fixtures/docs/hooks.ts";
import { defaultAgent } from "../fixtures/docs/house-rules.ts";
import { WHOLE_WEB } from "../fixtures/search/whole-web.ts";
import { readingTime } from "../fixtures/docs/reading-time.ts";
import { defaultAgent as unattended } from "../fixtures/docs/unattended.ts";
import { defaultAgent as deciding } from "../fixtures/docs/who-decides.ts";
import { REPORT } from "../sim/platform/fake-model.ts";
import { FakePlatform } from "../sim/platform/platform.ts";
import { fieldsOf, firstNames, readText, sectionOf, tableEntries, wordsOf } from "./doc-pages.ts";
import { readTexts } from "../house/source-tree.ts";

/** The tables of the documentation are held against the code: nothing is missing, nothing is there that is not. */

const section = (page: string, heading: string): string => sectionOf(readText(page), heading);
const count = (value: number): string => value.toLocaleString("en-US");
const TIERS: readonly Tier[] = ["open", "write", "publish", "external", "admin", "danger"];
/** The bindings are never touched: only the declarations are read. */
function shippedTools(): Registry {
  const env: object = { ...WHOLE_WEB, DB: {}, MEDIA: {} };
  return new Registry("s", () => 0)
    .add(builtinPack, { observations: { read: () => null } })
    .add(agentsPack, null)
    .add(messagingPack, {})
    .add(cmsPack, env)
    .add(imagesPack, env)
    .add(filesPack, env)
    .add(skillsPack, { skills: createSkillCatalog({ files: { "x/SKILL.md": "" }, stored: null }) })
    .add(webPack, env)
    .add(valuesPack, { ...env, reader: UNCALLED_READER })
    .add(searchPack, env)
    .add(scholarPack, env)
    .add(httpPack, env)
    .add(codePack, { ...env, LOADER: {} } as object)
    .add(networkedCodePack, { ...env, SANDBOX_URL: "https://sandbox.example.com" });
}
const sorted = (names: readonly string[]): string[] => [...names].toSorted();

describe("docs/tools.md", () => {
  const page = "docs/tools.md";

  test("has every field of a tool, of its context and of a preview", () => {
    const fields = ["FirstTool", "ToolOptions"].flatMap((part) =>
      fieldsOf("src/cairn/tools/define.ts", part),
    );
    expect(sorted(firstNames(section(page, "## The fields of defineTool")))).toEqual(sorted(fields));
    const context = fieldsOf("src/cairn/tools/define.ts", "ToolContext");
    expect(sorted(firstNames(section(page, "## The context")))).toEqual(sorted(context));
    const preview = [
      ...fieldsOf("src/cairn/core/log/tool.ts", "Preview"),
      ...fieldsOf("src/cairn/core/log/approval.ts", "Outlook"),
    ];
    expect(sorted(firstNames(section(page, "## Previews")))).toEqual(sorted(preview));
  });

  test("has every effect, tier, origin and class of errors", () => {
    const words = (name: string): string[] => sorted(wordsOf(name));
    expect(sorted(firstNames(section(page, "## Effect")))).toEqual(words("EffectClass"));
    expect(sorted(firstNames(section(page, "## Tier")))).toEqual(words("Tier"));
    expect(sorted(firstNames(section(page, "## Errors")))).toEqual(words("ErrorClass"));
    const reads = tableEntries(section(page, "## Data flow"))[0]?.[1] ?? "";
    const named = Array.from(reads.matchAll(/`([a-z]+)`/g), ([, word = ""]) => word);
    expect(sorted(named)).toEqual(words("Reads"));
  });

  test("says who may use each tier, as it is judged", () => {
    const judged = (tier: Tier, role: Requester["role"], lane: Requester["lane"], named: boolean): string => {
      const asked = {
        tool: "t",
        seq: 1,
        tier,
        gate: null,
        reach: "none",
        granted: true,
        public: false,
        send: null,
      } as const;
      const scheduled: ReadonlySet<string> = new Set(named ? ["t"] : []);
      const asker = { role, lane, scheduled, autonomyAllowed: new Set<string>() };
      const { act } = decidePermission(asked, asker, UNTAINTED);
      return { allow: "may use it", gate: "a person is asked", deny: "refused", preview: "by its preview" }[
        act
      ];
    };
    const unwatched = (tier: Tier): string => {
      const [named, unnamed] = [true, false].map((each) => judged(tier, "member", "autonomy", each));
      return named === unnamed ? String(named) : "only if the agent names it in `unattended`";
    };
    for (const [tier, member, admin, alone] of tableEntries(section(page, "## Tier"))) {
      const name = TIERS.find((each) => `\`${each}\`` === tier);
      if (name === undefined) throw new Error(`there is no tier ${tier}`);
      const said = { member, admin, alone };
      expect({ name, ...said }).toEqual({
        name,
        member: judged(name, "member", "user", false),
        admin: judged(name, "admin", "user", false),
        alone: unwatched(name),
      });
    }
  });

  test("has the numbers of what is left out", () => {
    const entries = new Map(
      tableEntries(section(page, "## The fields of defineTool")).map(([name = "", , unset = ""]) => [
        name,
        unset,
      ]),
    );
    expect(entries.get("`timeoutMs`")).toBe(count(TOOL_TIMEOUT_MS));
    expect(entries.get("`observationMax`")).toBe(count(OBSERVATION_CHARS_MAX));
    expect(entries.get("`freshMs`")).toBe(count(FRESH_MS));
  });

  test("has every tool that ships, as it is declared", () => {
    const cards = shippedTools().cards();
    const listed = tableEntries(section(page, "## The tools that ship")).map((entry) => entry.slice(0, 5));
    expect(listed).toEqual(
      cards.map(({ name, pack, effect, tier, gate }) => [`\`${name}\``, pack, effect, tier, gate]),
    );
  });

  test("shows a tool that works when a project names it", async () => {
    const project = checkProject({ agents: { default: defaultAgent }, tools: [readingTime] });
    const tools = createTools(project, {
      env: {},
      session: "demo",
      clock: () => 0,
      targets: {},
      services: { observations: { read: () => null } },
    });
    const order = { call: "r1s1c0", tool: "reading_time", key: "demo/r1s1c0", run: "r1", subject: "me" };
    const input = { text: "Small groups, never more than eight." };
    expect(tools.check("reading_time", input)).toMatchObject({ ok: true, card: { gate: "never" } });
    const ran = await tools.run(
      { ...order, input, attempt: 1, at: 0, approved: null },
      new AbortController().signal,
    );
    expect(ran).toMatchObject({ kind: "ok", text: '{"words":6,"minutes":1}' });
    expect(tools.check("reading_time", {})).toMatchObject({ ok: false });
  });
});

describe("docs/concepts.md", () => {
  const page = "docs/concepts.md";
  const hours = (ms: number): number => ms / 3_600_000;

  test.each([
    ["## The life of a run", `up to ${QUEUE_MAX} more wait`],
    ["## Approvals", `After ${hours(APPROVAL_MS)} hours, or the time that a rule says`],
    ["## Approvals", `for at most ${POLICY_SECONDS_MAX / 3_600} hours`],
    ["## Guards", `left alone for ${BREAKER.openMs / 1_000} seconds`],
    ["## Memory and long runs", `up to ${ENTITIES_MAX} things`],
    ["## Memory and long runs", `up to ${FACTS_MAX} facts`],
    ["## Memory and long runs", `up to ${count(OBSERVATION_CHARS_MAX)} characters`],
    ["## Memory and long runs", `fill ${COMPACT_SHARE * 100} % of the model's window`],
    ["## Memory and long runs", `A question waits ${hours(QUESTION_MS) / 24} days`],
  ])("says in %s: %s", (heading, said) => {
    expect(section(page, heading)).toContain(said);
  });

  test("has every class of outcomes", () => {
    expect(sorted(firstNames(section(page, "## The life of a run")))).toEqual(
      sorted(wordsOf("OutcomeClass")),
    );
  });

  test("has the numbers of attempts", () => {
    const effects = section("docs/concepts.md", "## Effects");
    expect(effects).toContain(`It runs again, ${INTERRUPTIONS_MAX.read} times at most`);
    expect(effects).toContain(`It runs again with the same key, ${INTERRUPTIONS_MAX.keyed} times at most`);
    expect(INTERRUPTIONS_MAX.once).toBe(1);
  });
});

describe("docs/agents.md", () => {
  const page = "docs/agents.md";

  test("has every field of an agent", () => {
    const fields = new Set([
      ...SPEC_FIELDS,
      ...fieldsOf("src/cairn/agents/define.ts", "AgentDefinition"),
      ...fieldsOf("src/cairn/agents/budget.ts", "BudgetDefinition"),
    ]);
    expect(sorted(firstNames(section(page, "## The agent file")))).toEqual(sorted([...fields]));
    const day = tableEntries(section(page, "## The agent file")).find(([name]) => name === "`day`");
    expect(day?.[2]).toBe(
      `${DAY_TOKENS_MAX / 1_000_000} million tokens, ${DAY_COST_MAX / 1_000_000} US dollars`,
    );
  });

  test("shows an agent as JSON that can be stored", () => {
    const [, shown = ""] = /```json\n([^]*?)```/.exec(section(page, "## Agents over the API")) ?? [];
    const tools = shippedTools();
    expect(section(page, "## Agents over the API")).toContain(
      `accepted ${AGENT_TTL_MS / 1_000} seconds later`,
    );
    expect(section("docs/api.md", "## Agents")).toContain(`for more than ${AGENTS_STORED_MAX}`);
    const read = readDefinition(JSON.parse(shown), { tools, models: null, admins: null, options: new Map() });
    expect(read).toMatchObject({ ok: true, value: { definition: JSON.parse(shown) } });
  });

  test("has every hook and every ready condition", () => {
    const hooks = fieldsOf("src/cairn/core/loop/hooks.ts", "Hooks").filter(
      (name) => !["name", "version"].includes(name),
    );
    const text = section(page, "## Hooks");
    expect(sorted(firstNames(text))).toEqual(sorted(hooks));
    const view = fieldsOf("src/cairn/core/loop/hooks.ts", "HookView");
    expect(view.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
    const ready = Array.from(
      readText("src/cairn/core/loop/hooks.ts").matchAll(/^export function (\w+)\([^)]*\): StopCondition/gm),
      ([, name = ""]) => name,
    );
    expect(ready.length).toBeGreaterThan(3);
    expect(ready.filter((name) => !text.includes(`\`${name}(`))).toEqual([]);
  });

  test("has every class with its numbers", () => {
    const expected = Object.entries(PROFILES).map(([name, entry]) => [
      `\`${name}\``,
      count(entry.steps),
      count(entry.calls),
      count(entry.tokens),
      String(entry.cost / 1_000_000),
      `${entry.wall / 60_000} min`,
      count(entry.messages),
      count(entry.outputTokens),
    ]);
    expect(tableEntries(section(page, "## Classes and limits"))).toEqual(expected);
  });

  test("has every preset with its numbers", () => {
    const expected = Object.entries(PRESETS).map(([name, { profile, limits, ...more }]) => {
      const { steps, wall, outputTokens, messages } = limits;
      const other = [
        ...(more.transcript === "compact" ? [] : [`transcript \`${more.transcript}\``]),
        ...(more.dialect === "auto" ? [] : [`dialect \`${more.dialect}\``]),
        ...(["marker", "classLabel", "planFirst"] as const).flatMap((name) =>
          more[name] ? [`\`${name}\``] : [],
        ),
        ...(more.temperature === null ? [] : [`temperature ${more.temperature}`]),
        ...(more.onStuck === null ? [] : [`\`onStuck\` \`${more.onStuck.action}\``]),
        ...(more.requestTokens === null ? [] : [`at most ${count(more.requestTokens)} tokens in a request`]),
        ...(more.citations === null ? [] : [`\`citations\` \`${more.citations}\``]),
        ...(more.tools === null ? [] : ["[tools of research](research.md#deepresearchs-own-model)"]),
        ...(messages === undefined ? [] : [`${messages} messages`]),
        ...(more.observationChars === null
          ? []
          : [
              `results cut at ${count(more.observationChars.reads)} and ${more.observationChars.others} characters`,
            ]),
        ...(more.questionMs === null ? [] : [`questions wait ${more.questionMs / 60_000} min`]),
      ];
      return [
        `\`${name}\``,
        profile === null ? "each its own" : `\`${profile}\``,
        steps === undefined ? "–" : count(steps),
        wall === undefined ? "–" : `${wall / 60_000} min`,
        outputTokens === undefined ? "–" : count(outputTokens),
        other.join(", "),
      ];
    });
    expect(tableEntries(section(page, "## Presets"))).toEqual(expected);
  });

  test("has every field of the rules for approvals", () => {
    const text = section(page, "## Approval rules");
    expect(sorted(firstNames(text))).toEqual(
      sorted(fieldsOf("src/cairn/core/log/approval.ts", "ApprovalRules")),
    );
    expect(text).toContain(`At most ${APPROVERS_MAX} `);
  });

  test("shows rules for tools that there are, which hold together", () => {
    const tools = new Map(cmsPack.tools.map(({ definition }) => [definition.name, definition]));
    const { approvals } = deciding.spec;
    expect(Object.keys(approvals).filter((name) => !tools.has(name))).toEqual([]);
    expect(Object.values(approvals).map(rulesFault)).toEqual([null, null]);
    expect(unattended.spec.unattended.map((name) => tools.get(name)?.tier)).toEqual(["write", "write"]);
  });

  test("shows hooks that lead a run", async () => {
    const platform = new FakePlatform([{ calls: [["look", { name: "a" }]] }, { text: REPORT }]);
    platform.hooks = defaultAgent.hooks;
    platform.restart();
    platform.say("go");
    await platform.settle();
    expect(platform.requests.map((request) => request.tools.length > 0)).toEqual([false, true]);
    expect(platform.state.run).toBeNull();
  });
});

/** The variables in the first cells, but for the table of what a mistake does, which repeats them. */
const variablesListed = (page: string): string[] =>
  firstNames(page.replace(sectionOf(page, "## Invalid variables"), "")).filter((name) =>
    /^[A-Z_]+$/.test(name),
  );

describe("docs/configuration.md", () => {
  const page = readText("docs/configuration.md");
  const bindings = ["SESSION", "DB", "MEDIA", "AI"];

  test("has every variable that the worker and the commands read, and every binding, and no other", () => {
    const read = new Set<string>();
    const recorder = new Proxy<Record<string, unknown>>(
      {},
      {
        get: (_, name) => {
          read.add(String(name));
          return undefined;
        },
      },
    );
    parseConfig(recorder);
    cmsSettings(recorder, () => undefined);
    transcriptionProblems(recorder);
    for (const { open, problems } of vendors) {
      open(recorder);
      problems?.(recorder);
    }
    const cli = readTexts("src")
      .filter(({ path }) => path.startsWith("src/cli/"))
      .flatMap(({ text }) =>
        Array.from(text.matchAll(/(?:process\.env|environment)\["([A-Z_]+)"\]/g), ([, name = ""]) => name),
      );
    // Variables of the shell and of the build.
    const plain = ["PATH", "NODE_ENV", "TERM"];
    // A key is read where its address is set.
    const known = [...read, ...SECRET_VARIABLES, ...bindings, ...cli.filter((name) => !plain.includes(name))];
    // The tools of images and of skills read these.
    const ofTools = ["PEXELS_BASE_URL", "IMAGE_HOSTS", "SKILLS_PREFIX"];
    // wrangler reads the one, and the worker the others where they are used.
    // And those of the web these.
    const ofWeb = ["WEB", "WEB_ALLOW", "WEB_DENY", "WEB_DNS_URL", "DEMO_WEB"];
    const ofSearch = [
      "SEARCH_ORDER",
      "SEARCH_PRICES",
      "SEARXNG_URL",
      "CLOUDFLARE_SEARCH",
      "SCHOLAR_CONTACT",
      ...["EXA", "BRAVE", "TAVILY", "SERPER", "OPENALEX", "CROSSREF", "ARXIV"].map(
        (name) => `${name}_BASE_URL`,
      ),
    ];
    const ofCode = ["SANDBOX_URL", "SANDBOX_NETWORK"];
    const bound = ["ASSETS", "BROWSER", "CF_VERSION_METADATA", "EMAIL", "IMAGES", "LOADER", "SANDBOX"];
    const elsewhere = [
      "CLOUDFLARE_API_TOKEN",
      ...bound,
      ...ofTools,
      ...ofWeb,
      ...ofSearch,
      ...ofCode,
      "HTTP",
      "HTTP_READS",
      "HTTP_LOCAL",
      "MCP_LOCAL",
    ];
    const listed = variablesListed(page);
    expect(sorted([...new Set(listed)])).toEqual(sorted([...new Set([...known, ...elsewhere])]));
  });

  test("has every scope", () => {
    const told: string[] = [];
    parseConfig({
      AUTH_TOKENS: { "a token of sixteen": { subject: "me", scopes: ["none"] } },
    }).problems.forEach(({ message }) => told.push(message));
    const [, list = ""] = /scopes is an array of ([a-z, ]+)\./.exec(told.join("\n")) ?? [];
    const scopes = firstNames(section("docs/configuration.md", "## Tokens and scopes")).filter((name) =>
      /^[a-z]+$/.test(name),
    );
    expect(scopes).toEqual(list.split(", "));
  });

  test("says of every variable what a mistake does", () => {
    const table = section("docs/configuration.md", "## Invalid variables");
    const wrong = "☠";
    const names = variablesListed(page);
    const broken = names
      .map(
        (name) =>
          [name, parseConfig({ [name]: wrong }).problems.filter((one) => one.variable === name)] as const,
      )
      .flatMap(([name, problems]) => problems.slice(0, 1).map((problem) => [name, problem.class] as const));
    expect(broken.length).toBeGreaterThan(10);
    const [closed, models, others] = tableEntries(table).map(([cell = ""]) => cell);
    expect([models, others]).toEqual([
      "Those of [Models](#models)",
      "All others, bindings `MEDIA`, `VECTORIZE`",
    ]);
    const ofModels = firstNames(sectionOf(page, "## Models"));
    const told = (name: string): "C" | "M" | "F" =>
      (closed ?? "").includes(`\`${name}\``) ? "C" : ofModels.includes(name) ? "M" : "F";
    expect(broken.filter(([name, of]) => told(name) !== of)).toEqual([]);
  });
});

/** `GET /api/sessions/:` of every route, as they are mounted; names of parameters are of no matter. */
function mounted(): string[] {
  const routes: string[] = [];
  for (const { path: file, text } of readTexts("src").filter((each) =>
    /^src\/(cairn\/http|plugins)\//.test(each.path),
  )) {
    const names = new Map(
      Array.from(text.matchAll(/const (\w+) = "(\/[^"]+)";/g), ([, name = "", value = ""]) => [name, value]),
    );
    for (const [, at = "", body = ""] of text.matchAll(
      /^ {2}route\(app, ([^,]+), \{\n([\s\S]*?)^ {2}\}\);/gm,
    )) {
      const where = at.replaceAll(/[`"]/g, "").replaceAll(/\$\{(\w+)\}|^(\w+)$/g, (_, one, two) => {
        const known = names.get(one ?? two);
        if (known === undefined) throw new Error(`${file} mounts ${at}`);
        return known;
      });
      for (const [, method = ""] of body.matchAll(/^ {4}(GET|POST|PATCH|PUT|DELETE): \{/gm))
        routes.push(`${method} ${where.replaceAll(/:\w+/g, ":")}`);
    }
  }
  return routes;
}

describe("docs/api.md, docs/protocol.md and docs/webhooks.md", () => {
  const api = readText("docs/api.md");
  const pages = [api, readText("docs/protocol.md"), readText("docs/webhooks.md")].join("\n");

  test("name every route that there is, and no other", () => {
    const routes = mounted();
    expect(routes.length).toBeGreaterThan(30);
    const named = Array.from(
      pages.matchAll(/\b(GET|POST|PATCH|PUT|DELETE) (\/(?:api|agents|a|hooks)[^\s`?]*)/g),
      ([, method = "", where = ""]) => `${method} ${where.replaceAll(/:\w+/g, ":")}`,
    );
    expect(routes.filter((route) => !named.includes(route))).toEqual([]);
    const elsewhere = [
      "GET /api/openapi.json",
      "GET /a/:",
      "POST /a/:",
      "POST /hooks/NAME",
      "GET /agents/session/:/get-messages",
    ];
    expect(
      [...new Set(named)].filter((route) => !routes.includes(route) && !elsewhere.includes(route)),
    ).toEqual([]);
  });

  test("name every event that is sent by webhook, and no other", () => {
    const told = firstNames(section("docs/webhooks.md", "## Outgoing webhooks"));
    expect(sorted(told)).toEqual(sorted(WEBHOOK_EVENTS));
  });

  test("have the fields of the answers that they spell out", () => {
    const spelled = (name: string): string[] => {
      const [, fields = ""] = new RegExp(`A \\*\\*${name}\\*\\* is \`\\{([^}]*)\\}\``).exec(api) ?? [];
      return sorted(fields.split(/,\s+/));
    };
    for (const name of ["Session", "Schedule"] as const)
      expect(spelled(name)).toEqual(sorted(Object.keys(answers()[name].shape)));
  });

  test("have every field of an Approval but its names and dates", () => {
    const listed = firstNames(section("docs/api.md", "## Approvals")).filter((name) =>
      /^[a-zA-Z]+$/.test(name),
    );
    const fields = Object.keys(answers().Approval.shape);
    expect(listed.filter((name) => !fields.includes(name))).toEqual([]);
  });

  test("have the pauses between the tries of a webhook", () => {
    const pause = (ms: number): string =>
      ms < 60_000 ? `${ms / 1_000} s` : ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`;
    const pauses = DELIVERY_DELAYS_MS.map(pause);
    const said = `${pauses.slice(0, -1).join(", ")} and ${pauses.at(-1)}`;
    expect(section("docs/webhooks.md", "## Outgoing webhooks")).toContain(`tried again after ${said},`);
  });

  test("have the numbers of schedules", () => {
    expect(api).toContain(`A session has at most ${SCHEDULES_MAX}.`);
    expect(api).toContain(`Milliseconds, at least ${SCHEDULE_EVERY_MS_MIN},`);
  });

  test("have every field of a source of webhooks and of its rules", () => {
    const fields = ["WebhookSource", "WebhookRule"].flatMap((part) =>
      fieldsOf("src/cairn/webhooks/rules.ts", part),
    );
    const names = tableEntries(section("docs/webhooks.md", "## Rules")).map(([name]) => name);
    expect(names).toHaveLength(fields.length);
    expect(sorted(names.map(String))).toEqual(sorted(fields.map((field) => `\`${field}\``)));
  });

  test("show a mapping of webhooks that is sound", () => {
    expect([...webhooks.faults]).toEqual([]);
  });
});

describe("docs/terminal.md", () => {
  test("has every key of the page", () => {
    const text = readTexts("src/page/shell")
      .map((file) => file.text)
      .join("\n");
    const declared = Array.from(
      text.matchAll(/^const [A-Z_]+: Keys = \[([\s\S]*?)\n\];/gm),
      ([whole]) => whole,
    );
    const keys = Array.from(declared.join("\n").matchAll(/^ {2}\["([^"]+)",/gm), ([, each = ""]) =>
      each.split(" "),
    ).flat();
    expect(keys.length).toBeGreaterThan(8);
    expect(firstNames(section("docs/terminal.md", "## Keys of the page"))).toEqual(keys);
  });

  test("has words that the terminal understands", () => {
    const [more] = tableEntries(section("docs/terminal.md", "## Commands of the terminal"));
    const shown = Array.from((more?.[0] ?? "").matchAll(/`(\/more[^`]*)`/g), ([, line = ""]) => line);
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((line) => parseMore(line) === null)).toEqual([]);
    const words = tableEntries(section("docs/terminal.md", "## Commands of the terminal")).flatMap(
      ([cell = ""]) => Array.from(cell.matchAll(/`(\/[^`]*)`/g), ([, line = ""]) => line),
    );
    const known = words.map((line) => parseCommand(line)?.word);
    expect(new Set(known)).toEqual(
      new Set(["agent", "more", "extend", "enough", "stop", "forget", "session", "help", "quit"]),
    );
    const replies = firstNames(section("docs/terminal.md", "## Approvals in the terminal"));
    expect(replies.map((line) => parseReply(line.replace("…", "it is wrong")).decision)).toEqual([
      "approve",
      "approve",
      "deny",
      "deny",
      "deny",
      "approve",
      "approve",
      "edit",
      "edit",
    ]);
  });
});
