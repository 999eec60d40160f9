import type { Hono } from "hono/tiny";
import * as z from "zod";
import {
  BROWSERS_MAX,
  storeSubscription,
  listBrowsers,
  removeSubscription,
  type Browser,
} from "./subscriptions.ts";
import { isWebPush, type WebPushChannel } from "./webpush.ts";
import { isPoint, pushEndpoint, subscriptionSchema } from "./subscription.ts";
import { refusal } from "../../../cairn/session/api/session-api.ts";
import { PUSH, PUSH_BROWSER, type PushBrowser } from "./protocol/answers.ts";
import { wellFormedText } from "../../../cairn/protocol/chat-body.ts";
import { isoTime } from "../../../cairn/protocol/stream/ui-chunk.ts";
import type { ChannelDeps } from "../http/deps.ts";
import { readFields } from "../../../cairn/http/kit/parse.ts";
import { invalid } from "../../../cairn/http/kit/responses.ts";
import { refuse, route, type HttpEnv } from "../../../cairn/http/kit/route.ts";

/** `/api/push`: the browsers that notify a person by push. Each person sees and ends their own only. */

const NAME_CHARS_MAX = 80;

const browserSchema = z.strictObject({
  subscription: subscriptionSchema,
  /** for people to read */
  name: wellFormedText.pipe(z.string().trim().min(1).max(NAME_CHARS_MAX)).optional(),
});

const viewOf = ({ id, name, since }: Browser): PushBrowser => ({
  id,
  name,
  since: isoTime(since),
});

const NOT_SET_UP = refusal(
  404,
  "not_found",
  "Push is not set up here.",
  "GET /api/channels says what is missing.",
);
const UNKNOWN_SERVICE = refusal(
  422,
  "unknown_push_service",
  "The endpoint is of no known push service.",
  "Send what the browser gave. An operator adds a service of their own to WEBPUSH_SERVICES.",
);
const TOO_MANY = refusal(
  409,
  "too_many_browsers",
  `You are told in ${BROWSERS_MAX} browsers.`,
  "Turn one of them off: GET /api/push lists them.",
);
const NO_SUCH = refusal(
  404,
  "not_found",
  "You are not told in such a browser.",
  "List those in which you are.",
);

export function mountPush(app: Hono<HttpEnv>, { channels, config, now }: ChannelDeps): void {
  const channelNow = (): WebPushChannel | null => {
    const channel = channels.find("webpush");
    return isWebPush(channel) ? channel : null;
  };
  route(app, "/api/push", {
    GET: {
      scopes: ["read", "approve"],
      summary: "Reads the push key, and lists your browsers.",
      answers: { 200: PUSH },
      handle: async (c) => {
        const browsers = await listBrowsers(c.env.DB, c.var.actor.subject);
        return Response.json({
          publicKey: channelNow()?.publicKey ?? null,
          items: browsers.map(viewOf),
        });
      },
    },
    POST: {
      scopes: ["read", "approve"],
      summary: "Enables push in a browser.",
      body: browserSchema,
      answers: { 201: PUSH_BROWSER },
      handle: async (c) => {
        const channel = channelNow();
        if (channel === null) return refuse(c, NOT_SET_UP);
        const body = await readFields(c, browserSchema, config.limits.bodyBytes);
        if (!body.ok) return refuse(c, body.error);
        const { subscription, name = "A browser" } = body.value;
        const endpoint = pushEndpoint(subscription.endpoint, channel.services);
        if (endpoint === null) return refuse(c, UNKNOWN_SERVICE);
        const { p256dh, auth } = subscription.keys;
        if (!(await isPoint(p256dh))) return refuse(c, invalid("The key p256dh is no point of P-256."));
        const { subject, grant = null } = c.var.actor;
        const browser = { endpoint, p256dh, auth, name, grant };
        const stored = await storeSubscription(c.env.DB, subject, browser, now());
        return stored === null ? refuse(c, TOO_MANY) : Response.json(viewOf(stored), { status: 201 });
      },
    },
  });
  route(app, "/api/push/:id", {
    DELETE: {
      scopes: ["read", "approve"],
      summary: "Disables push in a browser.",
      answers: { 204: null },
      handle: async (c) => {
        const { id = "" } = c.req.param();
        const isEnded = await removeSubscription(c.env.DB, c.var.actor.subject, id);
        return isEnded ? new Response(null, { status: 204 }) : refuse(c, NO_SUCH);
      },
    },
  });
}
