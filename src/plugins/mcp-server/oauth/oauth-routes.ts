import type { Hono } from "hono/tiny";
import * as z from "zod";
import { refusal, type Actor, type ApiError } from "../../../cairn/session/api/session-api.ts";
import { cookieFor, hasScope, type Authenticator } from "../../../cairn/http/kit/credentials.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import { readBody } from "../../../cairn/http/kit/parse.ts";
import type { RateLimit } from "../../../cairn/http/kit/rate-limit.ts";
import { NOT_FOUND } from "../../../cairn/http/kit/responses.ts";
import { type HttpContext, type HttpEnv, notThisMethod, refuse } from "../../../cairn/http/kit/route.ts";
import { parseJson } from "../../../cairn/protocol/json.ts";
import { userIdOf } from "./assistants.ts";
import { destinationOf, readCallback } from "./callback.ts";
import { createConsentAnswers, type ConsentAnswer, type GivenAnswer } from "./consent-answers.ts";
import { againPage, consentPage, messagePage, onwardPage, signInPage, styleHash } from "./pages.ts";
import {
  issuerOf,
  openAuthorizationServer,
  PATHS,
  resourceOf,
  SCOPES,
  type AuthorizationServer,
} from "./provider.ts";
import { countClients, dropUnusedClient } from "./store.ts";

/**
 * OAuth 2.1 for assistants that connect to Cairn: metadata, registration, tokens, and the consent page. Only a
 * signed-in person can consent, and only to scopes that they have.
 */

const FORM_BYTES_MAX = 65_536;
/** registration needs no credential, so clients are limited: the oldest without consent is deleted */
const CLIENTS_MAX = 1_000;
/** the beginning of the package's error for a client that was deleted before the consent */
const GONE = "Invalid redirect URI";
/** marks a browser that comes from this origin, with its cookie if it has one */
const AGAIN = "cairn_again";

const CLIENTS_FULL = refusal(
  429,
  "too_many_clients",
  "As many assistants are allowed here as may be.",
  "Take some away (DELETE /api/assistants/:assistantId); those that are not used are forgotten after 30 days.",
);

interface Parts {
  readonly authenticator: Authenticator;
  readonly rateLimit: RateLimit;
}

type Handle = (c: HttpContext, server: AuthorizationServer, issuer: string) => Promise<Response>;

