import { err, ok } from "../../core/log/result.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import type { Json } from "../../core/log/json.ts";
import { localRun, runId } from "../../core/log/names.ts";
import { nextQueued } from "../../core/state/queue.ts";
import type { State } from "../../core/state/state.ts";
import { complaintOf, type Redact } from "../../core/text/redact.ts";
import { parseInput } from "../../protocol/chat-body.ts";
import type { NativeFrame, ServerFrame } from "../../protocol/frames.ts";
import { isAnswerText } from "../../protocol/stream/data-parts.ts";
import { eventOf } from "../../protocol/views.ts";
import { loadEvents, readableBy, type Log } from "../api/log-reader.ts";
import { specOfMessage } from "../commands/run-options.ts";
import type { Models } from "../../config/config.ts";
import { splitMessage } from "../../protocol/run-spec/message-fields.ts";
import type { SessionApi } from "../commands/commands.ts";
import type { ApiResult, Actor, Scope } from "../api/session-api.ts";
import type { Store } from "../engine/ports.ts";
import type { ChatBroadcast } from "./chat-broadcast.ts";
import { type Peer, MISSING_SCOPE, type FrameErrors } from "./connection.ts";
import type { LiveRuns } from "./live-runs.ts";
import { logError } from "../../operator-log.ts";

interface CairnProtocolDeps {
  readonly session: string;
  readonly store: Log & Pick<Store, "seen" | "remember" | "transaction">;
  readonly state: () => State;
  readonly api: SessionApi;
  readonly clock: () => number;
  readonly live: LiveRuns;
  readonly chat: ChatBroadcast;
  readonly frameErrors: FrameErrors;
  readonly messageBytesMax: number;
  /** models that a message may name */
  readonly models: Models | null;
  readonly redact: Redact;
}

/** Cairn's own frames: each gets one ack, sent after what it did is on disk. */
export class CairnProtocol {
  readonly #deps: CairnProtocolDeps;
  /** frames that are at work, so that a repeat waits for the first */
  readonly #working = new Map<string, Promise<ApiResult<Acked>>>();

  constructor(deps: CairnProtocolDeps) {
    this.#deps = deps;
  }

  async handle(peer: Peer, frame: NativeFrame): Promise<void> {
    const { eventId } = frame;
    const { session, state, store, live, chat } = this.#deps;
    const ack = (answer: ApiResult<Acked>, duplicate = false): void =>
      peer.send(this.#ack(eventId, answer, duplicate));
    if (!peer.may(SCOPES[frame.type])) return ack(err(MISSING_SCOPE));
    if (isCommand(frame)) return this.#command(peer, frame, ack);
    if (frame.type === "cairn:unsubscribe") {
      peer.change({ events: false });
      return ack(ok({ result: {}, seq: null }));
    }
    if (frame.type === "cairn:subscribe") {
      ack(ok({ result: {}, seq: null }));
      let after = frame.after;
      for (;;) {
        const page = loadEvents(readableBy(peer.actor, store, state()), after, EVENTS_PAGE);
        for (const entry of page) peer.send({ type: "cairn:event", event: eventOf(entry) });
        after = page.at(-1)?.seq ?? after;
        if (page.length === 0) break;
      }
      return peer.change({ events: true });
    }
    const named = frame.runId === undefined ? newestRun(state()) : localRun(session, frame.runId);
    const known = named === null ? null : live.stream(named, peer.may("admin"));
    if (frame.runId !== undefined && known === null) return ack(refuse(404, "not_found", "No such run."));
    const pos = frame.pos ?? 0;
    ack(ok({ result: { runId: known?.id ?? null, pos }, seq: null }));
    chat.resume(peer, named, pos);
    if (named !== null && state().run?.run !== named) live.release(named);
  }

  /** A command is applied once per subject and eventId; a repeat gets the first answer. */
  async #command(
    peer: Peer,
    frame: Command,
    ack: (answer: ApiResult<Acked>, duplicate?: boolean) => void,
  ): Promise<void> {
    const { store, api, clock, messageBytesMax, models, redact } = this.#deps;
    const source = `frame:${peer.actor.subject}`;
    const known = store.seen(source, frame.eventId);
    if (known !== null) return ack(JSON.parse(known) as ApiResult<Acked>, true);
    const key = `${source} ${frame.eventId}`;
    const working = this.#working.get(key);
    if (working !== undefined) return ack(await working, true);
    const from = { actor: peer.actor, traceId: peer.traceId };
    const work = performCommand(api, from, frame, { messageBytesMax, models }).catch(
      (error: unknown): ApiResult<Acked> => {
        logError("a command failed", complaintOf(error, redact));
        return refuse(500, "internal", "Something went wrong on our side.");
      },
    );
    this.#working.set(key, work);
    try {
      const answer = await work;
      if (answer.ok || !PASSING.has(answer.error.status)) {
        store.transaction(() => store.remember(source, frame.eventId, JSON.stringify(answer), clock()));
      }
      ack(answer);
    } finally {
      this.#working.delete(key);
    }
  }

