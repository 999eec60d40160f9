import { activeGap } from "../state/apply.ts";
import { workingPhase, type Call, type OpenStep, type Thinking } from "../state/run/phase.ts";
import { hashedFraction } from "../log/digest.ts";
import { recordFailure, modelKey, openUntil } from "../state/breakers.ts";
import type { BodyOf, EntryDraft } from "../log/entry.ts";
import {
  CLAIM_RETRY_MS_MAX,
  RETRIES_PER_RUN_MAX,
  RETRY_AFTER_MS_MAX,
  RETRY_BASE_MS,
  RETRY_MS_MAX,
  TRIES_PER_EFFECT_MAX,
} from "../limits.ts";
import { type ModelErrorClass, type ModelFailure, type Usage, isPassing } from "../log/model.ts";
import { stepName } from "../log/names.ts";
import type { LiveRun, State } from "../state/state.ts";
import type { ToolFailure } from "../log/tool.ts";
import { verdictEntry } from "../entries/verdict.ts";

/** Failures become entries with what is done about them. Nothing sleeps: a retry is a later alarm. */

const MODEL_RETRYABLE: ReadonlySet<ModelErrorClass> = new Set([
  "rate_limit",
  "overloaded",
  "network",
  "timeout",
  "cut_off",
]);

/** Milliseconds until try number `tries + 1`: doubling to a cap, times a hashed 0.5–1, and no less than Retry-After. */
export function retryDelay(
  parts: readonly (string | number)[],
  tries: number,
  retryAfterMs: number | null,
): number {
  const backoff =
    Math.min(RETRY_MS_MAX, RETRY_BASE_MS * 2 ** tries) * (0.5 + hashedFraction(...parts, tries) / 2);
  return Math.ceil(Math.max(backoff, retryAfterMs ?? 0));
}

/** When what only another deployment can fix is looked at again: ever later, the longer it has stood so. */
export function lookAgain(since: number, at: number): number {
  return at + Math.min(CLAIM_RETRY_MS_MAX, Math.max(RETRY_BASE_MS, at - since));
}

/** Changes to a refused request that may get it accepted. */
export interface Remedies {
  /** a compaction would make it smaller */
  readonly shrinks: boolean;
  /** the first fallback that may hold more, counted from 0; -1 when there is none */
  readonly larger: number;
  /** its plain form differs from it (core/prompt/plain.ts) */
  readonly plainer: boolean;
}

const NO_REMEDIES: Remedies = { shrinks: false, larger: 0, plainer: false };

/** A failed call of the open step, with what is done about it. Throws when no step is open. */
export function modelFailed(
  state: State,
  failure: ModelFailure<Usage>,
  at: number,
  remedies: Partial<Remedies> = {},
): EntryDraft<"model_failed"> {
  const { run } = state;
  const phase = run === null ? null : workingPhase(run.phase);
  if (run === null || phase?.at !== "thinking" || phase.open === null)
    throw new Error("a failure without an open step");
  const { open } = phase;
  const thinking = { ...phase, open };
  const wait = retryDelay([run.run, open.n], open.tries, failure.retryAfterMs);
  // A wait past the time of the run would only put off its end.
  const inTime = run.used.activeMs + activeGap(state, at) + wait < run.limits.activeMs;
  // With another model at hand, one that opens its breaker is left for it.
  const key = modelKey(run.models.current);
  const opens =
    isPassing(failure.class) && openUntil(recordFailure(state.breakers, key, at), key, at) !== null;
  const stays = inTime && !(opens && run.models.fallbacks.length > 0);
  const possible = { ...NO_REMEDIES, ...remedies };
  const then = modelRemedy(run, thinking, failure, stays, possible);
  const passed = failure.class === "context_overflow" && then === "fallback" ? possible.larger : 0;
  const until = then === "retry" ? at + wait : null;
  return failedEntry(run, open, { ...failure, then, until, ...(passed === 0 ? {} : { passed }) });
}

/** A model call whose wakes died too often goes to the next model, which may have its claims. */
export function modelInterrupted(run: LiveRun, open: OpenStep): EntryDraft<"model_failed"> {
  const message = "The call of the model was interrupted too often.";
  const failure = { class: "internal", message, retryAfterMs: null, usage: null } as const;
  return failedEntry(run, open, { ...failure, then: "fallback", until: null });
}

function failedEntry(
  { run, models }: LiveRun,
  { n, attempt }: OpenStep,
  failed: Omit<BodyOf<"model_failed">, "attempt" | "model">,
): EntryDraft<"model_failed"> {
  return {
    kind: "model_failed",
    run,
    step: stepName(run, n),
    body: { attempt, model: models.current, ...failed },
  };
}

