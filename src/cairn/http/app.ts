import type { Bindings } from "../bindings.ts";
import { Hono } from "hono/tiny";
import type { Actor, ApiResult } from "../session/api/session-api.ts";
import { ok } from "../core/log/result.ts";
import { type Config, hasProblem } from "../config/config.ts";
import { actorOfBinding, createAuthenticator, dropsCookie } from "./kit/credentials.ts";
import type { DeliveredMail, Deps, RouteMounts, RoutePlugin } from "./deps.ts";
import { mountOpenApi } from "./kit/openapi.ts";
import { dropUnread } from "./kit/parse.ts";
import { createRateLimit } from "./kit/rate-limit.ts";
import {
  checkLocalKey,
  checkTransport,
  cleanRequest,
  isPersonal,
  isUpgrade,
  pathOf,
  checkOrigin,
  corsHeaders,
  isPreflight,
} from "./kit/request-policy.ts";
import { closedSocket, errorResponse, INTERNAL, MISCONFIGURED, NOT_FOUND } from "./kit/responses.ts";
import { type HttpEnv, refuse } from "./kit/route.ts";
import { mountApprovalLinkCreation, mountApprovalLinks } from "./links/approval-link.ts";
import { mountShared, mountShares } from "./links/share-link.ts";
import { mountAgentDefinitions } from "./agents/routes.ts";
import { mountStoredTools } from "./tools/routes.ts";
import { mountAgents } from "./routes/agents.ts";
import { mountApprovals } from "./routes/approvals.ts";
import { mountInbox } from "./routes/inbox.ts";
import { mountChatSocket } from "./routes/chat-socket.ts";
import { mountChat } from "./routes/chat.ts";
import { mountDeployment, mountHealth } from "./routes/deployment.ts";
import { mountLogin } from "./routes/login.ts";
import { mountRuns } from "./runs/runs.ts";
import { mountSchedules } from "./routes/schedules.ts";
import { mountSessionFiles } from "./routes/session-files.ts";
import { mountSessionList } from "./routes/session-list.ts";
import { mountSession } from "./routes/session.ts";
import { mountUploads } from "./uploads/routes.ts";
import { mountWebhooks } from "./routes/webhooks.ts";

/**
 * The HTTP entry points. Order of checks: configuration, transport, origin, credential, scope; then the session checks
 * existence and ownership. Nothing below /api or /agents reaches a session without a credential.
 */

export interface App {
  fetch(request: Request, env: Bindings, context: ExecutionContext): Promise<Response>;
  /**
   * Answers a request made from a call of another Worker of the account. The caller is the subject named in the `props`
   * of the binding, and no header of the request is a credential. Everything after authentication is as in `fetch`.
   */
  call(request: Request, props: unknown, env: Bindings, context: ExecutionContext): Promise<Response>;
  /** Throws if the mail could not be processed: the sending server retries. */
  email(mail: DeliveredMail, env: Bindings): Promise<void>;
}

export function createApp(deps: Deps): App {
  const { config, report } = deps;
  // Keyed by identity, so that no request can claim another's caller.
  const callers = new WeakMap<Request, Actor>();
  const routes = createRoutes(deps, callers);
  const answer = async (request: Request, env: Bindings, context: ExecutionContext): Promise<Response> => {
    try {
      return await routes.fetch(request, env, context);
    } catch (error) {
      const id = request.headers.get("x-request-id") ?? "";
      report(error, id);
      return errorResponse(INTERNAL, id);
    }
  };
  return {
    async fetch(request, env, context) {
      const clean = cleanRequest(request, deps.newId);
      const response =
        refuseEarly(checkLocalKey(request, config.localKey), clean, config) ??
        (await answer(clean, env, context));
      if (response.status >= 400) await dropUnread(clean);
      return dress(response, clean, config);
    },
    async call(request, props, env, context) {
      const clean = cleanRequest(request, deps.newId);
      const id = clean.headers.get("x-request-id") ?? "";
      if (hasProblem(config, "C")) return errorResponse(MISCONFIGURED, id);
      const actor = actorOfBinding(config, props, deps.now());
      if (!actor.ok) return errorResponse(actor.error, id);
      callers.set(clean, actor.value);
      return await answer(clean, env, context);
    },
    async email(mail, env) {
      if (hasProblem(config, "C")) throw new Error("a variable is wrong: /healthz says which");
      const plugin = deps.plugins.find(({ email }) => email !== undefined);
      if (plugin?.email === undefined) return mail.setReject("There is no mailbox here.");
      await plugin.email(mail, deps, env);
    },
  };
}

