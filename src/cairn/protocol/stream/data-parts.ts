import { WRAP_UP_SHARE, CHARS_PER_TOKEN } from "../../core/limits.ts";
import type { BodyOf, Entry } from "../../core/log/entry.ts";
import { type JsonObject, type Json, ownValue } from "../../core/log/json.ts";
import type { Usage } from "../../core/log/model.ts";
import type { EntityRef } from "../../core/log/tool.ts";
import { openStep } from "../../core/state/run/phase.ts";
import type { LiveRun, Memory, State } from "../../core/state/state.ts";
import { causeWords } from "../../core/text/cause-words.ts";
import { citationsView } from "../receipt.ts";
import { isoTime, type DataChunk, type UiChunk } from "./ui-chunk.ts";

/** The data parts of docs/protocol.md. A cost is null where no model call has been counted by one. */

export type StepPhase = "thinking" | "acting" | "waiting" | "retrying" | "done";

export interface StepView {
  readonly runId: string;
  readonly step: string;
  readonly n: number;
  readonly attempt: number;
  readonly model: string;
  /** milliseconds */
  readonly startedAt: number;
  /** milliseconds in which a person was waited for */
  readonly waitedMs: number;
  /** of the model call that the step is made of; null until it has replied */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

export function stepChunk(
  step: StepView,
  phase: StepPhase,
  more: { at?: number; until?: number | null; note?: string | null; percent?: number | null } = {},
): DataChunk {
  const { at, until = null, note = null, percent = null } = more;
  const data = {
    ...step,
    phase,
    startedAt: isoTime(step.startedAt),
    durationMs: at === undefined ? null : at - step.startedAt,
    until: until === null ? null : isoTime(until),
    note,
    percent,
  };
  return { type: "data-step", id: step.step, data };
}

export function usageView(usage: Usage): JsonObject {
  const { inputTokens, cachedInputTokens, outputTokens, estimated, priceEstimated = false } = usage;
  const costUsd = dollarsOf(usage.cost);
  return { inputTokens, cachedInputTokens, outputTokens, costUsd, estimated: estimated || priceEstimated };
}

/** US dollars of so many millionths. */
const dollarsOf = (cost: number | null): number | null => (cost === null ? null : cost / 1_000_000);

/** Returns the usage of the run so far, by model. */
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

export function verdictChunk(entry: Entry<"review"> | Entry<"verdict"> | Entry<"compacted">): DataChunk {
  const id = `v${entry.seq}`;
  if (entry.kind === "compacted") {
    const text = `Earlier steps were summed up: about ${entry.body.before} tokens became ${entry.body.after}.`;
    const verdict = { source: "guard", rule: "compact", level: "hint", codes: ["COMPACT"], accepted: null };
    return { type: "data-verdict", id, data: { ...verdict, text, calls: [], refersTo: entry.step } };
  }
  if (entry.kind === "review") {
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

/** Returns the present working memory as a transient part. `changes` led to it; empty after a resume. */
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

/**
 * Returns usage of a run, the amounts reserved by its open model call, and its limits. `warning`: limits that are
 * nearly reached.
 */
export function budgetView(run: LiveRun): JsonObject {
  const { limits } = run;
  const { usage } = run.used;
  const open = openStep(run);
  const of = (used: number, limit: number, reserved = 0): JsonObject => ({ used, reserved, limit });
  const amounts = {
    steps: of(run.step, limits.steps),
    tokens: of(usage.inputTokens + usage.outputTokens, limits.tokens, open?.reserved),
    costUsd: of((usage.cost ?? 0) / 1e6, limits.cost / 1e6, (open?.reservedCost ?? 0) / 1e6),
    activeMs: of(run.used.activeMs, limits.activeMs),
    toolCalls: of(run.used.toolCalls, limits.toolCalls),
    messages: of(run.output.sends, limits.messages),
  };
  const near = Object.entries(amounts).find(
    ([, { used, limit }]) => Number(used) > Number(limit) * WRAP_UP_SHARE,
  );
  return { ...amounts, warning: near?.[0] ?? null };
}

/** `data-question`, with `context` and the guard's evidence if there are any. */
export function questionChunk(
  { body }: Entry<"human_asked">,
  end: Entry<"human_answered"> | "run_ended" | null,
): DataChunk {
  const answered = end === null || end === "run_ended" || end.body.expired ? null : end.body;
  const { question, call, text, form, options, context, about } = body;
  const data: JsonObject = {
    questionId: question,
    callId: call,
    question: text,
    kind: form,
    options,
    expiresAt: isoTime(body.expiresAt),
    default: body.default,
    state: end === null ? "open" : answered === null ? "expired" : "answered",
    by: answered?.actor ?? null,
    ...(context === null ? {} : { context }),
    ...(about === undefined ? {} : { about: { ...about } }),
  };
  return { type: "data-question", id: question, data };
}

/** `data-client-call`: a call that waits for its client, or did. */
export function clientCallChunk(
  { body }: Entry<"client_asked">,
  end: Entry<"client_answered"> | "stopped" | null,
): DataChunk {
  const { call, tool, expiresAt } = body;
  const state =
    end === null ? "waiting" : end === "stopped" ? "stopped" : end.body.expired ? "expired" : "answered";
  return {
    type: "data-client-call",
    id: call,
    data: { callId: call, tool, expiresAt: isoTime(expiresAt), state },
  };
}

/** The value of an answer as it may come in: a text of at most so many bytes. */
export function isAnswerText(value: Json, bytesMax: number): value is string {
  return typeof value === "string" && new TextEncoder().encode(value).length <= bytesMax;
}

/**
 * Messages about guard and review decisions, for the person watching: the text of a verdict addresses the model. A
 * rejected answer is tried again; a stop ends the run, or lets it answer from what it knows.
 */
const HELD: Readonly<Record<string, string>> = {
  NO_SEND: "it contained no answer",
  ACK_ONLY: "it only announced the work",
  EMPTY_PROMISE: "it promised work that nothing would do",
  UNSENT_RESULTS: "it left out the findings",
  NO_SUBSTANTIVE: "it did not mention the findings",
  ERROR_UNRESOLVED: "it did not mention a failure",
  PLAN_ITEMS_OPEN: "it did not mention an open item of the plan",
  CLAIM_UNBACKED: "it claimed an action that never happened",
  NOTHING_CHANGED: "it did not say that nothing changed",
  BAD_CITATION: "a citation had no source",
  NO_CITATION: "it cited nothing",
  TEXT_CALL: "it wrote a tool call as text",
  ANSWER_BEFORE_RESULTS: "it came before the results of its own calls",
  INPUT_PENDING: "your last message had not been read yet",
};

/** The reason that a code which stops a run gives its end. */
const STOPPED: Readonly<Record<string, string>> = {
  BUDGET_WALL: "budget:wall",
  BUDGET_COST: "budget:cost",
  BUDGET_TOKENS: "budget:tokens",
  BUDGET_STEPS: "budget:steps",
  BUDGET_CALLS_SPENT: "budget:calls",
  BUDGET_DAY: "budget:day",
  BUDGET_DAY_FINAL: "budget:day",
  FINAL_UNPAID: "budget",
  INVALID_OUTPUT: "invalid_output",
  STUCK: "stuck",
  DENIED_AGAIN: "denied_again",
  STOP_WHEN: "stopWhen",
  REVIEW_CAP: "review",
  REVIEW_NO_STEP: "review",
  CONTEXT_OVERFLOW: "context",
  MODEL_DOWN: "provider:model_down",
  GUARD_ERROR: "guard_error",
};

/** One line for a verdict; null for a hint, which is the model's alone. */
export function verdictWords(verdict: {
  readonly level?: string | null | undefined;
  readonly accepted?: boolean | null | undefined;
  readonly codes?: readonly string[] | null | undefined;
}): string | null {
  const { level, accepted, codes } = verdict;
  const wordsFor = (words: Readonly<Record<string, string>>): string | undefined =>
    (codes ?? []).map((code) => ownValue(words, code)).find((each) => each !== undefined);
  if (level === "stop")
    return `(stopped: ${causeWords(wordsFor(STOPPED)) ?? "a rule of the runtime ended it"})`;
  if (level !== "block" && accepted !== false) return null;
  return `(answer rewritten: ${wordsFor(HELD) ?? "it was not complete"})`;
}

/** Returns the citations of an answer: an SDK source for each page, and the quotes with their positions. */
export function citationChunks(run: string, answer: BodyOf<"answer">): UiChunk[] {
  const citations = citationsView(answer);
  if (citations === null || citations.items.length === 0) return [];
  const pages = new Map(citations.items.map((item) => [item.page, item]));
  const sources = [...pages.values()].map(
    ({ page, url, title }) => ({ type: "source-url", sourceId: page, url, title }) as const,
  );
  return [...sources, { type: "data-citations", id: run, data: citations }];
}

/** A text that was not streamed, whole. */
export const textChunks = (id: string, text: string): UiChunk[] => [
  { type: "text-start", id },
  { type: "text-delta", id, delta: text },
  { type: "text-end", id },
];
