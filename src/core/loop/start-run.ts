import { classOf } from "../guards/budget/classify.ts";
import { laneOf } from "../guards/permissions.ts";
import { digestOf } from "../log/digest.ts";
import type { EntryDraft } from "../log/entry.ts";
import type { RunPolicy } from "../log/run.ts";
import type { Dialect } from "../log/model.ts";
import type { ToolCard } from "../log/tool.ts";
import type { QueuedRun, State } from "../state/state.ts";

/** What the house offers to a run that begins now. */
export interface House {
  readonly tools: {
    cards(): readonly ToolCard[];
    prompts(): readonly string[];
    notOffered(): readonly { readonly tool: string; readonly why: string }[];
  };
  readonly facts: {
    readonly harness: string;
    /** in which a model is asked; native when left out */
    readonly dialect?: (model: string) => Dialect;
    readonly instructions: (modules: readonly string[]) => string;
    readonly policy?: RunPolicy;
    /** tools that a run may write with which no person asked for */
    readonly unattended?: readonly string[];
  };
}

/** The first entry of a run's life: what it may use, its class, and what it works under, frozen. */
export function beginRun(
  state: State,
  queued: QueuedRun,
  messages: Parameters<typeof classOf>[2],
  house: House,
): EntryDraft<"run_started"> {
  const cards = house.tools.cards();
  const { unattended = [] } = house.facts;
  const alone = laneOf(queued.request.source) === "autonomy" && unattended.length > 0 ? { unattended } : {};
  const { classified, limits } = classOf(
    state,
    queued,
    messages,
    cards.some(({ reads }) => reads === "outside"),
  );
  const { profile, rule, score, work } = classified;
  const body = {
    grant: cards.map((card) => ({ tool: card.name, version: card.version, effect: card.effect })),
    notOffered: house.tools.notOffered(),
    model: queued.request.model,
    limits,
    prompt: digestOf(house.facts.instructions(house.tools.prompts())),
    harness: house.facts.harness,
    dialect: house.facts.dialect?.(queued.request.model) ?? "native",
    profile,
    classified: { rule, score, work },
    ...(house.facts.policy === undefined ? {} : { policy: house.facts.policy }),
    ...alone,
  } as const;
  return { kind: "run_started", run: queued.run, step: null, body };
}
