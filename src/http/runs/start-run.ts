import { readRunId } from "../../core/log/names.ts";
import { err, ok } from "../../core/log/result.ts";
import { RUN_BODY_BYTES, RUN_WAIT_MS } from "../../core/limits.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import { parseModelName, type PromptPart } from "../../core/log/model.ts";
import { RUN_AGENT } from "../../core/family/ask.ts";
import { BUILTIN_PACK } from "../../core/loop/internal-tools.ts";
import type { PreviousRun } from "../../core/log/run-spec.ts";
import { KEY_CONFLICT, MODEL_UNAVAILABLE } from "../../session/api/errors.ts";
import {
  refusal,
  type Actor,
  type ApiError,
  type ApiResult,
  type AskedRun,
  type IdempotencyKey,
} from "../../session/api/session-api.ts";
import { modelAllowed, modelGap, type Models } from "../../wire/config/config.ts";
import { listed, type Issue } from "../../wire/issues.ts";
import {
  parseRunRequest,
  type KnownNames,
  type NamedFile,
  type RunRequestSpec,
} from "../../wire/run-spec/parse.ts";
import type { RunView } from "../../wire/views.ts";
import type { Deps } from "../kit/deps.ts";
import { newSessionId, parseIdempotencyKey } from "../kit/idempotency.ts";
import { parseSessionId, readJson } from "../kit/parse.ts";
import { invalid } from "../kit/responses.ts";
import { type HttpContext, asReplay, refuse, requestId } from "../kit/route.ts";
import type { SessionClient } from "../kit/session-client.ts";

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

/** Starts a run as `body` specifies it, for every door at which one is asked for. 422 `invalid_run`, 503 `model_unavailable`, and what its session refuses. */
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

interface Read {
  readonly request: RunRequestSpec;
  readonly ask: AskedRun;
}

/** The specification as the session takes it; 422 `invalid_run` with all that is wrong with it and can be known here. */
async function readAsk(
  actor: Actor,
  body: unknown,
  deps: Deps,
  models: Models,
  traceId: string,
): Promise<ApiResult<Read>> {
  const parsed = parseRunRequest(body, await knownNames(deps, models));
  const issues: Issue[] = parsed.ok ? [] : [...parsed.issues];
  if (parsed.ok && parsed.request.approval?.onExpiry === "escalate") issues.push(ESCALATES);
  const previousId = parsed.ok ? parsed.request.previousRunId : parsed.previousRunId;
  const previous = previousId === null ? null : await readPrevious(actor, previousId, deps, issues);
  if (!parsed.ok || issues.length > 0) return err(invalidRun(listed(issues)));
  const { request, warnings } = parsed;
  const { model, fallbackModels: fallbacks } = request;
  const ask: AskedRun = {
    ...askOf(request),
    ...(model === null ? {} : { model }),
    ...(fallbacks === null ? {} : { fallbacks }),
    ...(previous === null ? {} : { previous }),
    traceId,
    warnings,
  };
  return ok({ request, ask });
}

/** What was not said is left out, so that the agent or the deployment says it. */
function askOf(request: RunRequestSpec): AskedRun {
  const { agent, profile, preset, tools, limits, temperature, onStuck, onExhausted, showThoughts } = request;
  const { resultKey, instructions, output, approval, dialect, questions, site, metadata } = request;
  const { citations, quarantine, rollouts, objectiveTemplate } = request;
  return Object.fromEntries(
    Object.entries({
      ...{ agent, profile, preset, tools, limits, temperature, onStuck, onExhausted, showThoughts },
      ...{ resultKey, instructions, output, dialect, questions, site, metadata, citations, quarantine },
      ...{ rollouts, objectiveTemplate },
      approval: approval === null ? null : stricter(approval),
    }).filter(([, value]) => value !== null),
  );
}

function stricter(approval: NonNullable<RunRequestSpec["approval"]>): NonNullable<AskedRun["approval"]> {
  const { rules, needed, expiresMs, onExpiry } = approval;
  return {
    rules,
    ...(needed === null ? {} : { needed }),
    ...(expiresMs === null ? {} : { expiresMs }),
    ...(onExpiry === "deny" ? { denyOnExpiry: true } : {}),
  };
}

async function knownNames({ tools, agents }: Deps, models: Models): Promise<KnownNames> {
  const shelf = tools();
  const cards = shelf.cards().filter((card) => card.gate !== "deny");
  return {
    agents: await agents.names(),
    packs: [...new Set(cards.map(({ pack }) => pack))].filter((pack) => pack !== BUILTIN_PACK),
    tools: [...cards.map(({ name }) => name), RUN_AGENT],
    modelFault: (model) => modelFault(model, models),
    unavailable: Object.fromEntries(shelf.notOffered().map(({ tool, why }) => [tool, why])),
  };
}

function modelFault(text: string, models: Models): string | null {
  const name = parseModelName(text);
  if (name !== null && modelAllowed(models, name) && modelGap(models, name) === null) return null;
  return `${text} may not be named here. MODELS_ALLOWED lists the models that may.`;
}

async function readPrevious(
  actor: Actor,
  runId: string,
  { sessions }: Deps,
  issues: Issue[],
): Promise<PreviousRun | null> {
  const path = "previous_run_id";
  const session = readRunId(runId)?.session;
  const found = session === undefined ? null : await sessions(session).recap(actor, runId);
  if (found?.ok === true) return found.value;
  const isLive = found?.error.code === "run_active";
  issues.push(
    isLive
      ? { path, code: "previous_run_active", message: `The run ${runId} has not ended yet.` }
      : { path, code: "previous_run_not_found", message: `There is no run ${runId}.` },
  );
  return null;
}

const ESCALATES: Issue = {
  path: "approval.on_expiry",
  code: "approval_weakened",
  message: "Who is asked after them is said by the agent and the tools. A run can only be stricter: deny.",
};

function invalidRun(issues: readonly Issue[]): ApiError {
  const [first] = issues;
  const more = issues.length > 1 ? ` ${issues.length} things are wrong with it.` : "";
  const message = `The run was not accepted.${more} ${first?.path ?? ""}: ${first?.message ?? ""}`;
  return { ...refusal(422, "invalid_run", message, "The issues say what to change."), issues };
}
