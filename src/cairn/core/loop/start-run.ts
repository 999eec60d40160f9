import { classOf } from "../guards/budget/classify.ts";
import { laneOf } from "../guards/permissions.ts";
import type { PlainWords } from "../guards/words.ts";
import { digestOf } from "../log/digest.ts";
import type { EntryDraft } from "../log/entry.ts";
import type { Dialect } from "../log/model.ts";
import type { PluginOptions } from "../log/plugin-options.ts";
import type { RunSpec } from "../log/run-spec.ts";
import { modulesOf } from "../prompt/modules.ts";
import type { ToolCard } from "../log/tool.ts";
import { taughtNames } from "./find-tools.ts";
import type { QueuedRun, State } from "../state/state.ts";

/**
 * Returns the dialect for a model: the run's, else the deployment's; json if the provider has reported that it takes no
 * tools.
 */
export function dialectFor(
  wanted: RunSpec["dialect"],
  model: string,
  withoutTools: readonly string[],
  known?: (model: string) => Dialect,
): Dialect {
  const dialect = wanted === "auto" ? (known?.(model) ?? "native") : wanted;
  return dialect === "native" && withoutTools.includes(model) ? "json" : dialect;
}

/** Tools and facts of the deployment for a run that begins now. */
export interface RunSetup {
  readonly tools: {
    cards(): readonly ToolCard[];
    prompts(taught: ReadonlySet<string>): readonly string[];
    notOffered(): readonly { readonly tool: string; readonly why: string }[];
  };
  readonly facts: {
    readonly harness: string;
    readonly words: PlainWords;
    /** dialect of a model if its run sets none; native when left out */
    readonly dialect?: (model: string) => Dialect;
    readonly reachable?: readonly string[];
    readonly instructions: (modules: readonly string[], own: string, options?: PluginOptions) => string;
  };
}

/** packs that look at what the session has already */
const OWN_MATTER: ReadonlySet<string> = new Set(["files", "code"]);

/**
 * True if a tool can look something up outside without acting there. Tools that send or take input from a named address
 * do not count, nor do those that read the person's files or calculate.
 */
export const canResearch = (cards: readonly ToolCard[]): boolean =>
  cards.some(
    ({ reads, effect, reach, pack }) =>
      reads === "outside" && effect === "read" && reach === "none" && !OWN_MATTER.has(pack),
  );

/** The first entry of a run's life: what it may use, its class, and what it works under, frozen. */
export function beginRun(
  state: State,
  queued: QueuedRun,
  spec: RunSpec,
  messages: Parameters<typeof classOf>[2],
  setup: RunSetup,
): EntryDraft<"run_started"> {
  const cards = setup.tools.cards();
  const { unattended, policy } = spec;
  const { reachable = [] } = setup.facts;
  const isAlone = laneOf(queued.request.source) === "autonomy";
  const alone = {
    ...(isAlone && unattended.length > 0 ? { unattended } : {}),
    ...(isAlone && reachable.length > 0 ? { reachable } : {}),
  };
  const { classified, limits } = classOf(
    state,
    queued,
    messages,
    { canResearch: canResearch(cards), words: setup.facts.words },
    state.label?.run === queued.run ? (state.label.settled?.label ?? null) : null,
  );
  const { profile, rule, score, work } = classified;
  const body = {
    grant: cards.map((card) => ({ tool: card.name, version: card.version, effect: card.effect })),
    notOffered: setup.tools.notOffered(),
    model: queued.request.model,
    limits,
    prompt: digestOf(
      setup.facts.instructions(
        modulesOf(setup.tools.prompts(taughtNames(cards, spec.tools, [])), spec, profile),
        spec.instructions,
        spec.options,
      ),
    ),
    harness: setup.facts.harness,
    dialect: dialectFor(spec.dialect, queued.request.model, [], setup.facts.dialect),
    profile,
    classified: { rule, score, work },
    policy,
    ...alone,
  } as const;
  return { kind: "run_started", run: queued.run, step: null, body };
}
