import { SUBJECT_PATTERN } from "../../core/log/names.ts";
import { err, ok } from "../../core/log/result.ts";
import type { Hono } from "hono";
import * as z from "zod";
import {
  ALREADY_DECIDED,
  APPROVAL_CANCELLED,
  APPROVAL_EXPIRED,
  NOT_AN_APPROVER,
} from "../../session/api/errors.ts";
import {
  refusal,
  type Actor,
  type ApiResult,
  type ApiError,
  type LinkedApproval,
} from "../../session/api/session-api.ts";
import type { ApprovalView } from "../../protocol/approval.ts";
import { wellFormedText } from "../../protocol/chat-body.ts";
import type { Config } from "../../config/config.ts";
import {
  ACCESS_ENDED,
  actorOfGrant,
  ANONYMOUS_SUBJECT,
  grantsOf,
  isAdminGrant,
} from "../../config/rights.ts";
import { readLink, signLink, type ApprovalLink } from "../../protocol/signed/approval-link.ts";
import type { Deps } from "../deps.ts";
import { parseApprovalId, parseFields, readBody, readFields, readJson } from "../kit/parse.ts";
import type { RateLimit } from "../kit/rate-limit.ts";
import type { SessionClient } from "../kit/session-client.ts";
import { errorResponse, invalid, NOT_FOUND } from "../kit/responses.ts";
import {
  inSession,
  type Handle,
  type HttpContext,
  type HttpEnv,
  asReplay,
  notThisMethod,
  refuse,
  requestId,
  route,
} from "../kit/route.ts";
import { approvalPage, approverNames, messagePage, styleHash, type LinkNotice } from "./approval-page.ts";

/**
 * Signed links to approvals: an admin creates one, and its holder decides that one approval as the person it names.
 * Looking decides nothing, and a link opens nothing else.
 */

const TTL_SECONDS_MAX = 30 * 86_400;
const REASON_CHARS_MAX = 1_000;

export const linkSchema = z.strictObject({
  subject: z.string().regex(SUBJECT_PATTERN),
  ttlSeconds: z.int().positive().max(TTL_SECONDS_MAX).optional(),
});
const decisionSchema = z.strictObject({
  decision: z.enum(["approve", "deny"]),
  // A form sends line ends as CRLF, which its field counts as one character.
  reason: wellFormedText
    .transform((text) => text.replace(/\r\n?/g, "\n"))
    .pipe(z.string().max(REASON_CHARS_MAX))
    .optional(),
});
type Decision = z.output<typeof decisionSchema>;

const LINK_GONE = refusal(410, "gone", "This link has ended.", "Ask for a new one.");
const LINK_ENDED = refusal(
  410,
  "access_ended",
  ACCESS_ENDED,
  "The person that this link was made for no longer has access. Decide on the page.",
);
const EDIT_NEEDS_LOGIN = refusal(
  403,
  "edit_needs_login",
  "A link approves or denies; it changes nothing.",
  "Log in to edit the arguments.",
);

export function mountApprovalLinks(app: Hono<HttpEnv>, deps: Deps, rateLimit: RateLimit): void {
  app.get("/a/:token", (c) => dressed(show(c, deps, rateLimit)));
  app.post("/a/:token", (c) => dressed(decide(c, deps, rateLimit)));
  app.all("/a/:token", (c) => notThisMethod(c, ["GET", "POST"]));
}

