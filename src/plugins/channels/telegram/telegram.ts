import * as z from "zod";
import type { Address } from "../../../cairn/core/address.ts";
import { checkSignature } from "../../../cairn/webhooks/signatures.ts";
import {
  ChannelFault,
  type Ack,
  type Button,
  type Channel,
  type Outgoing,
  type Receipt,
  type Received,
} from "../channel.ts";
import { parseJson, readOrPosted, readRequest, withBody } from "../request.ts";
import { plainBlock, type Block } from "../text/blocks.ts";
import { blocksOfMessage } from "../text/message-blocks.ts";
import { shortened } from "../../../cairn/core/text/cut.ts";
import { toPlain } from "../text/plain.ts";
import { PARTS_MAX } from "../text/split.ts";
import { splitForTelegram, TELEGRAM_CHARS_MAX, toTelegramHtml } from "./telegram-text.ts";
import { sendParts } from "../ask-vendor.ts";
import { TELEGRAM_FILE_BYTES_MAX, TelegramApi, type TelegramAccess } from "./api.ts";
import { telegramLink } from "./setup.ts";
import { readUpdate } from "./updates.ts";

export interface TelegramOptions extends TelegramAccess {
  /** what `setWebhook` was given; Telegram shows it with every update */
  readonly secret: string;
}

/** of a button's data, in bytes */
const TOKEN_BYTES_MAX = 64;
/** of what is shown to the one who pressed */
const ACK_CHARS_MAX = 200;

/** Telegram waits for an answer to its update meanwhile */
const NAME_MS_MAX = 5_000;

const sent = z.object({ message_id: z.number().int() });
const anything = z.unknown();

/** A bot of Telegram. Each part of a message is one `sendMessage`; Telegram knows no key, so an open outcome stays open. */
export function createTelegram(options: TelegramOptions): Channel {
  const { secret, now } = options;
  const api = new TelegramApi(options);
  let name: string | null = null;
  const botName = async (): Promise<string> => {
    const me = z.object({ username: z.string() });
    name ??= (await api.call("getMe", {}, me, AbortSignal.timeout(NAME_MS_MAX))).username;
    return name;
  };
  const ack =
    (query: string): Ack =>
    async (text, signal) => {
      const answer = { callback_query_id: query, text: shortened(text, ACK_CHARS_MAX) };
      await api.call("answerCallbackQuery", answer, anything, signal);
    };
  const read = (file: string, size: number) => async (signal: AbortSignal) => {
    if (size > TELEGRAM_FILE_BYTES_MAX)
      throw new ChannelFault("too_large", "Telegram gives a bot files of up to 20 MB.");
    return api.file(file, signal);
  };

  const readPosted = (json: unknown): Promise<Received | null> =>
    readOrPosted(json, () => readUpdate(json, { botId: api.id, botName, now, ack, read }));

  return {
    name: "telegram",
    isPrivate: (target, user) => target === user.id,
    // Groups become supergroups. Ids of both are negative.
    mayMove: (target) => target.startsWith("-"),

    async receive(request) {
      const { headers } = request;
      const shown = { headers, bytes: new Uint8Array() };
      if ((await checkSignature("telegram", [secret], shown, now(), 0)) !== "valid")
        throw new ChannelFault("bad_signature", "The request does not show the secret of the webhook.");
      const body = new TextDecoder().decode(await readRequest(request));
      return withBody(await readPosted(parseJson(body)), body);
    },

    read: readPosted,

    async send(message, address, _key, signal) {
      const blocks = withLinks(await blocksOfMessage(message), message);
      const parts = splitForTelegram(blocks, { partsMax: PARTS_MAX, link: message.link ?? null });
      const target = chatTarget(address);
      const { message_id: id } = await sendParts(parts, message.skip ?? 0, (part, at) =>
        withText(part, (text) =>
          api.call(
            "sendMessage",
            {
              ...target,
              ...text,
              ...(message.kind === "ack" || message.kind === "progress"
                ? { disable_notification: true }
                : {}),
              ...(at === 0 ? replyOf(message.answers) : {}),
              ...(at === parts.length - 1 ? keyboardOf(message.buttons ?? []) : {}),
            },
            sent,
            signal,
          ),
        ),
      );
      return { id: String(id), parts: parts.length };
    },

    fits(message) {
      const blocks = withLinks(message.blocks, message);
      const parts = splitForTelegram(blocks, { partsMax: PARTS_MAX, link: null });
      // As plain text, too: that is what is sent where Telegram cannot read the HTML.
      return parts.length === 1 && toPlain(blocks).length <= TELEGRAM_CHARS_MAX;
    },

    async update(receipt: Receipt, message: Outgoing, address: Address, signal: AbortSignal) {
      const blocks = withLinks(await blocksOfMessage(message), message);
      const [part = []] = splitForTelegram(blocks, { partsMax: 1, link: message.link ?? null });
      const { chat_id } = chatTarget(address);
      const target = { chat_id, message_id: Number(receipt.id) };
      const keyboard = { reply_markup: { inline_keyboard: rowsOf(message.buttons ?? []) } };
      try {
        await withText(part, (text) =>
          api.call("editMessageText", { ...target, ...text, ...keyboard }, anything, signal),
        );
      } catch (error) {
        // An earlier attempt updated it, and its response was lost.
        if (!(error instanceof ChannelFault && error.message.includes("message is not modified")))
          throw error;
      }
    },

    linkBy: async (code) => telegramLink(await botName(), code),

    async typing(address, signal) {
      await api.call("sendChatAction", { ...chatTarget(address), action: "typing" }, anything, signal);
    },
  };
}

