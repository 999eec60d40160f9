import { chargeCall, type Charging } from "../../core/guards/budget/reserve.ts";
import {
  overuseEntries,
  bringsOutside,
  fenceResult,
  readFromOf,
  unhide,
} from "../../core/guards/check-result.ts";
import { REPLY_CHARS_MAX } from "../../core/limits.ts";
import type { EntryDraft } from "../../core/log/entry.ts";
import {
  NO_USAGE,
  type ModelFailure,
  type ModelOutcome,
  type ModelReply,
  type Usage,
} from "../../core/log/model.ts";
import type { CallOrder, ToolOutcome } from "../../core/log/tool.ts";
import { leftoverRuns } from "../../core/loop/finish.ts";
import { labelEntry } from "../../core/loop/class-label.ts";
import { judgeReply } from "../../core/loop/judge-reply.ts";
import { modelFailed, rateHint, toolRetry } from "../../core/loop/retry.ts";
import { cutObservation, shownChars } from "../../core/prompt/observation.ts";
import { specOf } from "../../core/entries/grant.ts";
import { failedResult, settleCall, unknownResult, type CallResult } from "../../core/entries/settle.ts";
import { NO_SHAPE, markOutput, readOutput } from "../../core/state/call-digest.ts";
import type { LiveRun } from "../../core/state/state.ts";
import type { Call } from "../../core/state/run/phase.ts";
import { removeHidden } from "../../core/text/untrusted.ts";
import { activeCalls, type Claimed } from "./claim.ts";
import { checkIn, overflowEntries, refusalEntry } from "./compose-request.ts";
import type { Ports } from "./ports.ts";
import { createCite, sourceNames } from "./sources.ts";
import type { Transaction } from "./transaction.ts";

/** Turns the outcome of an effect into entries, inside the commit of that effect. */

export function recordModel(
  tx: Transaction,
  run: LiveRun,
  claimed: Claimed & { kind: "model" },
  outcome: ModelOutcome,
  ports: Ports,
): void {
  const { readTo, charge } = claimed;
  const entries = tx.entriesOf(run).current;
  const means = {
    check: checkIn(tx, run, ports),
    cite: createCite(ports.store, tx.state),
    words: ports.facts.words,
  };
  const charged = (reply: ModelReply): ModelReply<Usage> => ({
    ...reply,
    usage: chargeCall(charge, reply.usage),
  });
  const failed = (failure: ModelFailure): EntryDraft =>
    modelFailed(tx.state, chargeFailure(charge, failure), tx.at);
  const stopped = (reply: ModelReply): ModelReply<Usage> => ({
    ...charged(reply),
    finish: "aborted",
    parts: reply.parts.filter((part) => part.type !== "call"),
  });
  switch (outcome.kind) {
    case "replied":
      if (replyChars(outcome.reply) > REPLY_CHARS_MAX) {
        tx.append([failed({ ...TOO_LARGE, usage: outcome.reply.usage })]);
        return;
      }
      // A stop was committed while the model answered: its text is stored, and none of its calls begins.
      tx.append(
        judgeReply(
          tx.state,
          run.cancel === null ? charged(outcome.reply) : stopped(outcome.reply),
          readTo,
          tx.at,
          entries,
          means,
        ),
      );
      // An answer forced while new input arrived ends the run; the input gets its own run.
      if (tx.state.run?.run !== run.run) tx.append(leftoverRuns(tx.state, run, entries, readTo));
      return;
    case "aborted":
      if (run.cancel !== null) {
        tx.append(judgeReply(tx.state, stopped(outcome.partial), readTo, tx.at, entries, means));
        return;
      }
      tx.append([
        failed({ class: "timeout", message: "The model took too long.", retryAfterMs: null, usage: null }),
      ]);
      return;
    case "failed":
      if (outcome.failure.class === "context_overflow")
        tx.append(overflowEntries(tx, run, claimed.call, chargeFailure(charge, outcome.failure), ports));
      else if (outcome.failure.class === "bad_request")
        tx.append([refusalEntry(tx, run, claimed.call, chargeFailure(charge, outcome.failure), ports)]);
      else tx.append([failed(outcome.failure)]);
  }
}

export function recordLabel(
  tx: Transaction,
  { run, charge }: Claimed & { readonly kind: "label" },
  outcome: ModelOutcome,
): void {
  const usage =
    outcome.kind === "failed"
      ? chargeFailure(charge, outcome.failure).usage
      : chargeCall(charge, (outcome.kind === "replied" ? outcome.reply : outcome.partial).usage);
  tx.append([labelEntry(tx.state, run, outcome, usage ?? NO_USAGE)]);
}

