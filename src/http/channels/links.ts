import type { Hono } from "hono/tiny";
import * as z from "zod";
import type { Channels } from "../../channels/create.ts";
import { createCode, listLinks, removeLink, type Link } from "../../channels/people/links.ts";
import { CHANNELS } from "../../core/address.ts";
import { refusal } from "../../session/api/session-api.ts";
import type { Answer } from "../../wire/api.ts";
import { isoTime } from "../../wire/stream/ui-chunk.ts";
import type { Deps } from "../kit/deps.ts";
import { readFields } from "../kit/parse.ts";
import { refuse, route, type HttpEnv } from "../kit/route.ts";

/** `/api/links` and `/api/channels`: on which channels a person is known, and which there are. */

const viewOf = ({ channel, user, linkedAt }: Link): Answer<"Links">["items"][number] => ({
  ...{ channel, userId: user.id, userName: user.name, linkedAt: isoTime(linkedAt) },
});

/** What there is, and which variables are missing; never what they hold. */
export const channelViews = ({
  channels,
  config,
}: Pick<Deps, "channels" | "config">): Answer<"Channels">["items"] =>
  inOrder([
    // The page is there by itself; programs are told where targets are named.
    { name: "web", missing: [] },
    { name: "webhook", missing: config.webhookTargets.length > 0 ? [] : ["WEBHOOK_TARGETS"] },
    ...channels.states,
  ]).map(({ name, missing }) => ({
    ...{ name, configured: missing.length === 0, missing: [...missing] },
  }));

const inOrder = (states: Channels["states"]): Channels["states"] =>
  states.toSorted((a, b) => CHANNELS.indexOf(a.name) - CHANNELS.indexOf(b.name));
/** A vendor that does not answer takes its address away, and not the code. */
async function addressesOf(channels: Channels, code: string): Promise<Answer<"LinkCode">["open"]> {
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

/** Who asks is all that a code is made of. */
const codeSchema = z.strictObject({});

export function mountLinks(app: Hono<HttpEnv>, { channels, config, now }: Deps): void {
  route(app, "/api/channels", {
    GET: {
      scopes: ["read"],
      summary: "The channels, and what is missing of those that are not set up.",
      answers: { 200: "Channels" },
      handle: () => Response.json({ items: channelViews({ channels, config }) }),
    },
  });
  route(app, "/api/links", {
    GET: {
      scopes: ["read"],
      summary: "On which channels the caller is known.",
      answers: { 200: "Links" },
      handle: async (c) => {
        const links = await listLinks(c.env.DB, c.var.actor.subject);
        return Response.json({ items: links.map(viewOf) });
      },
    },
    POST: {
      scopes: ["send"],
      summary:
        "A code that links the caller to whoever says `/link CODE` on a channel: once, within 10 minutes.",
      body: codeSchema,
      answers: { 201: "LinkCode" },
      handle: async (c) => {
        const body = await readFields(c, codeSchema, config.limits.bodyBytes);
        if (!body.ok) return refuse(c, body.error);
        const { subject, scopes } = c.var.actor;
        const { code, expiresAt } = await createCode(c.env.DB, { subject, scopes }, now());
        const open = await addressesOf(channels, code);
        return Response.json({ code, expiresAt: isoTime(expiresAt), open }, { status: 201 });
      },
    },
  });
  route(app, "/api/links/:channel/:userId", {
    DELETE: {
      scopes: ["send"],
      summary: "Ends a link: the channel's user is nobody here any more.",
      answers: { 204: null },
      handle: async (c) => {
        const { channel = "", userId = "" } = c.req.param();
        const link = { subject: c.var.actor.subject, channel, userId };
        if (await removeLink(c.env.DB, link)) return new Response(null, { status: 204 });
        return refuse(c, refusal(404, "not_found", "You have no such link.", "List those that there are."));
      },
    },
  });
}
