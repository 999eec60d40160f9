import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { count, type Rule } from "../scripts/conversation.ts";

/** Invariants of a run's request for more budget, read plainly from docs/channels.md. */
export const OF_BUDGETS: Readonly<Record<string, Rule>> = {
  "a run asks whether it may have more once, and one answer counts": ({ log }) =>
    [once(log, "budget_asked"), once(log, "budget_answered")].every((one) => one) &&
    answers(log).every(
      ({ seq, run }) =>
        log.some((entry) => entry.kind === "budget_asked" && entry.run === run && entry.seq < seq) &&
        !log.some((entry) => entry.kind === "run_ended" && entry.run === run && entry.seq < seq),
    ),
  "a yes gives a run what was shown, and nothing else does": ({ log }) =>
    answers(log).every((answered) => {
      const { seq, run, body } = answered;
      const next = log.find((entry) => entry.seq === seq + 1);
      const given =
        next?.kind === "command_queued" && next.body.command === "extend" ? next.body.limits : null;
      if (body.decision !== "extend") return given === null;
      const asked = log.find((entry) => entry.kind === "budget_asked" && entry.run === run);
      if (asked?.kind !== "budget_asked" || given == null) return false;
      const { what, limit, adds } = asked.body;
      return given[what] === limit + (adds[what] ?? 0);
    }),
};

const answers = (log: readonly Entry[]): readonly Entry<"budget_answered">[] =>
  log.flatMap((entry) => (entry.kind === "budget_answered" ? [entry] : []));

const once = (log: readonly Entry[], kind: Entry["kind"]): boolean =>
  [...count(log.flatMap((entry) => (entry.kind === kind ? [entry.run ?? ""] : []))).values()].every(
    (times) => times === 1,
  );
