import { ASK_HUMAN } from "../../core/entries/question.ts";
import { localRun, questionName } from "../../core/log/names.ts";
import type { State } from "../../core/state/state.ts";
import { parseChatBody, type ChatBody, type Decided } from "../../protocol/chat-body.ts";
import { readClientResult } from "../../protocol/client-tools.ts";
import type { StockFrame } from "../../protocol/frames.ts";
import { specOfMessage } from "../commands/run-options.ts";
import { ok } from "../../core/log/result.ts";
import type { Models } from "../../config/config.ts";
import type { SessionApi } from "../commands/commands.ts";
import type {
  Actor,
  ApiError,
  ApiResult,
  ChatCommand,
  ChatDecision,
  Scope,
  SendCommand,
  SentView,
} from "../api/session-api.ts";
import { runOfSegment } from "./cairn-protocol.ts";
import type { ChatBroadcast } from "./chat-broadcast.ts";
import { type Peer, MISSING_SCOPE, type FrameErrors } from "./connection.ts";
import type { LiveRuns } from "./live-runs.ts";

export interface AgentsProtocolDeps {
  readonly session: string;
  readonly state: () => State;
  readonly api: SessionApi & { admit(actor: Actor, scope: Scope): ApiError | null };
  readonly live: LiveRuns;
  readonly chat: ChatBroadcast;
  readonly frameErrors: FrameErrors;
  readonly messageBytesMax: number;
  /** models that a message may name */
  readonly models: Models | null;
  readonly newId: () => string;
}

/** Handles frames of the stock chat protocol. */
export class AgentsProtocol {
  readonly #deps: AgentsProtocolDeps;
  /** who is clearing the session just now */
  clearing: Peer | null = null;

  constructor(deps: AgentsProtocolDeps) {
    this.#deps = deps;
  }

  async handle(peer: Peer, frame: StockFrame): Promise<void> {
    const { api, session, state, chat, frameErrors, newId } = this.#deps;
    switch (frame.type) {
      case "cf_agent_use_chat_request":
        return this.#request(peer, frame.id, frame.init.body);
      case "cf_agent_chat_request_cancel": {
        if (!frameErrors.allowed(peer, "send", frame.type)) return;
        const run = runOfSegment(session, state(), frame.id);
        if (run === null) return;
        const cancelled = await api.cancel(peer.actor, {
          id: newId(),
          runId: run,
          all: false,
          reason: null,
        });
        if (!cancelled.ok) frameErrors.send(peer, frame.type, cancelled.error);
        return;
      }
      case "cf_agent_chat_clear": {
        if (!frameErrors.allowed(peer, "send", frame.type)) return chat.correct(peer);
        this.clearing = peer;
        const cleared = await api.clear(peer.actor);
        this.clearing = null;
        if (!cleared.ok) {
          frameErrors.send(peer, frame.type, cleared.error);
          chat.correct(peer);
        }
        return;
      }
      case "cf_agent_chat_messages":
        if (!frameErrors.allowed(peer, "read", frame.type)) return;
        return peer.send({ type: frame.type, messages: chat.messages(peer) });
      case "cf_agent_stream_resume_request":
        if (!frameErrors.allowed(peer, "read", frame.type)) return;
        return chat.probe(peer, frame.probeId ?? null);
      case "cf_agent_stream_resume_ack":
        if (!frameErrors.allowed(peer, "read", frame.type)) return;
        return chat.ack(peer, frame.id);
      case "cf_agent_tool_approval":
        return this.#approve(peer, frame.toolCallId, frame.approved);
      case "cf_agent_tool_result": {
        if (frame.toolName === ASK_HUMAN) return this.#answer(peer, frame.toolCallId, frame.output);
        if (!frameErrors.allowed(peer, "send", frame.type)) return chat.correct(peer);
        const answered = await api.answerCall(peer.actor, {
          call: frame.toolCallId,
          result: readClientResult(frame),
        });
        if (answered.ok) return;
        frameErrors.send(peer, frame.type, answered.error);
        return chat.correct(peer);
      }
      case "cf_agent_state":
        return peer.send({ type: "cf_agent_state_error", error: "State is read-only" });
      case "rpc": {
        const error = `Method ${frame.method} does not exist`;
        return peer.send({ type: "rpc", id: frame.id, success: false, error });
      }
    }
  }

