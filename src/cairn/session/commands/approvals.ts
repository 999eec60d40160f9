import { err, ok } from "../../core/log/result.ts";
import type { Policy, Voter } from "../../core/log/approval.ts";
import { escalationEntry, isNamed, objectionToVoter } from "../../core/guards/approval-rules.ts";
import { sameTargets } from "../../core/guards/target-access.ts";
import type { Entry } from "../../core/log/entry.ts";
import { roleOf } from "../../core/guards/permissions.ts";
import { canonicalJson, type Json } from "../../core/log/json.ts";
import { EXPLAIN_MS, POLICIES_MAX } from "../../core/limits.ts";
import { runOf } from "../../core/log/names.ts";
import { receiveDecision, receiveReason, type DeniedCall } from "../../core/loop/receive-decision.ts";
import {
  batchView,
  approvalView,
  decisionView,
  findEntries,
  type ApprovalEntries,
  type ApprovalView,
} from "../../protocol/approval.ts";
import { linkedApproval } from "./approval-link.ts";
import { loadRun } from "../api/log-reader.ts";
import {
  type Actor,
  type ApiResult,
  type ChatDecision,
  type DecideCommand,
  type EditPreview,
  type ExplainCommand,
  type PreviewCommand,
  type ApiError,
  type Scope,
  type LinkedApproval,
  allows,
} from "../api/session-api.ts";
import type { State } from "../../core/state/state.ts";
import type { Engine } from "../engine/engine.ts";
import type { Transaction } from "../engine/transaction.ts";
import {
  ALREADY_DECIDED,
  APPROVAL_CANCELLED,
  APPROVAL_EXPIRED,
  DIGEST_MISMATCH,
  DIGEST_REQUIRED,
  NO_APPROVAL,
  NO_POLICY,
  NO_SUCH_RESPONSE,
  NOT_AN_APPROVER,
  NOT_REMEMBERABLE,
  REQUESTER_CANNOT_APPROVE,
} from "../api/errors.ts";
import { isOfAnother, livePolicies } from "./access.ts";
import type { VoterNow } from "../runs/standing.ts";
import type { SqlStore } from "../storage/store.ts";

export interface ApprovalsDeps {
  readonly session: string;
  readonly engine: Engine;
  readonly store: SqlStore;
  /** subjects with the scope admin who are admins; null: each of them */
  readonly admins: readonly string[] | null;
  readonly inputSchema: (tool: string) => Json;
  readonly clock: () => number;
  readonly voterNow?: VoterNow;
  /** may this actor be here with this scope? */
  readonly admit: (actor: Actor, scope: Scope) => ApiError | null;
}

/** The result of one response in a chat body. `known`: decided or voted so before. */
export interface Responded {
  readonly became: "decided" | "known" | "late_denial";
  readonly approval: ApprovalView;
}

export type Decided = ApiResult<{ readonly approval: ApprovalView; readonly replayed: boolean }>;

/** Outcome of adding a reason to a denial. */
export interface Explanation {
  readonly state: ApprovalView["state"];
  readonly denied: DeniedCall;
  readonly became: "explained" | "over" | "none";
}

