import { err, ok } from "../../core/log/result.ts";
import type { Hono } from "hono";
import { sha256Hex } from "../../core/log/digest.ts";
import { hasTooManyValues } from "../../core/log/json-values.ts";
import { isTooDeep } from "../../core/log/json.ts";
import { MODEL_UNAVAILABLE } from "../../session/api/errors.ts";
import { refusal, type Actor, type ApiResult } from "../../session/api/session-api.ts";
import { mapWebhook } from "../../webhooks/rules.ts";
import { checkSignature, digestOfBytes, SCHEME_TRAITS } from "../../webhooks/signatures.ts";
import type { Deps } from "../deps.ts";
import { readBody } from "../kit/parse.ts";
import { readMessageSpec } from "../runs/read-ask.ts";
import { MISCONFIGURED, NOT_FOUND } from "../kit/responses.ts";
import { type HttpContext, type HttpEnv, notThisMethod, refuse, requestId } from "../kit/route.ts";

const BAD_PAYLOAD = refusal(
  422,
  "invalid_payload",
  "The body is neither JSON nor a form, or is nested too deep.",
  "Set content-type to application/json, or application/x-www-form-urlencoded.",
);

export function mountWebhooks(app: Hono<HttpEnv>, deps: Deps): void {
  app.post("/hooks/:source", (c) => receiveWebhook(c, deps));
  app.all("/hooks/:source", (c) =>
    deps.webhooks.rules.sources.has(c.req.param("source"))
      ? notThisMethod(c, ["POST"])
      : refuse(c, NOT_FOUND),
  );
}

async function receiveWebhook(c: HttpContext, deps: Deps): Promise<Response> {
  const { config, sessions, webhooks, now } = deps;
  const { rules, deliveries } = webhooks;
  const { limits } = config;
  const name = c.req.param("source") ?? "";
  const source = rules.sources.get(name);
  if (source === undefined) return refuse(c, rules.faults.has(name) ? MISCONFIGURED : NOT_FOUND);
  const body = await readBody(c.req.raw, limits.hookBytes);
  if (!body.ok) return refuse(c, body.error);
  const { headers } = c.req.raw;
  const { scheme, owner } = source;
  const at = now();
  const secrets = config.webhookSecrets.get(name) ?? [];
  const received = { headers, bytes: body.value };
  const verdict = await checkSignature(scheme, secrets, received, at, limits.webhookToleranceSeconds);
  if (verdict === "stale_timestamp")
    return refuse(c, refusal(401, verdict, "The webhook was signed too long ago, or ahead of our clock."));
  if (verdict === "invalid_signature")
    return refuse(c, refusal(401, verdict, "The webhook is not signed with the secret of this source."));
  const wait = await deliveries.admit(name, limits.hooksPerMinute, at);
  if (wait !== null)
    return refuse(c, {
      ...refusal(429, "rate_limited", "Too many webhooks of this source."),
      retryAfter: wait,
    });

  const read = readPayload(headers.get("content-type") ?? "", body.value);
  if (!read.ok) return refuse(c, read.error);
  const { payload, text } = read.value;
  const { challenge, deliveryId, isIdSigned = false } = SCHEME_TRAITS[scheme];
  const challengeReply = challenge?.(payload) ?? null;
  if (challengeReply !== null) return Response.json(challengeReply);
  const digest = await digestOfBytes(body.value);
  const id = deliveryId(headers, payload);
  // Named by its signed content, so that a repetition cannot get another name.
  const signed = id !== null && isIdSigned ? `id:${id}` : `body:${digest}`;
  const keys = [...new Set([...(id === null ? [] : [`id:${id}`]), signed])];
  const delivery = sha256Hex(`${name} ${signed}`).slice(0, 32);
  const mapped = mapWebhook(source, { headers, body: payload, text, delivery });
  if (mapped.kind === "ignored") return Response.json({ ignored: true });
  if (mapped.kind === "incomplete")
    return refuse(
      c,
      refusal(
        422,
        "invalid_payload",
        `The session's name needs ${mapped.placeholder}, which is not there or does not fit.`,
      ),
    );
  if (config.models === null) return refuse(c, MODEL_UNAVAILABLE);
  const actor: Actor = { subject: owner, scopes: ["send"], via: "http" };
  const spec = await readMessageSpec(actor, mapped.run, deps, mapped);
  if (!spec.ok) return refuse(c, spec.error);

  const bound = await deliveries.bind(
    name,
    keys,
    { session: mapped.session, message: `hook_${delivery}` },
    at,
  );
  if (bound.run !== null) return Response.json({ duplicate: true, runId: bound.run });
  const sent = await sessions(bound.session).send(actor, {
    id: bound.message,
    parts: mapped.parts,
    mode: mapped.mode,
    source: "webhook",
    request: null,
    ask: {
      ...spec.value.ask,
      traceId: requestId(c),
      ...(mapped.approvers === null ? {} : { approvers: mapped.approvers }),
      ...(mapped.agent === null ? {} : { agent: mapped.agent }),
    },
  });
  if (!sent.ok) return refuse(c, sent.error);
  const { runId, seq, duplicate } = sent.value;
  await deliveries.settle(name, keys, runId);
  if (duplicate) return Response.json({ duplicate: true, runId });
  return Response.json(
    { runId, sessionId: bound.session, seq, deliveryId: id ?? `sha256:${digest}` },
    { status: 202 },
  );
}

interface Payload {
  readonly payload: unknown;
  /** as it came, decoded */
  readonly text: string;
}

/** fields of a form: half a million empty ones fit into a body, and take seconds */
const FORM_FIELDS_MAX = 1_000;

/** JSON, or a form: one with the single field `payload` holds JSON in it (GitHub, Slack). */
export function readPayload(type: string, bytes: Uint8Array): ApiResult<Payload> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return parsed(text);
    if (text.split("&", FORM_FIELDS_MAX + 1).length > FORM_FIELDS_MAX) return err(BAD_PAYLOAD);
    const fields = Object.fromEntries(new URLSearchParams(text));
    const { payload, ...others } = fields;
    if (payload !== undefined && Object.keys(others).length === 0) return parsed(payload);
    return ok({ payload: fields, text: JSON.stringify(fields) });
  } catch {
    return err(BAD_PAYLOAD);
  }
}

function parsed(text: string): ApiResult<Payload> {
  if (hasTooManyValues(text)) return err(BAD_PAYLOAD);
  const payload: unknown = JSON.parse(text, exactly);
  return isTooDeep(payload) ? err(BAD_PAYLOAD) : ok({ payload, text });
}

/** Converts integers that JavaScript cannot represent to text, so that two order numbers stay different. */
function exactly(_key: string, value: unknown, context?: { readonly source: string }): unknown {
  const lost = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  return lost ? (context?.source ?? value) : value;
}
