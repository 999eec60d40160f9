import type { ApprovalRecord, ApprovalRules, Match, Policy, Voter } from "../log/approval.ts";
import type { EntryDraft } from "../log/entry.ts";
import { APPROVAL_MS, APPROVAL_MS_MAX, APPROVERS_MAX } from "../limits.ts";
import { stepName, SUBJECT_PATTERN } from "../log/names.ts";
import type { RunSpec } from "../log/run-spec.ts";
import { waitLeft } from "../state/run/used.ts";
import type { LiveRun, State } from "../state/state.ts";

/** Rules about who decides a call, how long a remembered decision applies, and what expiry does. */

/** the session's owner */
export const OWNER = "owner";
/** any subject with the scope `approve` */
export const ANYONE = "*";
const OWNER_ALONE = [OWNER] as const;
const MATCHES: readonly Match[] = ["args", "tool"];

/** Returns the fault in a set of rules, or null. */
export function rulesFault(rules: ApprovalRules): string | null {
  const { approvers, needed = 1, expiresMs = APPROVAL_MS, onExpiry = "deny", escalateTo = [] } = rules;
  const named = [...(approvers ?? OWNER_ALONE), ...escalateTo];
  if (approvers?.length === 0) return "approvers are named, or left out";
  if (named.length > APPROVERS_MAX || !named.every((one) => one === ANYONE || SUBJECT_PATTERN.test(one)))
    return `approvers and escalateTo are at most ${APPROVERS_MAX} subjects, "${OWNER}" or "${ANYONE}"`;
  if (!Number.isInteger(needed) || needed < 1 || needed > APPROVERS_MAX)
    return `needed is a whole number from 1 to ${APPROVERS_MAX}`;
  if (!Number.isInteger(expiresMs) || expiresMs < 1_000 || expiresMs > APPROVAL_MS_MAX)
    return `expiresMs is a whole number from 1000 to ${APPROVAL_MS_MAX}`;
  if (onExpiry !== "deny" && onExpiry !== "escalate") return `onExpiry is "deny" or "escalate"`;
  if ((onExpiry === "escalate") !== escalateTo.length > 0)
    return `onExpiry "escalate" and escalateTo belong together`;
  if (rules.remember?.some((match) => !MATCHES.includes(match)) === true)
    return `remember lists "args" and "tool"`;
  if ((rules.remember ?? []).length > 0 && (needed > 1 || rules.alwaysAsk === true))
    return "nothing is remembered where a person is always asked, or several must agree";
  return null;
}

/**
 * Returns why these rules could never be satisfied: fewer voters than required votes, or null. `admins`: those who
 * decide everywhere; null for any number of them.
 */
export function votesFault(rules: ApprovalRules, admins: readonly string[] | null): string | null {
  const { approvers = OWNER_ALONE, needed = 1, escalateTo = [] } = rules;
  const voters = new Set([...approvers, ...escalateTo, ...(admins ?? [])]);
  if (admins === null || voters.has(ANYONE) || voters.size >= needed) return null;
  return `needed is ${needed}, and only ${[...voters].join(", ")} may decide: name more approvers or admins, or need fewer`;
}

/** Approval terms that the tool and the run determine. */
export type ApprovalTerms = Pick<
  ApprovalRecord,
  | "approvers"
  | "needed"
  | "expiresAt"
  | "onExpiry"
  | "requesterMayApprove"
  | "escalateTo"
  | "remember"
  | "tainted"
>;

/**
 * Returns the terms of an approval requested at `at`; `votes` is from the run's specification. `mayRemember`: a
 * decision may apply to later calls. Decisions in a tainted run, or by several people, are not remembered.
 */
