import type { Hono } from "hono";
import * as z from "zod";
import { isTooDeep } from "../../core/log/json.ts";
import type { Actor, ApiError } from "../../session/api/session-api.ts";
import { parseJson } from "../../protocol/json.ts";
import { presentActor } from "../kit/credentials.ts";
import type { Deps } from "../deps.ts";
import { parseSessionId } from "../kit/parse.ts";
import { createRateLimit, type RateLimit } from "../kit/rate-limit.ts";
import { CLOSE_CODES, INTERNAL } from "../kit/responses.ts";
import { isUpgrade } from "../kit/request-policy.ts";
import {
  missingScope,
  refuse,
  requestId as requestIdOf,
  route,
  UPGRADE_REQUIRED,
  type HttpEnv,
} from "../kit/route.ts";
import { readRefusal } from "../kit/session-client.ts";
import { startChat } from "./chat.ts";

/**
 * `WS /api/chat/ws`: the frames of the AI SDK's WebSocketChatTransport, as a view of the same streams as `/api/chat`. One
 * socket carries the requests of any number of sessions. `sequence` counts the chunks of one request from 0.
 * The socket belongs to the worker, and leaving it, or an `abort`, cancels no run.
 */

const requestId = z.string().min(1).max(128);
const frameSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("send"), requestId, id: z.string() }),
  z.looseObject({
    type: z.literal("resume"),
    requestId,
    id: z.string(),
    lastSequence: z.number().int().optional(),
  }),
  z.looseObject({ type: z.literal("abort"), requestId }),
]);
type Frame = z.output<typeof frameSchema>;

/** `requests` counts what an actor asks anywhere: a frame here is a request like any other. */
export function mountChatSocket(app: Hono<HttpEnv>, deps: Deps, requests: RateLimit): void {
  route(app, "/api/chat/ws", {
    GET: {
      scopes: [],
      summary: "Socket of `WebSocketChatTransport`.",
      answers: { 101: null },
      handle: (c) =>
        isUpgrade(c.req.raw)
          ? openChatSocket(deps, { actor: c.var.actor, traceId: requestIdOf(c) }, requests)
          : refuse(c, UPGRADE_REQUIRED),
    },
  });
}

function openChatSocket(
  deps: Deps,
  { actor, traceId }: { readonly actor: Actor; readonly traceId: string },
  requests: RateLimit,
): Response {
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  server.accept();
  const { frameBytes, framesPerMinute, socketMaxAgeMs } = deps.config.limits;
  const openedAt = deps.now();
  const frames = createRateLimit(framesPerMinute, deps.now);
  const end = (): void => server.close(CLOSE_CODES.unauthenticated, "unauthenticated");
  const connection = new ChatConnection(deps, {
    traceId,
    actor: () => presentActor(deps.config, actor, deps.now()),
    send: (frame) => {
      // A socket that has just closed takes no more.
      if (server.readyState === WebSocket.OPEN) server.send(JSON.stringify(frame));
    },
    end,
  });
  server.addEventListener("message", ({ data }) => {
    if (presentActor(deps.config, actor, deps.now()) === null) return end();
    if (deps.now() - openedAt >= socketMaxAgeMs) return server.close(CLOSE_CODES.tooOld, "socket_too_old");
    if (typeof data !== "string") return server.close(1003, "unsupported_frame");
    if (new TextEncoder().encode(data).length > frameBytes) return server.close(1009, "frame_too_large");
    const frame = parse(data);
    const over = frames.admit("frames") ?? requests.admit(actor.subject);
    if (over !== null) {
      if (frame !== null) connection.refuse(frame.requestId, over);
      return server.close(CLOSE_CODES.tooMany, over.code);
    }
    if (frame === null) return server.close(CLOSE_CODES.invalid, "invalid_frame");
    void connection.handle(frame);
  });
  server.addEventListener("close", () => connection.leave());
  return new Response(null, { status: 101, webSocket: client });
}

function parse(data: string): Frame | null {
  const value = parseJson(data);
  return isTooDeep(value) ? null : (frameSchema.safeParse(value).data ?? null);
}

interface ChatSocket {
  /** `x-request-id` of its upgrade: the trace id of each message that brings none itself */
  readonly traceId: string;
  /** the user who opened it, with their present rights; null once those have ended */
  readonly actor: () => Actor | null;
  readonly send: (frame: object) => void;
  /** closes it, because the user's access has ended */
  readonly end: () => void;
}

