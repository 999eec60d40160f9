import { objectionToVoter } from "../guards/approval-rules.ts";
import type { Policy, Voter, OpenApproval } from "../log/approval.ts";
import type { EntryDraft, Match, ShownImpact, Via } from "../log/entry.ts";
import type { Json } from "../log/json.ts";
import type { CallMark } from "../log/mark.ts";
import { QUEUE_MAX } from "../limits.ts";
import { stepName } from "../log/names.ts";
import type { LiveRun, State } from "../state/state.ts";
import type { Received } from "./receive.ts";

/** Turns a person's decision into a vote, a decision entry, or a refusal that changes nothing. */

export interface Decide {
  readonly approval: string;
  readonly decision: "approve" | "deny" | "edit";
  readonly voter: Voter;
  readonly via: Via;
  readonly reason: string | null;
  /** digest that the person was shown; null if the interface cannot provide it */
  readonly digest: string | null;
  /** with an edit: the new arguments and their digest, checked by the shell */
  readonly edited: {
    readonly args: Json;
    readonly digest: string;
    readonly shown: ShownImpact;
    readonly mark: CallMark;
  } | null;
  /** with a yes or no that shall hold for later calls too */
  readonly remember?: { readonly match: Match; readonly ms: number } | null;
  /** earlier voters who may not decide any more, looked up by the shell: their votes are dropped */
  readonly lapsed?: readonly string[];
}

export interface CountedVote {
  /** false: they had already voted so, and a vote counts once */
  readonly counted: boolean;
  /** what the session is to remember; the digest of the arguments is the open call's */
  readonly policy: Policy | null;
}

const refuse = (code: string, message: string): { readonly ok: false; code: string; message: string } => ({
  ok: false,
  code,
  message,
});

/** Votes on the open approval. The caller has checked that it exists. */
export function receiveDecision(state: State, decide: Decide, at: number): Received<CountedVote> {
  const { run } = state;
  if (
    run === null ||
    run.phase.at !== "waiting_approval" ||
    run.phase.approval.approval !== decide.approval
  ) {
    return refuse("already_decided", "This approval is not open any more.");
  }
  const open = run.phase.approval;
  const { decision, voter, via, reason, digest, edited, remember = null, lapsed = [] } = decide;
  if (run.cancel !== null) return refuse("approval_cancelled", "The run was stopped.");
  if (at >= open.expiresAt) return refuse("approval_expired", "The time to decide has passed.");
  const objection = objectionToVoter(open, voter);
  if (objection !== null) return { ok: false, ...objection };
  if (open.needed > 1 && digest === null)
    return refuse("digest_required", "Several must agree here: say on which digest.");
  if (digest !== null && digest !== open.digest)
    return refuse("digest_mismatch", "What was shown is not what is asked now: load it again.");
  if (remember !== null && (decision === "edit" || open.remember?.includes(remember.match) !== true))
    return refuse("not_rememberable", "A decision on this is not remembered so.");
  const { approval, call } = open;
  const votes = (open.votes ?? []).filter((subject) => !lapsed.includes(subject));
  if (decision === "approve" && votes.includes(voter.subject))
    return { ok: true, entries: [], value: { counted: false, policy: null } };
  const address = { run: run.run, step: stepName(run.run, run.step) };
  const vote = { approval, call, actor: voter.subject, via, reason, digest: edited?.digest ?? open.digest };
  const put =
    edited === null
      ? { args: null, shown: null }
      : { args: edited.args, shown: edited.shown, mark: edited.mark };
  const agreed = decision === "edit" ? 1 : votes.length + 1;
  // An edit makes all earlier votes void, and one no decides alone.
  const lost = decision === "approve" ? (open.votes ?? []).filter((subject) => lapsed.includes(subject)) : [];
  const dropped = lost.length === 0 ? {} : { dropped: lost };
  if (decision !== "deny" && agreed < open.needed) {
    const { grant, maker } = voter;
    const by = { ...(grant === undefined ? {} : { grant }), ...(maker === undefined ? {} : { maker }) };
    const body = { ...vote, decision, ...by, ...dropped, ...put };
    const entry: EntryDraft = { kind: "approval_voted", ...address, body };
    return { ok: true, entries: [entry], value: { counted: true, policy: null } };
  }
  const body = { ...vote, decision, ...dropped, ...put };
  const entry: EntryDraft = { kind: "approval_decided", ...address, body };
  if (remember === null || decision === "edit")
    return { ok: true, entries: [entry], value: { counted: true, policy: null } };
  const proposal = run.phase.calls.find((item) => item.call === call);
  if (proposal === undefined) throw new Error(`the approval ${approval} has no call`);
  const policy: Policy = {
    id: `${approval}p`,
    tool: proposal.tool,
    match: remember.match,
    argsDigest: remember.match === "args" ? proposal.argsDigest : null,
    decision,
    by: voter,
    expiresAt: at + remember.ms,
  };
  return {
    ok: true,
    entries: [entry, { kind: "policy_remembered", ...address, body: rememberedBody(policy, open) }],
    value: { counted: true, policy },
  };
}

function rememberedBody(
  { id, tool, match, decision, by, expiresAt }: Policy,
  { approval }: Pick<OpenApproval, "approval">,
): Extract<EntryDraft, { kind: "policy_remembered" }>["body"] {
  return { policy: id, approval, tool, match, decision, actor: by.subject, expiresAt };
}

/** A denied call. Without its title, which may contain names of pages and foreign tools. */
export interface DeniedCall {
  readonly tool: string;
  readonly call: string;
}

/** Returns the reason for a denial as a message that the run reads at its next step. */
export function receiveReason(
  run: LiveRun,
  denial: {
    readonly id: string;
    readonly author: string;
    readonly denied: DeniedCall;
    readonly reason: string;
  },
): readonly EntryDraft[] {
  const { id, author, denied, reason } = denial;
  // Another person's text must not run with the requester's rights: it stays with the decision.
  if (author !== run.request.actor || run.input.all.length >= QUEUE_MAX) return [];
  const parts = [{ type: "text", text: whyNot(denied, reason) }] as const;
  const body = { id, author, source: run.request.source, parts, mode: "join" } as const;
  return [{ kind: "user_message", run: run.run, step: null, body }];
}

/** The model reads these as the person's own words, so nothing in them but the reason is anybody's text. */
export const whyNot = ({ tool, call }: DeniedCall, reason: string): string =>
  `Why I declined ${tool} (${call}): ${reason}`;