export function approvalTerms(
  rules: ApprovalRules,
  run: Parameters<typeof waitLeft>[0] & Pick<LiveRun, "request" | "safety">,
  votes: RunSpec["votes"],
  mayRemember: boolean,
  at: number,
): ApprovalTerms {
  const { alwaysAsk = false } = rules;
  const onExpiry = votes.denyOnExpiry ? "deny" : (rules.onExpiry ?? "deny");
  const needed = Math.max(rules.needed ?? 1, votes.needed);
  const expiresMs = Math.min(rules.expiresMs ?? APPROVAL_MS, votes.expiresMs ?? Infinity);
  const isTainted = run.safety.taint.tainted !== null;
  const remember = isTainted || alwaysAsk || needed > 1 || !mayRemember ? [] : (rules.remember ?? MATCHES);
  return {
    approvers: stricter(rules.approvers, run.request.approvers),
    needed,
    expiresAt: at + waitLeft(run, expiresMs),
    onExpiry,
    ...(rules.requesterMayApprove === false ? { requesterMayApprove: false } : {}),
    ...(onExpiry === "escalate" ? { escalateTo: rules.escalateTo ?? [] } : {}),
    ...(remember.length === 0 ? {} : { remember }),
    ...(isTainted ? { tainted: true } : {}),
  };
}

/** Returns the approvers named by both the tool and the run; only admins if the two are disjoint. */
function stricter(
  ofTool: readonly string[] | undefined,
  ofRun: readonly string[] | undefined,
): readonly string[] {
  if (ofTool === undefined) return ofRun ?? OWNER_ALONE;
  if (ofRun === undefined || ofRun.includes(ANYONE)) return ofTool;
  return ofTool.includes(ANYONE) ? ofRun : ofTool.filter((one) => ofRun.includes(one));
}

/**
 * True if the approval names this voter or lets anyone decide. The word for the owner is reserved: no user has it as a
 * name.
 */
export function isNamed(approvers: readonly string[], { subject, owner }: Omit<Voter, "admin">): boolean {
  return approvers.some((one) => one === ANYONE || (one === OWNER ? owner : one === subject));
}

/** Why this person has no vote here, or null. */
export function objectionToVoter(
  approval: Pick<ApprovalRecord, "approvers" | "requester"> & { readonly requesterMayApprove?: boolean },
  voter: Voter,
): { readonly code: "not_an_approver" | "requester_cannot_approve"; readonly message: string } | null {
  if (!voter.admin && !isNamed(approval.approvers, voter))
    return { code: "not_an_approver", message: "This decision is other people's." };
  if (approval.requesterMayApprove === false && approval.requester === voter.subject)
    return { code: "requester_cannot_approve", message: "Whoever asked for it does not decide it here." };
  return null;
}

/**
 * The remembered decision that decides this call, or null where people are asked. It is a vote that was given before, so
 * its giver must have one here too. A no beats a yes.
 */
export function policyFor(
  policies: readonly Policy[],
  approval: Pick<ApprovalRecord, "tool" | "approvers" | "requester" | "requesterMayApprove" | "remember">,
  argsDigest: string,
  at: number,
): Policy | null {
  const { tool, remember = [] } = approval;
  const fitting = policies.filter(
    (policy) =>
      policy.tool === tool &&
      policy.expiresAt > at &&
      remember.includes(policy.match) &&
      (policy.match === "tool" || policy.argsDigest === argsDigest) &&
      objectionToVoter(approval, policy.by) === null,
  );
  return fitting.find((policy) => policy.decision === "deny") ?? fitting.at(-1) ?? null;
}

/**
 * Returns the entry for an approval whose time is over: the first time it escalates to more people, then it expires.
 */
export function expiryEntry(run: LiveRun, at: number): EntryDraft | null {
  if (run.phase.at !== "waiting_approval" || at < run.phase.approval.expiresAt) return null;
  const { approval, call, digest, expiresAt, escalation } = run.phase.approval;
  const address = { run: run.run, step: stepName(run.run, run.step) };
  if (escalation !== undefined) {
    const body = { approval, call, approvers: escalation.to, expiresAt: expiresAt + escalation.spanMs };
    return { kind: "approval_escalated", ...address, body };
  }
  const body = {
    approval,
    call,
    decision: "expired",
    actor: "clock",
    via: "clock",
    reason: "Nobody decided in time.",
    digest,
    args: null,
    shown: null,
  } as const;
  return { kind: "approval_decided", ...address, body };
}

/** The escalation that is due before anyone decides, where the alarm has not come by yet. */
export function escalationEntry({ run }: State, at: number): EntryDraft | null {
  if (run === null || run.cancel !== null) return null;
  const entry = expiryEntry(run, at);
  return entry?.kind === "approval_escalated" ? entry : null;
}