/** A provider that broke off may have done all of the work; one that refused did none. */
const MAY_HAVE_COST: ReadonlySet<ModelFailure["class"]> = new Set(["timeout", "cut_off"]);

function chargeFailure(charge: Charging, failure: ModelFailure): ModelFailure<Usage> {
  const { usage } = failure;
  if (usage === null && !MAY_HAVE_COST.has(failure.class)) return { ...failure, usage };
  return { ...failure, usage: chargeCall(charge, usage) };
}

const TOO_LARGE: ModelFailure = {
  class: "internal",
  message: "The model's reply was larger than a reply may be.",
  retryAfterMs: null,
  usage: null,
};

function replyChars({ parts }: ModelReply): number {
  return parts.reduce(
    (sum, part) => sum + (part.type === "call" ? JSON.stringify(part.input).length : part.text.length),
    0,
  );
}

export function recordTools(
  tx: Transaction,
  run: LiveRun,
  results: readonly { order: CallOrder; outcome: ToolOutcome }[],
  ports: Ports,
): void {
  const { observationChars: cut } = specOf(tx.entriesOf(run).current);
  const settled: EntryDraft[] = [];
  const retries: EntryDraft[] = [];
  const hints: EntryDraft[] = [];
  const named = sourceNames(ports);
  for (const { order, outcome } of results) {
    const call = activeCalls(run).find((item) => item.call === order.call);
    if (call === undefined) continue;
    const readFrom = readFromOf(run, call.tool, order.input);
    const isOutside = bringsOutside(run, tx.state.ended, call, readFrom);
    if (outcome.kind === "ok") {
      const { showMax, ms } = outcome;
      const { output, sources } = named(order, outcome);
      // Scrubbed last: what hidden characters had broken up may be a secret without them.
      const text = ports.redact(isOutside ? removeHidden(output) : output);
      const card = ports.tools.cards().find((item) => item.name === order.tool);
      const whole = card?.keepWhole;
      const isWhole = cut === null || whole === true;
      const most = Math.min(showMax, isWhole ? Infinity : call.effect === "read" ? cut.reads : cut.others);
      const shown = cutObservation(text, shownChars(most, activeCalls(run).length), call.call);
      if (shown !== text) ports.store.saveBlob(call.call, text);
      const entities = isOutside ? unhide(outcome.entities) : outcome.entities;
      const mark = markOutput(order.tool, card?.shape ?? NO_SHAPE, order.input, readOutput(text));
      const result = {
        status: "ok",
        observation: shown,
        chars: text.length,
        ...(whole === undefined ? {} : { whole }),
        failure: null,
        ms,
        mark,
        ...(readFrom === undefined ? {} : { readFrom }),
        ...logsOf(outcome),
        ...paidFor(call, outcome),
        ...(sources === null ? {} : { sources }),
        ...(entities.length === 0 ? {} : { changes: entities }),
      } as const;
      settled.push(
        ...settleCall(run, activeCalls(run), call, isOutside ? fenceResult(result, call.call) : result),
      );
      continue;
    }
    const retry =
      run.cancel === null ? toolRetry(tx.state, call, outcome.failure, tx.at, paidFor(call, outcome)) : null;
    if (retry !== null) retries.push(retry);
    else {
      const hint = rateHint(tx.state, call, outcome.failure, tx.at);
      if (hint !== null) hints.push(hint);
      const cleaned = isOutside ? { ...outcome, failure: unhide(outcome.failure) } : outcome;
      const result = { ...failureOf(run, call, cleaned), ...logsOf(outcome), ...paidFor(call, outcome) };
      settled.push(
        ...settleCall(run, activeCalls(run), call, isOutside ? fenceResult(result, call.call) : result),
      );
    }
  }
  // Retries last: settling another call of the batch would end their wait.
  tx.append([...settled, ...hints, ...retries]);
  tx.append(overuseEntries(tx.state, settled));
}

const logsOf = ({ logs }: ToolOutcome): Pick<CallResult, "logs"> => (logs === undefined ? {} : { logs });

/** Returns the charge for an attempt: its reported cost, else its whole reservation. */
function paidFor({ costMax }: Call, { cost = costMax }: ToolOutcome): Pick<CallResult, "cost"> {
  return cost === undefined ? {} : { cost };
}

function failureOf(
  run: LiveRun,
  call: Call,
  outcome: Extract<ToolOutcome, { kind: "failed" }>,
): ReturnType<typeof failedResult> {
  const { failure, lost, ms } = outcome;
  if (lost && call.effect !== "read") return unknownResult(call.tool, failure.message.replace(/\.$/, ""), ms);
  return failedResult(lost && run.cancel !== null ? "cancelled" : "error", failure, ms);
}
