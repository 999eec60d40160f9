import {
  overNetwork,
  textOf,
  startVendor,
  type Call,
  type Deliver,
  type Reply,
  type VendorServer,
} from "./server.ts";
import { parseTelegramHtml, type Entity } from "./telegram-html.ts";

/**
 * A local Telegram: the part of the Bot API that a Cairn bot calls, with its limits and errors, and people who write
 * and press buttons. Their updates go to the webhook that the bot has set, with its secret.
 */

export interface TelegramChat {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup";
  readonly title?: string;
  readonly is_forum?: boolean;
}

export interface TelegramPerson {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly username?: string;
}

interface InlineButton {
  readonly text: string;
  readonly callback_data?: string;
  readonly url?: string;
}

/** A message as a chat shows it. */
export interface ShownMessage {
  readonly message_id: number;
  readonly chat: TelegramChat;
  readonly from: TelegramPerson;
  readonly date: number;
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly buttons: readonly InlineButton[];
  readonly isSilent: boolean;
  readonly thread?: number;
  readonly answers?: number;
}

/** Parts of a message besides its text. */
export interface MessageOptions {
  readonly chat?: TelegramChat;
  readonly thread?: number;
  readonly answers?: ShownMessage;
  readonly quote?: string;
  readonly forwardedFrom?: string;
  readonly file?: {
    readonly name: string;
    readonly type: string;
    readonly bytes: Uint8Array;
    readonly size?: number;
  };
}

export interface TelegramStandIn extends VendorServer {
  readonly token: string;
  readonly bot: TelegramPerson;
  /** in the order in which they were sent, as they look now */
  readonly messages: readonly ShownMessage[];
  /** what was shown to those who pressed */
  readonly notes: readonly { readonly person: number; readonly text: string }[];
  readonly webhook: { readonly url: string; readonly secret: string } | null;
  setWebhook(url: string, secret: string): void;
  person(id: number, name: string, username?: string): TelegramUser;
  group(id: number, title: string, isForum?: boolean): TelegramChat;
  /** Posts an update unchanged, `times` times. Returns the status of the last response. */
  deliver(update: object, times?: number): Promise<number>;
}

export interface TelegramUser {
  readonly self: TelegramPerson;
  readonly chat: TelegramChat;
  say(text: string, saying?: MessageOptions): Promise<ShownMessage>;
  edit(message: ShownMessage, text: string): Promise<void>;
  /** Presses the button with these words. */
  press(card: ShownMessage, label: string): Promise<void>;
  block(): Promise<void>;
  unblock(): void;
}

const CHARS_MAX = 4_096;
const DATA_BYTES_MAX = 64;
const NOTE_CHARS_MAX = 200;
const FILE_BYTES_MAX = 20 * 1_048_576;

const fault = (code: number, description: string, parameters?: object): Reply => ({
  status: code,
  body: { ok: false, error_code: code, description, ...(parameters === undefined ? {} : { parameters }) },
});
const bad = (what: string): Reply => fault(400, `Bad Request: ${what}`);
const done = (result: unknown): Reply => ({ status: 200, body: { ok: true, result } });

/** Telegram's response to a client that sends too fast. */
export const tooManyRequests = (seconds: number): Reply =>
  fault(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });

