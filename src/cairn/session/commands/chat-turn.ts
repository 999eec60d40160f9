import { err, ok } from "../../core/log/result.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import type { Entry } from "../../core/log/entry.ts";
import { questionName } from "../../core/log/names.ts";
import { clientCallOf } from "../../core/entries/client-call.ts";
import { questionOf } from "../../core/entries/question.ts";
import type { ApprovalView } from "../../protocol/approval.ts";
import type { Engine } from "../engine/engine.ts";
import type { Transaction } from "../engine/transaction.ts";
import type { WakeModule } from "../engine/wake-module.ts";
import type { SqlStore } from "../storage/store.ts";
import type { Approvals } from "./approvals.ts";
import { lateDenial, NO_CLIENT_CALL, RESPONSE_IS_NEW } from "../api/errors.ts";
import { loadRun } from "../api/log-reader.ts";
import type { Messages, PreparedSend } from "./messages.ts";
import { takeOutput } from "./client-outputs.ts";
import { takeAnswer } from "../api/questions.ts";
import type {
  Actor,
  ApiError,
  ApiResult,
  ChatAnswer,
  ChatCommand,
  ChatView,
  ClientOutput,
  RegenerateCommand,
  Scope,
  SentView,
} from "../api/session-api.ts";

export interface ChatTurnDeps {
  readonly session: string;
  readonly engine: Engine;
  readonly store: SqlStore;
  readonly clock: () => number;
  readonly approvals: Approvals;
  readonly messages: Messages;
  readonly admit: (actor: Actor, scope: Scope) => ApiError | null;
}

/**
 * One body of a stock chat client, in one transaction: every new decision and answer in the order of the messages, then the
 * new message. If one of them is refused, nothing of the body is written.
 *
 * A body repeats its history, so a response to something that is over is skipped. One such response is not: a no to a call
 * that was approved meanwhile. The person believes that they stopped it, so the first request with this no is refused.
 */
export class ChatTurn {
  readonly #deps: ChatTurnDeps;

  constructor(deps: ChatTurnDeps) {
    this.#deps = deps;
  }

  async submit(actor: Actor, command: ChatCommand): Promise<ApiResult<ChatView>> {
    const { messages, admit } = this.#deps;
    const { message, answers } = command;
    const refused = message === null && answers.length > 0 ? admit(actor, "send") : null;
    if (refused !== null) return err(refused);
    const module = await this.#moduleFor(command);
    const prepared = message === null ? null : await messages.prepare(actor, message);
    if (prepared !== null && !prepared.ok) return prepared;
    const sent = prepared === null ? null : prepared.value;
    return this.#whole(actor, (tx, late) => this.#write(tx, actor, { ...command, module }, sent, late));
  }