class ChatConnection {
  readonly #deps: Deps;
  readonly #socket: ChatSocket;
  readonly #open = new Map<string, AbortController>();

  constructor(deps: Deps, socket: ChatSocket) {
    this.#deps = deps;
    this.#socket = socket;
  }

  leave(): void {
    for (const request of this.#open.values()) request.abort();
  }

  /** A client that is closed learns the code alone, so the words come before. */
  refuse(id: string, { message, retryAfter = 0 }: ApiError): void {
    this.#fail(id, `${message} Open the socket again in ${Math.ceil(retryAfter)} s.`);
  }

  async handle(frame: Frame): Promise<void> {
    if (frame.type === "abort") return this.#open.get(frame.requestId)?.abort();
    const { requestId: id } = frame;
    const abort = new AbortController();
    this.#open.get(id)?.abort();
    this.#open.set(id, abort);
    try {
      const actor = this.#socket.actor();
      if (actor === null) return this.#socket.end();
      if (frame.type === "send") await this.#chat(frame, actor, abort.signal);
      else await this.#resume(frame, actor, abort.signal);
    } catch (error) {
      this.#deps.report(error, id);
      this.#fail(id, INTERNAL.message);
    } finally {
      if (this.#open.get(id) === abort) this.#open.delete(id);
    }
  }

  async #chat(frame: Extract<Frame, { type: "send" }>, actor: Actor, signal: AbortSignal): Promise<void> {
    const { requestId: id } = frame;
    const missing = missingScope(actor, ["send"]) ?? missingScope(actor, ["read"]);
    if (missing !== null) return this.#fail(id, missing.message);
    const chat = await startChat(this.#deps, actor, frame, this.#socket.traceId);
    if (!chat.ok) return this.#refused(id, chat.error);
    const { client, of } = chat.value;
    if (of === null) {
      this.#socket.send({ type: "start", requestId: id });
      return this.#socket.send({ type: "end", requestId: id });
    }
    const stream = await client.stream(actor, of);
    if (stream.status === 204) return this.#fail(id, "There is nothing new in these messages.");
    await this.#relay(id, stream, signal);
  }

  async #resume(frame: Extract<Frame, { type: "resume" }>, actor: Actor, signal: AbortSignal): Promise<void> {
    const { requestId: id } = frame;
    const missing = missingScope(actor, ["read"]);
    if (missing !== null) return this.#fail(id, missing.message);
    // Texts are cut as they come, so a number of a former request names no place in them.
    if (frame.lastSequence !== undefined)
      return this.#fail(id, "A stream is resumed from its start here: leave lastSequence out.");
    const session = parseSessionId(frame.id);
    if (!session.ok) return this.#fail(id, session.error.message);
    const of = { kind: "run", run: "live", after: null, part: "whole" } as const;
    const stream = await this.#deps.sessions(session.value).stream(actor, of);
    if (stream.status === 204 || stream.status === 404)
      return this.#socket.send({ type: "no-active", requestId: id });
    await this.#relay(id, stream, signal);
  }

  /** The chunks of a stream as frames. */
  async #relay(id: string, stream: Response, signal: AbortSignal): Promise<void> {
    if (!stream.ok || stream.body === null) return this.#refused(id, await readRefusal(stream));
    const reader = stream.body.getReader();
    signal.addEventListener("abort", () => void reader.cancel());
    this.#socket.send({ type: "start", requestId: id });
    let sequence = 0;
    for await (const data of eventsOf(reader)) {
      if (signal.aborted) return;
      const now = this.#socket.actor();
      if (now === null || missingScope(now, ["read"]) !== null) {
        await reader.cancel();
        return this.#socket.end();
      }
      if (data === "[DONE]") return this.#socket.send({ type: "end", requestId: id });
      const chunk: unknown = JSON.parse(data);
      this.#socket.send({ type: "chunk", requestId: id, sequence: sequence++, chunk });
    }
    if (!signal.aborted) this.#fail(id, "The stream paused: resume it.");
  }

  /** A session of a newer version may know that the caller's access has ended. */
  #refused(id: string, { status, message }: ApiError): void {
    this.#fail(id, message);
    if (status === 401) this.#socket.end();
  }

  #fail(id: string, errorText: string): void {
    this.#socket.send({ type: "error", requestId: id, errorText });
  }
}

/** The data of each event of a stream of ours: one line of it, ended by an empty one. */
async function* eventsOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const line = event.split("\n").find((each) => each.startsWith("data: "));
      if (line !== undefined) yield line.slice("data: ".length);
    }
  }
}
