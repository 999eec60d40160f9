import * as z from "zod";
import type { Address } from "../../../cairn/core/address.ts";
import { ChannelFault, type Ack, type IncomingFile, type Received } from "../channel.ts";
import { fileName, parseAs, parseCommand, textsIn } from "../request.ts";
import { mentions, readWords } from "./words.ts";

/** Parses Slack's requests (https://docs.slack.dev/apis/events-api/, .../interactivity/) into channel events. */

const file = z.object({
  id: z.string(),
  /** who has uploaded it: the sender, or another whose file they share */
  user: z.string().nullish(),
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  mode: z.string().nullish(),
  /** `slack_audio`: recorded in Slack by the sender */
  subtype: z.string().nullish(),
  url_private: z.string().nullish(),
  url_private_download: z.string().nullish(),
});
const message = z.object({
  user: z.string().optional(),
  bot_id: z.string().optional(),
  text: z.string().default(""),
  ts: z.string(),
  thread_ts: z.string().optional(),
  parent_user_id: z.string().optional(),
  edited: z.object({ ts: z.string() }).optional(),
  files: z.array(file).default([]),
  /** messages of others that it shares */
  attachments: z
    .array(
      z.object({
        text: z.string().optional(),
        fallback: z.string().optional(),
        files: z.array(file).default([]),
      }),
    )
    .default([]),
});
type SlackMessage = z.infer<typeof message>;

const envelope = z.discriminatedUnion("type", [
  z.object({ type: z.literal("url_verification"), challenge: z.string() }),
  z.object({
    type: z.literal("event_callback"),
    event_id: z.string(),
    event_time: z.number(),
    /** the bot user that receives it */
    authorizations: z.array(z.object({ user_id: z.string() })).default([]),
    event: z.looseObject({ type: z.string(), subtype: z.string().optional() }),
  }),
]);
const messageEvent = message.extend({ channel: z.string(), channel_type: z.string().optional() });
const changed = z.object({
  channel: z.string(),
  channel_type: z.string().optional(),
  message: message,
  previous_message: z.object({ text: z.string().default("") }).optional(),
});
/** any message, also of a bot */
const posted = z.object({
  event: z.looseObject({ type: z.enum(["message", "app_mention"]), channel: z.string() }),
});
const left = z.object({ user: z.string(), channel: z.string() });

const interaction = z.object({
  type: z.string(),
  user: z.object({ id: z.string(), name: z.string().optional(), username: z.string().optional() }),
  channel: z.object({ id: z.string() }).optional(),
  message: z.object({ ts: z.string(), thread_ts: z.string().optional() }).optional(),
  actions: z.array(z.object({ value: z.string().optional(), action_ts: z.string() })).default([]),
  response_url: z.string().optional(),
});

const slash = z.object({
  command: z.string(),
  text: z.string().default(""),
  user_id: z.string(),
  user_name: z.string().optional(),
  channel_id: z.string(),
  trigger_id: z.string(),
  response_url: z.string(),
});

export interface Around {
  readonly now: () => number;
  readonly ack: (url: string) => Ack;
  readonly read: (url: string, size: number) => IncomingFile["read"];
}

/**
 * Null for events without interest: bots, joins, previews. In a channel they are `posted`. Throws ChannelFault
 * `malformed`.
 */
export function readEvent(json: unknown, around: Around): Received | null {
  const received = readCallback(json, around);
  if (received !== null) return received;
  const { data } = posted.safeParse(json);
  const isGroup = data !== undefined && !data.event.channel.startsWith("D");
  return isGroup ? { kind: "posted", text: textsIn(data.event) } : null;
}

function readCallback(json: unknown, around: Around): Received | null {
  const { type } = parseAs(z.object({ type: z.string() }), json);
  if (type !== "url_verification" && type !== "event_callback") return null;
  const parsed = parseAs(envelope, json);
  if (parsed.type === "url_verification")
    return { kind: "challenge", answer: { challenge: parsed.challenge } };
  const { event, event_id: id, event_time: at } = parsed;
  const bot = parsed.authorizations[0]?.user_id ?? null;
  if (event.type === "member_left_channel") {
    const { user, channel } = parseAs(left, event);
    if (user !== bot) return null;
    return {
      kind: "shut",
      deliveryId: id,
      user: { id: user, name: null },
      at: at * 1_000,
      address: { channel: "slack", place: channel },
      isGroup: true,
    };
  }
  if (event.type === "message" && event.subtype === "message_changed") {
    const { channel, channel_type: kind, message, previous_message: before } = parseAs(changed, event);
    // A preview that Slack adds is a change too.
    if (message.edited === undefined || message.text === before?.text) return null;
    return readMessage(
      message,
      channel,
      { isDirect: kind === "im", isEdit: true, isMention: false, bot },
      around,
    );
  }
  const isPlain = event.subtype === undefined || ["file_share", "thread_broadcast"].includes(event.subtype);
  if ((event.type !== "message" && event.type !== "app_mention") || !isPlain) return null;
  const message = parseAs(messageEvent, event);
  const isMention = event.type === "app_mention";
  // In a channel it comes once more, as the mention.
  if (!isMention && /^(channel|group)$/.test(message.channel_type ?? "") && mentions(message.text, bot))
    return null;
  const isDirect = message.channel_type === "im";
  return readMessage(
    message,
    message.channel,
    { isDirect, isEdit: message.edited !== undefined, isMention, bot },
    around,
  );
}

interface MessageContext {
  readonly isDirect: boolean;
  readonly isEdit: boolean;
  readonly isMention: boolean;
  readonly bot: string | null;
}