export function mountOAuth(app: Hono<HttpEnv>, deps: Deps, { authenticator, rateLimit }: Parts): void {
  const { now } = deps;

  /** Each address may ask as often as a person may. */
  const withServer =
    (handle: Handle) =>
    async (c: HttpContext): Promise<Response> => {
      const issuer = issuerOf(c.req.raw);
      if (issuer === null) return refuse(c, NOT_FOUND);
      const over = rateLimit.admit(`address ${c.req.header("cf-connecting-ip") ?? ""}`);
      if (over !== null) return refuse(c, over);
      return handle(c, await openAuthorizationServer(c, deps, issuer), issuer);
    };

  /** The package reads the body of its own endpoints without a limit. */
  const forward: Handle = async (c, server) => {
    const body = await readBody(c.req.raw, FORM_BYTES_MAX);
    return body.ok ? handOn(c, server, body.value) : refuse(c, body.error);
  };

  const register: Handle = async (c, server) => {
    const body = await readBody(c.req.raw, FORM_BYTES_MAX);
    if (!body.ok) return refuse(c, body.error);
    const reason = objectionToCallbacks(body.value);
    if (reason !== null)
      return Response.json(
        { error: "invalid_redirect_uri", error_description: reason },
        { status: 400, headers: { "cache-control": "no-store" } },
      );
    const { DB } = c.env;
    if ((await countClients(DB, now())) >= CLIENTS_MAX && !(await dropUnusedClient(DB, now())))
      return refuse(c, CLIENTS_FULL);
    return handOn(c, server, body.value);
  };

  const resource = async (c: HttpContext): Promise<Response> => {
    const issuer = issuerOf(c.req.raw);
    if (issuer === null) return refuse(c, NOT_FOUND);
    const document = {
      resource: resourceOf(issuer),
      authorization_servers: [issuer],
      scopes_supported: ["read", "send"],
      bearer_methods_supported: ["header"],
      resource_name: "Cairn",
    };
    return Promise.resolve(Response.json(document, { headers: { "cache-control": "public, max-age=300" } }));
  };

  const ask: Handle = async (c, server) => {
    // Without a sign-in there is no redirect, and no lookup of a client's address.
    const person = authenticator.authenticate(c.req.raw);
    if (!person.ok) return whoAreYou(c, person.error);
    const callback = readCallback(new URL(c.req.url).searchParams.get("redirect_uri") ?? "");
    if (callback.kind === "refused") return page(messagePage("This cannot be allowed", callback.reason), 400);
    const request = await understood(server, () => server.api.parseAuthRequest(c.req.raw));
    if (request instanceof Response) return request;
    const details = await understood(server, () => server.api.describeConsent(request));
    if (details instanceof Response) return details;
    const { handle, headers } = await server.api.beginConsent(request);
    const { clientName, clientDomain = null, redirectUri } = details;
    const html = consentPage({
      clientName,
      clientDomain,
      destination: destinationOf(redirectUri),
      destinationKind: callback.kind,
      handle,
      subject: person.value.subject,
      scopes: offered(person.value, details.scope),
    });
    return page(html, 200, headers);
  };

  const decide: Handle = async (c, server) => {
    const person = authenticator.authenticate(c.req.raw);
    if (!person.ok)
      return page(
        messagePage("You are not signed in", "Start again from your assistant."),
        person.error.status,
      );
    const form = await readForm(c);
    if (form instanceof Response) return form;
    const handle = form.get("handle") ?? "";
    const isAllowed = form.get("decision") === "allow";
    const scope = SCOPES.filter(
      (each) => isAllowed && form.getAll("scope").includes(each) && hasScope(person.value, each),
    );
    if (isAllowed && scope.length === 0)
      return page(messagePage("Nothing is allowed", "Go back, and tick what it may do."), 400);
    const answer = {
      userId: userIdOf(person.value.subject),
      decision: isAllowed ? `allow ${scope.join(" ")}` : "deny",
    };
    const answers = createConsentAnswers(c.env.DB, now);
    const claimed = await answers.claim(handle, answer);
    if (claimed.kind === "given") return repeated(claimed, answer);
    if (claimed.kind === "unknown")
      return page(
        messagePage("This cannot be allowed", "This form was used. Start again from your assistant."),
        400,
      );
    let address: string | null = null;
    try {
      const headers = isAllowed
        ? await allow(c, server, handle, person.value, scope)
        : await understood(server, async () => (await server.api.denyConsent(c.req.raw, handle)).headers);
      if (headers instanceof Response) return headers;
      const leads = headers.get("location");
      if (leads !== null) await answers.setAddress(handle, answer, leads);
      address = leads;
      return onward(isAllowed ? "Allowed" : "Not allowed", headers);
    } finally {
      if (address === null) await answers.release(handle);
    }
  };

  const signIn = async (c: HttpContext): Promise<Response> => {
    const form = await readForm(c);
    if (form instanceof Response) return form;
    const token = form.get("token") ?? "";
    const query = new URL(c.req.url).searchParams;
    const headers = new Headers({ authorization: `Bearer ${token}` });
    const address = c.req.header("cf-connecting-ip");
    if (address !== undefined) headers.set("cf-connecting-ip", address);
    const person = authenticator.authenticate(new Request(c.req.url, { headers }));
    if (!person.ok) return page(signInPage(query.toString(), true), person.error.status);
    query.set(AGAIN, "1");
    return new Response(null, {
      status: 303,
      headers: {
        location: `${PATHS.authorize}?${query.toString()}`,
        "set-cookie": cookieFor(c.req.raw, token),
        "cache-control": "no-store",
      },
    });
  };

  app.get(PATHS.resource, resource);
  app.get(`${PATHS.resource}/mcp`, resource);
  app.get(
    PATHS.server,
    withServer((_, server) => server.fetch(_.req.raw)),
  );
  app.get(PATHS.authorize, withServer(ask));
  app.post(PATHS.authorize, withServer(decide));
  app.post(PATHS.signIn, signIn);
  app.post(PATHS.token, withServer(forward));
  app.post(PATHS.register, withServer(register));
  app.all(PATHS.authorize, (c) => notThisMethod(c, ["GET", "POST"]));
  for (const path of [PATHS.signIn, PATHS.token, PATHS.register])
    app.all(path, (c) => notThisMethod(c, ["POST"]));
}

/** Grants the request. Returns headers with the address in `location`, or an error page. */
async function allow(
  c: HttpContext,
  server: AuthorizationServer,
  handle: string,
  person: Actor,
  scope: (typeof SCOPES)[number][],
): Promise<Headers | Response> {
  const approved = await understood(server, () => server.api.approveConsent(c.req.raw, handle, { scope }));
  if (approved instanceof Response) return approved;
  const { request, headers } = approved;
  const { subject, grant = null } = person;
  const details = await understood(server, () => server.api.describeConsent(request));
  if (details instanceof Response) return details;
  const metadata = { name: details.clientName };
  const order = { request, userId: userIdOf(subject), metadata, scope, props: { grant } };
  const completed = await understood(server, () => server.api.completeAuthorization(order));
  if (completed instanceof Response) return completed;
  headers.set("location", completed.redirectTo);
  return headers;
}

