import { startOf } from "../text/cut.ts";
import { readMarker } from "../text/markers.ts";
import type { Entry, EntryDraft, Limits } from "../log/entry.ts";
import { stepName } from "../log/names.ts";
import type { StepPatch } from "../log/model.ts";
import type { LiveRun, Memory, State } from "../state/state.ts";
import type { EntityRef } from "../log/tool.ts";
import type { CallStatus } from "../log/entry.ts";
import type { Json } from "../log/json.ts";

/**
 * Where people who extend Cairn may reach into its loop. Hooks are synchronous and pure: they are asked inside a
 * transaction, get a frozen view, and answer with data. They can narrow and hint; they cannot widen what a run may do.
 */
export interface Hooks {
  readonly name: string;
  readonly version: number;
  /** asked once per step, however often the step is attempted; the answer is stored with it */
  readonly prepareStep?: (view: HookView) => StepPatch | null;
  /** asked in the commit that ends a step; what it adds is committed with it */
  readonly onStepFinish?: (view: HookView, step: StepView) => StepFinish | null;
  /** asked before each step but the first; the first that answers stops the run */
  readonly stopWhen?: readonly StopCondition[];
}

export interface HookView {
  readonly run: string;
  /** the last step that began, 0 before the first */
  readonly step: number;
  /** milliseconds since the epoch */
  readonly at: number;
  readonly limits: Limits;
  readonly used: {
    readonly steps: number;
    readonly toolCalls: number;
    readonly activeMs: number;
    readonly tokens: number;
  };
  readonly lastStep: StepView | null;
  /** of the run, oldest first */
  readonly calls: readonly CallView[];
  readonly memory: Memory;
}

export interface StepView {
  readonly n: number;
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly CallView[];
}

export interface CallView {
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  /** null while it has no result */
  readonly status: CallStatus | null;
}

export interface StepFinish {
  /** words for the model's next step */
  readonly hints?: readonly string[];
  readonly memory?: readonly EntityRef[];
}

export interface StopCondition {
  readonly name: string;
  /** answer: a last model call without tools. end: the answer that needs no model */
  readonly check: (view: HookView) => { readonly reason: string; readonly mode: "answer" | "end" } | null;
}

export const NO_HOOKS: Hooks = { name: "none", version: 1 };

/** Stops once so many steps have begun. */
export function stepCountIs(steps: number): StopCondition {
  return {
    name: `stepCountIs(${steps})`,
    check: (view) => (view.step >= steps ? { reason: `${steps} steps are done`, mode: "answer" } : null),
  };
}

/** Stops once a tool has been called with success. */
export function toolCalled(tool: string, mode: "answer" | "end" = "answer"): StopCondition {
  const done = (call: CallView): boolean => call.tool === tool && call.status === "ok";
  return {
    name: `toolCalled(${tool})`,
    check: (view) => (view.calls.some(done) ? { reason: `${tool} is done`, mode } : null),
  };
}

/** Stops once the last step's text holds these words, whatever their case. */
export function textIncludes(words: string): StopCondition {
  const wanted = words.toLowerCase();
  return {
    name: `textIncludes(${words})`,
    check: (view) =>
      view.lastStep?.text.toLowerCase().includes(wanted) === true
        ? { reason: `it said “${words}”`, mode: "answer" }
        : null,
  };
}

/** Stops once a share (0 to 1) of the steps, calls or active time is used. */
export function budgetUsed(share: number): StopCondition {
  return {
    name: `budgetUsed(${share})`,
    check: ({ used, limits }) => {
      const most = Math.max(
        used.steps / limits.steps,
        used.toolCalls / limits.toolCalls,
        used.activeMs / limits.activeMs,
      );
      return most >= share
        ? { reason: `${Math.round(share * 100)}% of the budget is used`, mode: "answer" }
        : null;
    },
  };
}

/** Returns a hook's view of a run, from its entries. */
export function hookView(state: State, run: LiveRun, entries: readonly Entry[], at: number): HookView {
  const steps = stepsOf(entries);
  const view: HookView = {
    run: run.run,
    step: run.step,
    at,
    limits: run.limits,
    used: {
      steps: run.step,
      toolCalls: run.used.toolCalls,
      activeMs: run.used.activeMs,
      tokens: run.used.usage.inputTokens + run.used.usage.outputTokens,
    },
    lastStep: steps.at(-1) ?? null,
    calls: steps.flatMap((step) => step.calls),
    memory: state.memory,
  };
  return freeze(view);
}

function stepsOf(entries: readonly Entry[]): StepView[] {
  const statuses = new Map<string, CallStatus>();
  for (const entry of entries)
    if (entry.kind === "call_settled") statuses.set(entry.body.call, entry.body.status);
  const steps: StepView[] = [];
  for (const entry of entries) {
    if (entry.kind !== "model_replied") continue;
    const joined = (type: "text" | "reasoning"): string =>
      entry.body.parts.map((part) => (part.type === type ? part.text : "")).join("");
    steps.push({
      n: Number(/s(\d+)$/.exec(entry.step ?? "")?.[1] ?? 0),
      thought: joined("reasoning"),
      text: readMarker(joined("text")).shown,
      calls: entry.body.calls.map(({ call, tool, input }) => ({
        call,
        tool,
        input,
        status: statuses.get(call) ?? null,
      })),
    });
  }
  return steps;
}

const FAILURES_MAX = 3;

/**
 * Asks a hook. A throw changes nothing and becomes a note; after three in a run the hook is left alone.
 * `fault` is the entry to write, if any.
 */
export function askHook<Value>(
  run: LiveRun,
  entries: readonly Entry[],
  hook: string,
  ask: () => Value | null,
): { readonly value: Value | null; readonly fault: EntryDraft<"note"> | null } {
  const mark = `${hook}: `;
  const failed = entries.filter(
    (entry) => entry.kind === "note" && entry.body.code === "hook_failed" && entry.body.text.startsWith(mark),
  );
  if (failed.length >= FAILURES_MAX) return { value: null, fault: null };
  try {
    return { value: ask(), fault: null };
  } catch (error) {
    const text = startOf(`${mark}${error instanceof Error ? error.message : "it threw"}`, 500);
    const step = run.step === 0 ? null : stepName(run.run, run.step);
    return { value: null, fault: { kind: "note", run: run.run, step, body: { code: "hook_failed", text } } };
  }
}

/** The patch as far as it may go: tools of the grant only, and no more output than the run's limit. */
export function narrowPatch(patch: StepPatch, run: LiveRun, granted: readonly string[]): StepPatch {
  const { tools, maxOutputTokens, ...rest } = patch;
  return {
    ...rest,
    ...(tools === undefined ? {} : { tools: tools.filter((tool) => granted.includes(tool)) }),
    ...(maxOutputTokens === undefined
      ? {}
      : { maxOutputTokens: Math.min(maxOutputTokens, run.limits.outputTokens) }),
  };
}

function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) freeze(item);
  return value;
}