export async function startTelegram(
  options: {
    readonly port?: number;
    readonly deliver?: Deliver;
    readonly now?: () => number;
    /** of the first message and the first update: a start behind another one must not repeat its ids, which are taken once */
    readonly idsFrom?: number;
    /** after each call of the bot */
    readonly changed?: () => void;
  } = {},
): Promise<TelegramStandIn> {
  const {
    port = 0,
    deliver: post = overNetwork,
    now = Date.now,
    idsFrom = 100,
    changed = () => {},
  } = options;
  const token = "7000000001:AAstand-in-token-of-this-machine";
  const bot = { id: 7_000_000_001, is_bot: true, first_name: "Cairn", username: "cairn_demo_bot" };
  const chats = new Map<number, TelegramChat>();
  const blocked = new Set<number>();
  const files = new Map<string, { bytes: Uint8Array; size: number }>();
  const queries = new Map<string, number>();
  const messages: ShownMessage[] = [];
  const notes: { person: number; text: string }[] = [];
  let webhook: { url: string; secret: string } | null = null;
  let [lastMessage, lastUpdate] = [idsFrom, idsFrom];
  const seconds = (): number => Math.floor(now() / 1_000);

  const deliver = async (update: object, times = 1): Promise<number> => {
    if (webhook === null) throw new Error("the bot has set no webhook");
    let status = 0;
    for (let time = 0; time < times; time++) {
      const response = await post(webhook.url, {
        method: "POST",
        body: JSON.stringify(update),
        headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": webhook.secret },
      });
      await response.body?.cancel();
      ({ status } = response);
    }
    return status;
  };
  const update = (body: object): Promise<number> => deliver({ update_id: ++lastUpdate, ...body });

  const write = ({ parameters }: Call): ShownMessage | Reply => {
    const chat = chats.get(Number(parameters["chat_id"]));
    if (chat === undefined) return bad("chat not found");
    if (blocked.has(chat.id)) return fault(403, "Forbidden: bot was blocked by the user");
    const thread = parameters["message_thread_id"];
    if (typeof thread === "number" && chat.is_forum !== true) return bad("message thread not found");
    let parsed: { text: string; entities: readonly Entity[] };
    try {
      const text = textOf(parameters["text"]);
      parsed = parameters["parse_mode"] === "HTML" ? parseTelegramHtml(text) : { text, entities: [] };
    } catch (error) {
      return fault(400, error instanceof Error ? error.message : "Bad Request");
    }
    if (parsed.text.trim() === "") return bad("message text is empty");
    if (parsed.text.length > CHARS_MAX) return bad("message is too long");
    const { inline_keyboard: rows = [] } = (parameters["reply_markup"] ?? {}) as {
      inline_keyboard?: readonly (readonly InlineButton[])[];
    };
    const buttons = rows.flat();
    for (const { callback_data: data, url } of buttons) {
      if (data !== undefined && (data === "" || Buffer.byteLength(data) > DATA_BYTES_MAX))
        return bad("BUTTON_DATA_INVALID");
      if (url !== undefined && !/^(https?|tg):\/\/[^/]*\.[a-z]/i.test(url))
        return bad(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`);
    }
    const { message_id: answers } = (parameters["reply_parameters"] ?? {}) as { message_id?: number };
    return {
      message_id: 0,
      chat,
      from: bot,
      date: seconds(),
      ...parsed,
      buttons,
      isSilent: parameters["disable_notification"] === true,
      ...(typeof thread === "number" ? { thread } : {}),
      ...(answers === undefined ? {} : { answers }),
    };
  };
  const result = (shown: ShownMessage): object => ({
    message_id: shown.message_id,
    from: bot,
    chat: shown.chat,
    date: shown.date,
    text: shown.text,
    entities: shown.entities,
  });

  const answer = (call: Call): Reply => {
    const { method, parameters } = call;
    if (method === "") return fault(401, "Unauthorized");
    switch (method) {
      case "getMe":
        return done(bot);
      case "setWebhook": {
        const secret = textOf(parameters["secret_token"]);
        if (!/^[A-Za-z0-9_-]{1,256}$/.test(secret)) return bad("secret token contains unallowed characters");
        if (!URL.canParse(textOf(parameters["url"]))) return bad("invalid webhook URL specified");
        webhook = { url: textOf(parameters["url"]), secret };
        return done(true);
      }
      case "getWebhookInfo":
        return done({ url: webhook?.url ?? "", has_custom_certificate: false, pending_update_count: 0 });
      case "setMyCommands":
      case "sendChatAction":
        return done(true);
      case "sendMessage": {
        const written = write(call);
        if ("status" in written) return written;
        const shown = { ...written, message_id: ++lastMessage };
        messages.push(shown);
        return done(result(shown));
      }
      case "editMessageText": {
        const at = messages.findIndex(
          (each) =>
            each.message_id === parameters["message_id"] && each.chat.id === Number(parameters["chat_id"]),
        );
        const before = messages[at];
        if (before === undefined || before.from.id !== bot.id) return bad("message to edit not found");
        const written = write(call);
        if ("status" in written) return written;
        const look = (of: ShownMessage): string => JSON.stringify([of.text, of.entities, of.buttons]);
        if (look(before) === look(written))
          return bad(
            "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
          );
        messages[at] = {
          ...before,
          text: written.text,
          entities: written.entities,
          buttons: written.buttons,
        };
        return done(result(messages[at]));
      }
      case "answerCallbackQuery": {
        const query = textOf(parameters["callback_query_id"]);
        const person = queries.get(query);
        if (person === undefined)
          return bad("query is too old and response timeout expired or query ID is invalid");
        const text = textOf(parameters["text"]);
        if (text.length > NOTE_CHARS_MAX) return bad("MESSAGE_TOO_LONG");
        queries.delete(query);
        notes.push({ person, text });
        return done(true);
      }
      case "getFile": {
        const id = textOf(parameters["file_id"]);
        const file = files.get(id);
        if (file === undefined) return bad("wrong file_id or the file is temporarily unavailable");
        if (file.size > FILE_BYTES_MAX) return bad("file is too big");
        return done({ file_id: id, file_size: file.size, file_path: `documents/${id}` });
      }
      default:
        return fault(404, "Not Found: method not found");
    }
  };

  const server = await startVendor(
    {
      methodOf: (path) => {
        if (path.startsWith("/file/")) return null;
        const [, of, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
        return of === token ? (method ?? "") : "";
      },
      answer: (call) => {
        const reply = answer(call);
        changed();
        return reply;
      },
      file: (path) => {
        const found = files.get(path.replace(`/file/bot${token}/documents/`, ""));
        return found === undefined
          ? { status: 404, bytes: new Uint8Array() }
          : { status: 200, bytes: found.bytes };
      },
    },
    port,
  );

  const person = (id: number, name: string, username?: string): TelegramUser => {
    const self = { id, is_bot: false, first_name: name, ...(username === undefined ? {} : { username }) };
    const own: TelegramChat = { id, type: "private" };
    const wire = (shown: ShownMessage): object => ({
      message_id: shown.message_id,
      from: shown.from,
      chat: shown.chat,
      date: shown.date,
      text: shown.text,
      ...(shown.thread === undefined ? {} : { message_thread_id: shown.thread, is_topic_message: true }),
    });
    return {
      self,
      chat: own,
      async say(text, saying = {}) {
        const { chat = own, thread, answers, quote, forwardedFrom, file } = saying;
        chats.set(chat.id, chat);
        const base = { message_id: ++lastMessage, chat, from: self, date: seconds() };
        const shown: ShownMessage = {
          ...base,
          text,
          entities: entitiesOf(text),
          buttons: [],
          isSilent: false,
          ...(thread === undefined ? {} : { thread }),
        };
        messages.push(shown);
        const id = `file-${lastMessage}`;
        if (file !== undefined) files.set(id, { bytes: file.bytes, size: file.size ?? file.bytes.length });
        const { text: _text, ...body } = wire(shown) as { text: string };
        await update({
          message: {
            ...body,
            ...(file === undefined
              ? { text, entities: shown.entities }
              : {
                  ...(text === "" ? {} : { caption: text, caption_entities: shown.entities }),
                  document: {
                    file_id: id,
                    file_unique_id: id,
                    file_name: file.name,
                    mime_type: file.type,
                    file_size: file.size ?? file.bytes.length,
                  },
                }),
            ...(answers === undefined ? {} : { reply_to_message: wire(answers) }),
            ...(quote === undefined ? {} : { quote: { text: quote, position: 0, is_manual: true } }),
            ...(forwardedFrom === undefined
              ? {}
              : {
                  forward_origin: { type: "hidden_user", sender_user_name: forwardedFrom, date: seconds() },
                }),
          },
        });
        return shown;
      },
      async edit(message, text) {
        const at = messages.findIndex((each) => each.message_id === message.message_id);
        messages[at] = { ...message, text, entities: entitiesOf(text) };
        await update({
          edited_message: { ...wire(messages[at]), edit_date: seconds(), entities: entitiesOf(text) },
        });
      },
      async press(card, label) {
        const current = messages.find((each) => each.message_id === card.message_id) ?? card;
        // A phone may show for a while what is gone already.
        const button = [...current.buttons, ...card.buttons].find((each) => each.text === label);
        if (button?.callback_data === undefined)
          throw new Error(
            `there is no button ${label}, only ${current.buttons.map((each) => each.text).join(", ")}`,
          );
        const query = `query-${++lastUpdate}`;
        queries.set(query, id);
        await update({
          callback_query: {
            id: query,
            from: self,
            chat_instance: String(card.chat.id),
            data: button.callback_data,
            message: wire(current),
          },
        });
      },
      async block() {
        blocked.add(id);
        const member = (status: string): object => ({ user: bot, status });
        await update({
          my_chat_member: {
            chat: own,
            from: self,
            date: seconds(),
            old_chat_member: member("member"),
            new_chat_member: member("kicked"),
          },
        });
      },
      unblock: () => void blocked.delete(id),
    };
  };

  return {
    ...server,
    token,
    bot,
    messages,
    notes,
    get webhook() {
      return webhook;
    },
    setWebhook: (url, secret) => void (webhook = { url, secret }),
    person,
    group: (id, title, isForum = false) => {
      const chat: TelegramChat = { id, type: "supergroup", title, ...(isForum ? { is_forum: true } : {}) };
      chats.set(id, chat);
      return chat;
    },
    deliver,
  };
}

/** Commands at the beginning, and mentions, as the server marks them. */
function entitiesOf(text: string): readonly Entity[] {
  const command = /^\/\w+(@\w+)?/.exec(text);
  const mentions = [...text.matchAll(/(?<![\w/])@\w{5,32}/g)].map((found) => ({
    type: "mention",
    offset: found.index,
    length: found[0].length,
  }));
  return [
    ...(command === null ? [] : [{ type: "bot_command", offset: 0, length: command[0].length }]),
    ...mentions,
  ];
}