  /** A stock request: a new message, or the decisions in the last one. */
  async #request(peer: Peer, id: string, body: string): Promise<void> {
    const { api, session, chat, messageBytesMax } = this.#deps;
    if (!peer.may("send")) return chat.failed(peer, id, MISSING_SCOPE.message);
    const chatBody = parseChatBody(body, messageBytesMax);
    switch (chatBody.kind) {
      case "refused":
        return chat.failed(peer, id, chatBody.message);
      case "regenerate": {
        const { message, decisions = [], answers = [], outputs = [], clientTools } = chatBody;
        const responses = {
          decisions: decisions.map(withDigest),
          answers,
          outputs,
          ...(clientTools === undefined ? {} : { clientTools }),
        };
        const traceId = chatBody.traceId ?? peer.traceId;
        const again = await api.regenerate(peer.actor, {
          id,
          message,
          request: id,
          ...responses,
          ...(traceId === null ? {} : { traceId }),
        });
        if (!again.ok) return chat.failed(peer, id, again.error.message);
        if (again.value.duplicate) this.#repeated(peer, id, localRun(session, again.value.runId));
        return;
      }
      case "decide":
      case "say":
        return this.#submit(peer, id, chatBody);
    }
  }

  /** Responses to approvals and questions, and the message after them. */
  async #submit(
    peer: Peer,
    id: string,
    chatBody: Extract<ChatBody, { kind: "say" | "decide" }>,
  ): Promise<void> {
    const { session, chat } = this.#deps;
    const { decisions = [], answers = [], outputs = [] } = chatBody;
    const made = chatBody.kind === "decide" ? ok(null) : this.#messageOf(peer, id, chatBody);
    if (!made.ok) return chat.failed(peer, id, made.error.message);
    const message = made.value;
    if (message !== null) chat.senders.set(message.id, peer);
    for (const { approval } of decisions) chat.deciders.set(approval, peer);
    const done = await this.#perform(peer, { decisions, answers, outputs, message });
    if (message !== null) chat.senders.delete(message.id);
    for (const { approval } of decisions) chat.deciders.delete(approval);
    if (!done.ok) return chat.failed(peer, id, done.error.message);
    const sent = done.value;
    if (sent === null) return chat.finished(peer, id, "skipped", null);
    const { runId: run, mode: took, duplicate } = sent;
    if (took === "join" && !duplicate) return chat.finished(peer, id, "completed", null);
    if (duplicate) this.#repeated(peer, id, localRun(session, run));
  }

  #messageOf(
    peer: Peer,
    request: string,
    { id, parts, mode, run, clientTools, traceId }: Extract<ChatBody, { kind: "say" }>,
  ): ApiResult<SendCommand> {
    const spec = specOfMessage(run, { parts, models: this.#deps.models });
    if (!spec.ok) return spec;
    const { ask, ...others } = spec.value;
    const trace = traceId ?? peer.traceId;
    return ok({
      id,
      parts,
      mode,
      source: "web",
      request,
      ...others,
      ask: {
        ...ask,
        ...(clientTools === undefined ? {} : { clientTools }),
        ...(trace === null ? {} : { traceId: trace }),
      },
    });
  }

  async #perform(
    peer: Peer,
    {
      decisions,
      answers,
      outputs = [],
      message,
    }: { readonly decisions: readonly Decided[] } & Omit<ChatCommand, "decisions">,
  ): Promise<ApiResult<SentView | null>> {
    const { api } = this.#deps;
    if (message !== null && decisions.length + answers.length + outputs.length === 0)
      return api.send(peer.actor, message);
    const done = await api.submit(peer.actor, {
      decisions: decisions.map(withDigest),
      answers,
      outputs,
      message,
    });
    return done.ok ? { ok: true, value: done.value.sent } : done;
  }

  /** A message that is known starts nothing: its run has ended, or lives under this id or another. */
  #repeated(peer: Peer, id: string, run: string | null): void {
    const { state, live, chat } = this.#deps;
    const { run: working, queue } = state();
    const at = [...(working === null ? [] : [working]), ...queue].find((item) => item.run === run);
    const stream = run === null ? null : live.stream(run, peer.may("admin"));
    if (at === undefined) {
      chat.finished(peer, id, "completed", peer.may("read") ? stream : null);
      if (run !== null) live.release(run);
    } else if (at.request.request !== id) chat.finished(peer, id, "skipped", null);
    else if (stream !== null && stream.segments.length > 0 && stream.open === null) {
      chat.finished(peer, id, "completed", peer.may("read") ? stream : null);
    }
  }

  async #approve(peer: Peer, call: string, approved: boolean): Promise<void> {
    const about = "cf_agent_tool_approval";
    const { state, frameErrors, chat } = this.#deps;
    if (!frameErrors.allowed(peer, "approve", about)) return chat.correct(peer);
    const refuse = (error: ApiError): void => {
      frameErrors.send(peer, about, error);
      chat.correct(peer);
    };
    const phase = state().run?.phase;
    const open = phase?.at === "waiting_approval" && phase.approval.call === call ? phase.approval : null;
    const message = "This call does not wait for a decision.";
    if (open === null) return refuse({ status: 409, code: "not_waiting", message });
    const decided = await this.#decide(peer, open.approval, approved, null);
    if (!decided.ok) refuse(decided.error);
  }

  /** The output that a client gave to a call of `ask_human`. */
  async #answer(peer: Peer, call: string, output: unknown): Promise<void> {
    const about = "cf_agent_tool_result";
    const { api, frameErrors, chat } = this.#deps;
    if (!frameErrors.allowed(peer, "send", about)) return chat.correct(peer);
    const value = typeof output === "string" ? output : null;
    const answered = await api.answer(peer.actor, { runId: null, question: questionName(call), value });
    if (answered.ok) return;
    frameErrors.send(peer, about, answered.error);
    chat.correct(peer);
  }

  async #decide(
    peer: Peer,
    approval: string,
    approved: boolean,
    reason: string | null,
  ): Promise<ApiResult<unknown>> {
    const { chat, api } = this.#deps;
    chat.deciders.set(approval, peer);
    const decision = approved ? "approve" : "deny";
    const command = { approval, decision, args: null, reason, digest: null } as const;
    const decided = await api.decide(peer.actor, command);
    chat.deciders.delete(approval);
    return decided;
  }
}

const withDigest = (decided: Decided): ChatDecision => ({ ...decided, digest: decided.digest ?? null });
