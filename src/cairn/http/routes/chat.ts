import { err, ok } from "../../core/log/result.ts";
import type { Hono } from "hono";
import * as z from "zod";
import {
  refusal,
  type Actor,
  type ApiResult,
  type ChatCommand,
  type SendCommand,
  type SentView,
} from "../../session/api/session-api.ts";
import { readChatBody, type ChatBody } from "../../protocol/chat-body.ts";
import type { Deps } from "../deps.ts";
import { readJson, parseSessionId, parseWhole } from "../kit/parse.ts";
import { withSpec } from "../kit/parse-commands.ts";
import {
  inSession,
  type Handle,
  type HttpContext,
  type HttpEnv,
  asReplay,
  missingScope,
  refuse,
  requestId,
  route,
} from "../kit/route.ts";
import { readMessageSpec } from "../runs/read-ask.ts";
import { readRefusal, type SessionClient, type StreamOf } from "../kit/session-client.ts";
import { relayStream, streamResponse } from "../kit/sse.ts";

/**
 * `/api/chat`: the routes of the AI SDK. `DefaultChatTransport` posts and resumes here, and
 * `WebSocketChatTransport` does the same on one socket. A body brings a message, and responses to approvals and questions.
 */

const AFTER = { from: 0, to: Number.MAX_SAFE_INTEGER, otherwise: 0 };
const bodySchema = z.looseObject({ id: z.string() });

const NOTHING_NEW = refusal(422, "nothing_new", "There is nothing new in these messages.");
/** The stream that answers a chat body. */
export interface Chat {
  readonly client: SessionClient;
  /** null when nothing moves: someone else's vote is still missing */
  readonly of: Extract<StreamOf, { kind: "run" }> | null;
  readonly seq: number | null;
  readonly replayed: boolean;
}

/** Does what a chat body asks for. Used by the HTTP route and by the socket. */
export async function startChat(
  deps: Deps,
  actor: Actor,
  value: unknown,
  requestId: string,
): Promise<ApiResult<Chat>> {
  const body = bodySchema.safeParse(value);
  const id = parseSessionId(body.success ? body.data.id : undefined);
  if (!id.ok) return id;
  const parsedBody = readChatBody(value, deps.config.limits.messageBytes);
  if (parsedBody.kind === "refused")
    return err(refusal(parsedBody.status, parsedBody.code, parsedBody.message));
  const client = deps.sessions(id.value);
  const { answers = [], outputs = [] } = parsedBody;
  const decisions = (parsedBody.decisions ?? []).map((one) => ({ ...one, digest: one.digest ?? null }));
  if (parsedBody.kind === "regenerate") {
    const traceId = parsedBody.traceId ?? requestId;
    const command = {
      id: deps.newId(),
      message: parsedBody.message,
      request: null,
      decisions,
      answers,
      outputs,
      traceId,
      ...(parsedBody.clientTools === undefined ? {} : { clientTools: parsedBody.clientTools }),
    };
    const again = await client.regenerate(actor, command);
    return again.ok ? ok(answeredBy(client, again.value)) : again;
  }
  const message =
    parsedBody.kind === "decide" ? ok(null) : await messageOf(deps, actor, parsedBody, requestId);
  if (!message.ok) return message;
  return submitChat({ client, actor }, { decisions, answers, outputs, message: message.value });
}

/** The message of a body, with what it asks of its run; 422 `invalid_run`. */
async function messageOf(
  deps: Deps,
  actor: Actor,
  { id, parts, mode, run, clientTools, traceId }: Extract<ChatBody, { kind: "say" }>,
  requestId: string,
): Promise<ApiResult<SendCommand>> {
  const spec = await readMessageSpec(actor, run, deps, { parts });
  if (!spec.ok) return spec;
  return ok(
    withSpec(
      {
        id,
        parts,
        mode,
        source: "web",
        request: null,
        ask: clientTools === undefined ? {} : { clientTools },
      },
      spec.value,
      traceId ?? requestId,
    ),
  );
}

async function submitChat(
  { client, actor }: { readonly client: SessionClient; readonly actor: Actor },
  { decisions, answers, outputs = [], message }: ChatCommand,
): Promise<ApiResult<Chat>> {
  if (message !== null && decisions.length + answers.length + outputs.length === 0) {
    const result = await client.send(actor, message);
    return result.ok ? ok(answeredBy(client, result.value)) : result;
  }
  const done = await client.submit(
    { ...actor, via: decisions.length > 0 ? "chat" : actor.via },
    { decisions, answers, outputs, message },
  );
  if (!done.ok) return done;
  const { decided, sent } = done.value;
  if (sent !== null) return ok(answeredBy(client, sent));
  const live = { kind: "run", run: "live", after: null, part: "whole" } as const;
  if (decided === null) return ok({ client, of: live, seq: null, replayed: false });
  const of = decided.pending ? null : ({ ...live, run: decided.runId, part: "last" } as const);
  return ok({ client, of, seq: null, replayed: false });
}

/** A client starts an empty message for what it sends: the run's whole message fills it. */
function answeredBy(client: SessionClient, { runId, seq, mode, duplicate }: SentView): Chat {
  const part = duplicate || mode === "join" ? "whole" : "first";
  return { client, of: { kind: "run", run: runId, after: null, part }, seq, replayed: duplicate };
}

export function mountChat(app: Hono<HttpEnv>, deps: Deps): void {
  const { config, sessions } = deps;

  const post = async (c: HttpContext): Promise<Response> => {
    const missing = missingScope(c.var.actor, ["read"]);
    if (missing !== null) return refuse(c, missing);
    const body = await readJson(c.req.raw, config.limits.bodyBytes);
    if (!body.ok) return refuse(c, body.error);
    const chat = await startChat(deps, c.var.actor, body.value, requestId(c));
    if (!chat.ok) return refuse(c, chat.error);
    const { client, of, seq, replayed } = chat.value;
    if (of === null) return streamResponse("data: [DONE]\n\n", "run");
    const response = await relayStream(c, client, c.var.actor, of);
    if (response.status === 204) return refuse(c, NOTHING_NEW);
    if (!response.ok) return response;
    if (of.run !== "live") response.headers.set("x-cairn-run-id", of.run);
    if (seq !== null) response.headers.set("x-cairn-seq", String(seq));
    return asReplay(response, replayed);
  };

  const resume: Handle = async (c, session, actor) => {
    const after = parseWhole("last-event-id", c.req.header("last-event-id"), AFTER);
    if (!after.ok) return refuse(c, after.error);
    const of = { kind: "run", run: "live", after: after.value, part: "whole" } as const;
    const stream = await sessions(session).stream(actor, of);
    // A fresh chat asks for a session that does not exist yet: one that is missing, or foreign, has nothing to resume.
    if (stream.status === 204 || stream.status === 404) return new Response(null, { status: 204 });
    if (!stream.ok || stream.body === null) return refuse(c, await readRefusal(stream));
    return streamResponse(stream.body, "run");
  };

  const answers = { 200: "stream" } as const;
  route(app, "/api/chat", {
    POST: {
      scopes: ["send"],
      summary: "Request of `DefaultChatTransport`.",
      body: bodySchema,
      answers,
      handle: post,
    },
  });
  route(app, "/api/chat/:id/stream", {
    GET: {
      scopes: ["read"],
      summary: "Resumes the stream of the live run.",
      headers: ["Last-Event-ID"],
      answers: { ...answers, 204: null },
      handle: inSession(resume),
    },
  });
}
