import type { Json } from "./json.ts";
import type { EffectClass } from "./names.ts";
import type { Targets } from "./targets.ts";

/** Approval requests and votes, as stored. */

/** Scope of a remembered decision: calls with the very same arguments, or every call of the tool. */
export type Match = "args" | "tool";

/** One line of what a call changes, in words as people know them, never ids. */
export interface ShownChange {
  /** the thing, and its field where one changes: `Page “About” · Title` */
  readonly what: string;
  /** null: it is added, or was empty */
  readonly before: string | null;
  /** null: it is removed, or becomes empty */
  readonly after: string | null;
}

/** Many changes that are decided as one, such as a set of edits: one approval, one digest, all of it or nothing. */
export interface Batch {
  readonly id: string;
  readonly name: string;
  readonly items: readonly BatchItem[];
}

/** One thing in a batch, and all that becomes of it. */
export interface BatchItem {
  /** what it is called, such as `Page “About”` */
  readonly what: string;
  readonly becomes: "created" | "changed" | "deleted";
  readonly changes: readonly ShownChange[];
  /** where it can be looked at as it would be; absent where there is nothing to look at */
  readonly draft?: NonNullable<Outlook["draft"]>;
}

/** Details that a person decides by, in addition to title and summary. */
export interface Outlook {
  /** the impact, a line each */
  readonly impact: readonly string[];
  /** what it changes; absent where the tool knows no more than its arguments */
  readonly changes?: readonly ShownChange[];
  /** `changes` by the things that they are about; absent where it is one thing */
  readonly batch?: Batch;
  /** the lines of `impact` that must not be missed; absent where there are none */
  readonly warnings?: readonly string[];
  /** the draft that it is about; absent where there is none */
  readonly draft?: { readonly type: "page" | "entry"; readonly id: string };
}

export interface ApprovalRecord extends Outlook {
  readonly approval: string;
  readonly call: string;
  readonly tool: string;
  readonly title: string;
  readonly summary: string;
  readonly reason: string;
  readonly args: Json;
  readonly effect: EffectClass;
  readonly digest: string;
  readonly basis: string | null;
  readonly requester: string;
  readonly approvers: readonly string[];
  readonly needed: number;
  readonly expiresAt: number;
  readonly onExpiry: "deny" | "escalate";
  /** the requester has no vote; absent if they have one */
  readonly requesterMayApprove?: false;
  /** additional voters once the time has passed */
  readonly escalateTo?: readonly string[];
  /** how a decision on it may be remembered; absent where it may not */
  readonly remember?: readonly Match[];
  /** its run had read content from outside */
  readonly tainted?: true;
  /** the remembered decision that decides it at once; absent where people do */
  readonly policy?: string;
}

/** Rules about who decides the calls of a tool, and how. A missing field means the default. */
export interface ApprovalRules {
  /**
   * subjects, `owner` of the session, or `*` for everyone with the scope `approve`; an admin may always. Default: the
   * owner
   */
  readonly approvers?: readonly string[];
  /** how many different people must agree, on the very same arguments; default 1 */
  readonly needed?: number;
  /** false: the requester has no vote; default true */
  readonly requesterMayApprove?: boolean;
  /** a person is asked each time, whatever the preview finds and whatever was remembered */
  readonly alwaysAsk?: boolean;
  /** how a decision may be remembered; default both, none with `alwaysAsk` and where several must agree */
  readonly remember?: readonly Match[];
  /** default 24 hours */
  readonly expiresMs?: number;
  /** on expiry: denied, or more people are asked once, for the same time again */
  readonly onExpiry?: "deny" | "escalate";
  /** who decides too from then on: subjects, `owner` or `*` */
  readonly escalateTo?: readonly string[];
}

/** A voter, from their credential. */
export interface Voter {
  readonly subject: string;
  readonly admin: boolean;
  /** the session is theirs */
  readonly owner: boolean;
  /** name of the grant by which they vote; absent for those without one */
  readonly grant?: string;
  /** name of the grant of the admin whose link lets them vote without one */
  readonly maker?: string;
}

/** A decision that also applies to later calls of the session. Stored with the session, not in its log. */
export interface Policy {
  readonly id: string;
  readonly tool: string;
  /** of the tool; another one is another tool, as it is for the grant of a run */
  readonly version?: number;
  /** those of its run: for others people are asked again; absent: the deployment's own */
  readonly targets?: Targets;
  readonly match: Match;
  /** with `args`: the digest of the arguments */
  readonly argsDigest: string | null;
  readonly decision: "approve" | "deny";
  /** as they were when they decided: their vote of today is looked up at each use */
  readonly by: Voter;
  /** milliseconds since the epoch */
  readonly expiresAt: number;
}

/** Part of an open approval that the state stores. */
export type OpenApproval = Pick<
  ApprovalRecord,
  | "approval"
  | "call"
  | "digest"
  | "basis"
  | "expiresAt"
  | "onExpiry"
  | "requester"
  | "approvers"
  | "needed"
  | "requesterMayApprove"
  | "remember"
> & {
  readonly seq: number;
  /** voters who approved this very digest; absent before the first, and where one vote decides */
  readonly votes?: readonly string[];
  /** what its expiry does, once: who decides too, and for how many milliseconds more */
  readonly escalation?: { readonly to: readonly string[]; readonly spanMs: number };
};

/** Impact of a call as shown to the person who decided. */
export interface ShownImpact extends Outlook {
  readonly title: string;
  readonly summary: string;
  readonly basis: string | null;
}

export type Decision = "approve" | "deny" | "edit" | "expired";
export type Via = "http" | "socket" | "link" | "chat" | "channel" | "policy" | "clock";

/** Reduces an extended outlook to the outlook. */
export const outlookOf = ({ impact, changes, batch, warnings, draft }: Outlook): Outlook => ({
  impact,
  ...(changes === undefined ? {} : { changes }),
  ...(batch === undefined ? {} : { batch }),
  ...(warnings === undefined ? {} : { warnings }),
  ...(draft === undefined ? {} : { draft }),
});

/** The reason for a denial, given after it. */
export interface Explained {
  readonly approval: string;
  readonly call: string;
  readonly actor: string;
  readonly via: Via;
  readonly reason: string;
}