/** As HTML; and where Telegram cannot read that after all, once more as plain text. */
async function withText<T>(part: readonly Block[], send: (text: object) => Promise<T>): Promise<T> {
  const plain = { link_preview_options: { is_disabled: true } };
  try {
    return await send({ ...plain, text: toTelegramHtml(part), parse_mode: "HTML" });
  } catch (error) {
    const isUnreadable = error instanceof ChannelFault && error.message.includes("can't parse entities");
    if (!isUnreadable) throw error;
    return send({ ...plain, text: shortened(toPlain(part), TELEGRAM_CHARS_MAX) });
  }
}

function chatTarget({ place: target, thread }: Address): { chat_id: number; message_thread_id?: number } {
  const [chat, topic] = [Number(target), thread === undefined ? null : Number(thread)];
  if (!Number.isSafeInteger(chat) || (topic !== null && !Number.isSafeInteger(topic)))
    throw new ChannelFault("refused", "A chat of Telegram is a number.");
  return { chat_id: chat, ...(topic === null ? {} : { message_thread_id: topic }) };
}

function replyOf(answers: string | undefined): object {
  if (answers === undefined || !/^\d{1,15}$/.test(answers)) return {};
  return { reply_parameters: { message_id: Number(answers), allow_sending_without_reply: true } };
}

/** Telegram refuses a button to an address that only this machine knows: it becomes a line of the text. */
function withLinks(blocks: readonly Block[], { buttons = [] }: Outgoing): readonly Block[] {
  const lines = buttons.flatMap(({ label, url }) =>
    url === undefined || isPublic(url) ? [] : [plainBlock(`${label}: ${url}`)],
  );
  return [...blocks, ...lines];
}

function isPublic(url: string): boolean {
  const { protocol, hostname } = URL.parse(url) ?? {};
  return protocol === "https:" && hostname !== undefined && /\.[a-z]/i.test(hostname);
}

const keyboardOf = (buttons: readonly Button[]): object => {
  const rows = rowsOf(buttons);
  return rows.length === 0 ? {} : { reply_markup: { inline_keyboard: rows } };
};

function rowsOf(buttons: readonly Button[]): readonly (readonly object[])[] {
  return buttons.flatMap(({ label, token, url }): (readonly object[])[] => {
    if (url !== undefined) return isPublic(url) ? [[{ text: label, url }]] : [];
    if (token === undefined) return [];
    if (new TextEncoder().encode(token).length > TOKEN_BYTES_MAX)
      throw new ChannelFault("refused", `The token of a button has at most ${TOKEN_BYTES_MAX} bytes.`);
    return [[{ text: label, callback_data: token }]];
  });
}
