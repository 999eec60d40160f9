import type { LinkedApproval } from "../api/session-api.ts";
import { objectionToVoter } from "../../core/guards/approval-rules.ts";
import { runOf } from "../../core/log/names.ts";
import type { State } from "../../core/state/state.ts";
import type { Voter } from "../../core/log/approval.ts";
import type { ApprovalView } from "../../protocol/approval.ts";
import { loadRun, wordsAt } from "../api/log-reader.ts";
import type { Store } from "../engine/ports.ts";

/** Returns the approval with its context: the holder of a link sees nothing else of the session. */
export function linkedApproval(
  approval: ApprovalView,
  voter: Voter,
  state: State,
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
  at: number,
): Omit<LinkedApproval, "sessionAt"> {
  const run = runOf(approval.id) ?? "";
  const entries = loadRun(store, state, run);
  const known = state.run?.run === run ? state.run.request : state.ended.find((ended) => ended.run === run);
  const reply = entries.findLast((entry) => entry.kind === "model_replied" && entry.step === approval.stepId);
  const parts = reply?.kind === "model_replied" ? reply.body.parts : [];
  const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return {
    approval: { ...approval, state: stateNow(approval, state, at) },
    objective: known === undefined ? null : wordsAt(store, known.inputSeq),
    words: words === "" ? null : words,
    objection: objectionToVoter(approval, voter),
  };
}

/** Returns the state that the approval is about to have if its entry is not written yet. */
function stateNow(approval: ApprovalView, { run }: State, at: number): ApprovalView["state"] {
  const { state, onExpiry, escalated, expiresAt } = approval;
  if (state !== "pending") return state;
  if (run !== null && run.run === runOf(approval.id) && run.cancel !== null) return "cancelled";
  return (onExpiry === "deny" || escalated) && at >= Date.parse(expiresAt) ? "expired" : state;
}