/** `POST S/approvals/:approvalId/link`. */
export function mountApprovalLinkCreation(app: Hono<HttpEnv>, { config, sessions, now }: Deps): void {
  const make: Handle = async (c, session, actor) => {
    const id = parseApprovalId(c.req.param("approvalId"));
    if (!id.ok) return refuse(c, id.error);
    const fields = await readFields(c, linkSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const { subject, ttlSeconds } = fields.value;
    if (config.linkSecrets.length === 0) return refuse(c, LINKS_OFF);
    const found = await sessions(session).approval(actor, id.value);
    if (!found.ok) return refuse(c, found.error);
    const { digest, createdAt, expiresAt, state } = found.value;
    if (state !== "pending") return refuse(c, { ...OVER[state], extra: { approval: found.value } });
    const ends =
      ttlSeconds === undefined
        ? Math.ceil(Date.parse(expiresAt) / 1_000)
        : Math.floor(now() / 1_000) + ttlSeconds;
    const link = {
      approval: id.value,
      digest,
      ends,
      session,
      asked: Date.parse(createdAt),
      subject,
      ...vouchersOf(config, subject, actor, now()),
    };
    const refused = await refuseSubject(
      link,
      actorOfLink(config, link, now()),
      found.value,
      sessions(session),
    );
    if (refused !== null) return refuse(c, refused);
    const token = signLink(config.linkSecrets, link);
    const origin = config.publicUrl ?? new URL(c.req.url).origin;
    const url = `${origin}/a/${token}`;
    return Response.json({ url, expiresAt: new Date(ends * 1_000).toISOString() }, { status: 201 });
  };

  route(app, "/api/sessions/:id/approvals/:approvalId/link", {
    POST: {
      scopes: ["admin"],
      summary: "Makes a link for one person.",
      body: linkSchema,
      answers: { 201: "ApprovalLink" },
      handle: inSession(make),
    },
  });
}

const LINKS_OFF = refusal(
  404,
  "not_found",
  "This deployment makes no links.",
  "Set APPROVAL_LINK_SECRET to turn them on.",
);
const OVER = {
  approved: ALREADY_DECIDED,
  denied: ALREADY_DECIDED,
  cancelled: APPROVAL_CANCELLED,
  expired: APPROVAL_EXPIRED,
} as const;

/** Refuses a link whose subject could not decide with it: 422 `subject_cannot_approve`. `holder`: the subject with their rights now. */
async function refuseSubject(
  { subject }: Pick<ApprovalLink, "subject">,
  holder: Actor | null,
  { id, approvers }: ApprovalView,
  session: Pick<SessionClient, "linked">,
): Promise<ApiError | null> {
  const cannot = (why: string, hint: string): ApiError =>
    refusal(422, "subject_cannot_approve", `${subject} ${why}`, hint);
  if (holder === null)
    return cannot(
      "has no access with the scope approve.",
      "Give their token that scope, or name someone else.",
    );
  const shown = await session.linked(holder, id);
  if (!shown.ok) return shown.error;
  const names = approvers.length === 0 ? "an admin" : `an approver (${approverNames(approvers)}) or an admin`;
  switch (shown.value.objection?.code) {
    case undefined:
      return null;
    case "not_an_approver":
      return cannot("is not an approver of this approval.", `Make the link for ${names}.`);
    case "requester_cannot_approve":
      return cannot("requested this and may not approve it.", `Make the link for someone else: ${names}.`);
  }
}

/** The grants by which a link is good: those of its subject; for a subject without any, that of the admin who makes it. */
function vouchersOf(
  config: Config,
  subject: string,
  maker: Actor,
  at: number,
): Pick<ApprovalLink, "grants" | "maker"> {
  if (subject === ANONYMOUS_SUBJECT) return {};
  const grants = grantsOf(config, subject, at);
  return grants.length > 0 ? { grants } : { maker: maker.grant ?? ANONYMOUS_SUBJECT };
}

/** The subject of a link with the rights that they have now; null when those have ended. An admin decides everywhere. */
function actorOfLink(config: Config, { subject, grants, maker }: ApprovalLink, at: number): Actor | null {
  if (maker !== undefined)
    return isAdminGrant(config, maker, at) ? { subject, scopes: ["approve"], via: "link", maker } : null;
  const now = actorOfGrant(config, { subject, grants: grants ?? null, scopes: ["approve", "admin"] }, at);
  const scopes = SCOPES_OF_LINKS.filter((scope) => now?.scopes.includes(scope) === true);
  return now === null || scopes.length === 0 ? null : { ...now, scopes, via: "link" };
}

const SCOPES_OF_LINKS = ["approve", "admin"] as const;

/** The approval that a valid link opens. */
interface Opened {
  readonly link: ApprovalLink;
  readonly actor: Actor;
  readonly shown: LinkedApproval;
  /** when it was opened, in milliseconds */
  readonly now: number;
}

/** 404 for a token that is none or leads nowhere, 410 past its end, 429 for its subject's requests. */
async function open(
  c: HttpContext,
  { config, sessions, now }: Deps,
  rateLimit: RateLimit,
): Promise<ApiResult<Opened>> {
  const link = readLink(config.linkSecrets, c.req.param("token") ?? "");
  if (link === null) return err(NOT_FOUND);
  if (now() > link.ends * 1_000) return err(LINK_GONE);
  const { subject } = link;
  const over = rateLimit.admit(subject);
  if (over !== null) return err(over);
  const actor = actorOfLink(config, link, now());
  if (actor === null) return err(LINK_ENDED);
  const shown = await sessions(link.session).linked(actor, link.approval);
  if (!shown.ok) return shown;
  // The session was deleted, and this is another of its name.
  if (link.asked !== null && link.asked !== Date.parse(shown.value.approval.createdAt)) return err(NOT_FOUND);
  return ok({ link, shown: shown.value, actor, now: now() });
}

async function show(c: HttpContext, deps: Deps, rateLimit: RateLimit): Promise<Response> {
  const opened = await open(c, deps, rateLimit);
  if (!opened.ok) return refuseLink(c, opened.error);
  const { shown } = opened.value;
  if (wantsJson(c)) return Response.json(shown.approval);
  return pageOf(opened.value, shown.approval, null, 200);
}

async function decide(c: HttpContext, deps: Deps, rateLimit: RateLimit): Promise<Response> {
  const opened = await open(c, deps, rateLimit);
  if (!opened.ok) return refuseLink(c, opened.error);
  const { link, actor, shown } = opened.value;
  const submitted = await readDecision(c, deps.config.limits.bodyBytes);
  if (!submitted.ok) return refuseDecision(c, opened.value, submitted.error);
  const { decision, reason } = submitted.value;
  const { approval, digest, session } = link;
  const { sessionAt } = shown;
  const command = { approval, sessionAt, decision, args: null, reason: reason?.trim() || null, digest };
  const decided = await deps.sessions(session).decide(actor, command);
  if (!decided.ok) {
    // The link showed the approval, so it is no secret that it exists.
    const error = decided.error.status === 404 ? NOT_AN_APPROVER : decided.error;
    const now = await deps.sessions(session).linked(actor, approval);
    return refuseDecision(c, { ...opened.value, shown: now.ok ? now.value : shown }, error);
  }
  const { approval: after, replayed } = decided.value;
  const response = wantsJson(c)
    ? Response.json(after)
    : pageOf(opened.value, after, { kind: "done", text: "Your decision is recorded." }, 200);
  return asReplay(response, replayed);
}

/** The fields of a form or of JSON. */
async function readDecision(c: HttpContext, bytesMax: number): Promise<ApiResult<Decision>> {
  const read = sendsForm(c) ? await readForm(c.req.raw, bytesMax) : await readJson(c.req.raw, bytesMax);
  if (!read.ok) return read;
  if (typeof read.value === "object" && read.value !== null && "decision" in read.value) {
    if (read.value.decision === "edit") return err(EDIT_NEEDS_LOGIN);
  }
  return parseFields(decisionSchema, read.value);
}

async function readForm(request: Request, bytesMax: number): Promise<ApiResult<Record<string, string>>> {
  const body = await readBody(request, bytesMax);
  if (!body.ok) return body;
  const fields = [...new URLSearchParams(new TextDecoder().decode(body.value))];
  if (new Set(fields.map(([name]) => name)).size < fields.length)
    return err(invalid("A field of the form is there twice."));
  return ok(Object.fromEntries(fields));
}

const sendsForm = (c: HttpContext): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header("content-type") ?? "");