/** How people decide: who may, the votes of several, what is remembered of it, and how that is taken back. */
export class Approvals {
  readonly #deps: ApprovalsDeps;

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps;
  }

  /** For the owner, admins, and its approvers, who see nothing else of the session. */
  approval(actor: Actor, id: string): ApiResult<ApprovalView> {
    const entries = this.#find(id);
    const refused = this.#admit(actor, entries, allows(actor, "read") ? "read" : "approve");
    if (refused !== null) return err(refused);
    return entries === null ? err(NO_APPROVAL) : ok(this.#view(entries));
  }

  /** Previews the call with these arguments, for people who may decide it. Writes nothing. */
  async preview(actor: Actor, { approval, args }: PreviewCommand): Promise<ApiResult<EditPreview>> {
    const open = this.#openTo(actor, approval);
    if (!open.ok) return open;
    const previewed = await this.#deps.engine.previewEdit(approval, args);
    if (!previewed.ok) return err(previewed.error);
    const { title, summary, impact, changes = [], warnings = [], draft = null } = previewed.shown;
    const { args: checked, digest } = previewed;
    const { tool, args: askedArgs, tainted } = open.value.found;
    const decisionRequest = { ...previewed.shown, tool, tainted, args: checked, askedArgs };
    return ok({
      title,
      summary,
      draft,
      args: checked,
      digest,
      impact: [...impact],
      changes: [...changes],
      warnings: [...warnings],
      batch: batchView(previewed.shown.batch),
      decision: decisionView(decisionRequest),
    });
  }

  async decide(actor: Actor, command: DecideCommand): Promise<Decided> {
    const { engine, store } = this.#deps;
    if (isOfAnother(store.loadMeta(), command)) return err(NO_APPROVAL);
    const open = this.#openTo(actor, command.approval);
    if (!open.ok) return open;
    const { entries, voter, found } = open.value;
    const { askedAt } = command;
    if (askedAt !== undefined && Date.parse(found.createdAt) !== askedAt) return err(NO_APPROVAL);
    // As the tool's schema makes them, so that a repeat of an edit is known for one.
    const checked =
      command.decision === "edit" ? engine.tools.check(found.tool, command.args, undefined, "edited") : null;
    const args = checked?.ok === true ? checked.input : command.args;
    if (found.state !== "pending" || isRepeated(found, actor, { ...command, args }))
      return decidedBefore(found, actor, { ...command, args });
    const createdAt = store.loadMeta()?.createdAt;
    const previewed = command.decision === "edit" ? await engine.previewEdit(found.id, command.args) : null;
    // Deleted while it was previewed: what asks now asks others for something else.
    if (store.loadMeta()?.createdAt !== createdAt) return err(NO_APPROVAL);
    if (previewed !== null && !previewed.ok) return err(previewed.error);
    const received = engine.record((tx) => this.#receive(tx, actor, command, voter, previewed));
    return this.#outcome(received, this.#find(command.approval) ?? entries);
  }

  /**
   * A response of a chat body, inside the transaction of the whole body. A response to an approval that is over decides
   * nothing, so a body may repeat its history. `late_denial`: a no to a call that was approved meanwhile. `isOwner`: the actor
   * was admitted to the session before, as the sender of the body's message.
   */
  respond(tx: Transaction, actor: Actor, response: ChatDecision, isOwner: boolean): ApiResult<Responded> {
    const { approval, approved, reason, digest } = response;
    const entries = this.#find(approval, tx.state);
    const refused = isOwner ? null : this.#admit(actor, entries, "send");
    if (refused !== null) return err(refused);
    if (entries === null) return err(NO_SUCH_RESPONSE);
    const found = this.#view(entries);
    const command: DecideCommand = {
      approval,
      decision: approved ? "approve" : "deny",
      args: null,
      reason,
      digest,
    };
    if (found.state === "approved" && !approved) return ok({ became: "late_denial", approval: found });
    if (found.state !== "pending" || isRepeated(found, actor, command))
      return ok({ became: "known", approval: found });
    const open = this.#openTo(actor, approval);
    if (!open.ok) return open;
    const received = this.#receive(tx, actor, command, open.value.voter, null);
    const outcome = this.#outcome(received, this.#find(approval, tx.state) ?? entries);
    return outcome.ok ? ok({ became: "decided", approval: outcome.value.approval }) : outcome;
  }

  #receive(
    tx: Transaction,
    actor: Actor,
    command: DecideCommand,
    voter: Voter,
    edited: Extract<Awaited<ReturnType<Engine["previewEdit"]>>, { ok: true }> | null,
  ): ReturnType<typeof receiveDecision> {
    const { engine, store } = this.#deps;
    const { approval, decision, reason, digest, remember = null } = command;
    // The approval may have expired while its alarm is late.
    const escalation = escalationEntry(tx.state, tx.at);
    if (escalation !== null) tx.append([escalation]);
    const scope = remember === null ? null : { match: remember.match, ms: remember.seconds * 1_000 };
    const { lapsed = [] } = this.#find(approval, tx.state) ?? {};
    const answer = receiveDecision(
      tx.state,
      { approval, decision, voter, via: actor.via, reason, digest, edited, remember: scope, lapsed },
      tx.at,
    );
    if (!answer.ok) return answer;
    tx.append(answer.entries);
    const meta = store.loadMeta();
    const { policy } = answer.value;
    if (meta !== null && policy !== null) {
      const version = engine.tools.cards().find((card) => card.name === policy.tool)?.version;
      const targets = engine.spec?.targets;
      const bound = {
        ...policy,
        ...(version === undefined ? {} : { version }),
        ...(targets === undefined ? {} : { targets }),
      };
      store.saveMeta({ ...meta, policies: withPolicy(livePolicies(meta, tx.at), bound) });
    }
    return answer;
  }

  #outcome(received: ReturnType<typeof receiveDecision>, now: ApprovalEntries): Decided {
    if (received.ok) return ok({ approval: this.#view(now), replayed: !received.value.counted });
    const error = refusalOf(received.code, received.message);
    return err(OVER.has(error.code) ? { ...error, extra: { approval: this.#view(now) } } : error);
  }

  /**
   * Records the voter's reason for a denial, within ten minutes and once: stored with the decision, and read by the run
   * at its next step. `over`: they denied it, but the run is not live any more, so the text is to be sent as a message.
   * `none`: there is no such denial.
   */
  explain(actor: Actor, { id, approval, reason, sessionAt }: ExplainCommand): ApiResult<Explanation> {
    const { engine, store } = this.#deps;
    if (isOfAnother(store.loadMeta(), { sessionAt })) return err(NO_APPROVAL);
    const entries = this.#find(approval);
    const refused = this.#admit(actor, entries, "approve");
    if (refused !== null) return err(refused);
    if (entries === null) return err(NO_APPROVAL);
    const { state, result, decidedAt } = this.#view(entries);
    const { call, tool } = entries.request.body;
    const denied = { tool, call };
    const became = engine.record((tx): Explanation["became"] => {
      const { run, step } = entries.request;
      if (state !== "denied" || result?.by !== actor.subject || decidedAt === null) return "none";
      // The channel repeats itself.
      if (result.reason !== null) return result.reason === reason ? "explained" : "none";
      if (tx.at > Date.parse(decidedAt) + EXPLAIN_MS) return "none";
      if (tx.state.run?.run !== run || tx.state.run.cancel !== null) return "over";
      const body = { approval, call, actor: actor.subject, via: actor.via, reason };
      tx.append([{ kind: "approval_explained", run, step, body }]);
      tx.append(receiveReason(tx.state.run, { id, author: actor.subject, denied, reason }));
      return "explained";
    });
    return ok({ state, denied, became });
  }

  /**
   * Revokes a remembered decision: the next call is asked about. Allowed for the owner, admins, and the person who made
   * the decision.
   */
  revoke(actor: Actor, id: string): ApiResult<null> {
    const { admit, engine, store } = this.#deps;
    const giver = store.loadMeta()?.policies?.find((policy) => policy.id === id)?.by.subject;
    const isTheirs = giver === actor.subject && allows(actor, "approve");
    const refused = isTheirs ? null : admit(actor, "approve");
    if (refused !== null) return err(refused);
    return engine.record((tx): ApiResult<null> => {
      const meta = store.loadMeta();
      const policies = meta === null ? [] : livePolicies(meta, tx.at);
      const policy = policies.find((one) => one.id === id);
      if (meta === null || policy === undefined) return err(NO_POLICY);
      const body = { policy: id, actor: actor.subject };
      tx.append([{ kind: "policy_revoked", run: null, step: null, body }]);
      store.saveMeta({ ...meta, policies: policies.filter((one) => one !== policy) });
      return ok(null);
    });
  }

  /** For the holder of a link, which the worker has verified: nothing but this approval is opened by it. */
  linked(actor: Actor, id: string): ApiResult<LinkedApproval> {
    const { engine, store, clock } = this.#deps;
    const entries = this.#find(id);
    if (entries === null) return err(NO_APPROVAL);
    // Nothing is edited by a link.
    const approval = { ...this.#view(entries), argsSchema: null };
    const linked = linkedApproval(approval, this.voter(actor), engine.log.state(), store, clock());
    return ok({ ...linked, sessionAt: store.loadMeta()?.createdAt ?? null });
  }

  /** The approval as it is, where this actor may vote on it. */
  #openTo(
    actor: Actor,
    id: string,
  ): ApiResult<{ readonly entries: ApprovalEntries; readonly voter: Voter; readonly found: ApprovalView }> {
    const entries = this.#find(id);
    const refused = this.#admit(actor, entries, "approve");
    if (refused !== null) return err(refused);
    if (entries === null) return err(NO_APPROVAL);
    const voter = this.voter(actor);
    const found = this.#view(entries);
    const objection = objectionToVoter(found, voter);
    return objection === null
      ? ok({ entries, voter, found })
      : err(refusalOf(objection.code, objection.message));
  }

  #admit(actor: Actor, entries: ApprovalEntries | null, scope: Scope): ApiError | null {
    const may = allows(actor, "approve") && entries !== null;
    if (may && isNamed(this.#view(entries).approvers, this.voter(actor))) return null;
    return this.#deps.admit(actor, scope);
  }

  voter({ subject, scopes, grant, maker }: Actor): Voter {
    const { store, admins } = this.#deps;
    const owner = store.loadMeta()?.owner === subject;
    return {
      subject,
      owner,
      admin: roleOf({ subject, scopes }, admins) === "admin",
      ...(grant === undefined ? {} : { grant }),
      ...(maker === undefined ? {} : { maker }),
    };
  }

  #view(entries: ApprovalEntries): ApprovalView {
    return approvalView(this.#deps.session, entries, this.#deps.inputSchema(entries.request.body.tool));
  }

  /** An approval by its name, from the entries of its run. */
  #find(id: string, state: State = this.#deps.engine.log.state()): ApprovalEntries | null {
    const run = runOf(id);
    if (run === null) return null;
    const entries: readonly Entry[] = loadRun(this.#deps.store, state, run);
    const found = findEntries(entries, id);
    return found === null ? null : { ...found, lapsed: this.#lapsed(found) };
  }

  /** Those who have voted on an open approval, and may not decide it any more. */
  #lapsed(entries: ApprovalEntries): readonly string[] {
    const { session, store, clock, voterNow } = this.#deps;
    const { later } = entries;
    const votes = later.flatMap((entry) => (entry.kind === "approval_voted" ? [entry.body] : []));
    if (voterNow === undefined || votes.length === 0) return [];
    const view = approvalView(session, entries);
    if (view.state !== "pending") return [];
    const owner = store.loadMeta()?.owner ?? null;
    return view.votes.flatMap(({ subject }) => {
      const vote = votes.findLast(({ actor }) => actor === subject);
      const voter = voterNow({ ...vote, subject }, owner, clock());
      return voter === null || objectionToVoter(view, voter) !== null ? [subject] : [];
    });
  }
}

/** The newest decision about the same calls applies. */
function withPolicy(policies: readonly Policy[], policy: Policy): readonly Policy[] {
  const { tool, targets, match, argsDigest } = policy;
  const others = policies.filter(
    (other) =>
      other.tool !== tool ||
      !sameTargets(other.targets, targets) ||
      other.match !== match ||
      other.argsDigest !== argsDigest,
  );
  return [...others, policy].slice(-POLICIES_MAX);
}

const REFUSALS: ReadonlyMap<string, ApiError> = new Map(
  [
    ALREADY_DECIDED,
    APPROVAL_CANCELLED,
    APPROVAL_EXPIRED,
    DIGEST_MISMATCH,
    DIGEST_REQUIRED,
    NOT_AN_APPROVER,
    NOT_REMEMBERABLE,
    REQUESTER_CANNOT_APPROVE,
  ].map((error) => [error.code, error]),
);
/** refusals that include the approval */
const OVER: ReadonlySet<string> = new Set(
  [ALREADY_DECIDED, APPROVAL_CANCELLED, APPROVAL_EXPIRED].map((error) => error.code),
);

const refusalOf = (code: string, message: string): ApiError =>
  REFUSALS.get(code) ?? { status: 409, code, message };

/** True if this voter has already voted the same on the current question. */
function isRepeated(
  found: ApprovalView,
  { subject }: Actor,
  { decision, args, digest }: DecideCommand,
): boolean {
  const vote = found.votes.find((one) => one.subject === subject);
  if (vote === undefined || vote.decision !== decision) return false;
  if (decision === "edit") return canonicalJson(found.args) === canonicalJson(args);
  return digest === null || digest === found.digest;
}

/** The same person's same decision again is the first result; any other comes too late. */
function decidedBefore(found: ApprovalView, actor: Actor, command: DecideCommand): Decided {
  const extra = { approval: found };
  if (found.state === "cancelled") return err({ ...APPROVAL_CANCELLED, extra });
  if (found.state === "expired") return err({ ...APPROVAL_EXPIRED, extra });
  if (isRepeated(found, actor, command)) return ok({ approval: found, replayed: true });
  return err({ ...ALREADY_DECIDED, extra });
}
