import { err, ok } from "../../core/log/result.ts";
import { RUN_BODY_BYTES, RUN_WAIT_MS } from "../../core/limits.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import type { PromptPart } from "../../core/log/model.ts";
import { KEY_CONFLICT, MODEL_UNAVAILABLE } from "../../session/api/errors.ts";
import type { Actor, ApiResult, IdempotencyKey } from "../../session/api/session-api.ts";
import type { NamedFile } from "../../protocol/run-spec/parse.ts";
import type { RunView } from "../../protocol/views.ts";
import type { Deps } from "../deps.ts";
import { newSessionId, parseIdempotencyKey } from "../kit/idempotency.ts";
import { parseSessionId, readJson } from "../kit/parse.ts";
import { invalid } from "../kit/responses.ts";
import { type HttpContext, asReplay, refuse, requestId } from "../kit/route.ts";
import type { SessionClient } from "../kit/session-client.ts";
import { readAsk } from "./read-ask.ts";

/** `POST /api/runs`: a job as data. It is accepted whole, or refused with everything that is wrong with it. */

const RETRY_AFTER_SECONDS = "2";

export function startRun(deps: Deps): (c: HttpContext) => Promise<Response> {
  const { config } = deps;
  return async (c) => {
    const { async: later = "false", ...others } = c.req.query();
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) return refuse(c, invalid(`The query knows no ${unknown}.`, "Use async."));
    if (later !== "true" && later !== "false") return refuse(c, invalid("async is true or false."));
    const body = await readJson(c.req.raw, Math.min(RUN_BODY_BYTES, config.limits.bodyBytes));
    if (!body.ok) return refuse(c, body.error);
    const idempotency = parseIdempotencyKey(c, body.value);
    if (!idempotency.ok) return refuse(c, idempotency.error);
    const how = { idempotency: idempotency.value, traceId: requestId(c) };
    const begun = await beginRun(deps, c.var.actor, body.value, how);
    if (!begun.ok) return refuse(c, begun.error);
    const { client, runId, duplicate } = begun.value;
    const ms = later === "true" ? 0 : RUN_WAIT_MS;
    return asReplay(await viewOf(c, client, runId, ms), duplicate);
  };
}

export interface BegunRun {
  readonly client: SessionClient;
  readonly runId: string;
  /** the same key has begun it before */
  readonly duplicate: boolean;
}

/**
 * Starts a run as `body` specifies it, for every route that starts runs. Refuses with 422 `invalid_run`, 503
 * `model_unavailable`, and the refusals of its session.
 */
export async function beginRun(
  deps: Deps,
  actor: Actor,
  body: unknown,
  { idempotency, traceId }: { readonly idempotency: IdempotencyKey | null; readonly traceId: string },
): Promise<ApiResult<BegunRun>> {
  const { config, sessions, newId } = deps;
  if (config.models === null) return err(MODEL_UNAVAILABLE);
  const read = await readAsk(actor, body, deps, config.models, traceId);
  if (!read.ok) return read;
  const { request, ask } = read.value;
  const session = parseSessionId(request.sessionId ?? newSessionId(idempotency, newId));
  if (!session.ok) return session;
  const client = sessions(session.value);
  const sent = await client.send(actor, {
    id: idempotency === null ? `run_${newId()}` : `run_${idempotency.key.slice(0, 40)}`,
    digest: idempotency?.digest ?? sha256Hex(request.objective),
    parts: [{ type: "text", text: request.objective }, ...partsOf(request.files ?? [])],
    files: request.files === null ? "waiting" : request.files.map(({ path }) => path),
    mode: "queue",
    source: "api",
    request: null,
    ask,
  });
  if (!sent.ok) return err(sent.error.code === "message_exists" ? KEY_CONFLICT : sent.error);
  return ok({ client, runId: sent.value.runId, duplicate: sent.value.duplicate });
}

/** The type is what the session knows of the file. */
const partsOf = (files: readonly NamedFile[]): readonly PromptPart[] =>
  files.map(({ url }) => ({ type: "file", mediaType: "application/octet-stream", url }));

/** 200 with a run that has ended; 202 with one that has not, and where to look for it. */
async function viewOf(c: HttpContext, client: SessionClient, runId: string, ms: number): Promise<Response> {
  const found = await client.awaitRun(c.var.actor, runId, ms);
  if (!found.ok) return refuse(c, found.error);
  if (hasEnded(found.value)) return Response.json(found.value);
  const response = Response.json(found.value, { status: 202 });
  response.headers.set("location", `/api/runs/${runId}`);
  response.headers.set("retry-after", RETRY_AFTER_SECONDS);
  return response;
}

export const hasEnded = ({ status }: Pick<RunView, "status">): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";
