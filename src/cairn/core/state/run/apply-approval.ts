import { digestOf } from "../../log/digest.ts";
import type { Entry, EntryKind } from "../../log/entry.ts";
import {
  callsOf,
  changeCall,
  PhaseError,
  workingPhase,
  type Call,
  type Phase,
  type Phased,
  type WaitingApproval,
} from "./phase.ts";

/** Applies approval requests, votes and decisions to the phase of a run. Throws PhaseError if no approval is open. */

type ApprovalKind = Exclude<Extract<EntryKind, `approval_${string}`>, "approval_explained">;

export function changeApproval(run: Phased, entry: Entry<ApprovalKind>): Phase {
  switch (entry.kind) {
    case "approval_requested": {
      if (workingPhase(run.phase).at !== "acting") throw new PhaseError(entry, run.phase.at);
      const { approval, call, digest, basis, expiresAt, onExpiry, requester, approvers, needed } = entry.body;
      const { requesterMayApprove, remember, escalateTo } = entry.body;
      const phase = changeCall(run, entry, (item) => ({ asked: item.asked + 1 }));
      const open = {
        approval,
        call,
        digest,
        basis,
        expiresAt,
        onExpiry,
        requester,
        approvers,
        needed,
        ...(requesterMayApprove === undefined ? {} : { requesterMayApprove }),
        ...(remember === undefined ? {} : { remember }),
        ...(escalateTo === undefined ? {} : { escalation: { to: escalateTo, spanMs: expiresAt - entry.at } }),
        seq: entry.seq,
      };
      return { at: "waiting_approval", calls: callsOf({ phase }), approval: open };
    }
    case "approval_decided": {
      const phase = waitingFor(run, entry);
      const { approval, decision, actor, reason, digest, shown } = entry.body;
      const basis = shown?.basis ?? phase.approval.basis;
      const proposal = decision === "edit" ? editCalls(phase.calls, entry) : phase.calls;
      const calls = proposal.map((call) =>
        call.call === entry.body.call
          ? {
              ...call,
              state: { at: "decided" as const, by: { approval, decision, actor, reason, digest, basis } },
            }
          : call,
      );
      return { at: "acting", calls };
    }
    case "approval_voted": {
      const phase = waitingFor(run, entry);
      const { actor, decision, digest, shown, dropped = [] } = entry.body;
      const { votes = [], basis } = phase.approval;
      if (decision === "approve") {
        const left = votes.filter((subject) => !dropped.includes(subject));
        return { ...phase, approval: { ...phase.approval, votes: [...left, actor] } };
      }
      // Only the author has agreed to these arguments.
      const approval = { ...phase.approval, digest, basis: shown?.basis ?? basis, votes: [actor] };
      return { ...phase, calls: editCalls(phase.calls, entry), approval };
    }
    case "approval_escalated": {
      const phase = waitingFor(run, entry);
      const { escalation: _over, ...open } = phase.approval;
      const approvers = [...new Set([...open.approvers, ...entry.body.approvers])];
      const { expiresAt } = entry.body;
      return { ...phase, approval: { ...open, approvers, expiresAt } };
    }
    case "approval_cancelled":
      return { at: "acting", calls: waitingFor(run, entry).calls };
  }
}

function waitingFor(
  run: Phased,
  entry: Exclude<Entry<ApprovalKind>, Entry<"approval_requested">>,
): WaitingApproval {
  const { phase } = run;
  if (phase.at !== "waiting_approval" || phase.approval.approval !== entry.body.approval)
    throw new PhaseError(entry, phase.at);
  return phase;
}

/** Other arguments for a call. Its duplicate asked for the old ones: from here on they are two calls. */
function editCalls(
  calls: readonly Call[],
  { seq, body }: Entry<"approval_decided"> | Entry<"approval_voted">,
): readonly Call[] {
  return calls.map((call) => {
    if (call.call === body.call) return { ...call, argsDigest: digestOf(body.args), argsAt: seq };
    return call.duplicateOf === body.call ? { ...call, duplicateOf: null } : call;
  });
}
