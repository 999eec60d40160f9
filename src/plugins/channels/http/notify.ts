import type { Hono } from "hono/tiny";
import { listChats, readNotify, writeNotify, type PersonChat } from "../people/notify.ts";
import type { NotifySettings } from "../../../cairn/core/quiet.ts";
import { refusal } from "../../../cairn/session/api/session-api.ts";
import { channelAnswer, type ChannelAnswer } from "../protocol/answers.ts";
import { notifyChangeSchema } from "../protocol/notify.ts";
import type { ChannelDeps } from "./deps.ts";
import { readFields } from "../../../cairn/http/kit/parse.ts";
import { refuse, route, type HttpContext, type HttpEnv } from "../../../cairn/http/kit/route.ts";

/** `/api/me/notify`: the caller's notification settings. */

export function mountNotify(app: Hono<HttpEnv>, { config, notifyDefaults }: ChannelDeps): void {
  const load = async (c: HttpContext): Promise<[NotifySettings, readonly PersonChat[]]> => {
    const { subject } = c.var.actor;
    return await Promise.all([readNotify(c.env.DB, subject, notifyDefaults), listChats(c.env.DB, subject)]);
  };
  route(app, "/api/me/notify", {
    GET: {
      scopes: ["read"],
      summary: "Reads your notification settings.",
      answers: { 200: channelAnswer("Notify") },
      handle: async (c) => Response.json(viewOf(...(await load(c)))),
    },
    PUT: {
      scopes: ["send"],
      summary: "Changes your notification settings.",
      body: notifyChangeSchema,
      answers: { 200: channelAnswer("Notify") },
      handle: async (c) => {
        const body = await readFields(c, notifyChangeSchema, config.limits.bodyBytes);
        if (!body.ok) return refuse(c, body.error);
        const [before, places] = await load(c);
        const { zone = before.zone, quiet = before.quiet, ask } = body.value;
        if (ask !== undefined && !isKnownChat(ask, places)) return refuse(c, UNKNOWN_CHAT);
        const settings = { zone, quiet, ask: ask ?? before.ask };
        await writeNotify(c.env.DB, c.var.actor.subject, settings);
        return Response.json(viewOf(settings, places));
      },
    },
  });
}

const isKnownChat = (ask: string, places: readonly PersonChat[]): boolean =>
  ask === "auto" || ask === "page" || places.some(({ id }) => id === ask);

const UNKNOWN_CHAT = {
  ...refusal(
    400,
    "invalid_request",
    "The field ask is not valid: you have no such place.",
    "Send auto, page or an id of places, as GET /api/me/notify lists them. Link a channel to have one more.",
  ),
  issues: [{ path: "ask", code: "unknown_place", message: "You have no such place." }],
};

/** A place that was named and is theirs no more is as if they had named none. */
function viewOf(
  { zone, quiet, ask }: NotifySettings,
  places: readonly PersonChat[],
): ChannelAnswer<"Notify"> {
  return {
    zone,
    quiet,
    ask: isKnownChat(ask, places) ? ask : "auto",
    places: places.map(({ id, channel, name, blocked }) => ({ id, channel, name, blocked })),
  };
}
