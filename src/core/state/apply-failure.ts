import type { Entry } from "../log/entry.ts";
import { isPassing } from "./breakers.ts";
import { CLAIMS_MAX, FALLBACK_CLAIMS_MIN } from "../limits.ts";
import { OUTCOMES } from "../log/run.ts";
import { addUsage } from "./usage.ts";
import type { LiveRun, OpenStep, Thinking } from "./state.ts";

/** The run after a model call that failed: its step stays open for the next attempt, or the run comes to its end. */
export function failAttempt(
  run: LiveRun,
  phase: Thinking & { readonly open: OpenStep },
  entry: Entry<"model_failed">,
): LiveRun {
  const open: OpenStep = {
    ...phase.open,
    attempt: phase.open.attempt + 1,
    base: entry.seq,
    tries: phase.open.tries + 1,
  };
  const usage = addUsage(run.usage, entry.body.usage);
  switch (entry.body.then) {
    case "retry": {
      const back = { ...phase, open };
      const until = entry.body.until ?? entry.at;
      return { ...run, usage, retries: run.retries + 1, phase: { at: "waiting_retry", until, back } };
    }
    case "compact":
      return { ...run, usage, phase: { ...phase, open: { ...open, overflowed: true } } };
    case "force":
      return { ...run, usage, phase: { ...phase, open } };
    case "fallback": {
      const [model, ...fallbacks] = run.fallbacks.slice(entry.body.passed ?? 0);
      const { overflowed: _other, ...next } = open;
      const lost = Math.min(open.lost, CLAIMS_MAX[phase.why] - FALLBACK_CLAIMS_MIN);
      // A provider that is down may come back; one that refuses is not asked again.
      const away = run.away ?? { model: run.model, since: entry.at };
      return {
        ...run,
        usage,
        model: model ?? run.model,
        fallbacks,
        ...(isPassing(entry.body.class) && entry.body.model !== undefined ? { away } : {}),
        phase: { ...phase, open: { ...next, tries: 0, lost } },
      };
    }
    case "end": {
      const outcome = OUTCOMES[entry.body.class] ?? "failed_provider";
      const reason = entry.body.class === "context_overflow" ? "context" : `provider:${entry.body.class}`;
      return { ...run, usage, phase: { at: "ending", outcome, reason, calls: [] } };
    }
  }
}