  #ack(eventId: string, answer: ApiResult<Acked>, duplicate: boolean): ServerFrame {
    const more = duplicate ? ({ duplicate: true } as const) : {};
    if (!answer.ok)
      return {
        type: "cairn:ack",
        eventId,
        ok: false,
        error: this.#deps.frameErrors.error(answer.error),
        ...more,
      };
    const { result, seq } = answer.value;
    return { type: "cairn:ack", eventId, ok: true, seq: seq ?? this.#deps.state().head, result, ...more };
  }
}

const EVENTS_PAGE = 200;
/** refusals that may change a moment later are not cached */
const PASSING: ReadonlySet<number> = new Set([429, 500, 503]);

/** The run that a client without a name for one follows: the live one, the next, or the last. */
function newestRun(state: State): string | null {
  return state.run?.run ?? nextQueued(state)?.run ?? state.ended.at(-1)?.run ?? null;
}

/** Executes a native frame. Returns the result for its ack, or the refusal. */

interface Acked {
  readonly result: Json;
  /** seq of the entry that it made, null for the head of the log */
  readonly seq: number | null;
}

/** Frames that change something; the others only read. */
type Command = Exclude<NativeFrame, { type: "cairn:resume" | "cairn:subscribe" | "cairn:unsubscribe" }>;

const SCOPES: { readonly [Type in NativeFrame["type"]]: Scope } = {
  "cairn:send": "send",
  "cairn:answer": "send",
  "cairn:steer": "send",
  "cairn:cancel": "send",
  "cairn:approve": "approve",
  "cairn:resume": "read",
  "cairn:subscribe": "read",
  "cairn:unsubscribe": "read",
};

function isCommand(frame: NativeFrame): frame is Command {
  return (
    frame.type !== "cairn:resume" && frame.type !== "cairn:subscribe" && frame.type !== "cairn:unsubscribe"
  );
}

/** The sender of a frame, and the id of the request that opened their socket. */
interface Sender {
  readonly actor: Actor;
  readonly traceId: string | null;
}

