import { approvalTerms, policyFor } from "../../core/guards/approval-rules.ts";
import { objectionTo } from "../../core/guards/check-call.ts";
import { sameTargets } from "../../core/guards/target-access.ts";
import { approvalTooLarge } from "../../core/guards/approval-size.ts";
import { NEEDS_APPROVAL, type PermissionDecision, permissionOf } from "../../core/guards/permissions.ts";
import { outlookOf, type ApprovalRecord, type Policy } from "../../core/log/approval.ts";
import type { EntryDraft } from "../../core/log/entry.ts";
import { visiblePreview } from "../../core/text/visible.ts";
import { stepName, approvalName } from "../../core/log/names.ts";
import type { CallOrder, Preview, PreviewOutcome } from "../../core/log/tool.ts";
import { toolRetry } from "../../core/loop/retry.ts";
import { specOf } from "../../core/entries/grant.ts";
import { failedResult, settleCall } from "../../core/entries/settle.ts";
import { guardConfig } from "../../core/state/loop-memory.ts";
import type { LiveRun } from "../../core/state/state.ts";
import { activeCalls, digestOfCall } from "./claim.ts";
import type { Ports } from "./ports.ts";
import type { Transaction } from "./transaction.ts";

/** A call has been previewed: it may run, it is refused, or a person is asked for it. */

/**
 * Records the outcome of a preview, inside its commit. Returns true if the call may run now without asking; otherwise
 * its approval or refusal has been written.
 */
export function recordPreview(
  tx: Transaction,
  run: LiveRun,
  order: CallOrder,
  outcome: PreviewOutcome,
  ports: Ports,
): boolean {
  const call = activeCalls(run).find((item) => item.call === order.call);
  if (call === undefined || run.cancel !== null) return false;
  if (outcome.kind === "failed") {
    // A preview only reads, so what failed in passing is tried again whatever the tool's own class is.
    const retry = toolRetry(tx.state, { ...call, effect: "read" }, outcome.failure, tx.at);
    tx.append(
      retry === null
        ? settleCall(run, activeCalls(run), call, failedResult("error", outcome.failure))
        : [retry],
    );
    return false;
  }
  // Characters that people would not see are shown as escapes: they are part of what runs.
  const preview = visiblePreview(outcome.preview);
  const permit = permissionOf(run, call);
  // Whatever the preview finds, a guard may want a person to decide.
  const isMade =
    objectionTo(run, call, guardConfig(run), { step: run.step, at: tx.at, breakers: [], sent: [] })?.act ===
    "gate";
  if (preview.need.kind === "none" && permit.act === "preview" && !isMade) return true;
  if (preview.need.kind === "deny") {
    const failure = {
      class: "policy",
      code: "not_permitted",
      message: preview.need.reason,
      retryable: false,
    } as const;
    tx.append(settleCall(run, activeCalls(run), call, failedResult("refused", failure)));
    return false;
  }
  const tooLarge = approvalTooLarge(preview, order.input);
  if (tooLarge !== null) {
    tx.append(settleCall(run, activeCalls(run), call, failedResult("refused", tooLarge)));
    return false;
  }
  const card = ports.tools.cards().find((one) => one.name === call.tool);
  const rules = card?.approvals ?? {};
  const spec = specOf(tx.entriesOf(run).current);
  // An approval that a guard demands cannot be remembered.
  const mayRemember = !isMade && (permit.act !== "gate" || permit.mayRemember);
  const record: ApprovalRecord = {
    approval: approvalName(call.call, call.asked + 1),
    call: call.call,
    tool: call.tool,
    title: preview.title,
    summary: preview.summary,
    ...outlookOf(preview),
    reason: reasonOf(preview.need, permit),
    args: order.input,
    effect: call.effect,
    digest: digestOfCall(ports, run, call.tool, order.input),
    basis: preview.basis,
    requester: run.request.actor,
    ...approvalTerms(rules, run, spec.votes, mayRemember, tx.at),
  };
  const standing = (ports.policies?.(tx.at) ?? []).filter(
    ({ version = card?.version, targets }) => version === card?.version && sameTargets(targets, spec.targets),
  );
  const policy = record.remember === undefined ? null : policyFor(standing, record, call.argsDigest, tx.at);
  tx.append(askEntries(run, record, policy));
  return false;
}

/** The question to people, and its answer where they have given it for later calls too. */
function askEntries(run: LiveRun, record: ApprovalRecord, policy: Policy | null): EntryDraft[] {
  const address = { run: run.run, step: stepName(run.run, run.step) };
  if (policy === null) return [{ kind: "approval_requested", ...address, body: record }];
  const { approval, call, digest } = record;
  const { decision, by } = policy;
  const vote = { approval, call, decision, actor: by.subject, via: "policy", reason: null } as const;
  return [
    { kind: "approval_requested", ...address, body: { ...record, policy: policy.id } },
    { kind: "approval_decided", ...address, body: { ...vote, digest, args: null, shown: null } },
  ];
}

/** Why a person is asked: what the tool finds, and the rule where there is one beyond the tool's own. */
function reasonOf(need: Preview["need"], permit: PermissionDecision): string {
  const own = need.kind === "ask" ? need.reason : null;
  const rule = permit.act === "gate" ? permit.reason : null;
  if (own !== null && rule !== null && rule !== NEEDS_APPROVAL) return `${own} ${rule}`;
  return own ?? rule ?? "This tool always asks.";
}
