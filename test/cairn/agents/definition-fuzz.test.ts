import { expect, test } from "vitest";
import type { AgentIssue } from "../../../src/cairn/agents/define.ts";
import { readDefinition, type ReadAgent } from "../../../src/cairn/agents/stored/read-definition.ts";
import { PRESETS, PROFILES } from "../../../src/cairn/core/guards/budget/profiles.ts";
import { canonicalJson, type Json } from "../../../src/cairn/core/log/json.ts";
import type { ToolCard } from "../../../src/cairn/core/log/tool.ts";
import { BUILTIN_PACK } from "../../../src/cairn/core/loop/internal-tools.ts";
import { builtinPack } from "../../../src/cairn/tools/builtin/pack.ts";
import { optionSchemas } from "../../../src/cairn/agent-options.ts";
import { cmsPack, imagesPack } from "../../../src/plugins/cms/pack.ts";
import { skills } from "../../../src/plugins/skills/plugin.ts";
import { GovernedTools } from "../../../src/cairn/tools/governed.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { Chance } from "../../sim/platform/chance.ts";

/** Whatever is sent as an agent: it is refused with places and codes, or it is an agent that works here. */

const BODIES = 20_000;
/** at least so many are let through, and so many refused: else it looks at one kind alone */
const SOUND_MIN = 500;

const bindings: object = { DB: {}, MEDIA: {} };
const registry = new Registry("s", () => 0)
  .add(builtinPack, { observations: { read: () => null } })
  .add(cmsPack, bindings)
  .add(imagesPack, bindings);
const options = optionSchemas([skills()]);
const ground = { tools: registry, models: null, admins: ["root"], options };
const names = registry.cards().map((card) => card.name);

const NONSENSE: readonly [Json, ...Json[]] = [
  ...([
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    "",
    " ",
    "x",
    "\ud800",
    "\u0000",
    "__proto__",
    "{{objective}}",
  ] as const),
  ...([
    [],
    {},
    [[]],
    [null],
    { constructor: 1 },
    "x".repeat(30_000),
    ["page_creat"],
    { page_creat: "ask" },
  ] as const),
];

function fieldsFor(chance: Chance): Record<string, Json> {
  const tool = (): string => names[chance.below(names.length)] ?? "";
  const some = <Value extends Json>(...values: readonly [Value, ...Value[]]): Value => chance.pick(values);
  const rules = (): Json => ({
    ...(chance.once(2) ? { approvers: some<Json>(["bob"], ["*"], ["owner", "bob"], []) } : {}),
    ...(chance.once(2) ? { needed: chance.below(4) } : {}),
    ...(chance.once(3) ? { onExpiry: some("deny", "escalate"), escalateTo: some<Json>([], ["root"]) } : {}),
    ...(chance.once(4) ? { remember: some<Json>(["args"], ["tool", "args"], []) } : {}),
    ...(chance.once(4) ? { alwaysAsk: true } : {}),
  });
  return {
    instructions: "Write.",
    objectiveTemplate: some<Json>("Do: {{objective}}", null),
    tools: some<Json>([], [tool(), tool()], ["pack:cms"], ["pack:images", tool()], null),
    dialect: some("auto", "native", "json", "tags"),
    marker: chance.once(2),
    transcript: some("compact", "window", "none"),
    approvals: { [tool()]: rules() },
    gates: { [tool()]: some("ask", "deny") },
    unattended: [tool()],
    showThoughts: chance.once(2),
    resultKey: some("result", "page", "_x1"),
    output: some<Json>({ type: "object" }, { type: "string", maxLength: 5 }, null),
    options: some<Json>(
      { skills: { list: ["notes"] } },
      { skills: { show: "names" } },
      { skills: {} },
      { skills: { list: [""] } },
      { skill: {} },
      {},
    ),
    targets: some<Json>({ site: { siteId: "main", environmentId: "draft" } }, {}),
    model: some("rehearsal:", "workers-ai:@cf/a/b"),
    fallbacks: some<Json>([], ["rehearsal:"]),
    preset: chance.pick(Object.keys(PRESETS) as [string, ...string[]]),
    profile: chance.pick(Object.keys(PROFILES) as [string, ...string[]]),
    limits: { steps: chance.below(50), costUsd: chance.next() * 3 },
    onExhausted: some("answer", "fail"),
    onStuck: { action: some("force_answer", "answer", "fail", "escalate"), iterations: chance.below(12) },
    questions: { waitMs: chance.below(100_000), otherwise: some("go_on", "end") },
    hooks: {},
    admins: [],
    day: {},
  };
}

/** A definition of a few fields, most of them sound, in every fourth one spoilt. */
function bodyFor(chance: Chance): Json {
  if (chance.once(50)) return chance.pick(NONSENSE);
  const all = Object.entries(fieldsFor(chance));
  const fields = all.filter(([name]) =>
    ["hooks", "admins", "day"].includes(name) ? chance.once(60) : chance.once(6),
  );
  const spoilt = fields.map(([name, value]): [string, Json] => [
    chance.once(40) ? `${name}s` : name,
    chance.once(16) ? chance.pick(NONSENSE) : value,
  ]);
  return { ...(chance.once(40) ? {} : { description: "Works." }), ...Object.fromEntries(spoilt) };
}

/** Describes the fault of a refusal; null if there is none. */
function refusalFault(issues: readonly AgentIssue[]): string | null {
  if (issues.length === 0) return "it says nothing";
  const [wrong] = issues.filter(
    ({ path, code, message }) =>
      path.length > 200 || !/^[a-z]+(_[a-z]+)*$/.test(code) || !/\S.*\.$/s.test(message),
  );
  if (wrong !== undefined) return `not in words: ${JSON.stringify(wrong)}`;
  // A schema lets through what defineAgent refuses: the last net, which has no place to show.
  return issues.some(({ code }) => code === "invalid_agent") ? "the schema let it through" : null;
}

/** Describes the fault of an agent that passed validation; null if there is none. */
function agentFault({ agent, definition }: ReadAgent): string | null {
  const again = readDefinition(JSON.parse(JSON.stringify(definition)), ground);
  if (!again.ok) return "what is stored of it is refused";
  if (canonicalJson(again.value.agent.spec) !== canonicalJson(agent.spec)) return "it means something else";
  const tools = new GovernedTools(registry, agent.spec);
  if (tools.problems().length > registry.problems().length) return "one of its rules never holds";
  const { tools: wanted } = agent.spec;
  const isMeant = ({ name, pack }: ToolCard): boolean =>
    wanted === null || pack === BUILTIN_PACK || wanted.includes(name) || wanted.includes(`pack:${pack}`);
  return tools.cards().every(isMeant) ? null : "it has a tool that it does not name";
}

test(`${BODIES} bodies are refused in words, or are agents that mean the same when they are read again`, () => {
  const chance = new Chance(16);
  const bodies = Array.from({ length: BODIES }, () => bodyFor(chance));
  const read = bodies.map((body) => readDefinition(body, ground));
  const faults = read.flatMap((each, n) => {
    const fault = each.ok ? agentFault(each.value) : refusalFault(each.error);
    return fault === null ? [] : [{ fault, body: bodies[n] }];
  });
  expect(faults.slice(0, 5)).toEqual([]);
  const sound = read.filter(({ ok }) => ok).length;
  expect([sound > SOUND_MIN, BODIES - sound > SOUND_MIN]).toEqual([true, true]);
}, 120_000);
