import * as z from "zod";
import type { Address } from "../../../cairn/core/address.ts";
import { checkSignature } from "../../../cairn/webhooks/signatures.ts";
import {
  ChannelFault,
  type Ack,
  type Button,
  type Channel,
  type Outgoing,
  type Received,
} from "../channel.ts";
import { parseJson, readOrPosted, readRequest, withBody } from "../request.ts";
import type { Block } from "../text/blocks.ts";
import { blocksOfMessage } from "../text/message-blocks.ts";
import { shortened } from "../../../cairn/core/text/cut.ts";
import { toPlain } from "../text/plain.ts";
import {
  escapeSlack,
  SLACK_SECTION_CHARS_MAX,
  slackCost,
  splitForSlack,
  toSlackTexts,
  type SlackText,
} from "./slack-text.ts";
import { isWhole, PARTS_MAX } from "../text/split.ts";
import { SLACK_FILE_BYTES_MAX, SlackApi, type SlackAccess } from "./api.ts";
import { readEvent, readPress, readSlash, type Around } from "./events.ts";

export interface SlackOptions extends SlackAccess {
  readonly signingSecret: string;
}

/** An older request may be a replay (https://docs.slack.dev/authentication/verifying-requests-from-slack). */
const AGE_SECONDS_MAX = 300;
const TOKEN_BYTES_MAX = 64;
const LABEL_CHARS_MAX = 75;
/** of the notification's text, which replaces the blocks */
const NOTICE_CHARS_MAX = 1_000;

const posted = z.object({ ts: z.string() });

/**
 * An app of Slack. A message is one `chat.postMessage`, whose parts are its sections. No argument of it is a key by which Slack
 * would know a message again, so an open outcome stays open.
 */
export function createSlack(options: SlackOptions): Channel {
  const { signingSecret, now } = options;
  const api = new SlackApi(options);
  const around: Around = {
    now,
    ack:
      (url): Ack =>
      (text, signal) =>
        api.respond(url, escapeSlack(text), signal),
    read: (url, size) => async (signal) => {
      if (size > SLACK_FILE_BYTES_MAX)
        throw new ChannelFault("too_large", "Files of Slack are read up to 20 MB.");
      return api.file(url, signal);
    },
  };

  const readPosted = (json: unknown): Promise<Received | null> =>
    readOrPosted(json, () => readEvent(json, around));

  return {
    name: "slack",
    isPrivate: isDirect,

    async receive(request) {
      const { headers } = request;
      const bytes = await readRequest(request);
      const verdict = await checkSignature(
        "slack",
        [signingSecret],
        { headers, bytes },
        now(),
        AGE_SECONDS_MAX,
      );
      if (verdict !== "valid")
        throw new ChannelFault("bad_signature", `The request is not signed by Slack (${verdict}).`);
      // Slack repeats what it had no answer to (x-slack-retry-num); the same message has the same delivery id.
      const body = new TextDecoder().decode(bytes);
      if (!(headers.get("content-type") ?? "").startsWith("application/x-www-form-urlencoded"))
        return withBody(await readPosted(parseJson(body)), body);
      const form = new URLSearchParams(body);
      const payload = form.get("payload");
      return payload === null ? readSlash(form, around) : readPress(parseJson(payload), around);
    },

    read: readPosted,

    async send(message, address, _key, signal) {
      const thread = address.thread ?? (isDirect(address.place) ? undefined : message.answers);
      const body = {
        channel: channelId(address),
        ...(await bodyOf(message)),
        unfurl_links: false,
        unfurl_media: false,
        ...(thread === undefined || !/^\d+\.\d+$/.test(thread) ? {} : { thread_ts: thread }),
      };
      const { ts } = await api.call("chat.postMessage", body, posted, signal);
      return { id: ts, parts: 1 };
    },

    fits: ({ blocks }) => {
      const max = SLACK_SECTION_CHARS_MAX;
      // A value that is cut in two by a border of sections is not shown whole.
      const isUncut = blocks.every((block) => slackCost(block) <= max);
      return isUncut && isWhole(blocks, { max, partsMax: PARTS_MAX, cost: slackCost });
    },

    async update(receipt, message, address, signal) {
      const body = { channel: channelId(address), ts: receipt.id, ...(await bodyOf(message)) };
      await api.call("chat.update", body, posted, signal);
    },
  };
}

/** True for a conversation of one person with the app. */
const isDirect = (place: string): boolean => place.startsWith("D");

export interface SlackApp {
  readonly team: string;
  /** of the bot, as it is mentioned */
  readonly userId: string;
}

/** The app of a token. Throws ChannelFault: `auth` for an invalid token. */
export async function askSlackApp(access: SlackAccess, signal: AbortSignal): Promise<SlackApp> {
  const known = z.object({ team: z.string(), user_id: z.string() });
  const { team, user_id: userId } = await new SlackApi(access).call("auth.test", {}, known, signal);
  return { team, userId };
}

function channelId({ place }: Address): string {
  if (/^[CDG][A-Z0-9]{1,20}$/.test(place)) return place;
  throw new ChannelFault("refused", "A place in Slack is the id of a channel or a conversation.");
}

async function bodyOf(message: Outgoing): Promise<object> {
  const { link, buttons = [] } = message;
  const blocks = await blocksOfMessage(message);
  const parts = splitForSlack(blocks, { partsMax: PARTS_MAX, link: link ?? null });
  return {
    text: noticeOf(blocks),
    blocks: [
      ...parts.flatMap(toSlackTexts).map((text) => sectionOf(text, message.blocks !== undefined)),
      ...actionsOf(buttons),
    ],
  };
}

/** Slack reads markup in it, and it needs none. */
const noticeOf = (blocks: readonly Block[]): string =>
  escapeSlack(shortened(toPlain(blocks), NOTICE_CHARS_MAX));

/**
 * Verbatim: a word that looks like a channel or a person stays a word, and notifies nobody. A card is expanded,
 * because Slack folds long sections (https://docs.slack.dev/reference/block-kit/blocks/section-block).
 */
const sectionOf = ({ type, text }: SlackText, isCard: boolean): object => ({
  type: "section",
  ...(isCard ? { expand: true } : {}),
  text: type === "mrkdwn" ? { type, text, verbatim: true } : { type, text, emoji: false },
});

function actionsOf(buttons: readonly Button[]): readonly object[] {
  const elements = buttons.flatMap(({ label, token, url, style }, at) => {
    if (token === undefined && url === undefined) return [];
    if (token !== undefined && new TextEncoder().encode(token).length > TOKEN_BYTES_MAX)
      throw new ChannelFault("refused", `The token of a button has at most ${TOKEN_BYTES_MAX} bytes.`);
    return [
      {
        type: "button",
        action_id: `button-${at}`,
        text: { type: "plain_text", text: shortened(label, LABEL_CHARS_MAX), emoji: false },
        ...(url === undefined ? { value: token } : { url }),
        ...(style === undefined ? {} : { style }),
      },
    ];
  });
  return elements.length === 0 ? [] : [{ type: "actions", elements }];
}
