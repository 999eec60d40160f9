import type { Hono } from "hono/tiny";
import * as z from "zod";
import type { Channels } from "../channels.ts";
import type { ChannelDeps } from "./deps.ts";
import { createCode, holds, listAllLinks, listLinks, removeLink, type Link } from "../people/links.ts";
import { err, ok } from "../../../cairn/core/log/result.ts";
import { refusal, type ApiResult } from "../../../cairn/session/api/session-api.ts";
import { channelAnswer, type ChannelAnswer } from "../protocol/answers.ts";
import { isoTime } from "../../../cairn/protocol/stream/ui-chunk.ts";
import { hasScope } from "../../../cairn/http/kit/credentials.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import { channelViews } from "../../../cairn/http/routes/channel-views.ts";
import { readFields } from "../../../cairn/http/kit/parse.ts";
import { refuse, route, type HttpContext, type HttpEnv } from "../../../cairn/http/kit/route.ts";

/** `/api/links` and `/api/channels`: on which channels a person is known, and which there are. */

function viewOf(
  { config, now }: Pick<Deps, "config" | "now">,
  link: Link,
): ChannelAnswer<"Links">["items"][number] {
  const { channel, user, subject, linkedAt } = link;
  return {
    channel,
    userId: user.id,
    userName: user.name,
    subject,
    ended: !holds(config, link, now()),
    linkedAt: isoTime(linkedAt),
  };
}

/** A parameter of the query that only admins may use: a subject, or `*` for everybody. */
function requestedSubject(c: HttpContext): ApiResult<string> {
  const { subject } = c.var.actor;
  const requested = c.req.query("subject") ?? subject;
  return requested === subject || hasScope(c.var.actor, "admin") ? ok(requested) : err(NOT_YOURS);
}

const NOT_YOURS = refusal(
  403,
  "missing_scope",
  "Only an admin sees the links of others.",
  "Leave subject out, or use a token with the scope admin.",
);

/** A vendor that does not answer takes its address away, and not the code. */
async function addressesOf(channels: Channels, code: string): Promise<ChannelAnswer<"LinkCode">["open"]> {
  const found = await Promise.all(
    channels.names.map(async (name) => {
      const url = await channels
        .find(name)
        ?.linkBy?.(code)
        .catch(() => undefined);
      return url === undefined ? [] : [{ channel: name, url }];
    }),
  );
  return found.flat();
}

/** A code holds nothing but its requester. */
const codeSchema = z.strictObject({});

export function mountLinks(app: Hono<HttpEnv>, deps: ChannelDeps): void {
  const { channels, config, now } = deps;
  route(app, "/api/channels", {
    GET: {
      scopes: ["read"],
      summary: "Lists channels, and their missing variables.",
      answers: { 200: channelAnswer("Channels") },
      handle: () => Response.json({ items: channelViews({ channels: channels.states, config }) }),
    },
  });
  route(app, "/api/links", {
    GET: {
      scopes: ["read"],
      summary: "Lists linked accounts.",
      query: { subject: "Whose links: for admins, and `*` for everybody's; the caller's own when left out." },
      answers: { 200: channelAnswer("Links") },
      handle: async (c) => {
        const requested = requestedSubject(c);
        if (!requested.ok) return refuse(c, requested.error);
        const links =
          requested.value === "*" ? await listAllLinks(c.env.DB) : await listLinks(c.env.DB, requested.value);
        return Response.json({ items: links.map((link) => viewOf(deps, link)) });
      },
    },
    POST: {
      scopes: ["send"],
      summary: "Makes a link code, valid for 10 minutes.",
      body: codeSchema,
      answers: { 201: channelAnswer("LinkCode") },
      handle: async (c) => {
        const body = await readFields(c, codeSchema, config.limits.bodyBytes);
        if (!body.ok) return refuse(c, body.error);
        const { subject, scopes, grant = null } = c.var.actor;
        const { code, expiresAt } = await createCode(c.env.DB, { subject, scopes, grant }, now());
        const open = await addressesOf(channels, code);
        return Response.json({ code, expiresAt: isoTime(expiresAt), open }, { status: 201 });
      },
    },
  });
  route(app, "/api/links/:channel/:userId", {
    DELETE: {
      scopes: ["send"],
      summary: "Unlinks an account.",
      answers: { 204: null },
      handle: async (c) => {
        const { channel = "", userId = "" } = c.req.param();
        const { actor } = c.var;
        const subject = hasScope(actor, "admin") ? null : actor.subject;
        const link = { subject, channel, userId };
        if (await removeLink(c.env.DB, link)) return new Response(null, { status: 204 });
        return refuse(c, refusal(404, "not_found", "There is no such link.", "GET /api/links lists them."));
      },
    },
  });
}