export async function performCommand(
  api: SessionApi,
  from: Sender,
  frame: Command,
  deployment: Pick<CairnProtocolDeps, "messageBytesMax" | "models">,
): Promise<ApiResult<Acked>> {
  const { actor } = from;
  const { messageBytesMax } = deployment;
  switch (frame.type) {
    case "cairn:send":
      return send(api, from, frame, deployment);
    case "cairn:approve": {
      const { approvalId: approval, decision, args = null, reason = null, digest = null } = frame;
      const { remember = null, createdAt } = frame;
      if (decision === "edit" && remember !== null)
        return refuse(400, "invalid_request", "An edit is not remembered.");
      if (decision !== "edit" && args !== null)
        return refuse(400, "invalid_request", "Only an edit has args.");
      const decided = await api.decide(actor, {
        approval,
        decision,
        args,
        reason,
        digest,
        remember,
        ...(createdAt === undefined ? {} : { askedAt: Date.parse(createdAt) }),
      });
      if (!decided.ok) return decided;
      return accept({ ...decided.value.approval });
    }
    case "cairn:cancel": {
      const { runId: run = null, all = false, hold = false, reason = null } = frame;
      const id = idOfEvent(actor, frame.eventId);
      const cancelled = await api.cancel(actor, { id, runId: run, all, hold, reason });
      return cancelled.ok ? accept({ cancelled: cancelled.value.cancelled }) : cancelled;
    }
    case "cairn:steer": {
      const input = parseInput([{ type: "text", text: frame.text }], messageBytesMax);
      if ("kind" in input) return refuse(input.status, input.code, input.message);
      const trace = frame.traceId ?? from.traceId;
      const steered = await api.steer(actor, {
        id: frame.id ?? idOfEvent(actor, frame.eventId),
        parts: input,
        ...(trace === null ? {} : { traceId: trace }),
      });
      if (!steered.ok) return steered;
      const { runId: run, seq } = steered.value;
      return ok({ result: { runId: run, seq }, seq });
    }
    case "cairn:answer": {
      const { questionId: question, value } = frame;
      if (!isAnswerText(value, messageBytesMax)) return refuse(422, "invalid_answer", "An answer is a text.");
      const answered = await api.answer(actor, { runId: null, question, value });
      return answered.ok ? accept({ runId: answered.value.id }) : answered;
    }
  }
}

async function send(
  api: SessionApi,
  { actor, traceId }: Sender,
  frame: Extract<Command, { type: "cairn:send" }>,
  { messageBytesMax, models }: Pick<CairnProtocolDeps, "messageBytesMax" | "models">,
): Promise<ApiResult<Acked>> {
  const { text, parts, eventId, id, mode = null } = frame;
  if ((text === undefined) === (parts === undefined)) {
    return refuse(400, "invalid_request", "Send either text or parts.");
  }
  const input = parseInput(parts ?? [{ type: "text", text }], messageBytesMax);
  if ("kind" in input) return refuse(input.status, input.code, input.message);
  const spec = specOfMessage(splitMessage(frame).fields, { parts: input, models });
  if (!spec.ok) return spec;
  const { ask, ...others } = spec.value;
  const trace = frame.traceId ?? traceId;
  const sent = await api.send(actor, {
    id: id ?? idOfEvent(actor, eventId),
    parts: input,
    mode,
    source: "web",
    request: null,
    ...others,
    ask: trace === null ? ask : { ...ask, traceId: trace },
  });
  if (!sent.ok) return sent;
  const { duplicate: _duplicate, ...result } = sent.value;
  return ok({ result, seq: sent.value.seq });
}

/** A command without an id gets one from its event, so that a repeat after a crash is found by the session itself. */
function idOfEvent(actor: Actor, eventId: string): string {
  return `evt_${sha256Hex(JSON.stringify([actor.subject, eventId])).slice(0, 40)}`;
}

/** Which run a stock client means by a request or segment id: `<request>`, `<runId>` or `<runId>.c1`. */
export function runOfSegment(session: string, state: State, id: string): string | null {
  const runs = [...(state.run === null ? [] : [state.run]), ...state.queue];
  const requestedRun = runs.find((run) => run.request.request === id);
  if (requestedRun !== undefined) return runId(session, requestedRun.run);
  const name = localRun(session, id.replace(/\.c[1-9]\d*$/, ""));
  return runs.some((run) => run.run === name) && name !== null ? runId(session, name) : null;
}

const accept = (result: Json): ApiResult<Acked> => ok({ result, seq: null });

function refuse<Value>(status: number, code: string, message: string): ApiResult<Value> {
  return err({ status, code, message });
}
