import type { Hono } from "hono/tiny";
import * as z from "zod";
import { loadMcpServer } from "../../../build/modules/mcp.ts";
import type { ApiError } from "../../cairn/session/api/session-api.ts";
import type { Authenticator } from "../../cairn/http/kit/credentials.ts";
import type { Deps } from "../../cairn/http/deps.ts";
import { readJson } from "../../cairn/http/kit/parse.ts";
import type { RateLimit } from "../../cairn/http/kit/rate-limit.ts";
import { type HttpContext, type HttpEnv, notThisMethod, requestId } from "../../cairn/http/kit/route.ts";
import { authenticateMcp, challenge } from "./oauth/access.ts";
import { capabilitiesOf, CODES, createServer, TASKS } from "./server.ts";

/**
 * `POST /mcp`: the Model Context Protocol, stateless. Both revisions use the same route: 2026-07-28 describes the
 * client with each request; the one before it calls `initialize` first, and nothing of that is stored. There is no
 * stream: a waiting client polls. A body that is not JSON, too large or too deep is refused before the protocol's own
 * code is loaded.
 */

const MODERN = "2026-07-28";
/** Those that name a task, in the body and in the header by which they are routed. */
const TASK_METHODS: ReadonlySet<string> = new Set(["tasks/get", "tasks/update", "tasks/cancel"]);

const messageSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({ taskId: z.unknown().optional(), _meta: z.unknown().optional() }).optional(),
});

export function mountMcp(
  app: Hono<HttpEnv>,
  deps: Deps,
  { authenticator, rateLimit }: { readonly authenticator: Authenticator; readonly rateLimit: RateLimit },
): void {
  const { config, report } = deps;

  const post = async (c: HttpContext): Promise<Response> => {
    const known = await authenticateMcp(c, deps, authenticator);
    if (!known.ok) return challenge(c, known.error);
    const actor = known.value;
    const over = rateLimit.admit(actor.subject);
    if (over !== null) return refused(over);
    const request = c.req.raw;
    const body = await readJson(request, config.limits.bodyBytes);
    if (!body.ok) return refused(body.error);
    const early = refuseEarly(request, body.value);
    if (early !== null) return early;
    const sdk = await loadMcpServer();
    const { signal } = request;
    const handler = sdk.createMcpHandler(
      ({ era }) => createServer(sdk, deps, { actor, era, signal, requestId: requestId(c) }),
      { keepAliveMs: 0, onerror: (error) => reportFault(error, requestId(c)) },
    );
    return handler.fetch(request, { parsedBody: body.value });
  };
  // Client errors are reported to the client only.
  const reportFault = (error: Error, id: string): void => {
    if (error instanceof TypeError || error instanceof RangeError) report(error, id);
  };

  app.post("/mcp", post);
  app.all("/mcp", async (c) => {
    const known = await authenticateMcp(c, deps, authenticator);
    return known.ok ? notThisMethod(c, ["POST"]) : challenge(c, known.error);
  });
}

/** Refuses requests that the protocol's own code accepts, or would answer with a stream that never sends anything. */
function refuseEarly(request: Request, body: unknown): Response | null {
  if (Array.isArray(body))
    return rpcError(400, CODES.invalidRequest, "Send one message at a time: there are no batches.");
  const message = messageSchema.safeParse(body);
  if (!message.success) return null;
  const { id = null, method, params } = message.data;
  if (request.headers.get("mcp-protocol-version") !== MODERN) return null;
  if (method === "subscriptions/listen")
    return rpcError(404, CODES.methodNotFound, "Nothing is told here unasked. Ask tasks/get again.", id);
  if (!TASK_METHODS.has(method)) return null;
  const name = request.headers.get("mcp-name")?.trim();
  if (params?.taskId !== undefined && name !== params.taskId)
    return rpcError(400, CODES.headerMismatch, "Mcp-Name is not the taskId of the body.", id);
  if (params?._meta === undefined || capabilitiesOf(params._meta).tasks) return null;
  const requiredCapabilities = { extensions: { [TASKS]: {} } };
  return rpcError(400, CODES.missingCapability, `This needs the capability ${TASKS}.`, id, {
    requiredCapabilities,
  });
}

/** A refusal of the door in the form of the protocol. */
function refused({ status, code, message, hint, retryAfter }: ApiError): Response {
  const of = code === "invalid_json" ? CODES.parse : CODES.invalidRequest;
  const response = rpcError(status, of, hint === undefined ? message : `${message} ${hint}`);
  if (retryAfter !== undefined)
    response.headers.set("retry-after", String(Math.max(1, Math.ceil(retryAfter))));
  return response;
}

const rpcError = (
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
  data?: object,
): Response => Response.json({ jsonrpc: "2.0", id, error: { code, message, data } }, { status });