function modelRemedy(
  run: LiveRun,
  { open, why }: Thinking & { readonly open: OpenStep },
  failure: ModelFailure,
  inTime: boolean,
  { shrinks, larger, plainer }: Remedies,
): BodyOf<"model_failed">["then"] {
  if (failure.class === "context_overflow") {
    if (shrinks) return "compact";
    if (larger >= 0 && larger < run.models.fallbacks.length) return "fallback";
    return why === "step" ? "force" : "end";
  }
  // A model that takes no tools natively gets them in the text of the request.
  if (failure.class === "no_tools" && !run.models.withoutTools.includes(run.models.current)) return "dialect";
  const hasReasoning = run.models.reasoning?.includes(run.models.current) === true;
  if (failure.class === "no_reasoning" && !hasReasoning) return "reasoning";
  // A provider rarely names the part that it refuses, so the suspect ones are left out, once per model of a run.
  const wasPlain = run.models.plain?.includes(run.models.current) === true;
  if (failure.class === "bad_request" && plainer && !wasPlain) return "plain";
  const tooLong = !inTime || (failure.retryAfterMs ?? 0) > RETRY_AFTER_MS_MAX;
  const triesLeft = open.tries + 1 < TRIES_PER_EFFECT_MAX && run.failures.retries < RETRIES_PER_RUN_MAX;
  const once = failure.class === "internal" && open.tries === 0;
  if ((MODEL_RETRYABLE.has(failure.class) || once) && triesLeft && !tooLong) return "retry";
  return run.models.fallbacks.length > 0 ? "fallback" : "end";
}

/** A retry of a `read` or `keyed` call under the same key, or null when its failure is its result. */
export function toolRetry(
  state: State,
  call: Call,
  failure: ToolFailure,
  at: number,
  paid: { readonly cost?: number } = {},
): EntryDraft<"verdict"> | null {
  const { run } = state;
  const allowed = failure.retryable && call.effect !== "once" && call.tries + 1 < TRIES_PER_EFFECT_MAX;
  if (run === null || !allowed || run.failures.retries >= RETRIES_PER_RUN_MAX) return null;
  const { retryAfterMs = null } = failure;
  const wait = retryDelay([call.call], call.tries, retryAfterMs);
  if (!canWait(state, run, wait, at)) return null;
  const verdict = { code: "RETRY_LATER", rule: failure.code, hint: failure.message };
  const more = { ...(retryAfterMs === null ? {} : { retryAt: at + retryAfterMs }), ...paid };
  return verdictEntry(run, "after_result", verdict, "retry", { call: call.call, until: at + wait, ...more });
}

/**
 * True if a run may wait this long on its own: not past its deadline, nor longer than 15 minutes at a provider's
 * request.
 */
const canWait = (state: State, run: LiveRun, wait: number, at: number): boolean =>
  wait <= RETRY_AFTER_MS_MAX && run.used.activeMs + activeGap(state, at) + wait < run.limits.activeMs;

/** `RATE_HINT` [note], after_result 7: the other side named a time for which this run does not wait. */
export function rateHint(
  state: State,
  call: Call,
  { retryAfterMs }: ToolFailure,
  at: number,
): EntryDraft<"verdict"> | null {
  const { run } = state;
  if (run === null || retryAfterMs === undefined || canWait(state, run, retryAfterMs, at)) return null;
  const time = new Date(Math.min(at + retryAfterMs, LATEST_TIME)).toISOString();
  const minutes = Math.ceil(retryAfterMs / 60_000);
  const hint =
    `${call.tool} may be asked again at ${time}, in ${minutes} min: this run does not wait for that. ` +
    "Go on without it, tell the person the time, and propose that the work is scheduled for then.";
  const verdict = { code: "RATE_HINT", rule: "retry_after", hint };
  return verdictEntry(run, "after_result", verdict, "note", { call: call.call });
}

/** The last time that a date can name. */
const LATEST_TIME = 8_640_000_000_000_000;

/** Ends the wait of this run for a provider or a service; null where it does not wait for one. */
export function receiveRetry(
  { run }: State,
  retry: { readonly id: string; readonly actor: string; readonly run: string },
): EntryDraft<"command_queued"> | null {
  if (run?.run !== retry.run || run.phase.at !== "waiting_retry" || run.cancel !== null) return null;
  const { id, actor } = retry;
  const body = { id, actor, command: "retry_now", reason: null, superseded: false } as const;
  return { kind: "command_queued", run: run.run, step: null, body };
}
