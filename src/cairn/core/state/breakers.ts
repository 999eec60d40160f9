import { BREAKER, BREAKERS_STORED, MODEL_PROBE_MS, RETRY_AFTER_MS_MAX } from "../limits.ts";
import type { Entry } from "../log/entry.ts";
import type { CallRecord } from "../log/mark.ts";
import { isPassing } from "../log/model.ts";
import { RETRYABLE } from "../log/tool.ts";
import type { Verdict } from "../log/verdict.ts";
import type { Breakers, LiveRun, State } from "./state.ts";

export const modelKey = (model: string): string => `model:${model}`;

/** Returns the breaker key of a call: the host that it names, else its tool. */
export function callKey({ tool, scope, target }: Pick<CallRecord, "tool" | "scope" | "target">): string {
  return scope === undefined || scope === target ? `tool:${tool}` : `host:${scope}`;
}

/**
 * Records one more failure. A server that names a retry time (`retryAt`) is left alone until then from the first
 * failure on, but no longer than 15 minutes, so that no server can close its breaker forever.
 */
export function recordFailure(breakers: Breakers, key: string, at: number, retryAt = 0): Breakers {
  const old = breakers.find((one) => one.key === key);
  const others = breakers.filter((one) => one !== old);
  const inEntry = old !== undefined && (old.spanMs > 0 || at - old.since <= BREAKER.windowMs);
  const fails = inEntry ? old.fails + 1 : 1;
  const since = inEntry ? old.since : at;
  const next = { key, fails, since, openUntil: old?.openUntil ?? 0, spanMs: inEntry ? old.spanMs : 0 };
  // A call that was in flight when the breaker opened adds no information.
  const opens = fails >= BREAKER.fails && at >= next.openUntil;
  const spanMs = next.spanMs === 0 ? BREAKER.openMs : Math.min(BREAKER.openMsMax, 2 * next.spanMs);
  const failed = opens ? { ...next, spanMs, openUntil: at + spanMs } : next;
  const openUntil = Math.max(failed.openUntil, Math.min(retryAt, at + RETRY_AFTER_MS_MAX));
  return [...others, { ...failed, openUntil }].slice(-BREAKERS_STORED);
}

export function recordSuccess(breakers: Breakers, key: string): Breakers {
  return breakers.some((one) => one.key === key) ? breakers.filter((one) => one.key !== key) : breakers;
}

/** Returns when an open breaker may be tried again; null if it is closed, or may be tried now. */
export function openUntil(breakers: Breakers, key: string, at: number): number | null {
  const until = breakers.find((one) => one.key === key)?.openUntil ?? 0;
  return at < until ? until : null;
}

/** True if the next call tests an open breaker. It then runs alone. */
export function isProbe(breakers: Breakers, key: string): boolean {
  return breakers.some((one) => one.key === key && one.spanMs > 0);
}

/** The breakers after an entry of the live run. */
export function foldBreakers(breakers: Breakers, run: LiveRun, entry: Entry): Breakers {
  switch (entry.kind) {
    case "model_replied":
      return entry.body.finish === "aborted"
        ? breakers
        : recordSuccess(breakers, modelKey(run.models.current));
    case "model_failed": {
      const { model } = entry.body;
      return isPassing(entry.body.class) ? recordFailure(breakers, modelKey(model), entry.at) : breakers;
    }
    case "verdict": {
      const { act, call, retryAt } = entry.body;
      return act === "retry" ? called(breakers, run, call, entry.at, { retryAt }) : breakers;
    }
    case "call_settled": {
      const { call, status, failure, attempt, reusedFrom, skip } = entry.body;
      if (attempt === 0 || reusedFrom !== null || skip !== undefined) return breakers;
      if (status !== "ok" && status !== "error") return breakers;
      // A service that reports "not found" is up.
      if (failure === null || !RETRYABLE.has(failure.class))
        return called(breakers, run, call, entry.at, null);
      const { retryAfterMs } = failure;
      const retryAt = retryAfterMs === undefined ? undefined : entry.at + retryAfterMs;
      return called(breakers, run, call, entry.at, { retryAt });
    }
    case "command_queued":
      // A person's request to retry closes the breaker.
      return entry.body.command === "retry_now"
        ? breakers.map((one) => ({ ...one, openUntil: Math.min(one.openUntil, entry.at) }))
        : breakers;
    default:
      return breakers;
  }
}

function called(
  breakers: Breakers,
  run: LiveRun,
  call: string | null,
  at: number,
  failed: { readonly retryAt: number | undefined } | null,
): Breakers {
  const entry = run.loop.calls.find((one) => one.id === call);
  if (entry === undefined) return breakers;
  const key = callKey(entry);
  return failed === null ? recordSuccess(breakers, key) : recordFailure(breakers, key, at, failed.retryAt);
}

/** `CIRCUIT_OPEN` [skip], before_tool 9. */
export function checkCircuit(
  breakers: Breakers,
  call: Pick<CallRecord, "tool" | "scope" | "target">,
  at: number,
): Verdict<"CIRCUIT_OPEN"> | null {
  const until = openUntil(breakers, callKey(call), at);
  if (until === null) return null;
  const seconds = Math.ceil((until - at) / 1_000);
  return {
    code: "CIRCUIT_OPEN",
    rule: "breaker.open",
    evidence: { seqs: [], names: [call.tool], numbers: { retryAt: until } },
    hint: `${call.tool} is out of order: it failed${isProbe(breakers, callKey(call)) ? " several times in a row" : ""} and is left alone for ${seconds} s, until ${new Date(until).toISOString()}. Do something else first, or answer without it.`,
  };
}

/** Model choice for a step whose model has an open breaker, or whose first model may be tried again. */
export interface ModelTurn {
  readonly verdict: Verdict<"MODEL_DOWN" | "MODEL_PROBE">;
  /** the models from now on, the one that is asked next first */
  readonly models: readonly string[];
  /** when it is asked */
  readonly until: number;
}

/** `MODEL_DOWN` [wait], before_model 5, and the way back to the first model after ten minutes; null: ask the model. */
export function checkModel({ breakers }: State, run: LiveRun, at: number): ModelTurn | null {
  const models = [run.models.current, ...run.models.fallbacks];
  const { fallbackSince } = run.models;
  if (fallbackSince !== null && at - fallbackSince.since >= MODEL_PROBE_MS) {
    const { model } = fallbackSince;
    const hint = `${model} is asked again.`;
    const verdict = { code: "MODEL_PROBE", rule: "breaker.probe", evidence: NO_EVIDENCE, hint } as const;
    if (openUntil(breakers, modelKey(model), at) === null)
      return { verdict, models: [model, ...models.filter((one) => one !== model)], until: at };
  }
  const waits = models.map((model) => openUntil(breakers, modelKey(model), at) ?? at);
  if ((waits[0] ?? at) <= at) return null;
  const until = Math.min(...waits);
  const next = waits.indexOf(until);
  const cause =
    until > at
      ? `No model can be asked before ${new Date(until).toISOString()}.`
      : `${models[next]} is asked instead.`;
  const hint = `${run.models.current} failed several times in a row and is left alone. ${cause}`;
  const verdict = { code: "MODEL_DOWN", rule: "breaker.open", evidence: NO_EVIDENCE, hint } as const;
  return { verdict, models: models.slice(next).concat(models.slice(0, next)), until };
}

const NO_EVIDENCE = { seqs: [] };
