import * as z from "zod";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import type { Ack, AlbumPart, ChannelUser, IncomingFile, Received } from "../channel.ts";
import { fileName, parseAs, parseCommand, textsIn } from "../request.ts";

/** Parses an update of Telegram (https://core.telegram.org/bots/api#update) into a channel event. */

const user = z.object({
  id: z.number().int(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default(""),
  last_name: z.string().optional(),
  username: z.string().optional(),
});
const chat = z.object({ id: z.number().int(), type: z.string() });
const entity = z.object({
  type: z.string(),
  offset: z.number().int(),
  length: z.number().int(),
  user: user.optional(),
});
const file = z.object({
  file_id: z.string(),
  /** the same in every update about the file */
  file_unique_id: z.string().optional(),
  file_size: z.number().optional(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
});
const quoted = z.object({
  message_id: z.number().int(),
  from: user.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
});
const message = quoted.extend({
  date: z.number(),
  edit_date: z.number().optional(),
  /** one for all messages of an album */
  media_group_id: z.string().optional(),
  chat,
  message_thread_id: z.number().int().optional(),
  is_topic_message: z.boolean().optional(),
  entities: z.array(entity).default([]),
  caption_entities: z.array(entity).default([]),
  forward_origin: z.unknown().optional(),
  via_bot: z.unknown().optional(),
  reply_to_message: quoted.optional(),
  quote: z.object({ text: z.string() }).optional(),
  document: file.optional(),
  photo: z.array(file).optional(),
  voice: file.optional(),
  audio: file.optional(),
  video: file.optional(),
  /** a round video */
  video_note: file.optional(),
  /** content that no session can read (`UNREADABLE`) */
  venue: z.unknown().optional(),
  sticker: z.unknown().optional(),
  location: z.unknown().optional(),
  contact: z.unknown().optional(),
  poll: z.unknown().optional(),
  dice: z.unknown().optional(),
  game: z.unknown().optional(),
  story: z.unknown().optional(),
  checklist: z.unknown().optional(),
  paid_media: z.unknown().optional(),
  giveaway: z.unknown().optional(),
  /** notes of Telegram itself: the supergroup that this group has become, and the group that this supergroup was */
  migrate_to_chat_id: z.number().int().optional(),
  migrate_from_chat_id: z.number().int().optional(),
});
type Message = z.infer<typeof message>;

/** A venue has a location too, so it comes first. */
const UNREADABLE = [
  ["venue", "a place"],
  ["sticker", "a sticker"],
  ["location", "a location"],
  ["contact", "a contact"],
  ["poll", "a poll"],
  ["dice", "dice"],
  ["game", "a game"],
  ["story", "a story"],
  ["checklist", "a checklist"],
  ["paid_media", "paid media"],
  ["giveaway", "a giveaway"],
] as const satisfies readonly (readonly [keyof Message, string])[];

const update = z.object({
  update_id: z.number().int(),
  message: message.optional(),
  edited_message: message.optional(),
  callback_query: z
    .object({
      id: z.string(),
      from: user,
      data: z.string().optional(),
      message: z
        .object({
          message_id: z.number().int(),
          chat,
          message_thread_id: z.number().int().optional(),
          is_topic_message: z.boolean().optional(),
        })
        .optional(),
    })
    .optional(),
  my_chat_member: z
    .object({
      chat,
      from: user,
      date: z.number(),
      new_chat_member: z.object({ status: z.string() }),
    })
    .optional(),
});

/** The kinds of update that are asked for. */
export const ALLOWED_UPDATES = ["message", "edited_message", "callback_query", "my_chat_member"] as const;

/** Ports and facts that parsing an update needs. */
export interface Around {
  readonly botId: number;
  /** asked only where a group could mean another bot */
  readonly botName: () => Promise<string>;
  readonly now: () => number;
  readonly ack: (query: string) => Ack;
  readonly read: (file: string, size: number) => IncomingFile["read"];
}

/**
 * Null for updates without interest: other bots and service messages. In a group they are `posted`, as is unreadable
 * content for others. Throws ChannelFault `malformed`.
 */
export async function readUpdate(json: unknown, around: Around): Promise<Received | null> {
  const parsed = parseAs(update, json);
  const deliveryId = String(parsed.update_id);
  if (parsed.callback_query !== undefined) return readPress(deliveryId, parsed.callback_query, around);
  if (parsed.my_chat_member !== undefined) return readMembership(deliveryId, parsed.my_chat_member);
  const isEdit = parsed.edited_message !== undefined;
  const message = parsed.edited_message ?? parsed.message;
  if (message === undefined) return null;
  const moved = isEdit ? null : readMove(message);
  if (moved !== null) return moved;
  const { from } = message;
  // Anonymous admins and linked channels write as bots.
  const isOfPerson = from !== undefined && !from.is_bot;
  const received = isOfPerson ? await readMessage(message, from, isEdit, around) : null;
  return received ?? (isGroup(message.chat) ? { kind: "posted", text: textsIn(json) } : null);
}

/**
 * A group that has become a supergroup: both chats report it, each once. Only groups move, and their IDs are
 * negative.
 */
function readMove({
  chat: of,
  date,
  migrate_to_chat_id: next,
  migrate_from_chat_id: before,
}: Message): Received | null {
  const [from, to] =
    of.type === "group" && next !== undefined
      ? [of.id, next]
      : of.type === "supergroup" && before !== undefined
        ? [before, of.id]
        : [0, 0];
  if (from >= 0 || to >= 0 || from === to) return null;
  return { kind: "moved", channel: "telegram", from: String(from), to: String(to), at: date * 1_000 };
}

const isGroup = (of: z.infer<typeof chat>): boolean => of.type !== "private";

/** Only a topic is a separate chat: an answer in an ordinary group has a thread ID too, to which nothing can be sent. */
const addressOf = (of: Pick<Message, "chat" | "message_thread_id" | "is_topic_message">) => ({
  channel: "telegram" as const,
  place: String(of.chat.id),
  ...(of.is_topic_message === true && of.message_thread_id !== undefined
    ? { thread: String(of.message_thread_id) }
    : {}),
});

function userOf({ id, first_name: first, last_name: last, username }: z.infer<typeof user>): ChannelUser {
  const name = `${first} ${last ?? ""}`.trim();
  return { id: String(id), name: name === "" ? (username ?? null) : name };
}

/**
 * Known by the message and its content, not by the update: Telegram also announces edits that leave the content as it was, such
 * as a new reaction or a preview.
 */
const deliveryOf = (message: Message, text: string): string =>
  `${message.chat.id}:${message.message_id}:${sha256Hex(JSON.stringify([text, ...fileKeys(message)]))}`;

const fileKeys = ({ document, photo, voice, audio, video, video_note: round }: Message): readonly string[] =>
  [document, photo?.at(-1), voice, audio, video, round].map((each) => each?.file_unique_id ?? "");

/** Messages of an album are numbered in its order. */
function albumOf(message: Message): { readonly album?: AlbumPart } {
  const { media_group_id: name, message_id: position } = message;
  if (name === undefined) return {};
  return { album: { name, position, files: fileKeys(message).join(" ") } };
}

async function readMessage(
  message: Message,
  from: z.infer<typeof user>,
  isEdit: boolean,
  around: Around,
): Promise<Received | null> {
  const text = message.text ?? message.caption ?? "";
  const entities = message.text === undefined ? message.caption_entities : message.entities;
  const answered = message.reply_to_message;
  const answersUs = answered?.from?.id === around.botId;
  const received = {
    deliveryId: deliveryOf(message, text),
    user: userOf(from),
    address: addressOf(message),
    isGroup: isGroup(message.chat),
    at: (message.edit_date ?? message.date) * 1_000,
  };
  const isForeign = message.forward_origin !== undefined || message.via_bot !== undefined;
  const needsName = received.isGroup && text.includes("@");
  const ourName = needsName ? (await around.botName()).toLowerCase() : "";
  const mentions = entities.filter((each) =>
    each.type === "text_mention"
      ? each.user?.id === around.botId
      : needsName && each.type === "mention" && sliceOf(text, each).toLowerCase() === `@${ourName}`,
  );
  const isForUs = !received.isGroup || answersUs || mentions.length > 0;

  const files = filesOf(message, isForeign, around);
  // A message with files is no command: its text belongs to the files.
  const command = isForeign || files.length > 0 ? null : parseCommand(text);
  // In a chat with several bots, a command is for the bot it names.
  const isOurs =
    !received.isGroup || (command?.bot === null ? isForUs : command?.bot?.toLowerCase() === ourName);
  if (command !== null && isOurs) return { ...received, kind: "command", ...asCommand(command) };

  const own = isForeign ? "" : without(text, mentions);
  const others = isForeign ? text : foreignOf(message, answersUs);
  const foreign = others?.trim() === "" ? null : others;
  if (own === "" && foreign === null && files.length === 0) {
    const content = UNREADABLE.find(([field]) => message[field] !== undefined)?.[1] ?? null;
    // A live location is edited all the time, and a service message has no content.
    const isContent = content !== null || mentions.length > 0;
    if (!isForUs || isEdit || !isContent) return null;
    return {
      ...received,
      kind: "unreadable",
      content,
      words: textsIn(message),
      id: String(message.message_id),
    };
  }
  return {
    ...received,
    kind: "message",
    text: own,
    foreign,
    files,
    isForUs,
    isEdit,
    answers: answersUs && answered !== undefined ? String(answered.message_id) : null,
    id: String(message.message_id),
    ...albumOf(message),
  };
}

/** A deep link opens the chat with `/start CODE`. */
function asCommand({ name, args }: { name: string; args: string }): { command: string; args: string } {
  if (name !== "start") return { command: name, args };
  return { command: args === "" ? "help" : "link", args };
}

/** The words of another to which this answers. Our own are known. */
function foreignOf({ quote, reply_to_message: answered }: Message, answersUs: boolean): string | null {
  if (answersUs) return null;
  return quote?.text ?? answered?.text ?? answered?.caption ?? null;
}

const sliceOf = (text: string, { offset, length }: z.infer<typeof entity>): string =>
  text.slice(offset, offset + length);

/** The text without its mentions. Pieces are joined once: to cut a long text at each of thousands of mentions takes seconds. */
function without(text: string, mentions: readonly z.infer<typeof entity>[]): string {
  const pieces: string[] = [];
  let end = 0;
  for (const { offset, length } of mentions.toSorted((a, b) => a.offset - b.offset)) {
    if (offset > end) pieces.push(text.slice(end, offset));
    end = Math.max(end, offset + length);
  }
  return [...pieces, text.slice(end)].join("").trim();
}

function filesOf(message: Message, isForeign: boolean, { read }: Around): readonly IncomingFile[] {
  const spoken = isForeign ? "foreign" : "own";
  const named: readonly {
    readonly file: z.infer<typeof file> | undefined;
    readonly name: string;
    readonly type: string;
    readonly speech?: IncomingFile["speech"];
  }[] = [
    { file: message.document, name: `document-${message.message_id}`, type: "application/octet-stream" },
    // The sizes of one photo, the largest last.
    { file: message.photo?.at(-1), name: `photo-${message.message_id}.jpg`, type: "image/jpeg" },
    { file: message.voice, name: `voice-${message.message_id}.ogg`, type: "audio/ogg", speech: spoken },
    // Anybody may have recorded it.
    { file: message.audio, name: `audio-${message.message_id}.mp3`, type: "audio/mpeg", speech: "foreign" },
    { file: message.video, name: `video-${message.message_id}.mp4`, type: "video/mp4" },
    { file: message.video_note, name: `video-${message.message_id}.mp4`, type: "video/mp4" },
  ];
  return named.flatMap(({ file: each, name, type, speech }) => {
    if (each === undefined) return [];
    const size = each.file_size ?? 0;
    return [
      {
        name: fileName(each.file_name, name),
        type: each.mime_type ?? type,
        size,
        read: read(each.file_id, size),
        ...(speech === undefined ? {} : { speech }),
      },
    ];
  });
}

function readPress(
  deliveryId: string,
  press: NonNullable<z.infer<typeof update>["callback_query"]>,
  { now, ack }: Around,
): Received | null {
  const { id, from, data, message: card } = press;
  // Without a message the button is in a chat that we cannot see.
  if (data === undefined || card === undefined || from.is_bot) return null;
  return {
    kind: "press",
    deliveryId,
    user: userOf(from),
    address: addressOf(card),
    isGroup: isGroup(card.chat),
    at: now(),
    token: data,
    card: String(card.message_id),
    ack: ack(id),
  };
}

/** A person who stops the bot, or a group that takes it out. */
function readMembership(
  deliveryId: string,
  { chat: of, from, date, new_chat_member: member }: NonNullable<z.infer<typeof update>["my_chat_member"]>,
): Received | null {
  if (member.status !== "kicked" && member.status !== "left") return null;
  return {
    kind: "shut",
    deliveryId,
    user: userOf(from),
    address: addressOf({ chat: of }),
    isGroup: isGroup(of),
    at: date * 1_000,
  };
}
