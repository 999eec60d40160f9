import { addressName, ORIGIN, type SendTo } from "../address.ts";
import { DENIALS_MAX } from "../limits.ts";
import type { RunSource, EntryDraft } from "../log/entry.ts";
import type { Gate, Reach, Tier, ToolAccess, ToolCard } from "../log/tool.ts";
import type { Evidence, Lane, Role, Verdict } from "../log/verdict.ts";
import { verdictEntry } from "../entries/verdict.ts";
import { RULE_OF_TWO, needsApprovalByRuleOfTwo, UNTAINTED } from "../state/safety.ts";
import type { Taint, LiveRun } from "../state/state.ts";
import type { Call } from "../state/run/phase.ts";

/**
 * Permission checks. Deny by default. A call is checked when its tool is offered and again before each run of the call, because the
 * taint, a policy or the grant may have changed; the last result counts. Rule of two: a run that has read content from outside and
 * private data needs a person's approval before it sends anything outside. Remembered decisions are in approval-rules.ts.
 */

type DenialCode = "NOT_GRANTED" | "ADMIN_ONLY" | "POLICY_DENY" | "CHANNEL_DENY" | "AUTONOMY_DENY";

/** `cell`: the deciding cell of the table, such as `write/member`. */
export type PermissionDecision =
  | { readonly act: "allow"; readonly cell: string }
  /** the preview, computed from current data, decides whether a person is asked */
  | { readonly act: "preview"; readonly cell: string }
  /** a person is asked; `mayRemember`: false for a dangerous tool. In a tainted run, nothing is remembered (approval-rules.ts) */
  | {
      readonly act: "gate";
      readonly cell: string;
      readonly reason: string;
      readonly mayRemember: boolean;
    }
  /** `outbox`: the message is stored as a note and delivered with a person's next input */
  | {
      readonly act: "deny";
      readonly cell: string;
      readonly verdict: Verdict<DenialCode>;
      readonly outbox: boolean;
    };

/** Target of a send, from the server's address book, never from the model's words. */
export interface SendTarget {
  readonly known: boolean;
  /** the deployment has the channel */
  readonly configured: boolean;
  /** it is the run's origin */
  readonly origin: boolean;
  readonly name: string;
}

export interface PermissionRequest {
  readonly tool: string;
  /** seq of the entry that proposed it */
  readonly seq: number;
  /** null: the tool is not known, or declares none */
  readonly tier: Tier | null;
  /** the tool's own rule; null: its tier decides. Only `depends` can relax the table: a preview may skip the question */
  readonly gate: Gate | null;
  readonly reach: Reach;
  /** guests may use it */
  readonly public: boolean;
  /** it starts work that continues after the run */
  readonly later?: true;
  /** null: not a send */
  readonly send: SendTarget | null;
}

export interface Requester {
  /** null: unknown, so nothing is allowed */
  readonly role: Role | null;
  readonly lane: Lane;
  /** tools that the schedule or the rule may write with */
  readonly scheduled: ReadonlySet<string>;
  /** targets that unattended runs may write to; empty by default */
  readonly autonomyAllowed: ReadonlySet<string>;
}

type Cell = "allow" | "gate" | "public" | "scheduled" | "listed" | DenialCode;

type Column = "admin" | "member" | "guest" | "autonomy";

/** Permission checks by tool tier and role. `public`, `scheduled` and `listed` allow under that condition. */
const TABLE: Readonly<Record<Tier, Readonly<Record<Column, Cell>>>> = {
  open: { admin: "allow", member: "allow", guest: "public", autonomy: "allow" },
  write: { admin: "allow", member: "allow", guest: "POLICY_DENY", autonomy: "scheduled" },
  publish: { admin: "gate", member: "gate", guest: "POLICY_DENY", autonomy: "gate" },
  external: { admin: "gate", member: "ADMIN_ONLY", guest: "ADMIN_ONLY", autonomy: "listed" },
  admin: { admin: "gate", member: "ADMIN_ONLY", guest: "ADMIN_ONLY", autonomy: "AUTONOMY_DENY" },
  danger: { admin: "gate", member: "ADMIN_ONLY", guest: "ADMIN_ONLY", autonomy: "AUTONOMY_DENY" },
};

/** Reason for asking a person if only the table requires it. */
export const NEEDS_APPROVAL = "It needs a person's yes.";

