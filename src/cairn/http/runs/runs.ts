import type { Hono } from "hono";
import * as z from "zod";
import { localRun, readRunId } from "../../core/log/names.ts";
import { err, ok } from "../../core/log/result.ts";
import { refusal, type Actor, type ApiResult } from "../../session/api/session-api.ts";
import { RUN_STATUSES } from "../../protocol/api.ts";
import { json } from "../../protocol/json.ts";
import { RUN_REQUEST } from "../../protocol/run-spec/shape.ts";
import { isAnswerText } from "../../protocol/stream/data-parts.ts";
import { ownersSeenBy } from "../kit/credentials.ts";
import type { Deps } from "../deps.ts";
import { parseIdempotencyKey } from "../kit/idempotency.ts";
import { listRuns } from "../kit/index-reader.ts";
import { PAGE_QUERY, pageBody, parsePage, parseSessionId, readFields } from "../kit/parse.ts";
import { invalid, NOT_FOUND } from "../kit/responses.ts";
import { type HttpContext, type HttpEnv, answer, refuse, route } from "../kit/route.ts";
import { startRun } from "./start-run.ts";
import { readTree } from "./tree.ts";
import { parseTraceQuery, TRACE_QUERY, traceResponse } from "../kit/trace.ts";

/** `/api/runs`: the runs of all sessions; `/api/runs/:runId`: what is asked of one of them, whichever session it is of. */

const resumeSchema = z.strictObject({
  questionId: z.string().min(1).max(128).optional(),
  value: json.optional(),
  retry: z.literal(true).optional(),
});

interface NamedRun {
  readonly runId: string;
  readonly session: string;
}

export function mountRuns(app: Hono<HttpEnv>, deps: Deps): void {
  const { config, sessions, newId } = deps;
  const inRun =
    (handle: (c: HttpContext, run: NamedRun, actor: Actor) => Promise<Response>) => (c: HttpContext) => {
      const runId = c.req.param("runId") ?? "";
      const named = readRunId(runId);
      return named === null
        ? refuse(c, NOT_FOUND)
        : handle(c, { runId, session: named.session }, c.var.actor);
    };

  const list = async (c: HttpContext): Promise<Response> => {
    const { status, sessionId, agent } = c.req.query();
    const known = RUN_STATUSES.find((each) => each === status);
    if (status !== undefined && known === undefined)
      return refuse(c, invalid(`status is one of ${RUN_STATUSES.join(", ")}.`));
    const session = sessionId === undefined ? ok(null) : parseSessionId(sessionId);
    if (!session.ok) return refuse(c, session.error);
    const page = parsePage(c.req.query());
    if (!page.ok) return refuse(c, page.error);
    const { items, next } = await listRuns(c.env.DB, {
      owner: ownersSeenBy(c.var.actor),
      status: known ?? null,
      session: session.value,
      agent: agent ?? null,
      ...page.value,
    });
    return Response.json(pageBody(items, next));
  };

  const show = inRun(async (c, { runId, session }, actor) => {
    const { include } = c.req.query();
    if (include !== undefined && include !== "trace") return refuse(c, invalid("include is trace."));
    const client = sessions(session);
    const run = await client.readRun(actor, runId);
    if (!run.ok || include === undefined) return answer(c, run);
    const traced = await client.readTrace(actor, localRun(session, runId), "json", false);
    return traced.ok ? Response.json({ ...run.value, trace: traced.value.items }) : refuse(c, traced.error);
  });

  const trace = inRun(async (c, { runId, session }, actor) => {
    const query = parseTraceQuery(c.req.query());
    if (!query.ok) return refuse(c, query.error);
    const { format, prompts } = query.value;
    return traceResponse(
      c,
      await sessions(session).readTrace(actor, localRun(session, runId), format, prompts),
      format,
    );
  });

  const tree = inRun(async (c, { runId, session }, actor) =>
    answer(c, await readTree(deps, actor, session, runId)),
  );

  const stop = inRun(async (c, { runId, session }, actor) => {
    const stopped = await sessions(session).stopRun(actor, { id: newId(), runId });
    if (!stopped.ok) return refuse(c, stopped.error);
    return stopped.value.ended ? new Response(null, { status: 204 }) : accepted(stopped.value.run);
  });

  const resume = inRun(async (c, { runId, session }, actor) => {
    const fields = await readFields(c, resumeSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const waitEnd = parseResume(fields.value, config.limits.messageBytes);
    if (!waitEnd.ok) return refuse(c, waitEnd.error);
    const client = sessions(session);
    if (waitEnd.value === "retry") {
      const idempotency = parseIdempotencyKey(c, fields.value);
      if (!idempotency.ok) return refuse(c, idempotency.error);
      return answer(c, await client.retryNow(actor, { id: idempotency.value?.key ?? newId(), runId }), 202);
    }
    return answer(c, await client.answer(actor, { runId, ...waitEnd.value }), 202);
  });

  route(app, "/api/runs", {
    GET: {
      scopes: ["read"],
      summary: "Lists runs (admins: everybody's), newest first.",
      query: {
        status: RUN_STATUSES.join(", "),
        sessionId: "of this session",
        agent: "of this agent",
        ...PAGE_QUERY,
      },
      answers: { 200: "Runs" },
      handle: list,
    },
    POST: {
      scopes: ["send"],
      summary: "Starts a run, and waits up to 25 seconds for its end.",
      query: { async: "true: answers at once" },
      body: RUN_REQUEST,
      bodyFields: "run",
      answers: { 200: "Run", 202: "Run" },
      handle: startRun(deps),
    },
  });
  route(app, "/api/runs/:runId", {
    GET: {
      scopes: ["read"],
      summary: "Reads a run.",
      query: { include: "trace: with how each of its steps came about" },
      answers: { 200: "RunDetail" },
      handle: show,
    },
    DELETE: {
      scopes: ["send"],
      summary: "Cancels a run; 204 if it has ended.",
      answers: { 202: "Run", 204: null },
      handle: stop,
    },
  });
  route(app, "/api/runs/:runId/tree", {
    GET: {
      scopes: ["read"],
      summary: "Reads the run with all runs below it.",
      answers: { 200: "RunTree" },
      handle: tree,
    },
  });
  route(app, "/api/runs/:runId/trace", {
    GET: {
      scopes: ["read"],
      summary: "Shows how each step of the run was made.",
      query: TRACE_QUERY,
      answers: { 200: "Trace" },
      handle: trace,
    },
  });
  route(app, "/api/runs/:runId/resume", {
    POST: {
      scopes: ["send"],
      summary: "Answers the run's question, or retries its provider.",
      body: resumeSchema,
      answers: { 202: "Run" },
      handle: resume,
    },
  });
}

const accepted = (run: object): Response => Response.json(run, { status: 202 });

type WaitEnd = "retry" | { readonly question: string | null; readonly value: string };

/** An answer to the question that is named, else to the open one; or the word to try again. */
function parseResume(
  { questionId, value, retry }: z.output<typeof resumeSchema>,
  bytesMax: number,
): ApiResult<WaitEnd> {
  if ((value === undefined) === (retry === undefined))
    return err(invalid("Send either value or retry.", "value answers a question, retry ends a wait."));
  if (retry === true)
    return questionId === undefined ? ok("retry") : err(invalid("Only a value answers a question."));
  return value !== undefined && isAnswerText(value, bytesMax)
    ? ok({ question: questionId ?? null, value })
    : err(refusal(422, "invalid_answer", `An answer is a text of at most ${bytesMax} bytes.`));
}
