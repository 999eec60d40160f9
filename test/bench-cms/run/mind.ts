import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Model, ModelRequest } from "../../../src/cairn/core/log/model.ts";
import { createProviders } from "../../../src/cairn/models/providers.ts";
import { createRehearsalModel } from "../../../src/plugins/rehearsal/model.ts";
import { Prompts } from "../../../src/cairn/prompts.ts";
import { cms } from "../../../src/plugins/cms/plugin.ts";
import { files } from "../../../src/plugins/files/plugin.ts";
import { web } from "../../../src/plugins/web/plugin.ts";
import { createModel } from "../../../src/cairn/models/step.ts";
import { parseConfig } from "../../../src/cairn/config/config.ts";
import { REPORT, replyOf } from "../../sim/platform/fake-model.ts";
import { resolved, type Call, type Task } from "../format.ts";

/** Caller of a task's tools: its gold calls, the rules of the rehearsal model, or a real model. */
export type Mind = "gold" | "rehearsal" | { readonly model: string };

/** The result of a call that was made, as JSON. */
export type ResultOf = (run: number, call: number) => Json;

/** The run in which the wish is fulfilled; those before it are what the session has done earlier. */
export const wishRun = (task: Task): number => (task.earlier?.length ?? 0) + 1;

/**
 * A model that makes the calls that are written down, the wish's too where the mind is `gold`. It says the same for the same
 * step, so that a step that died is done again as it was.
 */
export function modelOf(task: Task, mind: Mind, resultOf: ResultOf, started: readonly Json[]): Model {
  const real = mind === "gold" ? null : realModel(mind);
  const scripted = [...(task.earlier ?? []).map(({ calls }) => calls), task.gold];
  return {
    call: async (request, draft, signal) => {
      const { run, step } = placeOf(request);
      if (run === wishRun(task) && real !== null) return real.call(request, draft, signal);
      const calls = scripted[run - 1] ?? [];
      const together = run === wishRun(task) && task.together === true;
      const now = together ? (step === 1 ? calls : []) : calls.slice(step - 1, step);
      const lookUp = (list: string, index: number, keys: readonly string[]): Json => {
        const result = list === "start" ? started[index - 1] : resultOf(...callAt(task, run, list, index));
        return valueAt(result ?? null, keys);
      };
      const made = now.map(([tool, input]) => [tool, resolved(input, lookUp)] as [string, Json]);
      return {
        kind: "replied",
        reply: replyOf(made.length === 0 ? { text: REPORT } : { text: "Next.", calls: made }, draft),
      };
    },
  };
}

/** Run and number of a call that is referred to: one of its own list, or of what the session did earlier. */
function callAt(task: Task, run: number, list: string, index: number): [run: number, call: number] {
  if (list === "") return [run, index];
  let left = index;
  for (const [at, { calls }] of (task.earlier ?? []).entries()) {
    if (left <= calls.length) return [at + 1, left];
    left -= calls.length;
  }
  throw new Error(`${task.id} has no earlier call ${index}`);
}

export function valueAt(value: Json, keys: readonly string[]): Json {
  let now: Json = value;
  for (const key of keys) {
    const next: Json | undefined =
      typeof now === "object" && now !== null ? (now as Record<string, Json>)[key] : undefined;
    if (next === undefined)
      throw new Error(`there is no ${keys.join(".")} in ${JSON.stringify(value).slice(0, 400)}`);
    now = next;
  }
  return now;
}

function placeOf({ step }: ModelRequest): { readonly run: number; readonly step: number } {
  const [, run = "1", number = "1"] = /^r(\d+)s(\d+)/.exec(step) ?? [];
  return { run: Number(run), step: Number(number) };
}

/** The rules of the rehearsal model, or a model that the variables of a deployment name. */
export function realModel(mind: Exclude<Mind, "gold">): Model {
  if (mind === "rehearsal") {
    const rules = createRehearsalModel(async () => {});
    return createModel({ providers: async () => rules });
  }
  const { models, problems } = parseConfig({ ...process.env, MODEL: mind.model });
  if (models === null)
    throw new Error(problems.map(({ variable, message }) => `${variable}: ${message}`).join("\n"));
  return createModel({ providers: createProviders({ ...models, ai: null }) });
}

const prompts = new Prompts([cms(), files(), web()]);

/** The static prefix as the worker makes it. */
export const instructionsOf = (names: readonly string[]): string => prompts.instructions(names);

/** Outcome of a call, in the vocabulary of a task. */
export const becomesOf = ([, , becomes = "ok"]: Call): string => becomes;