const HINTS: Readonly<Record<DenialCode, string>> = {
  NOT_GRANTED: "Use one of the tools that are offered, or tell the person that it cannot be done here.",
  ADMIN_ONLY: "Only an admin may request this. Tell the person so; do not try another way.",
  POLICY_DENY: "It is not permitted here. Tell the person so; do not try another way.",
  CHANNEL_DENY: "This address or channel is not known here. Answer the person where they wrote.",
  AUTONOMY_DENY: "This needs a person. Say what you would do, and leave it to them.",
};

/** Hint for a message that nobody is present to allow. */
export const WITHHELD_HINT =
  "This was not sent: nobody is here to approve it. It is kept as a note. The person gets it when they next write, or after their quiet hours. Do not send it again.";

/** Decides the call. Denies what nothing allows. Remembered decisions come later (approval-rules.ts). */
export function decidePermission(
  request: PermissionRequest,
  asker: Requester,
  taint: Taint,
): PermissionDecision {
  const { tier, gate, send } = request;
  const columns = columnsOf(asker);
  const cell = `${tier ?? "undeclared"}/${columns.join("+") || "unknown"}`;
  const deny = (code: DenialCode, outbox = false): PermissionDecision => ({
    act: "deny",
    cell,
    verdict: {
      code,
      rule: `permits.${cell}`,
      evidence: evidenceOf(request),
      hint: outbox ? WITHHELD_HINT : HINTS[code],
    },
    outbox,
  });
  if (tier === null || !Object.hasOwn(TABLE, tier) || columns.length === 0) return deny("NOT_GRANTED");
  if (gate === "deny") return deny("POLICY_DENY");
  if (send !== null && (!send.known || !send.configured)) return deny("CHANNEL_DENY");
  // A message to the run's origin counts as an answer, and needs no cell of the table.
  const answers = send?.origin === true && tier !== "admin" && tier !== "danger";
  const cells = answers
    ? (["allow"] as const)
    : columns.map((column) => resolveCell(TABLE[tier][column], request, asker));
  const denial = cells.find((cell) => cell !== "allow" && cell !== "gate");
  if (denial !== undefined) return deny(denial, send !== null && denial === "AUTONOMY_DENY");

  const mayRemember = tier !== "danger";
  const requireApproval = (reason: string): PermissionDecision => ({
    act: "gate",
    cell,
    reason,
    mayRemember,
  });
  if (needsApprovalByRuleOfTwo(taint, answers ? "none" : request.reach))
    return requireApproval(
      "This run has read content from outside and private data, and this call sends data outside.",
    );
  if (request.later === true && taint.tainted !== null)
    return requireApproval(
      "This run has read content from outside, and this call starts work that outlives it.",
    );
  if (cells.every((cell) => cell === "allow") && (gate === null || gate === "never"))
    return { act: "allow", cell };
  if (gate === "depends" && (tier === "open" || tier === "write" || tier === "publish"))
    return { act: "preview", cell };
  return requireApproval(NEEDS_APPROVAL);
}

/**
 * Returns the columns of the table that apply. A guest stays a guest in both lanes. Without a person the column
 * `autonomy` applies; for a guest, the stricter of the two.
 */
function columnsOf({ role, lane }: Requester): Column[] {
  if (role !== "admin" && role !== "member" && role !== "guest") return [];
  if (lane === "user") return [role];
  if (lane !== "autonomy") return [];
  return role === "guest" ? ["guest", "autonomy"] : ["autonomy"];
}

function resolveCell(
  cell: Cell,
  request: PermissionRequest,
  asker: Requester,
): "allow" | "gate" | DenialCode {
  if (cell === "public") return request.public ? "allow" : "POLICY_DENY";
  if (cell === "scheduled") return asker.scheduled.has(request.tool) ? "allow" : "AUTONOMY_DENY";
  if (cell === "listed")
    return request.send !== null && asker.autonomyAllowed.has(request.send.name) ? "allow" : "AUTONOMY_DENY";
  return cell;
}

function evidenceOf({ tool, seq, send }: PermissionRequest): Evidence {
  return { seqs: [seq], names: send === null ? [tool] : [tool, send.name] };
}

