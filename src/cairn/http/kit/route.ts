import type { Bindings } from "../../bindings.ts";
import type { Context, Hono } from "hono";
import type * as z from "zod";
import {
  refusal,
  type Actor,
  type ApiResult,
  type ApiError,
  type Scope,
} from "../../session/api/session-api.ts";
import type { AnswerName } from "../../protocol/api.ts";
import { hasScope } from "./credentials.ts";
import { parseSessionId } from "./parse.ts";
import { errorResponse } from "./responses.ts";

/** The types of the routes behind a credential, and the one way in which they are declared. */

export type HttpEnv = { Bindings: Bindings; Variables: { actor: Actor } };
export type HttpContext = Context<HttpEnv>;

interface Handler {
  /** any one of these suffices; none at all means any credential */
  readonly scopes: readonly Scope[];
  readonly handle: (c: HttpContext) => Response | Promise<Response>;
}

/** An answer of a plugin: its name in the OpenAPI document, where other answers must not have it, and its schema. */
export interface OwnAnswer {
  readonly name: string;
  /** called for the document alone */
  readonly schema: () => z.ZodType;
}

/** A method with its description for the OpenAPI document. */
interface DocumentedHandler extends Handler {
  /** the name of its operation; made of its method and path when left out */
  readonly id?: string;
  readonly summary: string;
  /** what each parameter of the query is */
  readonly query?: { readonly [name: string]: string };
  readonly headers?: readonly string[];
  /** the schema that parses the body */
  readonly body?: z.ZodType;
  /** which descriptions the fields of the body have: they are loaded with the OpenAPI document */
  readonly bodyFields?: keyof FieldDescriptions;
  /** JSON where it is left out */
  readonly bodyType?: "multipart/form-data";
  /** by status; null has no body */
  readonly answers: { readonly [status: number]: AnswerName | OwnAnswer | "stream" | "tar" | null };
}

/** Descriptions of fields, by their names. */
export interface FieldDescriptions {
  readonly run: { readonly [field: string]: string };
  readonly agent: { readonly [field: string]: string };
}

/** Only what is outside /api is not in the OpenAPI document. */
export type Method = Handler | DocumentedHandler;

export interface Documented extends DocumentedHandler {
  readonly path: string;
  readonly verb: string;
}

const DOCUMENTED = new WeakMap<Hono<HttpEnv>, Documented[]>();

/** Returns every documented method of the app, in the order of declaration. */
export const documentedOf = (app: Hono<HttpEnv>): readonly Documented[] => DOCUMENTED.get(app) ?? [];

type Verb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export const UPGRADE_REQUIRED = refusal(
  426,
  "upgrade_required",
  "This is the door for WebSockets.",
  "Send Upgrade: websocket.",
);

export const requestId = (c: Context): string => c.req.header("x-request-id") ?? "";
export const refuse = (c: Context, error: ApiError): Response => errorResponse(error, requestId(c));

/** A value as JSON, or its refusal. */
export function answer<Value>(c: Context, result: ApiResult<Value>, status = 200): Response {
  return result.ok ? Response.json(result.value, { status }) : refuse(c, result.error);
}

/** 204, or the refusal. */
export const answerNothing = (c: Context, result: ApiResult<unknown>): Response =>
  result.ok ? new Response(null, { status: 204 }) : refuse(c, result.error);

/** The answer, marked where it is that of an earlier request. */
export function asReplay(response: Response, replayed: boolean): Response {
  if (replayed) response.headers.set("idempotent-replayed", "true");
  return response;
}

/** Returns the error for a missing scope, or null. */
export function missingScope(actor: Actor, scopes: readonly Scope[]): ApiError | null {
  if (scopes.length === 0 || scopes.some((scope) => hasScope(actor, scope))) return null;
  return refusal(
    403,
    "missing_scope",
    `This needs the scope ${scopes.join(" or ")}.`,
    "Use a token that has it.",
  );
}

/** Declares all methods of a path; any other answers 405 with `Allow`. HEAD is GET (Hono dispatches it so). */
export function route(app: Hono<HttpEnv>, path: string, methods: { readonly [Name in Verb]?: Method }): void {
  for (const [verb, method] of Object.entries(methods)) {
    if ("summary" in method) DOCUMENTED.set(app, [...documentedOf(app), { ...method, path, verb }]);
    app.on(verb, path, (c) => {
      const missing = missingScope(c.var.actor, method.scopes);
      return missing === null ? method.handle(c) : refuse(c, missing);
    });
  }
  app.all(path, (c) => notThisMethod(c, Object.keys(methods)));
}

/** 405 with the methods that work. */
export function notThisMethod(c: Context, verbs: readonly string[]): Response {
  const allowed = verbs.includes("GET") ? [...verbs, "HEAD"] : verbs;
  const response = refuse(c, refusal(405, "method_not_allowed", `Only ${allowed.join(", ")} work here.`));
  response.headers.set("allow", allowed.join(", "));
  return response;
}

/** Answers for one session. Ownership is the session's own check. */
export type Handle = (c: HttpContext, session: string, actor: Actor) => Response | Promise<Response>;

/** Hands over the id of the path once it is one, so that no other text ever names an object. */
export const inSession = (handle: Handle) => (c: HttpContext) => {
  const id = parseSessionId(c.req.param("id"));
  return id.ok ? handle(c, id.value, c.var.actor) : refuse(c, id.error);
};
