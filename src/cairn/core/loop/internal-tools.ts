import { markOutput, NO_SHAPE } from "../state/call-digest.ts";
import type { EntryDraft } from "../log/entry.ts";
import { isObject, type Json, type JsonObject, ownValue } from "../log/json.ts";
import { FIND_TOOL, stepName } from "../log/names.ts";
import type { ToolCard } from "../log/tool.ts";
import type { Plan } from "../log/plan.ts";
import { boundedProgress } from "../text/progress.ts";
import { settlePlan } from "../entries/plan.ts";
import { failedResult, settleCall, type CallResult } from "../entries/settle.ts";
import { retrieveFacts, storeFact, type Recalled, type ValueOf } from "../state/memory.ts";
import { UPDATE_PLAN } from "../state/plan.ts";
import type { LiveRun, Memory } from "../state/state.ts";
import type { Call } from "../state/run/phase.ts";
import { findTools } from "./find-tools.ts";

/**
 * Built-in tools without outside effects: the loop settles them itself, in call order, without an intent and without a
 * wake. Their changes are in the same transaction as their results.
 */

/** State that a pure call may read. */
export interface PureView {
  readonly memory: Memory;
  readonly valueOf: ValueOf;
  /** the present plan */
  readonly plan: Plan | null;
  /** the tools that the run is not offered at once */
  readonly hidden: () => readonly ToolCard[];
}

type Pure = (input: { readonly [key: string]: Json }, view: PureView) => Recalled;

/** The pack whose tools every run has. */
export const BUILTIN_PACK = "builtin";

export const STORE_MEMORY = "store_memory";
export const RETRIEVE_MEMORY = "retrieve_memory";
export const LOG_PROGRESS = "log_progress";

const PURE: Readonly<Record<string, Pure>> = {
  [STORE_MEMORY]: (input, { memory }) =>
    storeFact(memory.facts, textOf(input["key"]) ?? "", textOf(input["value"]) ?? ""),
  [RETRIEVE_MEMORY]: (input, { memory, valueOf }) =>
    retrieveFacts(memory.facts, { key: textOf(input["key"]), query: textOf(input["query"]) }, valueOf),
};

/** True if the loop itself settles calls of this tool. */
export function isPure(tool: string): boolean {
  return tool === UPDATE_PLAN || tool === LOG_PROGRESS || tool === FIND_TOOL || Object.hasOwn(PURE, tool);
}

/**
 * True if a call of this tool may accompany `complete`: it reports or stores something and returns nothing to answer
 * from.
 */
export const isBookkeeping = (tool: string): boolean =>
  tool === UPDATE_PLAN || tool === LOG_PROGRESS || tool === STORE_MEMORY;

/** The entries that settle a pure call: its result, and what it changed. */
export function settlePure(
  run: LiveRun,
  calls: readonly Call[],
  call: Call,
  input: Json,
  view: PureView,
): EntryDraft[] {
  if (call.tool === UPDATE_PLAN) return settlePlan(run, calls, call, input, view.plan);
  const given = isObject(input) ? input : {};
  if (call.tool === LOG_PROGRESS) return settleProgress(run, calls, call, given);
  if (call.tool === FIND_TOOL) return settleFound(run, calls, call, given, view);
  const pure = ownValue(PURE, call.tool);
  if (pure === undefined) throw new Error(`${call.tool} is not settled by the loop`);
  const recalled = pure(given, view);
  const settled = settleCall(run, calls, call, resultOf(recalled, call.tool, input));
  if (!recalled.ok || recalled.changes.length === 0) return settled;
  const step = stepName(run.run, run.step);
  const body = { call: call.call, tool: call.tool, changes: [], facts: recalled.changes };
  return [...settled, { kind: "memory_changed", run: run.run, step, body }];
}

/** How far it is, then the result. */
function settleProgress(
  run: LiveRun,
  calls: readonly Call[],
  call: Call,
  { message, percent }: JsonObject,
): EntryDraft[] {
  const progress = boundedProgress(textOf(message) ?? "", typeof percent === "number" ? percent : undefined);
  const noted: EntryDraft = {
    kind: "progress_noted",
    run: run.run,
    step: stepName(run.run, run.step),
    body: { ...progress, call: call.call },
  };
  const result = resultOf({ ok: true, output: { ok: true }, changes: [] }, call.tool, { ...progress });
  return [noted, ...settleCall(run, calls, call, result)];
}

/** The names that were found, then the result. */
function settleFound(
  run: LiveRun,
  calls: readonly Call[],
  call: Call,
  given: JsonObject,
  { hidden }: PureView,
): EntryDraft[] {
  const { tools, more } = findTools(hidden(), textOf(given["query"]) ?? "");
  const found: EntryDraft = {
    kind: "tools_found",
    run: run.run,
    step: stepName(run.run, run.step),
    body: { call: call.call, tools: tools.map(({ name }) => name) },
  };
  const output = { ok: true, tools, ...(more === 0 ? {} : { more }) };
  const settled = settleCall(run, calls, call, resultOf({ ok: true, output, changes: [] }, call.tool, given));
  return tools.length === 0 ? settled : [found, ...settled];
}

function resultOf(recalled: Recalled, tool: string, input: Json): CallResult {
  if (!recalled.ok) return failedResult("error", recalled.failure);
  const observation = JSON.stringify(recalled.output);
  const mark = markOutput(tool, NO_SHAPE, input, recalled.output);
  return { status: "ok", observation, chars: observation.length, failure: null, ms: 0, mark };
}

const textOf = (value: Json | undefined): string | null => (typeof value === "string" ? value : null);
