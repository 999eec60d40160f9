import type { Hono } from "hono";
import * as z from "zod";
import { refusal, type Actor, type ShareView } from "../../session/api/session-api.ts";
import type { Config } from "../../config/config.ts";
import { actorOfGrant } from "../../config/rights.ts";
import type { SharedByMaker } from "../../protocol/shared.ts";
import { readShare, signShare } from "../../protocol/signed/share-link.ts";
import type { Deps } from "../deps.ts";
import { newShareId, parseIdempotencyKey } from "../kit/idempotency.ts";
import { readFields } from "../kit/parse.ts";
import type { RateLimit } from "../kit/rate-limit.ts";
import {
  inSession,
  type Handle,
  type HttpContext,
  type HttpEnv,
  answerNothing,
  notThisMethod,
  refuse,
  route,
} from "../kit/route.ts";

/**
 * Read-only links: the owner of a session creates one for it, or for one run of it, and its holder reads messages and
 * answers. It expires or is revoked, and opens nothing else.
 */

const DAY_SECONDS = 86_400;
const TTL_SECONDS_MAX = 30 * DAY_SECONDS;
const TTL_SECONDS = 7 * DAY_SECONDS;

export const shareSchema = z.strictObject({
  run: z.string().optional(),
  ttlSeconds: z.int().positive().max(TTL_SECONDS_MAX).optional(),
});

const NO_LINK = refusal(
  404,
  "not_found",
  "This link leads nowhere.",
  "It is not complete, or was not made here. Ask for a new one.",
);
const LINK_GONE = refusal(410, "gone", "This link has ended.", "Ask for a new one.");
const MAKER_GONE = refusal(
  410,
  "access_ended",
  "This link has ended: its creator no longer has access.",
  "Ask the owner of the session for a new one.",
);

/** Each reading by a link takes what making it takes: the scope `send` in one's own session, and to be an admin elsewhere. */
function mayShare(config: Config, { subject, grant, owner }: SharedByMaker["maker"], at: number): boolean {
  const scope = owner ? "send" : "admin";
  const held = { subject, grants: grant === null ? null : [grant], scopes: [scope] };
  return actorOfGrant(config, held, at)?.scopes.includes(scope) === true;
}

/** The reader of a link has no name and no scope. */
const READER: Actor = { subject: "link", scopes: [], via: "link" };

/** `GET /shared/:token`, for the holder of a link. */
export function mountShared(app: Hono<HttpEnv>, deps: Deps, rateLimit: RateLimit): void {
  const { config, sessions, now } = deps;
  app.get("/shared/:token", async (c) => {
    const secret = await loadSecret(c.env.DB);
    const link = secret === null ? null : readShare(secret, c.req.param("token"));
    if (link === null) return refuse(c, NO_LINK);
    if (now() >= link.expiresAt) return refuse(c, LINK_GONE);
    const over = rateLimit.admit(`link:${link.id}`);
    if (over !== null) return refuse(c, over);
    const shown = await sessions(link.session).shared(READER, link.id);
    // Taken back, or its session is gone.
    if (!shown.ok) return refuse(c, shown.error.status === 404 ? LINK_GONE : shown.error);
    const { maker, ...view } = shown.value;
    return mayShare(config, maker, now()) ? Response.json(view) : refuse(c, MAKER_GONE);
  });
  app.all("/shared/:token", (c) => notThisMethod(c, ["GET"]));
}

export function mountShares(app: Hono<HttpEnv>, { config, sessions, newId, now }: Deps): void {
  const addressOf = (c: HttpContext, secret: string, session: string, share: ShareView): string => {
    const token = signShare(secret, { session, id: share.id, expiresAt: Date.parse(share.expiresAt) });
    return `${config.publicUrl ?? new URL(c.req.url).origin}/#/shared/${token}`;
  };

  const make: Handle = async (c, session, actor) => {
    const fields = await readFields(c, shareSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const idempotency = parseIdempotencyKey(c, fields.value);
    if (!idempotency.ok) return refuse(c, idempotency.error);
    const { run = null, ttlSeconds = TTL_SECONDS } = fields.value;
    const made = await sessions(session).share(actor, {
      id: newShareId(idempotency.value, newId),
      run,
      expiresAt: now() + ttlSeconds * 1_000,
    });
    if (!made.ok) return refuse(c, made.error);
    const secret = await makeSecret(c.env.DB);
    return Response.json({ ...made.value, url: addressOf(c, secret, session, made.value) }, { status: 201 });
  };

  const list: Handle = async (c, session, actor) => {
    const found = await sessions(session).shares(actor);
    if (!found.ok) return refuse(c, found.error);
    const secret = await makeSecret(c.env.DB);
    const items = found.value.items.map((share) => ({
      ...share,
      url: addressOf(c, secret, session, share),
    }));
    return Response.json({ items });
  };

  route(app, "/api/sessions/:id/shares", {
    GET: {
      scopes: ["send"],
      summary: "Lists valid read-only links.",
      answers: { 200: "Shares" },
      handle: inSession(list),
    },
    POST: {
      scopes: ["send"],
      summary: "Makes a link to a session or run.",
      body: shareSchema,
      answers: { 201: "Share" },
      handle: inSession(make),
    },
  });
  route(app, "/api/sessions/:id/shares/:shareId", {
    DELETE: {
      scopes: ["send"],
      summary: "Revokes a link.",
      answers: { 204: null },
      handle: inSession(async (c, session, actor) =>
        answerNothing(c, await sessions(session).unshare(actor, c.req.param("shareId") ?? "")),
      ),
    },
  });
}

/** Loads the secret that signs the links of this deployment, created once; null before the first link. */
async function loadSecret(db: D1Database): Promise<string | null> {
  const row = await db.prepare("SELECT value FROM secrets WHERE name='share'").first<{ value: string }>();
  return row?.value ?? null;
}

async function makeSecret(db: D1Database): Promise<string> {
  const known = await loadSecret(db);
  if (known !== null) return known;
  await db
    .prepare(
      "INSERT INTO secrets(name,value) VALUES('share',lower(hex(randomblob(32)))) ON CONFLICT DO NOTHING",
    )
    .run();
  const made = await loadSecret(db);
  if (made === null) throw new Error("the secret of read-only links was not kept");
  return made;
}