/** A form that is submitted again leads where it led before; nothing is granted or taken back by it. */
function repeated({ decision, address }: GivenAnswer, answer: ConsentAnswer): Response {
  const isAllowed = decision !== "deny";
  if (decision === answer.decision && address !== null)
    return onward(isAllowed ? "Allowed" : "Not allowed", new Headers({ location: address }));
  const text = isAllowed
    ? "You allowed it, and that is still so. Go back to your assistant; if it is not connected, start again there. To take it back, remove the assistant under Settings."
    : "You did not allow it. To allow it, start again from your assistant.";
  return page(messagePage("You have already answered this", text), 409);
}

/**
 * Scopes on the page: all that the person has. Ticked are those that the client wants; read and send if it names
 * none.
 */
function offered(person: Actor, wanted: readonly string[]) {
  return SCOPES.filter((scope) => hasScope(person, scope)).map((scope) => ({
    scope,
    // Granting all scopes, and approving in the person's place, each need a separate tick.
    asked:
      wanted.length === 0
        ? scope === "read" || scope === "send"
        : scope !== "admin" && wanted.includes(scope),
  }));
}

/** The first time the browser may come from another site, without its cookie. */
function whoAreYou(c: HttpContext, error: ApiError): Response {
  if (error.status !== 401) return page(messagePage("Not now", error.message), error.status);
  const query = new URL(c.req.url).searchParams;
  if (query.has(AGAIN)) return page(signInPage(query.toString(), false), 200);
  query.set(AGAIN, "1");
  return page(againPage(query.toString()), 200);
}

/**
 * The result, or an error page for an invalid request. Anybody can register an address, so an error leads there only
 * by the person's click. A bug throws.
 */
async function understood<Value>(
  { errors }: AuthorizationServer,
  ask: () => Promise<Value>,
): Promise<Value | Response> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof errors.AuthorizationError)
      return page(
        messagePage("This cannot be allowed", readableReason(error.description), error.redirectTo),
        400,
      );
    if (error instanceof errors.CimdFetchError)
      return page(messagePage("This cannot be allowed", "Who asks could not be looked up."), 400);
    if (error instanceof Error && error.message.startsWith(GONE))
      return page(messagePage("This cannot be allowed", "Who asks is not registered here any more."), 400);
    throw error;
  }
}

/** The package's message for an unregistered address means nothing to a person. */
const readableReason = (description: string): string =>
  description === GONE
    ? "The address for the answer is not one that this assistant has registered. On your own computer only its port may differ."
    : description;

const registration = z.object({ redirect_uris: z.array(z.string()) });

/**
 * The reason why none of the addresses in the body of a registration could receive an answer, or why one may not be stored;
 * null when some can. An assistant may list addresses of other surfaces with the one that it uses here.
 */
function objectionToCallbacks(body: Uint8Array): string | null {
  const parsed = registration.safeParse(parseJson(new TextDecoder().decode(body)));
  // The package reports other faults.
  if (!parsed.success || parsed.data.redirect_uris.length === 0) return null;
  const callbacks = parsed.data.redirect_uris.map(readCallback);
  if (callbacks.some(({ kind }) => kind !== "refused")) return null;
  const [first] = callbacks;
  return first?.kind === "refused" ? first.reason : null;
}

/** The package's own answer to a request whose body was read here. */
function handOn(c: HttpContext, server: AuthorizationServer, body: Uint8Array): Promise<Response> {
  const { url, headers } = c.req.raw;
  return server.fetch(new Request(url, { method: "POST", headers, body }));
}

async function readForm(c: HttpContext): Promise<URLSearchParams | Response> {
  const body = await readBody(c.req.raw, FORM_BYTES_MAX);
  return body.ok ? new URLSearchParams(new TextDecoder().decode(body.value)) : refuse(c, body.error);
}

/** The page that leads on to the address in `location`, with the other headers. */
function onward(title: string, headers: Headers): Response {
  const address = headers.get("location");
  if (address === null) throw new Error("an answer without an address");
  headers.delete("location");
  return page(onwardPage(title, address), 200, headers);
}

function page(html: string, status: number, headers = new Headers()): Response {
  headers.set("content-type", "text/html; charset=utf-8");
  headers.set("cache-control", "no-store");
  headers.set("referrer-policy", "same-origin");
  headers.set("x-robots-tag", "noindex");
  headers.set("x-frame-options", "DENY");
  headers.set(
    "content-security-policy",
    `default-src 'none'; style-src '${styleHash()}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  );
  return new Response(html, { status, headers });
}
