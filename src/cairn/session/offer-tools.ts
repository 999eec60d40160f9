import type { Bindings } from "../bindings.ts";
import type { Isolate } from "../isolate.ts";
import type { OfferContext } from "../plugin.ts";
import { deploymentAgents } from "../agents/stored/stored-agents.ts";
import { sameTargets } from "../core/guards/target-access.ts";
import type { Targets } from "../core/log/targets.ts";
import { NO_HOOKS } from "../core/loop/hooks.ts";
import { complaintOf } from "../core/text/redact.ts";
import { GovernedTools } from "../tools/governed.ts";
import type { Registry } from "../tools/registry.ts";
import type { StoredBindings } from "../tools/stored/pack.ts";
import type { Offer } from "./assemble.ts";
import type { Engine } from "./engine/engine.ts";
import { ListedTools } from "./runs/listed-tools.ts";
import { onTargets } from "./runs/target-standing.ts";
import type { KnownTargets } from "./runs/targets.ts";
import { readStoredAgent } from "./storage/durable-disk.ts";
import type { Disk } from "./storage/store.ts";

interface OfferParts {
  readonly isolate: Isolate;
  readonly engine: Pick<Engine, "log">;
  readonly disk: Disk;
  readonly env: Bindings;
  readonly session: string;
  readonly targets: KnownTargets;
  readonly services: OfferContext["services"];
  readonly parts: OfferContext["parts"];
  readonly createTools: (context: OfferContext) => Registry;
}

/**
 * The tools of a session in a deployment: those of the code, those that are stored as data, and those that are listed elsewhere;
 * and the agents, which name them.
 */
export function offerTools({
  isolate,
  engine,
  disk,
  env,
  targets: knownTargets,
  createTools,
  ...of
}: OfferParts): Offer {
  const { project, config, redact, agentCache, storedTools } = isolate;
  const { agents: files } = project;
  const context: OfferContext = {
    ...of,
    env,
    clock: Date.now,
    targets: {},
    redact,
  };
  const registry = createTools(context);
  const bindings: StoredBindings = { ...(env as object) };
  const stored = {
    get tools() {
      return storedTools.tools;
    },
    load: () => storedTools.load(),
    loadOnce: () => storedTools.loadOnce(),
    onto: (code: Registry) => storedTools.onto(code, bindings),
  };
  const listers = new Map(
    [...isolate.shared].flatMap(([name, { lister }]) => (lister === undefined ? [] : [[name, lister]])),
  );
  const listed = new ListedTools(disk, listers, () => engine.log.state(), stored);
  /** as they are now: a run is accepted that names a stored tool */
  const known = {
    cards: () => stored.onto(registry).cards(),
    notOffered: () => stored.onto(registry).notOffered(),
    listedNames: () => registry.listedNames(),
  };
  const storedAgents = deploymentAgents({
    files,
    read: (name) => readStoredAgent(env.DB, name),
    context: {
      tools: known,
      models: config.models,
      admins: files.deployment.admins,
      options: project.options,
    },
    cache: agentCache,
    clock: Date.now,
    report: (error) => console.error("cairn: an agent was not read", complaintOf(error, redact)),
  });
  const agents = {
    ...storedAgents,
    load: async (name: string) => {
      await storedTools.load();
      await storedAgents.load(name);
    },
  };
  let elsewhere: { readonly targets: Targets; readonly tools: Registry } | null = null;
  const toolsFor = (targets: Targets | undefined): Registry => {
    if (targets === undefined) return registry;
    if (elsewhere === null || !sameTargets(elsewhere.targets, targets))
      elsewhere = { targets, tools: createTools({ ...context, targets }) };
    return elsewhere.tools;
  };
  return {
    tools: listed.follow(() => new GovernedTools(listed.onto(registry), files.deployment.spec, true)),
    known,
    agents,
    hooks: NO_HOOKS,
    partsOf: (spec) => ({
      tools: listed.follow(() => {
        const governed = new GovernedTools(listed.onto(toolsFor(spec.targets)), spec, true);
        const asking = () => engine.log.cachedState().run?.request ?? null;
        return spec.targets === undefined
          ? governed
          : onTargets(governed, spec.targets, { known: knownTargets, asking });
      }),
      // Only the files of a deployment have hooks.
      hooks: files.find(spec.agent)?.hooks ?? NO_HOOKS,
    }),
    beginsAnew: () => listed.isThere,
    loads: { listed },
  };
}
