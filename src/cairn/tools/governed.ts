import type * as z from "zod";
import { unknownTool } from "../core/entries/grant.ts";
import { AGENT_ENTRY, agentTool, RUN_AGENT } from "../core/family/ask.ts";
import { isListedName, type ListedNames } from "../core/guards/named-tools.ts";
import { isWithheld, WITHHELD } from "../core/guards/quarantine.ts";
import { ownValue, type Json } from "../core/log/json.ts";
import type { ClientTool } from "../core/log/client-tool.ts";
import type { PluginOptions } from "../core/log/plugin-options.ts";
import { BUILTIN_PACK } from "../core/loop/internal-tools.ts";
import type { ToolOffer } from "../core/log/model.ts";
import type {
  CallOrder,
  Checked,
  InputForm,
  PreviewOutcome,
  Progress,
  ToolCard,
  ToolOutcome,
} from "../core/log/tool.ts";
import { COMPLETE } from "../core/log/names.ts";
import { agentInput } from "./agents/run-agent.ts";
import { valueInput } from "./builtin/complete.ts";
import { offerOf, schemaOf, withApprovals } from "./card.ts";
import { clientCard, clientInput, clientPreview } from "./client-tools.ts";
import { leftOutOf, leftOutWords } from "./offer-bounds.ts";
import { PRESETS } from "../core/guards/budget/profiles.ts";
import { checkInput, malformedInput, type Registry } from "./registry.ts";
import {
  absentFault,
  cardUnder,
  unattendedFault,
  type RuleFault,
  type ToolProblem,
  type ToolRules,
} from "./rules.ts";

const PACK = "pack:";
const LISTED_NOWHERE = "No server of this deployment has listed it.";
const VALUE_WORDS =
  "End the run with its result, when the work is done. `value` has the form that was asked for. Call it alone.";

/**
 * The tools of a deployment under the rules of an agent or of one run: fewer, and stricter. A rule that can never be
 * satisfied is a problem; a tool whose calls nobody could decide as required is not offered.
 */
/** Packs that a preset names: a fork may have none of them, and that is no mistake of its agents. */
const PACKS_OF_PRESETS: ReadonlySet<string> = new Set(
  Object.values(PRESETS).flatMap(({ tools }) => tools ?? []),
);

export class GovernedTools {
  readonly #registry: Registry;
  readonly #cards: readonly ToolCard[];
  readonly #byName: ReadonlyMap<string, ToolCard>;
  readonly #notOffered: { tool: string; why: string }[];
  readonly #problems: ToolProblem[] = [];
  /** names under which agents are offered */
  readonly #agents = new Set<string>();
  /** what `complete` takes where the run must answer with a value */
  readonly #value: z.ZodType | null;
  readonly #options: PluginOptions | undefined;
  /** tools that its client brings, by name */
  readonly #clients = new Map<string, ClientTool>();

  /** stored tools and tools of servers for which a run has no room */
  readonly #leftOut: ReadonlySet<string>;

