import type { Decision, Match, ShownImpact, Via } from "../approval.ts";
import type { Json } from "../json.ts";
import type { CallMark } from "../mark.ts";

/** Votes on an approval, as stored. */

/** A vote that does not decide it yet: more people must agree. */
export interface ApprovalVote {
  readonly approval: string;
  readonly call: string;
  /** an edit is a new proposal: the votes before it count no more */
  readonly decision: "approve" | "edit";
  readonly actor: string;
  readonly via: Via;
  readonly reason: string | null;
  /** of what was voted for */
  readonly digest: string;
  /** names of the grants by which they voted (see `Voter`): the vote is valid only while these are */
  readonly grant?: string;
  readonly maker?: string;
  /** earlier voters whose votes were dropped here, because they may not decide any more */
  readonly dropped?: readonly string[];
  /** the arguments put in place by an edit, their impact, and what the call is known by from now on */
  readonly args: Json;
  readonly shown: ShownImpact | null;
  readonly mark?: CallMark;
}

/** Nobody decided in time, so more people may from now on. */
export interface ApprovalEscalated {
  readonly approval: string;
  readonly call: string;
  readonly approvers: readonly string[];
  readonly expiresAt: number;
}

export interface ApprovalDecided {
  readonly approval: string;
  readonly call: string;
  readonly decision: Decision;
  readonly actor: string;
  readonly via: Via;
  readonly reason: string | null;
  /** digest of what was decided; differs from the asked one after an edit */
  readonly digest: string;
  /** earlier voters whose votes were dropped before this decision, because they may not decide any more */
  readonly dropped?: readonly string[];
  /** the arguments put in place by an edit */
  readonly args: Json;
  /** with an edit: the impact of the new arguments, and what the call is known by from now on */
  readonly shown: ShownImpact | null;
  readonly mark?: CallMark;
}

/** A decision that also applies to later calls. */
export interface PolicyRemembered {
  readonly policy: string;
  readonly approval: string;
  readonly tool: string;
  readonly match: Match;
  readonly decision: "approve" | "deny";
  readonly actor: string;
  readonly expiresAt: number;
}
