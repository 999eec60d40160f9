import { isDeepStrictEqual } from "node:util";
import {
  COMPACT_STEPS_MIN,
  INTERRUPTIONS_MAX,
  FALLBACK_CLAIMS_MIN,
  INTERRUPTIONS_PER_RUN_MAX,
} from "../../../src/cairn/core/limits.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { Usage } from "../../../src/cairn/core/log/model.ts";
import { fold } from "../../../src/cairn/core/state/apply.ts";
import { EMPTY_STATE } from "../../../src/cairn/core/state/state.ts";
import { count, type Rule } from "../scripts/conversation.ts";

/** equal calls of a run that are answered, blocked and sent back before it ends, and one of grace */
const REPEATS_MAX = 7;

/** entries of a run that does something, or begins to wait */
const AT_WORK: ReadonlySet<Entry["kind"]> = new Set([
  ...(["run_started", "step_started", "model_replied", "model_failed", "attempt_lost"] as const),
  ...(["call_intended", "call_settled", "approval_requested", "human_asked", "verdict"] as const),
  "command_queued",
] as const);

/** Invariants of the log, the state, the alarm and the bounds. */
export const OF_THE_LOG: Readonly<Record<string, Rule>> = {
  "every run ends exactly once": ({ log }) =>
    isDeepStrictEqual(
      log.flatMap((entry) => (entry.kind === "run_queued" ? [entry.run] : [])).toSorted(),
      log.flatMap((entry) => (entry.kind === "run_ended" ? [entry.run] : [])).toSorted(),
    ),
  "no limit is passed": ({ log }) =>
    log.every((entry) => {
      if (entry.kind !== "run_started") return true;
      const entries = log.filter((other) => other.run === entry.run);
      const calls = new Set(
        entries.flatMap((other) => (other.kind === "call_intended" ? [other.body.call] : [])),
      );
      const steps = entries.filter((other) => other.kind === "step_started").length;
      // Last limits given by an extension or a promotion.
      const given = entries.flatMap((other) =>
        (other.kind === "verdict" || other.kind === "command_queued") && other.body.limits !== undefined
          ? [other.body.limits]
          : [],
      );
      const limits = given.at(-1) ?? entry.body.limits;
      return calls.size <= limits.toolCalls && steps <= limits.steps;
    }),
  "what a call sets aside fits into what its run has left": ({ log }) =>
    accounts(log).every(({ fits }) => fits),
  "who waits as a person is worked before what comes by itself": ({ log }) =>
    log.every((entry) => {
      if (entry.kind !== "run_started") return true;
      const before = log.filter(({ seq }) => seq < entry.seq);
      const waiting = before.filter(
        ({ kind, run }) =>
          kind === "run_queued" &&
          !before.some((other) => other.run === run && /^run_(started|ended)$/.test(other.kind)),
      );
      const rankOf = (run: string | null): number => {
        const queued = before.find((other) => other.kind === "run_queued" && other.run === run);
        const source = queued?.kind === "run_queued" ? queued.body.source : "web";
        return ["webhook", "schedule", "heartbeat"].indexOf(source);
      };
      // A model was asked for its class: it has begun.
      if (before.some((other) => other.kind === "label_asked" && other.run === entry.run)) return true;
      return waiting.every(({ run }) => rankOf(run) >= rankOf(entry.run));
    }),
  "a run is charged with all that it used": ({ log }) => accounts(log).every(({ charged }) => charged),
  "a model names the class of a run at most once, before it begins": ({ log, platform }) => {
    const asked = log.filter((entry) => entry.kind === "label_asked").map(({ run }) => `${run ?? ""}.label`);
    const sent = platform.requests.filter(({ step }) => step.endsWith(".label")).map(({ step }) => step);
    const known = log.filter((entry) => entry.kind === "run_labelled").length;
    return (
      new Set(asked).size === asked.length &&
      new Set(sent).size === sent.length &&
      sent.every((step) => asked.includes(step)) &&
      known === asked.length &&
      log.every(
        (entry, at) =>
          entry.kind !== "run_labelled" ||
          entry.run === null ||
          log
            .slice(at)
            .some(({ kind, run }) => run === entry.run && ["run_started", "run_ended"].includes(kind)),
      )
    );
  },
  "a run is given more by a person once": ({ log }) => {
    const given = log.flatMap((entry) =>
      entry.kind === "command_queued" && entry.body.command === "extend" ? [entry.run ?? ""] : [],
    );
    return new Set(given).size === given.length;
  },
  "a person ends only a wait that is there": ({ log }) =>
    log.every((entry, at) => {
      if (entry.kind !== "command_queued" || entry.body.command !== "retry_now") return true;
      const before = log.slice(0, at).findLast((other) => other.run === entry.run && AT_WORK.has(other.kind));
      if (before?.kind === "model_failed") return before.body.then === "retry";
      return before?.kind === "verdict" && before.body.until !== null;
    }),
  "an id changes the log once": ({ log }) => {
    const said = log.flatMap((entry) => (entry.kind === "user_message" ? [entry.body.id] : []));
    // One command may stop several runs, in one transaction.
    const commands = log.flatMap((entry) => (entry.kind === "command_queued" ? [entry] : []));
    const times = new Map(commands.map((entry) => [entry.body.id, entry.at]));
    return (
      new Set(said).size === said.length && commands.every((entry) => times.get(entry.body.id) === entry.at)
    );
  },
  "state equals the fold of the log": ({ state, log }) => isDeepStrictEqual(state, fold(EMPTY_STATE, log)),
  "a run that repeats itself ends before its steps do": ({ log }) =>
    log.every((entry) => {
      if (entry.kind !== "run_ended") return true;
      // Copies inside one reply are one call.
      const calls = log.flatMap((other) =>
        other.kind === "model_replied" && other.run === entry.run
          ? [...new Set(other.body.calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`))]
          : [],
      );
      const times = count(calls);
      return Math.max(0, ...times.values()) <= REPEATS_MAX;
    }),
  "a run is summed up again only when it has grown": ({ log }) => {
    const last = new Map<string | null, { readonly seq: number; readonly to: number }>();
    return log.every((entry) => {
      if (entry.kind !== "compacted") return true;
      const before = last.get(entry.run);
      last.set(entry.run, { seq: entry.seq, to: entry.body.to });
      if (before === undefined) return entry.body.to === 0 || entry.body.from <= entry.body.to;
      const between = log.slice(before.seq, entry.seq - 1).filter((other) => other.run === entry.run);
      const isTooLarge = between.some(
        (other) => other.kind === "model_failed" && other.body.then === "compact",
      );
      const steps = between.filter((other) => other.kind === "step_started").length;
      return entry.body.to >= before.to && (isTooLarge || steps >= COMPACT_STEPS_MIN);
    });
  },
  "a request that was called too large is tried once more, and smaller": ({ log }) =>
    log.every((entry, index) => {
      if (entry.kind !== "model_failed" || entry.body.then !== "compact") return true;
      const next = log[index + 1];
      return next?.kind === "compacted" && next.body.after < next.body.before;
    }),
  "a question is asked once, and then answered once": ({ log }) => {
    const ever = new Set<string>();
    const open = new Set<string>();
    return log.every((entry) => {
      if (entry.kind === "human_answered") return open.delete(entry.body.question);
      if (entry.kind !== "human_asked") return true;
      const { question } = entry.body;
      if (ever.has(question)) return false;
      ever.add(question);
      open.add(question);
      return true;
    });
  },
  "nothing is asked for or put off once a stop has committed": ({ log }) => {
    const stopped = new Set<string | null>();
    return log.every((entry) => {
      if (entry.kind === "command_queued" && entry.body.command === "cancel") stopped.add(entry.run);
      if (!stopped.has(entry.run)) return true;
      if (entry.kind === "verdict") return entry.body.act !== "retry" && entry.body.act !== "wait";
      return entry.kind !== "approval_requested" && entry.kind !== "human_asked";
    });
  },
  "a stop of everything ends whatever was there": ({ log }) =>
    log.every((entry) => {
      // So the scripts call theirs; others stop one run alone.
      if (entry.kind !== "command_queued" || entry.body.id !== "stop") return true;
      return log.every((queued) => {
        if (queued.kind !== "run_queued" || queued.seq > entry.seq) return true;
        const end = log.find((other) => other.kind === "run_ended" && other.run === queued.run);
        return end?.kind !== "run_ended" || end.seq < entry.seq || end.body.class === "cancelled";
      });
    }),
  "no run begins while the queue is held": ({ log }) => {
    const waiting = new Set<string | null>();
    let held = false;
    return log.every((entry) => {
      if (entry.kind === "run_queued") waiting.add(entry.run);
      if (entry.kind === "queue_held") ({ held } = entry.body);
      if (entry.kind === "run_started" && held) return false;
      if (entry.kind === "run_started" || entry.kind === "run_ended") waiting.delete(entry.run);
      // An empty queue releases the hold.
      if (waiting.size === 0) held = false;
      return true;
    });
  },
  "seq has no gap": ({ log }) => log.every((entry, index) => entry.seq === index + 1),
  "time never falls": ({ log }) => log.every((entry, index) => entry.at >= (log[index - 1]?.at ?? 0)),
  "alarms are armed later than the one being handled": ({ platform }) => platform.disk.stalls === 0,
  "an idle session has no alarm": ({ platform }) =>
    platform.state.run !== null || platform.disk.alarm === null || platform.outbox.due() !== null,
  "claims of one effect are bounded": ({ log }) => {
    const lost = log.flatMap((entry) =>
      entry.kind === "attempt_lost" ? [`${entry.body.what} ${entry.body.effect}`] : [],
    );
    const most = INTERRUPTIONS_MAX.step + FALLBACK_CLAIMS_MIN;
    const perRun = count(log.flatMap((entry) => (entry.kind === "attempt_lost" ? [entry.run ?? ""] : [])));
    return (
      [...count(lost).values()].every((times) => times <= most) &&
      [...perRun.values()].every((times) => times <= INTERRUPTIONS_PER_RUN_MAX)
    );
  },
  "no entry is ever changed": ({ platform }) => {
    const entries = platform.entries;
    return platform.observed.every((entry, index) => entries[index] === entry);
  },
  "no draft outlives its attempt": ({ platform }) => {
    const phase = platform.state.run?.phase;
    const open = phase?.at === "thinking" && phase.open !== null;
    return open || platform.disk.exec("SELECT 1 FROM chunks LIMIT 1").length === 0;
  },
};

/** Charges to each run, replayed from its entries. */
function accounts(log: readonly Entry[]): readonly { readonly fits: boolean; readonly charged: boolean }[] {
  const runs = log.flatMap((entry) => (entry.kind === "run_started" ? [entry] : []));
  return runs.map((started) => {
    let { limits } = started.body;
    let used = { tokens: 0, cost: 0 };
    let reserved = { tokens: 0, cost: 0 };
    let [fits, charged] = [true, true];
    const add = (usage: Usage | null): void => {
      if (usage === null) return;
      const tokens = used.tokens + usage.inputTokens + usage.outputTokens;
      used = { tokens, cost: used.cost + (usage.cost ?? 0) };
    };
    for (const entry of log) {
      if (entry.run !== started.run) continue;
      if (entry.kind === "verdict" || entry.kind === "command_queued") limits = entry.body.limits ?? limits;
      if (entry.kind === "model_replied" || entry.kind === "model_failed" || entry.kind === "run_labelled")
        add(entry.body.usage);
      if (entry.kind === "call_settled" || entry.kind === "verdict")
        used = { ...used, cost: used.cost + (entry.body.cost ?? 0) };
      if (entry.kind === "attempt_lost" && entry.body.what === "tool")
        used = { ...used, cost: used.cost + (entry.body.cost ?? 0) };
      if (entry.kind === "attempt_lost" && entry.body.what === "model")
        used = { tokens: used.tokens + reserved.tokens, cost: used.cost + (entry.body.cost ?? 0) };
      if (entry.kind === "step_started") {
        reserved = { tokens: entry.body.reservedTokens, cost: entry.body.reservedCost };
        fits &&= used.tokens + reserved.tokens <= limits.tokens && used.cost + reserved.cost <= limits.cost;
      }
      if (entry.kind === "run_ended") {
        const { usage } = entry.body;
        charged &&= usage.inputTokens + usage.outputTokens === used.tokens && (usage.cost ?? 0) === used.cost;
      }
    }
    return { fits, charged };
  });
}