/** A browser accepts text/html; a client that sends JSON gets JSON. */
function wantsJson(c: HttpContext): boolean {
  const accept = c.req.header("accept") ?? "";
  if (/text\/html/i.test(accept)) return false;
  return /application\/json/i.test(accept) || /^application\/json/i.test(c.req.header("content-type") ?? "");
}

/** Without a browser before it an error is what it is everywhere. */
function refuseLink(c: HttpContext, error: ApiError): Response {
  if (!/text\/html/i.test(c.req.header("accept") ?? "")) return errorResponse(error, requestId(c));
  const title = error.status === 404 ? "This link leads nowhere" : error.message;
  const text =
    error.status === 404
      ? "The link is incomplete or foreign, or its request is gone."
      : (error.hint ?? "Try again later.");
  return htmlOf(messagePage(title, text), error.status, errorResponse(error, requestId(c)).headers);
}

function refuseDecision(c: HttpContext, opened: Opened, error: ApiError): Response {
  if (wantsJson(c)) return errorResponse(error, requestId(c));
  const notice = { kind: "refused", text: error.message } as const;
  return pageOf(opened, opened.shown.approval, notice, error.status);
}

function pageOf(opened: Opened, approval: ApprovalView, notice: LinkNotice | null, status: number): Response {
  const { link, shown, now } = opened;
  return htmlOf(approvalPage({ ...shown, approval }, link, notice, now), status);
}

function htmlOf(html: string, status: number, headers = new Headers()): Response {
  headers.set("content-type", "text/html; charset=utf-8");
  return new Response(html, { status, headers });
}

const policy = (): string =>
  [
    "default-src 'none'",
    `style-src '${styleHash()}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");

/** Sets the headers of every answer here: the address is a key, so no referrer and no index may get it. */
async function dressed(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set("referrer-policy", "same-origin");
  response.headers.set("x-robots-tag", "noindex");
  response.headers.set("content-security-policy", policy());
  return response;
}
