import { err, ok } from "../../core/log/result.ts";
import type { Hono } from "hono";
import * as z from "zod";
import { refusal, type Actor, type ApiResult } from "../../session/api/session-api.ts";
import { readChatBody, type Decided } from "../../wire/chat-body.ts";
import type { Deps } from "../kit/deps.ts";
import { readJson, parseSessionId, parseWhole } from "../kit/parse.ts";
import {
  inSession,
  type Handle,
  type HttpContext,
  type HttpEnv,
  asReplay,
  missingScope,
  refuse,
  route,
} from "../kit/route.ts";
import { readRefusal, type SessionClient, type StreamOf } from "../kit/session-client.ts";
import { relayStream, streamResponse } from "../kit/sse.ts";

/**
 * `/api/chat`: the routes of the AI SDK. `DefaultChatTransport` posts and resumes here, and
 * `WebSocketChatTransport` does the same on one socket. Of a body only the last message is read, or a person's decisions.
 */

const AFTER = { from: 0, to: Number.MAX_SAFE_INTEGER, otherwise: 0 };
const bodySchema = z.looseObject({ id: z.string() });

const NOTHING_NEW = refusal(422, "nothing_new", "There is nothing new in these messages.");
const NEEDS_APPROVE = refusal(
  403,
  "missing_scope",
  "This needs the scope approve.",
  "Use a token that has it.",
);

/** What a chat body has led to: the stream that answers it. */
export interface Chat {
  readonly client: SessionClient;
  /** null when nothing moves: someone else's vote is still missing */
  readonly of: Extract<StreamOf, { kind: "run" }> | null;
  readonly seq: number | null;
  readonly replayed: boolean;
}

/** Does what a chat body asks for. Used by the HTTP route and by the socket. */
export async function startChat(deps: Deps, actor: Actor, value: unknown): Promise<ApiResult<Chat>> {
  const body = bodySchema.safeParse(value);
  const id = parseSessionId(body.success ? body.data.id : undefined);
  if (!id.ok) return id;
  const asked = readChatBody(value, deps.config.limits.messageBytes);
  if (asked.kind === "refused") return err(refusal(asked.status, asked.code, asked.message));
  const client = deps.sessions(id.value);
  if (asked.kind === "decide") return decide(client, actor, asked.decisions);
  const said =
    asked.kind === "regenerate"
      ? await client.regenerate(actor, { id: deps.newId(), message: asked.message, request: null })
      : await client.send(actor, {
          id: asked.id,
          parts: asked.parts,
          mode: asked.mode,
          source: "web",
          request: null,
          ask: {},
        });
  if (!said.ok) return said;
  const { runId, seq, mode, duplicate } = said.value;
  // A client starts an empty message for what it sends: the run's whole message fills it.
  const part = duplicate || mode === "join" ? "whole" : "first";
  return ok({ client, of: { kind: "run", run: runId, after: null, part }, seq, replayed: duplicate });
}

/** Decisions that came along before are skipped; what follows a new one is the next segment of its run. */
async function decide(
  client: SessionClient,
  actor: Actor,
  decisions: readonly Decided[],
): Promise<ApiResult<Chat>> {
  if (missingScope(actor, ["approve"]) !== null) return err(NEEDS_APPROVE);
  const live = { kind: "run", run: "live", after: null, part: "whole" } as const;
  const chat: Chat = { client, of: live, seq: null, replayed: false };
  let decided: Chat | null = null;
  for (const { approval, approved, reason } of decisions) {
    const decision = approved ? "approve" : "deny";
    const command = { approval, decision, args: null, reason, digest: null } as const;
    const answer = await client.decide({ ...actor, via: "chat" }, command);
    if (!answer.ok && ![404, 409].includes(answer.error.status)) return answer;
    if (!answer.ok || answer.value.replayed) continue;
    const { runId: run, state } = answer.value.approval;
    decided = { ...chat, of: state === "pending" ? null : { ...live, run, part: "last" } };
  }
  return ok(decided ?? chat);
}

export function mountChat(app: Hono<HttpEnv>, deps: Deps): void {
  const { config, sessions } = deps;

  const post = async (c: HttpContext): Promise<Response> => {
    const missing = missingScope(c.var.actor, ["read"]);
    if (missing !== null) return refuse(c, missing);
    const body = await readJson(c.req.raw, config.limits.bodyBytes);
    if (!body.ok) return refuse(c, body.error);
    const chat = await startChat(deps, c.var.actor, body.value);
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
      summary: "DefaultChatTransport of the AI SDK sends here.",
      body: bodySchema,
      answers,
      handle: post,
    },
  });
  route(app, "/api/chat/:id/stream", {
    GET: {
      scopes: ["read"],
      summary: "The live run's message from its start, or after Last-Event-ID; 204 when none works.",
      headers: ["Last-Event-ID"],
      answers: { ...answers, 204: null },
      handle: inSession(resume),
    },
  });
}
