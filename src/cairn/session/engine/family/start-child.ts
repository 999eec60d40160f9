import { startOf } from "../../../core/text/cut.ts";
import { readAsk } from "../../../core/family/ask.ts";
import { stopAgreedRollouts } from "../../../core/family/rollouts.ts";
import { depthOf, shareOf } from "../../../core/family/share.ts";
import type { PlainWords } from "../../../core/guards/words.ts";
import { CHILD_POLL_MS } from "../../../core/limits.ts";
import type { ParentRun } from "../../../core/log/child.ts";
import { childName, parentOf, rootOf, stepName } from "../../../core/log/names.ts";
import type { ToolFailure } from "../../../core/log/tool.ts";
import { toolRetry } from "../../../core/loop/retry.ts";
import { grantOf, specOf } from "../../../core/entries/grant.ts";
import { failedResult, settleCall, unknownResult, type CallResult } from "../../../core/entries/settle.ts";
import type { Call } from "../../../core/state/run/phase.ts";
import type { LiveRun } from "../../../core/state/state.ts";
import { activeCalls, orderOf, recoveryDelay, type Claimed } from "../claim.ts";
import type { ChildStarted, Ports } from "../ports.ts";
import type { Transaction } from "../transaction.ts";

/** A call that starts a run in another session: its share is reserved on disk before that session is contacted. */

/** Claims the start. Null if it is refused; the refusal is then the result of the call. */
export function openChild(tx: Transaction, run: LiveRun, call: Call, ports: Ports): Claimed | null {
  const order = orderOf(tx, run, call, ports, call.attempts + 1);
  if (order === null) return null;
  const entries = tx.entriesOf(run).current;
  const spec = specOf(entries);
  const { ask, wait } = readAsk(call.tool, order.input, spec.agents);
  const shared = shareOf(tx.state, run, call, ask.limits ?? {}, tx.at, ports.facts.day);
  const { session } = ports.facts;
  // Later runs of a child's session belong to no tree, so its bounds would not apply to them.
  const isStray = parentOf(session) !== null && run.request.parent === undefined;
  const failure = ports.family === undefined || isStray ? NO_FAMILY : shared.ok ? null : shared.failure;
  if (failure !== null || !shared.ok) {
    tx.append(settleCall(run, activeCalls(run), call, failedResult("refused", failure ?? NO_FAMILY)));
    return null;
  }
  const { share } = shared;
  const { key, attempt } = order;
  const body = { call: call.call, tool: call.tool, effect: call.effect, argsDigest: call.argsDigest };
  tx.append([
    {
      kind: "call_intended",
      run: run.run,
      step: stepName(run.run, run.step),
      body: { ...body, key, attempt, share },
    },
  ]);
  const claim = tx.take(call.call);
  tx.armRecovery(recoveryDelay(attempt));
  const { tainted, private: hidden } = run.safety.taint;
  const parent: ParentRun = {
    session,
    createdAt: ports.createdAt?.() ?? null,
    run: run.run,
    call: call.call,
    depth: depthOf(run) + 1,
    root: rootOf(session),
    sessions: share.sessions,
    ...(tainted === null ? {} : { tainted: true }),
    ...(hidden === null ? {} : { private: true }),
  };
  const { actor, source, role, approvers, origin, askedAt, imported, temperature } = run.request;
  const request = {
    actor,
    source,
    role,
    temperature,
    ...(approvers === undefined ? {} : { approvers }),
    ...(origin === undefined ? {} : { origin }),
    ...(askedAt === undefined ? {} : { askedAt }),
    ...(imported === undefined ? {} : { imported }),
  };
  const { current: model, fallbacks } = run.models;
  const from = { request, model, fallbacks, spec, grant: [...grantOf(entries).keys()] };
  const child = { child: childName(session, call.call), key, parent, share, ask, from };
  return {
    no: claim.no,
    step: stepName(run.run, run.step),
    kind: "child",
    call: call.call,
    wait,
    order: child,
  };
}

/** Records the start of a child: the call waits for the report, or is settled now and the report comes later. */
export function recordStart(
  tx: Transaction,
  run: LiveRun,
  { call: name, wait, order }: Claimed & { readonly kind: "child" },
  started: ChildStarted,
  words: PlainWords,
): void {
  const calls = activeCalls(run);
  const call = calls.find((item) => item.call === name);
  if (call === undefined) return;
  if (started.kind === "failed") {
    const { failure, lost } = started;
    const retry = run.cancel === null ? toolRetry(tx.state, call, failure, tx.at) : null;
    tx.append(retry === null ? settleCall(run, calls, call, failed(call, failure, lost)) : [retry]);
    return;
  }
  const { child } = started;
  tx.append([
    {
      kind: "call_deferred",
      run: run.run,
      step: stepName(run.run, run.step),
      body: { call: name, tool: call.tool, child, pollAt: tx.at + CHILD_POLL_MS, wait },
    },
  ]);
  const begun = tx.state.run;
  // Two others may have agreed before this one was there.
  if (begun !== null) tx.append(stopAgreedRollouts(begun, tx.entriesOf(begun).current, words));
  if (wait) return;
  const output = {
    ok: true,
    child,
    started: true,
    objective: startOf(order.ask.objective, OBJECTIVE_SHOWN_CHARS_MAX),
  };
  const observation = JSON.stringify(output);
  const result = { status: "ok", observation, chars: observation.length, failure: null, ms: 0 } as const;
  tx.append(settleCall(run, calls, call, result));
}

const OBJECTIVE_SHOWN_CHARS_MAX = 200;

const failed = (call: Call, failure: ToolFailure, lost: boolean): CallResult =>
  lost ? unknownResult(call.tool, failure.message.replace(/\.$/, "")) : failedResult("error", failure);

const NO_FAMILY: ToolFailure = {
  class: "policy",
  code: "not_available",
  message: "No run can be started from here.",
  retryable: false,
  hint: "Do this part yourself.",
};
