import { working } from "../../core/state/apply-run.ts";
import type { Entry } from "../../core/log/entry.ts";
import { WRAP_UP_SHARE } from "../../core/guard-limits.ts";
import type { Usage } from "../../core/log/model.ts";
import type { LiveRun, Memory, State } from "../../core/state/state.ts";
import type { EntityRef } from "../../core/log/tool.ts";
import type { JsonObject } from "../../core/log/json.ts";
import { CHARS_PER_TOKEN } from "../../core/limits.ts";
import { isoTime, type DataChunk } from "./ui-chunk.ts";

/** The data parts of interface 4.1. A cost is null where no model call has been counted by one. */

export type StepPhase = "thinking" | "acting" | "waiting" | "retrying" | "done";

export interface StepView {
  readonly runId: string;
  readonly step: string;
  readonly n: number;
  readonly attempt: number;
  readonly model: string;
  /** milliseconds */
  readonly startedAt: number;
  /** of the model call that the step is made of; null until it has replied */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
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
  const { inputTokens, cachedInputTokens, outputTokens, estimated, priceEstimated = false } = usage;
  const costUsd = dollarsOf(usage.cost);
  return { inputTokens, cachedInputTokens, outputTokens, costUsd, estimated: estimated || priceEstimated };
}

/** US dollars of so many millionths. */
export const dollarsOf = (cost: number | undefined): number | null =>
  cost === undefined ? null : cost / 1_000_000;

/** What the run has used so far, by model. */
export function usageChunk(total: Usage, models: ReadonlyMap<string, Usage & { calls: number }>): DataChunk {
  const each: { [model: string]: JsonObject } = {};
  for (const [model, { calls, inputTokens, outputTokens, cost }] of models) {
    each[model] = { calls, inputTokens, outputTokens, costUsd: dollarsOf(cost) };
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
  return { type: "data-budget", id: "budget", data: budgetView(run), transient: true };
}

/** What a run has used, what its open model call has set aside, and what it may use. `warning`: what is nearly used up. */
export function budgetView(run: LiveRun): JsonObject {
  const { limits, usage } = run;
  const phase = working(run.phase);
  const open = phase.at === "thinking" ? phase.open : null;
  const of = (used: number, limit: number, reserved = 0): JsonObject => ({ used, reserved, limit });
  const amounts = {
    steps: of(run.step, limits.steps),
    tokens: of(usage.inputTokens + usage.outputTokens, limits.tokens, open?.reserved),
    costUsd: of((usage.cost ?? 0) / 1e6, limits.cost / 1e6, (open?.reservedCost ?? 0) / 1e6),
    activeMs: of(run.activeMs, limits.activeMs),
    toolCalls: of(run.toolCalls, limits.toolCalls),
    messages: of(run.sends, limits.messages),
  };
  const near = Object.entries(amounts).find(
    ([, { used, limit }]) => Number(used) > Number(limit) * WRAP_UP_SHARE,
  );
  return { ...amounts, warning: near?.[0] ?? null };
}
