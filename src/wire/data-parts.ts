import type { Entry, Limits } from "../core/entries.ts";
import type { Usage } from "../core/model.ts";
import type { Memory, State } from "../core/state.ts";
import type { EntityRef } from "../core/tool.ts";
import type { JsonObject } from "../core/json.ts";
import { CHARS_PER_TOKEN } from "../core/limits.ts";
import { isoTime, type DataChunk } from "./ui-chunk.ts";

/** The data parts of interface 4.1. Costs are null: no price list is configured. */

export type StepPhase = "thinking" | "acting" | "waiting" | "retrying" | "done";

export interface StepView {
  readonly runId: string;
  readonly step: string;
  readonly n: number;
  readonly attempt: number;
  readonly model: string;
  /** milliseconds */
  readonly startedAt: number;
}

export function stepChunk(
  step: StepView,
  phase: StepPhase,
  more: { at?: number; until?: number | null; note?: string | null } = {},
): DataChunk {
  const { at, until = null, note = null } = more;
  const data = {
    ...step,
    phase,
    startedAt: isoTime(step.startedAt),
    durationMs: at === undefined ? null : at - step.startedAt,
    until: until === null ? null : isoTime(until),
    note,
    percent: null,
  };
  return { type: "data-step", id: step.step, data };
}

export function usageView(usage: Usage): JsonObject {
  const { inputTokens, cachedInputTokens, outputTokens, estimated } = usage;
  return { inputTokens, cachedInputTokens, outputTokens, costUsd: null, estimated };
}

/** What the run has used so far, by model. */
export function usageChunk(total: Usage, models: ReadonlyMap<string, Usage & { calls: number }>): DataChunk {
  const each: { [model: string]: JsonObject } = {};
  for (const [model, { calls, inputTokens, outputTokens }] of models) {
    each[model] = { calls, inputTokens, outputTokens, costUsd: null };
  }
  return { type: "data-usage", id: "usage", data: { ...usageView(total), models: each } };
}

const GUARD_LEVELS = {
  note: "hint",
  retry: "hint",
  wait: "hint",
  reask: "block",
  force: "stop",
  end: "stop",
} as const;

export function verdictChunk(entry: Entry<"verdict"> | Entry<"guard_fired"> | Entry<"compacted">): DataChunk {
  const id = `v${entry.seq}`;
  if (entry.kind === "compacted") {
    const text = `Earlier steps were summed up: about ${entry.body.before} tokens became ${entry.body.after}.`;
    const said = { source: "guard", rule: "compact", level: "hint", codes: ["COMPACT"], accepted: null };
    return { type: "data-verdict", id, data: { ...said, text, calls: [], refersTo: entry.step } };
  }
  if (entry.kind === "verdict") {
    const { accept, codes, text } = entry.body;
    const level = accept ? "hint" : "block";
    const data = {
      source: "review",
      rule: "review",
      level,
      codes,
      accepted: accept,
      text,
      calls: [],
      refersTo: entry.step,
    };
    return { type: "data-verdict", id, data };
  }
  const { act, rule, code, hint, call } = entry.body;
  const calls = call === null ? [] : [call];
  const data = {
    source: "guard",
    rule,
    level: GUARD_LEVELS[act],
    codes: [code],
    accepted: null,
    text: hint,
    calls,
    refersTo: entry.step,
  };
  return { type: "data-verdict", id, data };
}

/** Transient: working memory as it is now. `changes` are what brought it here, none after a resume. */
export function memoryChunk(memory: Memory, changes: readonly EntityRef[]): DataChunk {
  const entities = memory.entities.map(({ type, id, name }) => ({ type, id, name }));
  const added = changes.filter((change) => change.op !== "delete").map(({ type, id }) => `${type}:${id}`);
  const evicted = changes.filter((change) => change.op === "delete").map(({ type, id }) => `${type}:${id}`);
  const tokens = Math.ceil(JSON.stringify(entities).length / CHARS_PER_TOKEN);
  return {
    type: "data-memory",
    id: "memory",
    data: { entities, added, evicted, tokens },
    transient: true,
  };
}

/** Transient: what the live run has used of its limits, or null when no run is live. */
export function budgetChunk(state: State): DataChunk | null {
  const { run } = state;
  if (run === null) return null;
  const { limits, usage } = run;
  const of = (used: number | null, limit: number | null): JsonObject => ({ used, reserved: 0, limit });
  const data = {
    steps: of(run.step, limits.steps),
    tokens: of(usage.inputTokens + usage.outputTokens, null),
    costUsd: of(null, null),
    activeMs: of(run.activeMs, limits.activeMs),
    toolCalls: of(run.toolCalls, limits.toolCalls),
    messages: of(0, null),
    warning: budgetWarning(run.step, run.activeMs, limits),
  };
  return { type: "data-budget", id: "budget", data, transient: true };
}

/** Names the first limit of which more than four fifths are used. */
function budgetWarning(steps: number, activeMs: number, limits: Limits): string | null {
  if (steps > limits.steps * 0.8) return "steps";
  return activeMs > limits.activeMs * 0.8 ? "activeMs" : null;
}
