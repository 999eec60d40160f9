import { err, ok } from "../../core/log/result.ts";
import type { Hono } from "hono";
import * as z from "zod";
import { FACT_BYTES_MAX, FACT_KEY_CHARS_MAX } from "../../core/limits.ts";
import { localRun } from "../../core/log/names.ts";
import { MODEL_UNAVAILABLE } from "../../session/api/errors.ts";
import { refusal, type ApiResult, type ApiError, type SentView } from "../../session/api/session-api.ts";
import { wellFormedText } from "../../protocol/chat-body.ts";
import { eventOf } from "../../protocol/views.ts";
import {
  cancelSchema,
  continueSchema,
  extendSchema,
  messageSchema,
  SAY_FIELDS,
  withLimits,
  withSpec,
  parseCancel,
  extendCommand,
  parseSay,
  parseSteer,
  steerSchema,
} from "../kit/parse-commands.ts";
import type { Deps } from "../deps.ts";
import { parseIdempotencyKey } from "../kit/idempotency.ts";
import { PAGE, readFields, readJson, parseMessageId, parseWhole } from "../kit/parse.ts";
import { invalid } from "../kit/responses.ts";
import {
  inSession,
  type Handle,
  type HttpContext,
  type HttpEnv,
  answer,
  answerNothing,
  asReplay,
  missingScope,
  refuse,
  requestId,
  route,
} from "../kit/route.ts";
import { readMessageSpec } from "../runs/read-ask.ts";
import { splitMessage } from "../../protocol/run-spec/message-fields.ts";
import { relayStream } from "../kit/sse.ts";
import { parseTraceQuery, TRACE_QUERY, traceResponse } from "../kit/trace.ts";

/** Routes below `/api/sessions/:id`; the session itself is in session-list.ts. Each session checks its owner itself. */

const MESSAGES_SHOWN = { from: 1, to: 1_000, otherwise: 200 };
const EVENTS_SHOWN = { from: 1, to: 1_000, otherwise: 200 };
/** of a page that was read: what a person reads at once, and what a program may */
const PAGE_CHARS_SHOWN = { from: 1, to: 100_000, otherwise: 1_200 };
const AFTER = { from: 0, to: Number.MAX_SAFE_INTEGER, otherwise: 0 };

// As the tool that remembers takes them.
const factKey = wellFormedText.pipe(z.string().trim().min(1).max(FACT_KEY_CHARS_MAX));
const factSchema = z.strictObject({
  value: wellFormedText.pipe(
    z
      .string()
      .min(1)
      .refine(
        (text) => new TextEncoder().encode(text).length <= FACT_BYTES_MAX,
        `At most ${FACT_BYTES_MAX} bytes in UTF-8.`,
      ),
  ),
});