  /**
   * Answers the last message again. The history of the body is skipped; with a response that is new or late the whole request
   * is refused, since a run is live then, or the person believes that they stopped a call.
   */
  async regenerate(actor: Actor, command: RegenerateCommand): Promise<ApiResult<SentView>> {
    const { messages } = this.#deps;
    const { decisions = [], answers = [], outputs = [], ...again } = command;
    const module = await this.#moduleFor(command);
    const prepared = await messages.prepareRegenerate();
    return this.#whole(actor, (tx, late) => {
      const refused = messages.admitAgain(actor, prepared);
      if (refused !== null) return err(refused);
      const responded = this.#respond(tx, actor, { decisions, answers, outputs, module }, true, late);
      if (!responded.ok) return responded;
      return responded.value === null ? messages.regenerateWithin(tx, actor, again) : err(RESPONSE_IS_NEW);
    });
  }

  #moduleFor({ outputs = [] }: Pick<ChatCommand, "outputs">): Promise<WakeModule | null> {
    return outputs.length === 0 ? Promise.resolve(null) : this.#deps.engine.wakeModule();
  }

  /** `body` notes a late denial in `late`, which is remembered although its refusal undoes everything else. */
  #whole<Value>(
    actor: Actor,
    body: (tx: Transaction, late: ApprovalView[]) => ApiResult<Value>,
  ): ApiResult<Value> {
    const late: ApprovalView[] = [];
    const done = this.#deps.engine.recordOrRollBack((tx) => body(tx, late));
    const [denied] = late;
    if (denied !== undefined && !done.ok && done.error.code === LATE.code) this.#remember(actor, denied);
    return done;
  }

  #write(
    tx: Transaction,
    actor: Actor,
    responses: Responses,
    message: PreparedSend | null,
    late: ApprovalView[],
  ): ApiResult<ChatView> {
    const { messages } = this.#deps;
    const refused = message === null ? null : messages.admitAgain(actor, message);
    if (refused !== null) return err(refused);
    const responded = this.#respond(tx, actor, responses, message !== null, late);
    if (!responded.ok) return responded;
    const decided = responded.value;
    if (message === null) return ok({ decided, sent: null });
    const sent = messages.sendWithin(tx, actor, message);
    return sent.ok ? ok({ decided, sent: sent.value }) : sent;
  }

  /**
   * Applies the responses that are new. `withMessage`: the sender was admitted as one who may send, and wants a new answer.
   * The last run that goes on; null where all of them are history.
   */
  #respond(
    tx: Transaction,
    actor: Actor,
    { decisions, answers, outputs = [], module }: Responses,
    withMessage: boolean,
    late: ApprovalView[],
  ): ApiResult<ChatView["decided"]> {
    const { approvals, store } = this.#deps;
    let decided: ChatView["decided"] = null;
    for (const response of decisions) {
      const responded = approvals.respond(tx, actor, response, withMessage);
      if (!responded.ok) return responded;
      const { became, approval } = responded.value;
      if (became === "decided") decided = { runId: approval.runId, pending: approval.state === "pending" };
      if (became !== "late_denial" || store.seen(LATE_DENIAL, keyOf(actor, approval)) !== null) continue;
      late.push(approval);
      return err({ ...lateDenial(approval.title), extra: { approval } });
    }
    for (const answer of answers) {
      const taken = this.#answer(tx, actor, answer);
      if (!taken.ok) return taken;
      if (taken.value !== null) decided = { runId: taken.value, pending: false };
    }
    for (const output of outputs) {
      const alone = !withMessage && decisions.length + answers.length === 0;
      if (module === null) throw new Error("outputs of a client came without the code that takes them");
      const taken = this.#take(tx, actor, output, { withMessage, alone, module });
      if (!taken.ok) return taken;
      if (taken.value !== null) decided = { ...taken.value, pending: false };
    }
    return ok(decided);
  }

  /** The run that goes on; null where the call does not wait for an answer, so that its output is history. */
  #answer(tx: Transaction, actor: Actor, { call, value }: ChatAnswer): ApiResult<string | null> {
    const open = questionOf(tx.state.run, tx.at);
    if (open === null || open.call !== call) return ok(null);
    const { session, store } = this.#deps;
    const entriesOf = (run: string): readonly Entry[] => loadRun(store, tx.state, run);
    const command = { runId: null, question: questionName(call), value };
    const taken = takeAnswer(tx, session, actor, command, entriesOf);
    return taken.ok ? ok(taken.value.runId) : taken;
  }

  /**
   * The run that goes on; null for history: tools of the session have outputs, too. `alone`: the body brings nothing else, so
   * another output than the first is refused, not skipped.
   */
  #take(
    tx: Transaction,
    actor: Actor,
    output: ClientOutput,
    {
      withMessage,
      alone,
      module,
    }: { readonly withMessage: boolean; readonly alone: boolean; readonly module: WakeModule },
  ): ApiResult<{ readonly runId: string } | null> {
    const { session, engine, store, admit } = this.#deps;
    const waits = clientCallOf(tx.state.run, tx.at)?.call === output.call;
    if (!waits && !alone) return ok(null);
    // Approvers may decide in the session of somebody else, and do no more.
    const refused = waits && !withMessage ? admit(actor, "send") : null;
    if (refused !== null) return err(refused);
    const entriesOf = (run: string): readonly Entry[] => loadRun(store, tx.state, run);
    const taken = takeOutput(tx, { session, engine, module, entriesOf }, actor, output);
    return !taken.ok && taken.error === NO_CLIENT_CALL ? ok(null) : taken;
  }

  #remember(actor: Actor, approval: ApprovalView): void {
    const { store, clock } = this.#deps;
    store.transaction(() => store.remember(LATE_DENIAL, keyOf(actor, approval), "", clock()));
  }
}

type Responses = Pick<ChatCommand, "decisions" | "answers" | "outputs"> & {
  /** loaded where there are outputs */
  readonly module: WakeModule | null;
};

const LATE = lateDenial("");
/** where refused denials are remembered, so that a client whose history holds one is not refused for ever */
const LATE_DENIAL = "late_denial";
const keyOf = ({ subject }: Actor, { id }: ApprovalView): string => sha256Hex(JSON.stringify([subject, id]));