/** Returns the verdict that ends a run after `DENIALS_MAX` denials, or null. `seqs`: their entries. */
export function judgeDenials(seqs: readonly number[]): Verdict<"DENIED_AGAIN"> | null {
  if (seqs.length < DENIALS_MAX) return null;
  const hint = "You are not permitted to do this here. Someone with permission can.";
  return { code: "DENIED_AGAIN", rule: "permits.denied_again", evidence: { seqs }, hint };
}

/**
 * Returns the role of a caller: scope `admin` is admin (anonymous development has it), `send` is member, read access
 * alone is guest. If the deployment lists its admins, others with the scope are members; an empty list means no admins.
 */
export function roleOf(
  actor: { readonly subject: string; readonly scopes: readonly string[] },
  admins: readonly string[] | null,
): Role | null {
  const admin = actor.scopes.includes("admin");
  if (admin && (admins === null || admins.includes(actor.subject))) return "admin";
  if (admin || actor.scopes.includes("send")) return "member";
  return actor.scopes.includes("read") ? "guest" : null;
}

/** Returns the lane of a run: `autonomy` if no person requested it at that moment. */
export function laneOf(source: RunSource): Lane {
  return source === "web" || source === "api" ? "user" : "autonomy";
}

export function accessOf({ tier, reads, reach, public: isPublic, later }: ToolCard): ToolAccess {
  return { tier, reads, reach, public: isPublic, ...(later === undefined ? {} : { later }) };
}

/** True if a run may be offered a tool at all. */
export function mayOffer(run: LiveRun, card: ToolCard): boolean {
  const call = {
    tool: card.name,
    gate: card.gate,
    argsAt: run.firstSeq,
    access: accessOf(card),
    // The origin is the target that is allowed first, so it decides.
    ...(card.shape.message === true ? { sendTo: TO_ORIGIN } : {}),
  };
  const permit = permissionOf(run, call);
  // A message that cannot be delivered now is delivered later.
  return permit.act !== "deny" || permit.outbox;
}

const TO_ORIGIN: SendTo = { name: ORIGIN, known: true, configured: true };

type Proposed = Pick<Call, "tool" | "gate" | "argsAt" | "access" | "sendTo">;

/** Access of a call whose tool does not exist. */
const NO_ACCESS = { tier: null, reach: "none", public: false } as const;

/** Decides a call by the table, the rule of two and the tool's own rule. The engine checks that the tool was granted (claim.ts). */
export function permissionOf(
  run: LiveRun,
  call: Proposed,
  taint: Taint = run.safety.taint,
): PermissionDecision {
  const { tool, gate, argsAt: seq, access, sendTo } = call;
  const send = sendTo === undefined ? null : { ...sendTo, origin: isOrigin(run, sendTo) };
  const request: PermissionRequest = { tool, seq, gate, send, ...(access ?? NO_ACCESS) };
  const scheduled = new Set(run.safety.unattended);
  const asker = {
    role: run.request.role,
    lane: laneOf(run.request.source),
    scheduled,
    autonomyAllowed: new Set(run.safety.reachable ?? []),
  };
  return decidePermission(request, asker, taint);
}

/** True if the message goes to the run's origin. An automatic run has an origin only if its schedule stored one. */
function isOrigin({ request }: LiveRun, { name }: SendTo): boolean {
  const { origin, source } = request;
  if (origin === undefined) return name === ORIGIN && laneOf(source) === "user";
  return name === ORIGIN || name === addressName(origin);
}

/** Returns the verdict when the rule of two first makes a call of the run require approval, or null. */
export function ruleOfTwoEntry(run: LiveRun, call: Call): EntryDraft<"verdict"> | null {
  const { taint, notified } = run.safety;
  const { tainted, private: privateCause } = taint;
  const { access } = call;
  if (notified !== null || access === undefined || tainted === null || privateCause === null) return null;
  if (!needsApprovalByRuleOfTwo(taint, access.reach) || permissionOf(run, call, UNTAINTED).act === "gate")
    return null;
  const hint =
    `Read so far: content from outside (${tainted.by}) and what is not public (${privateCause.by}). ` +
    `So a person is asked before anything reaches outside: ${call.tool} waits for their yes.`;
  const seqs = [tainted.seq, privateCause.seq, call.argsAt].filter((seq) => seq > 0);
  const verdict = { code: "NEEDS_APPROVAL", rule: RULE_OF_TWO, evidence: { seqs }, hint };
  return verdictEntry(run, "before_tool", verdict, "note", { call: call.call });
}