export function mountSession(app: Hono<HttpEnv>, deps: Deps): void {
  const { config, sessions } = deps;

  const trace: Handle = async (c, session, actor) => {
    const { run, ...others } = c.req.query();
    const query = parseTraceQuery(others);
    if (!query.ok) return refuse(c, query.error);
    const { format, prompts } = query.value;
    const name = run === undefined ? null : (localRun(session, run) ?? run);
    if (name !== null && !/^r[1-9]\d*$/.test(name)) return refuse(c, invalid("run is a name such as r1."));
    return traceResponse(c, await sessions(session).readTrace(actor, name, format, prompts), format);
  };
  const memory: Handle = async (c, session, actor) => answer(c, await sessions(session).memory(actor));

  const sourcePage: Handle = async (c, session, actor) => {
    const limit = parseWhole("limit", c.req.query("limit"), PAGE_CHARS_SHOWN);
    if (!limit.ok) return refuse(c, limit.error);
    const offset = parseWhole("offset", c.req.query("offset"), AFTER);
    if (!offset.ok) return refuse(c, offset.error);
    return answer(
      c,
      await sessions(session).sourcePage(actor, {
        page: c.req.param("page") ?? "",
        evidence: c.req.query("evidence") ?? null,
        offset: c.req.query("offset") === undefined ? null : offset.value,
        limit: limit.value,
      }),
    );
  };

  const forget: Handle = async (c, session, actor) => {
    const key = c.req.query("key");
    if (key === undefined) return refuse(c, invalid("The query names what to forget.", "Send ?key=…"));
    return answerNothing(c, await sessions(session).forget(actor, key));
  };

  const remember: Handle = async (c, session, actor) => {
    const key = factKey.safeParse(c.req.param("key"));
    if (!key.success) return refuse(c, invalid(`A key is a text of 1 to ${FACT_KEY_CHARS_MAX} characters.`));
    const fields = await readFields(c, factSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    return answer(c, await sessions(session).remember(actor, key.data, fields.value.value));
  };

  const deliveries: Handle = async (c, session, actor) => {
    const limit = parseWhole("limit", c.req.query("limit"), PAGE);
    if (!limit.ok) return refuse(c, limit.error);
    const cursor = parseWhole("cursor", c.req.query("cursor"), AFTER);
    if (!cursor.ok) return refuse(c, cursor.error);
    return answer(c, await sessions(session).deliveries(actor, limit.value, cursor.value || null));
  };

  const listMessages: Handle = async (c, session, actor) => {
    const limit = parseWhole("limit", c.req.query("limit"), MESSAGES_SHOWN);
    if (!limit.ok) return refuse(c, limit.error);
    const before = parseMessageId(c.req.query("before"));
    if (!before.ok) return refuse(c, before.error);
    const page = await sessions(session).messages(actor, limit.value, before.value);
    if (!page.ok) return refuse(c, page.error);
    const response = Response.json(page.value.items);
    if (page.value.more) response.headers.set("x-cairn-more", "true");
    return response;
  };

  const say: Handle = async (c, session, actor) => {
    const streams = wantsStream(c);
    const missing = streams ? missingScope(actor, ["read"]) : null;
    if (missing !== null) return refuse(c, missing);
    if (config.models === null) return refuse(c, MODEL_UNAVAILABLE);
    const body = await readJson(c.req.raw, config.limits.bodyBytes);
    if (!body.ok) return refuse(c, body.error);
    const idempotencyKey = c.req.header("idempotency-key") ?? null;
    const { own, fields } = splitMessage(body.value, SAY_FIELDS);
    const parsed = parseSay(own, {
      subject: actor.subject,
      session,
      models: config.models,
      messageBytesMax: config.limits.messageBytes,
      idempotencyKey,
      newId: deps.newId,
    });
    if (!parsed.ok) return refuse(c, parsed.error);
    const spec = await readMessageSpec(actor, withLimits(fields, own), deps, parsed.value.command);
    if (!spec.ok) return refuse(c, spec.error);
    const client = sessions(session);
    const sent = await client.send(actor, withSpec(parsed.value.command, spec.value, requestId(c)));
    if (!sent.ok) return refuse(c, parsed.value.keyed ? asKeyConflict(sent.error) : sent.error);
    const response = streams
      ? await relayStream(c, client, actor, {
          kind: "run",
          run: sent.value.runId,
          after: null,
          // The client begins an empty message for it.
          part:
            sent.value.duplicate || sent.value.mode === "join" || sent.value.mode === "answer"
              ? "whole"
              : "first",
        })
      : Response.json(acceptedBody(sent.value), { status: 202 });
    if (!response.ok) return response;
    if (streams) response.headers.set("x-cairn-run-id", sent.value.runId);
    if (streams) response.headers.set("x-cairn-seq", String(sent.value.seq));
    return asReplay(response, sent.value.duplicate && idempotencyKey !== null);
  };

  const events: Handle = async (c, session, actor) => {
    const after = parseWhole("after", c.req.header("last-event-id") || c.req.query("after"), AFTER);
    if (!after.ok) return refuse(c, after.error);
    if (wantsStream(c)) {
      const until = parseUntil(c.req.query("until"));
      if (!until.ok) return refuse(c, until.error);
      return relayStream(c, sessions(session), actor, {
        kind: "events",
        after: after.value,
        until: until.value,
      });
    }
    const limit = parseWhole("limit", c.req.query("limit"), EVENTS_SHOWN);
    if (!limit.ok) return refuse(c, limit.error);
    const page = await sessions(session).events(actor, after.value, limit.value);
    return answer(c, page.ok ? ok({ ...page.value, items: page.value.items.map(eventOf) }) : page);
  };

  const cancel: Handle = async (c, session, actor) => {
    const body = await readJson(c.req.raw, config.limits.bodyBytes);
    if (!body.ok) return refuse(c, body.error);
    const idempotency = parseIdempotencyKey(c, body.value);
    if (!idempotency.ok) return refuse(c, idempotency.error);
    const command = parseCancel(body.value, idempotency.value?.key ?? deps.newId());
    if (!command.ok) return refuse(c, command.error);
    const digest = idempotency.value?.digest ?? null;
    const stopped = await sessions(session).cancel(actor, { ...command.value, digest });
    if (!stopped.ok) return refuse(c, stopped.error);
    const response = Response.json({ cancelled: stopped.value.cancelled }, { status: 202 });
    return asReplay(response, idempotency.value !== null && stopped.value.replayed);
  };

  const continueQueue: Handle = async (c, session, actor) => {
    const body = await readFields(c, continueSchema, config.limits.bodyBytes);
    if (!body.ok) return refuse(c, body.error);
    const continued = await sessions(session).continueQueue(actor);
    return continued.ok ? c.json(continued.value) : refuse(c, continued.error);
  };

  const steer: Handle = async (c, session, actor) => {
    const body = await readJson(c.req.raw, config.limits.bodyBytes);
    if (!body.ok) return refuse(c, body.error);
    const context = {
      subject: actor.subject,
      // another name than a message with the same key has
      session: `${session}/steer`,
      messageBytesMax: config.limits.messageBytes,
      idempotencyKey: c.req.header("idempotency-key") ?? null,
      newId: deps.newId,
    };
    const parsed = parseSteer(body.value, context);
    if (!parsed.ok) return refuse(c, parsed.error);
    const steered = await sessions(session).steer(actor, { ...parsed.value.command, traceId: requestId(c) });
    if (!steered.ok) return refuse(c, parsed.value.keyed ? asKeyConflict(steered.error) : steered.error);
    const { runId, seq, duplicate } = steered.value;
    const response = Response.json({ runId, seq }, { status: 202 });
    return asReplay(response, duplicate && context.idempotencyKey !== null);
  };

  const extend: Handle = async (c, session, actor) => {
    const fields = await readFields(c, extendSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    return answer(c, await sessions(session).extend(actor, extendCommand(fields.value, deps.newId())));
  };

  const at = "/api/sessions/:id";
  route(app, `${at}/messages`, {
    GET: {
      scopes: ["read"],
      summary: "Lists messages as AI SDK UI messages, oldest first.",
      query: { limit: "1 to 1000, else 200", before: "id of a message" },
      answers: { 200: "Messages" },
      handle: inSession(listMessages),
    },
    POST: {
      scopes: ["send"],
      summary: "Sends a message; with `Accept: text/event-stream`, streams the run.",
      body: messageSchema,
      bodyFields: "run",
      answers: { 202: "Accepted", 200: "stream" },
      handle: inSession(say),
    },
  });
  route(app, `${at}/events`, {
    GET: {
      scopes: ["read"],
      summary: "Reads log entries, as a page or an event stream.",
      query: { after: "seq of a row", limit: "1 to 1000, else 200", until: "idle ends the stream" },
      headers: ["Last-Event-ID"],
      answers: { 200: "Events" },
      handle: inSession(events),
    },
  });
  route(app, `${at}/trace`, {
    GET: {
      scopes: ["read"],
      summary: "Shows how each step was made.",
      query: { run: "name of a run, else the last", ...TRACE_QUERY },
      answers: { 200: "Trace" },
      handle: inSession(trace),
    },
  });
  route(app, `${at}/pages/:page`, {
    GET: {
      scopes: ["read"],
      summary: "Reads part of a cited page or file.",
      query: {
        evidence: "id of a citation: the text around its words",
        offset: "a place in the page, where the text begins",
        limit: "characters, 1 to 100000, else 1200",
      },
      answers: { 200: "SourcePage" },
      handle: inSession(sourcePage),
    },
  });
  route(app, `${at}/memory`, {
    GET: {
      scopes: ["read"],
      summary: "Reads the working memory.",
      answers: { 200: "Memory" },
      handle: inSession(memory),
    },
    DELETE: {
      scopes: ["send"],
      summary: "Forgets a fact.",
      query: { key: "of a fact, as the memory lists it" },
      answers: { 204: null },
      handle: inSession(forget),
    },
  });
  route(app, `${at}/memory/facts/:key`, {
    PUT: {
      scopes: ["send"],
      summary: "Stores a fact.",
      body: factSchema,
      answers: { 200: "Fact" },
      handle: inSession(remember),
    },
  });
  route(app, `${at}/cancel`, {
    POST: {
      scopes: ["send"],
      summary: "Cancels the live run, one run, or all.",
      body: cancelSchema,
      answers: { 202: "Cancelled" },
      handle: inSession(cancel),
    },
  });
  route(app, `${at}/continue`, {
    POST: {
      scopes: ["send"],
      summary: "Releases a held queue.",
      body: continueSchema,
      answers: { 200: "Continued" },
      handle: inSession(continueQueue),
    },
  });
  route(app, `${at}/steer`, {
    POST: {
      scopes: ["send"],
      summary: "Adds a message to the live run.",
      body: steerSchema,
      answers: { 202: "Steered" },
      handle: inSession(steer),
    },
  });
  route(app, `${at}/deliveries`, {
    GET: {
      scopes: ["read"],
      summary: "Lists messages sent to people and, for admins, to webhooks.",
      query: { limit: "1 to 100, else 20", cursor: "nextCursor of the page before" },
      answers: { 200: "Deliveries" },
      handle: inSession(deliveries),
    },
  });
  route(app, `${at}/extend`, {
    POST: {
      scopes: ["approve"],
      summary: "Gives the live run more, once.",
      body: extendSchema,
      answers: { 200: "Run" },
      handle: inSession(extend),
    },
  });
}

const wantsStream = (c: HttpContext): boolean =>
  /(^|[\s,])text\/event-stream\s*(;|,|$)/i.test(c.req.header("accept") ?? "");

function acceptedBody({ runId, seq, messageId, mode, queued }: SentView): Omit<SentView, "duplicate"> {
  return { runId, seq, messageId, mode, queued };
}

/** The id was made of the key, so a known id with other parts is a known key with another body. */
function asKeyConflict(error: ApiError): ApiError {
  if (error.code !== "message_exists") return error;
  return refusal(
    409,
    "idempotency_conflict",
    "This Idempotency-Key was used with another body.",
    "Use a new key for a new message.",
  );
}

function parseUntil(text: string | undefined): ApiResult<"idle" | null> {
  if (text === undefined) return ok(null);
  return text === "idle" ? ok("idle") : err(invalid("until is idle, or absent."));
}