function readMessage(
  message: SlackMessage,
  channel: string,
  { isDirect, isEdit, isMention, bot }: MessageContext,
  { read }: Around,
): Received | null {
  if (message.user === undefined || message.bot_id !== undefined || message.user === bot) return null;
  const answersUs = message.parent_user_id !== undefined && message.parent_user_id === bot;
  const isForUs = isDirect || isMention || answersUs || mentions(message.text, bot);
  // In a channel the answer goes into a thread below the message.
  const thread = message.thread_ts ?? (isDirect ? undefined : message.ts);
  const address: Address = { channel: "slack", place: channel, ...(thread === undefined ? {} : { thread }) };
  const edit = message.edited === undefined ? "" : `:${message.edited.ts}`;
  const received = {
    // ID of the message, not of the event: in a group conversation one message is two events.
    deliveryId: `${channel}:${message.ts}${edit}`,
    user: { id: message.user, name: null },
    address,
    isGroup: !isDirect,
    at: timeOf(message.edited?.ts ?? message.ts),
  };
  const text = readWords(message.text, bot);
  const files = [
    ...message.files.flatMap((each) => fileOf(each, message.user === each.user, read)),
    ...message.attachments.flatMap((shared) => shared.files.flatMap((each) => fileOf(each, false, read))),
  ];
  // A message with files is no command: its text belongs to the files.
  const command = isForUs && files.length === 0 ? parseCommand(text) : null;
  if (command !== null && command.bot === null)
    return { ...received, kind: "command", command: command.name, args: command.args };
  const shared = message.attachments.map((each) => readWords(each.text ?? each.fallback ?? "", null));
  const foreign = shared.filter((each) => each !== "").join("\n\n");
  if (text === "" && foreign === "" && files.length === 0) {
    // Files that were deleted meanwhile are no message any more.
    if (!isForUs || isEdit || message.files.length > 0) return null;
    return { ...received, kind: "unreadable", content: null, words: textsIn(message), id: message.ts };
  }
  return {
    ...received,
    kind: "message",
    text,
    foreign: foreign === "" ? null : foreign,
    files,
    isForUs,
    isEdit,
    answers: answersUs ? (message.thread_ts ?? null) : null,
    id: message.ts,
  };
}

/** `isOwn`: the sender has uploaded it. */
function fileOf(each: z.infer<typeof file>, isOwn: boolean, read: Around["read"]): readonly IncomingFile[] {
  if (each.mode === "tombstone") return [];
  const url = each.url_private_download ?? each.url_private ?? null;
  const size = each.size ?? 0;
  const given = url === null || each.mode === "hidden_by_limit" ? withoutBytes : read(url, size);
  const type = each.mimetype ?? "application/octet-stream";
  return [
    { name: fileName(each.name, `file-${each.id}`), type, size, read: given, ...speechIn(each, isOwn) },
  ];
}

/** A file that is too old for the plan of the workspace, or that another workspace shares (`check_file_info`), has no address. */
const withoutBytes: IncomingFile["read"] = () =>
  Promise.reject(new ChannelFault("refused", "Slack does not give this file to apps. Upload it here."));

/** A clip that was recorded in Slack may be named a video (https://docs.slack.dev/reference/objects/file-object). */
function speechIn({ subtype, mimetype }: z.infer<typeof file>, isOwn: boolean): Pick<IncomingFile, "speech"> {
  if (subtype === "slack_audio") return { speech: isOwn ? "own" : "foreign" };
  return mimetype?.startsWith("audio/") === true ? { speech: "foreign" } : {};
}

/** A button that was pressed; null for one that is only a link. */
export function readPress(json: unknown, { now, ack }: Around): Received | null {
  const press = parseAs(interaction, json);
  const [action] = press.actions;
  const { channel, message, response_url: url, user } = press;
  if (press.type !== "block_actions" || action?.value === undefined) return null;
  if (channel === undefined || message === undefined || url === undefined) return null;
  const thread = message.thread_ts;
  return {
    kind: "press",
    deliveryId: `${channel.id}:${message.ts}:${user.id}:${action.action_ts}`,
    user: { id: user.id, name: user.name ?? user.username ?? null },
    address: { channel: "slack", place: channel.id, ...(thread === undefined ? {} : { thread }) },
    isGroup: !channel.id.startsWith("D"),
    at: now(),
    token: action.value,
    card: message.ts,
    ack: ack(url),
  };
}

const COMMANDS: ReadonlySet<string> = new Set([
  "link",
  "new",
  "sessions",
  "stop",
  "lean",
  "help",
  "add",
  "agent",
  "model",
]);

/** `/link CODE` where the app has that command, and `/cairn link CODE` where it has one for all. */
export function readSlash(form: URLSearchParams, { now, ack }: Around): Received | null {
  if (form.get("ssl_check") === "1") return null;
  const slashed = parseAs(slash, Object.fromEntries(form));
  const name = slashed.command.replace(/^\//, "").toLowerCase();
  const text = readWords(slashed.text, null);
  const [, first = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  const [command, args] = COMMANDS.has(name)
    ? [name, text]
    : [first === "" ? "help" : first.toLowerCase(), rest];
  return {
    kind: "command",
    deliveryId: slashed.trigger_id,
    command,
    args,
    ack: ack(slashed.response_url),
    user: { id: slashed.user_id, name: slashed.user_name ?? null },
    address: { channel: "slack", place: slashed.channel_id },
    isGroup: !slashed.channel_id.startsWith("D"),
    at: now(),
  };
}

/** Seconds with a fraction that makes them unique, as milliseconds. */
const timeOf = (ts: string): number => Math.floor(Number(ts) * 1_000);