/** `callers`: requests with already known callers. */
function createRoutes(deps: Deps, callers: WeakMap<Request, Actor>): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>({ getPath: pathOf });
  const rateLimit = createRateLimit(deps.config.limits.requestsPerMinute, deps.now);
  const authenticator = createAuthenticator(deps.config, deps.now);
  mountHealth(app, deps);
  mountWebhooks(app, deps);
  mountApprovalLinks(app, deps, rateLimit);
  mountShared(app, deps, rateLimit);
  mountOpenApi(app, deps);
  for (const guarded of ["/api/*", "/agents/*"]) {
    app.use(guarded, async (c, next) => {
      if (dropsCookie(c.req.raw)) return next();
      const caller = callers.get(c.req.raw);
      const actor = caller === undefined ? authenticator.authenticate(c.req.raw) : ok(caller);
      if (!actor.ok) return isSocket(c.req.raw) ? closedSocket(actor.error) : refuse(c, actor.error);
      const over = rateLimit.admit(actor.value.subject);
      if (over !== null) return isSocket(c.req.raw) ? closedSocket(over) : refuse(c, over);
      // The router treats a trailing slash as if it were absent.
      if (pathOf(c.req.raw).endsWith("/")) return refuse(c, NOT_FOUND);
      c.set("actor", actor.value);
      return next();
    });
  }
  mountDeployment(app, deps);
  mountLogin(app, deps);
  mountSessionFiles(app, deps);
  mountUploads(app, deps);
  mountSessionList(app, deps);
  mountAgentDefinitions(app, deps);
  mountStoredTools(app, deps);
  mountSession(app, deps);
  mountSchedules(app, deps);
  mountApprovals(app, deps);
  mountInbox(app);
  mountApprovalLinkCreation(app, deps);
  mountShares(app, deps);
  mountChat(app, deps);
  mountChatSocket(app, deps, rateLimit);
  mountRuns(app, deps);
  mountAgents(app, deps);
  const pages = new Hono<{ Bindings: Bindings }>();
  for (const plugin of deps.plugins) mountPlugin({ api: app, pages, authenticator, rateLimit }, plugin, deps);
  for (const guarded of ["/api/*", "/agents/*"]) app.all(guarded, (c) => refuse(c, NOT_FOUND));
  app.route("/", pages);
  app.notFound((c) => refuse(c, NOT_FOUND));
  app.onError((error, c) => {
    deps.report(error, c.req.header("x-request-id") ?? "");
    return refuse(c, INTERNAL);
  });
  return app;
}

/** Routes added before a throw stay. */
function mountPlugin(mounts: RouteMounts, plugin: RoutePlugin, deps: Deps): void {
  const { name } = plugin;
  try {
    plugin.routes?.(mounts, deps);
  } catch (error) {
    deps.report(error, `routes of the plugin ${name}`);
    deps.pluginFailed?.(name, "routes", error);
  }
}

/** A browser cannot read a refused upgrade, so it gets a socket that closes. */
const isSocket = (request: Request): boolean =>
  isUpgrade(request) && /^\/(agents\/|api\/chat\/ws$)/.test(pathOf(request));

/** Returns the refusal that precedes routing, or null. */
function refuseEarly(local: ApiResult<null>, request: Request, config: Config): Response | null {
  const id = request.headers.get("x-request-id") ?? "";
  if (!local.ok) return errorResponse(local.error, id);
  if (hasProblem(config, "C") && pathOf(request) !== "/healthz") return errorResponse(MISCONFIGURED, id);
  const transport = checkTransport(request);
  if (!transport.ok) return errorResponse(transport.error, id);
  const origin = checkOrigin(request, config.origins);
  if (!origin.ok) return isSocket(request) ? closedSocket(origin.error) : errorResponse(origin.error, id);
  return isPreflight(request) ? new Response(null, { status: 204 }) : null;
}

/** Adds the headers of every response. A copy preserves the socket of an accepted upgrade. */
function dress(response: Response, request: Request, config: Config): Response {
  const dressed = new Response(request.method === "HEAD" ? null : response.body, response);
  dressed.headers.set("x-request-id", request.headers.get("x-request-id") ?? "");
  dressed.headers.set("x-content-type-options", "nosniff");
  if (isPersonal(pathOf(request)) && !dressed.headers.has("cache-control"))
    dressed.headers.set("cache-control", "no-store");
  for (const [name, value] of Object.entries(corsHeaders(request, config.origins))) {
    if (name === "vary") dressed.headers.append(name, value);
    else dressed.headers.set(name, value);
  }
  return dressed;
}