  /** `bounded`: as one run is offered them, without those that `leftOut` names */
  constructor(registry: Registry, rules: ToolRules, bounded = false) {
    this.#registry = registry;
    this.#notOffered = [...registry.notOffered()];
    const known = new Map(registry.cards().map((card) => [card.name, card]));
    for (const [name, approvals] of Object.entries(rules.approvals)) {
      const card = known.get(name);
      // Held again when a run begins, which knows the tools of its servers.
      if (card === undefined && isListedName(name, registry.listedNames())) continue;
      const ruled = card === undefined ? this.#absent(name) : cardUnder(card, approvals);
      if (ruled.ok) {
        known.set(name, ruled.card);
        continue;
      }
      this.#problems.push({ about: `${ruled.where}approvals.${name}`, message: ruled.fault });
      if (ruled.withheld) this.#withhold(known, name, ruled.fault);
    }
    for (const name of rules.unattended ?? []) {
      const card = known.get(name);
      if (card === undefined && isListedName(name, registry.listedNames())) continue;
      const fault = card === undefined ? this.#absent(name) : unattendedFault(card);
      if (fault !== null)
        this.#problems.push({ about: `${fault.where}unattended, ${name}`, message: fault.fault });
    }
    for (const [name, gate] of Object.entries(rules.gates ?? {})) {
      const card = known.get(name);
      if (gate === "deny") this.#withhold(known, name, "Its run was asked to do without it.");
      else if (card !== undefined) known.set(name, withApprovals(card, { alwaysAsk: true, remember: [] }));
    }
    if (rules.quarantine === true)
      for (const card of Array.from(known.values()))
        if (isWithheld(card)) this.#withhold(known, card.name, WITHHELD);
    this.#options = rules.options;
    for (const { name } of Array.from(known.values())) {
      const why = registry.withheld(name, rules.options);
      if (why !== null) this.#withhold(known, name, why);
    }
    // Before the list applies: an agent is offered under the rules of run_agent, even if that is not listed.
    const start = known.get(RUN_AGENT);
    this.#limit(known, rules);
    this.#offerAgents(known, start, rules);
    this.#offerClientTools(known, rules);
    this.#leftOut = leftOutOf(Array.from(known.values()), rules.tools ?? null, registry.listedNames());
    // The grant refuses such calls: a run that was granted the tool keeps it when others are added.
    const hidden = bounded ? this.#leftOut : new Set<string>();
    const why = leftOutWords(registry.listedNames());
    for (const tool of hidden) this.#notOffered.push({ tool, why });
    const { output = null } = rules;
    const answers = known.get(COMPLETE);
    this.#value = output === null || answers === undefined ? null : valueInput(output);
    if (this.#value !== null && answers !== undefined)
      known.set(COMPLETE, { ...answers, description: VALUE_WORDS, inputSchema: schemaOf(this.#value) });
    // Without a rule the cards are those of the registry, the very same list: what was made of it is found again.
    const cards = Array.from(known.values()).filter(({ name }) => !hidden.has(name));
    const all = registry.cards();
    const same = cards.length === all.length && cards.every((card, index) => card === all[index]);
    this.#cards = same ? all : cards;
    this.#byName = known;
  }

  cards(): readonly ToolCard[] {
    return this.#cards;
  }

  /** prompt modules of the packs that have a tool here, as far as they teach one of these tools; absent: all of its tools */
  prompts(taught?: ReadonlySet<string>): readonly string[] {
    return this.#registry.promptsOf(
      new Set(this.#cards.map((card) => card.pack)),
      taught ?? new Set(this.#cards.map((card) => card.name)),
    );
  }

  /** what was found wrong when packs and rules came together */
  problems(): readonly ToolProblem[] {
    return [...this.#registry.problems(), ...this.#problems];
  }

  notOffered(): readonly { readonly tool: string; readonly why: string }[] {
    return this.#notOffered;
  }

  listedNames(): readonly ListedNames[] {
    return this.#registry.listedNames();
  }

  leftOut(): ReadonlySet<string> {
    return this.#leftOut;
  }

  offers(): readonly ToolOffer[] {
    return this.#cards.filter((card) => card.gate !== "deny").map(offerOf);
  }

  check(name: string, input: Json, malformed?: string, form?: InputForm): Checked {
    const card = this.#byName.get(name);
    const own = this.#agents.has(name) ? agentInput : this.#clientInput(name);
    if (card !== undefined && own !== null)
      return malformed === undefined
        ? checkInput(card, own, input, form)
        : { ok: false, card, failure: malformedInput(name) };
    if (card === undefined)
      return { ok: false, card: null, failure: unknownTool(name, [...this.#byName.keys()]) };
    if (name === COMPLETE && this.#value !== null && malformed === undefined)
      return checkInput(card, this.#value, input, form);
    const checked = this.#registry.check(name, input, malformed, form);
    const failure = checked.ok ? this.#registry.refused(name, checked.input, this.#options) : null;
    if (failure !== null) return { ok: false, card, failure };
    return checked.card === null ? checked : { ...checked, card };
  }

  preview(order: CallOrder, signal: AbortSignal): Promise<PreviewOutcome> {
    const card = this.#byName.get(order.tool);
    if (card?.client === true) return Promise.resolve({ kind: "ok", preview: clientPreview(card) });
    return this.#registry.preview(
      this.#agents.has(order.tool) ? { ...order, tool: RUN_AGENT } : order,
      signal,
    );
  }

  run(order: CallOrder, signal: AbortSignal, tell?: (progress: Progress) => void): Promise<ToolOutcome> {
    return this.#registry.run(order, signal, tell);
  }

  #withhold(known: Map<string, ToolCard>, name: string, why: string): void {
    if (known.delete(name)) this.#notOffered.push({ tool: name, why });
  }

  /** Offers each listed agent as a separate tool. A tool of the deployment keeps its name. */
  #offerAgents(known: Map<string, ToolCard>, like: ToolCard | undefined, { agents = [] }: ToolRules): void {
    for (const { name: agent, description } of agents) {
      const name = agentTool(agent);
      if (like === undefined || known.has(name)) {
        this.#notOffered.push({ tool: name, why: `The agent ${agent} cannot be offered under this name.` });
        continue;
      }
      const words = `Hands a part of the work to the agent ${agent}: ${description}`;
      const traits = { ...like.traits, tool: name };
      const inputSchema = schemaOf(agentInput);
      known.set(name, { ...like, name, title: `Ask ${agent}`, description: words, inputSchema, traits });
      this.#agents.add(name);
    }
  }

  /**
   * Offers the client's own tools; a list of tools restricts only those of the deployment. A tool of the deployment
   * keeps its name.
   */
  #offerClientTools(
    known: Map<string, ToolCard>,
    { clientTools = [], gates = {}, quarantine }: ToolRules,
  ): void {
    for (const tool of clientTools) {
      const { name } = tool;
      if (known.has(name) || ownValue(gates, name) === "deny") continue;
      const card = clientCard(tool);
      if (quarantine === true && isWithheld(card)) {
        this.#notOffered.push({ tool: name, why: WITHHELD });
        continue;
      }
      known.set(
        name,
        ownValue(gates, name) === "ask" ? withApprovals(card, { alwaysAsk: true, remember: [] }) : card,
      );
      this.#clients.set(name, tool);
    }
  }

  #clientInput(name: string): z.ZodType | null {
    const tool = this.#clients.get(name);
    return tool === undefined ? null : clientInput(tool);
  }

  /** Takes away what the list does not name. What it names and is not there is a problem. */
  #limit(known: Map<string, ToolCard>, { tools = null, rollouts = 1 }: ToolRules): void {
    // A run may start runs if its agent lists the tool by name or has several rollouts.
    const mayStart = tools?.includes(RUN_AGENT) === true || rollouts > 1;
    for (const { name, starts } of Array.from(known.values()))
      if (starts === true && !mayStart) known.delete(name);
    if (tools === null) return;
    const packs = new Set(this.#registry.cards().map((card) => card.pack));
    for (const name of tools) {
      const isPack = name.startsWith(PACK);
      if (name.startsWith(AGENT_ENTRY)) continue;
      if (isPack ? packs.has(name.slice(PACK.length)) : known.has(name)) continue;
      if (this.#notOffered.some(({ tool }) => tool === name)) continue;
      if (isListedName(name, this.listedNames())) {
        this.#notOffered.push({ tool: name, why: LISTED_NOWHERE });
        continue;
      }
      if (PACKS_OF_PRESETS.has(name)) {
        this.#notOffered.push({ tool: name, why: "This deployment does not have it." });
        continue;
      }
      const fault = this.#absent(name);
      this.#problems.push({ about: `${fault.where}tools, ${name}`, message: fault.fault });
    }
    const named = new Set(tools);
    for (const { name, pack, starts } of known.values())
      if (starts !== true && pack !== BUILTIN_PACK && !named.has(name) && !named.has(PACK + pack))
        known.delete(name);
  }

  #absent(name: string): RuleFault {
    const names = this.#registry.cards().map((card) => card.name);
    return absentFault(name, names, this.#registry.notOffered());
  }
}
