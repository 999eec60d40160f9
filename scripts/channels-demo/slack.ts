import { createHmac } from "node:crypto";
import {
  overNetwork,
  textOf,
  startVendor,
  type Call,
  type Deliver,
  type Reply,
  type VendorServer,
} from "./server.ts";

/**
 * A local Slack: the part of the Web API that a Cairn app calls, with its limits and errors, and people who write,
 * press buttons and use commands. Their events are posted to one address, signed.
 */

interface SlackButton {
  readonly action_id: string;
  readonly text: { readonly text: string };
  readonly value?: string;
  readonly url?: string;
}

interface SlackBlock {
  readonly type: string;
  readonly text?: { readonly type: string; readonly text: string };
  readonly elements?: readonly SlackButton[];
}

/** A message as a channel shows it. */
export interface ShownMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  /** of the person, or the bot */
  readonly user: string;
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

export interface SlackMessageOptions {
  /** the id of a channel; the conversation with the bot when left out */
  readonly channel?: string;
  readonly thread?: string;
  readonly shared?: string;
  readonly file?: {
    readonly name: string;
    readonly type: string;
    readonly bytes: Uint8Array;
    readonly size?: number;
    /** Slack gives it when so many tries to read it have come */
    readonly afterTries?: number;
  };
}

export interface SlackUser {
  readonly id: string;
  /** of the conversation with the bot */
  readonly direct: string;
  say(text: string, saying?: SlackMessageOptions): Promise<ShownMessage>;
  edit(message: ShownMessage, text: string): Promise<void>;
  /** Presses the button with these words. */
  press(card: ShownMessage, label: string): Promise<void>;
  /** `/command text` */
  command(command: string, text: string, channel?: string): Promise<void>;
}

export interface SlackStandIn extends VendorServer {
  readonly token: string;
  readonly signingSecret: string;
  readonly bot: string;
  /** in the order in which they were posted, as they look now */
  readonly messages: readonly ShownMessage[];
  /** what was answered out of sight of others */
  readonly notes: readonly { readonly person: string; readonly text: string }[];
  setTarget(url: string): void;
  person(id: string, name: string): SlackUser;
  /** A channel that the bot is in, unless `state` says otherwise. */
  channel(id: string, state?: "joined" | "outside" | "archived"): string;
  /** Posts an event unchanged; repeats carry the headers of a retry. Returns the status and body of the last response. */
  event(event: object, times?: number): Promise<{ status: number; body: string }>;
  post(
    body: string,
    type: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: string }>;
}

const SECTION_CHARS_MAX = 3_000;
const BLOCKS_MAX = 50;
const LABEL_CHARS_MAX = 75;
const TEXT_CHARS_MAX = 40_000;

const no = (error: string): Reply => ({ status: 200, body: { ok: false, error } });

/** Slack's response to a client that sends too fast. */
export const rateLimited = (seconds: number): Reply => ({
  status: 429,
  body: { ok: false, error: "ratelimited" },
  headers: { "retry-after": String(seconds) },
});

export async function startSlack(
  options: {
    readonly port?: number;
    readonly deliver?: Deliver;
    readonly now?: () => number;
    /** after each call of the bot */
    readonly changed?: () => void;
    /** an event that has no answer by then is posted once more; Slack waits three seconds */
    readonly repeatAfterMs?: number;
  } = {},
): Promise<SlackStandIn> {
  const { port = 0, deliver = overNetwork, now = Date.now, changed = () => {}, repeatAfterMs } = options;
  const [token, signingSecret, bot] = [
    "xoxb-stand-in-of-this-machine",
    "signing-secret-of-this-machine",
    "UCAIRN",
  ];
  const channels = new Map<string, "joined" | "outside" | "archived">();
  const files = new Map<string, () => Promise<Uint8Array>>();
  const messages: ShownMessage[] = [];
  const notes: { person: string; text: string }[] = [];
  let target: string | null = null;
  let count = 0;
  // A start behind another one must not repeat its ids, which are taken once.
  const born = now().toString(36).toUpperCase();
  const seconds = (): number => Math.floor(now() / 1_000);
  const stamp = (): string => `${seconds()}.${String(++count).padStart(6, "0")}`;

  const post: SlackStandIn["post"] = async (body, type, headers = {}) => {
    if (target === null) throw new Error("the app has no address for events");
    const time = String(seconds());
    const mac = createHmac("sha256", signingSecret).update(`v0:${time}:${body}`).digest("hex");
    const signed = { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${mac}` };
    const response = await deliver(target, {
      method: "POST",
      body,
      headers: { "content-type": type, ...signed, ...headers },
    });
    return { status: response.status, body: await response.text() };
  };
  const event: SlackStandIn["event"] = async (inner, times = 1) => {
    const body = JSON.stringify({
      type: "event_callback",
      event_id: `Ev${born}${++count}`,
      event_time: seconds(),
      token: "legacy",
      team_id: "T1",
      api_app_id: "A1",
      authorizations: [{ team_id: "T1", user_id: bot, is_bot: true }],
      event: inner,
    });
    let answered = { status: 0, body: "" };
    for (let time = 0; time < times; time++) {
      const retry = { "x-slack-retry-num": String(time), "x-slack-retry-reason": "http_timeout" };
      const first = post(body, "application/json", time === 0 ? {} : retry);
      if (repeatAfterMs !== undefined && !(await isWithin(repeatAfterMs, first)))
        await post(body, "application/json", { ...retry, "x-slack-retry-num": String(time + 1) });
      answered = await first;
    }
    return answered;
  };

  const check = ({ parameters }: Call): { text: string; blocks: readonly SlackBlock[] } | Reply => {
    const text = textOf(parameters["text"]);
    const blocks = (parameters["blocks"] ?? []) as readonly SlackBlock[];
    if (text === "" && blocks.length === 0) return no("no_text");
    if (text.length > TEXT_CHARS_MAX) return no("msg_too_long");
    const sections = blocks.map((block) => block.text?.text).filter((each) => each !== undefined);
    const buttons = blocks.flatMap((block) => block.elements ?? []);
    const names = new Set(buttons.map((button) => button.action_id));
    const isSound =
      blocks.length <= BLOCKS_MAX &&
      sections.every((each) => each.length >= 1 && each.length <= SECTION_CHARS_MAX) &&
      names.size === buttons.length &&
      buttons.every((button) => button.text.text.length >= 1 && button.text.text.length <= LABEL_CHARS_MAX) &&
      buttons.every((button) => (button.value ?? "").length <= 2_000 && (button.url ?? "").length <= 3_000);
    return isSound ? { text, blocks } : no("invalid_blocks");
  };

  const answer = (call: Call): Reply => {
    const { method, parameters } = call;
    if (method.startsWith("respond/")) {
      notes.push({ person: method.slice("respond/".length), text: textOf(parameters["text"]) });
      return { status: 200, body: { ok: true } };
    }
    if (call.headers["authorization"] !== `Bearer ${token}`) return no("invalid_auth");
    const channel = textOf(parameters["channel"]);
    switch (method) {
      case "auth.test":
        return {
          status: 200,
          body: {
            ok: true,
            url: "https://team.slack.com/",
            team: "Team",
            user: "cairn",
            team_id: "T1",
            user_id: bot,
          },
        };
      case "chat.postMessage": {
        const state = channels.get(channel);
        if (state === undefined) return no("channel_not_found");
        if (state === "outside") return no("not_in_channel");
        if (state === "archived") return no("is_archived");
        const checked = check(call);
        if ("status" in checked) return checked;
        const thread = parameters["thread_ts"];
        const shown: ShownMessage = {
          channel,
          ts: stamp(),
          user: bot,
          ...checked,
          ...(typeof thread === "string" ? { thread_ts: thread } : {}),
        };
        messages.push(shown);
        return { status: 200, body: { ok: true, channel, ts: shown.ts, message: shown } };
      }
      case "chat.update": {
        const at = messages.findIndex((each) => each.channel === channel && each.ts === parameters["ts"]);
        const before = messages[at];
        if (before === undefined) return no("message_not_found");
        if (before.user !== bot) return no("cant_update_message");
        const checked = check(call);
        if ("status" in checked) return checked;
        messages[at] = { ...before, ...checked };
        return { status: 200, body: { ok: true, channel, ts: before.ts, text: checked.text } };
      }
      default:
        return no("unknown_method");
    }
  };

  const server = await startVendor(
    {
      methodOf: (path) => (path.startsWith("/files/") ? null : path.replace(/^\/(api\/)?/, "")),
      answer: (call) => {
        const reply = answer(call);
        changed();
        return reply;
      },
      file: async (path, headers) => {
        const read = files.get(path);
        if (headers["authorization"] !== `Bearer ${token}`) return { status: 302, bytes: new Uint8Array() };
        if (read === undefined) return { status: 404, bytes: new Uint8Array() };
        return { status: 200, bytes: await read() };
      },
    },
    port,
  );

  const person = (id: string, name: string): SlackUser => {
    const direct = `D${id.slice(1)}`;
    channels.set(direct, "joined");
    const kindOf = (channel: string): string => (channel.startsWith("D") ? "im" : "channel");
    const responseUrl = `${server.url}/respond/${id}`;
    return {
      id,
      direct,
      async say(text, { channel = direct, thread, shared, file } = {}) {
        const shown: ShownMessage = {
          channel,
          ts: stamp(),
          user: id,
          text,
          blocks: [],
          ...(thread === undefined ? {} : { thread_ts: thread }),
        };
        messages.push(shown);
        const path = `/files/${shown.ts}/${file?.name ?? ""}`;
        if (file !== undefined) files.set(path, givenAfter(file.afterTries ?? 1, file.bytes));
        const parent = messages.find((each) => each.channel === channel && each.ts === thread)?.user;
        const body = {
          type: "message",
          channel,
          channel_type: kindOf(channel),
          user: id,
          text,
          ts: shown.ts,
          team: "T1",
          ...(thread === undefined ? {} : { thread_ts: thread }),
          ...(parent === undefined ? {} : { parent_user_id: parent }),
          ...(shared === undefined
            ? {}
            : { attachments: [{ is_share: true, text: shared, fallback: shared }] }),
          ...(file === undefined
            ? {}
            : {
                subtype: "file_share",
                files: [
                  {
                    id: `F${count}`,
                    name: file.name,
                    mimetype: file.type,
                    mode: "hosted",
                    size: file.size ?? file.bytes.length,
                    url_private: `${server.url}${path}`,
                  },
                ],
              }),
        };
        await event(body);
        // A mention in a channel comes as its own event.
        if (kindOf(channel) === "channel" && text.includes(`<@${bot}>`)) {
          const { channel_type: _type, ...mention } = body;
          await event({ ...mention, type: "app_mention" });
        }
        return shown;
      },
      async edit(message, text) {
        const at = messages.findIndex((each) => each.ts === message.ts);
        messages[at] = { ...message, text };
        const { channel, ts } = message;
        const edited = { user: id, ts: stamp() };
        await event({
          type: "message",
          subtype: "message_changed",
          channel,
          channel_type: kindOf(channel),
          ts: edited.ts,
          message: { type: "message", user: id, text, ts, edited },
          previous_message: { type: "message", user: id, text: message.text, ts },
        });
      },
      async press(card, label) {
        const current = messages.find((each) => each.channel === card.channel && each.ts === card.ts) ?? card;
        // A phone may show for a while what is gone already.
        const buttons = [current, card]
          .flatMap(({ blocks }) => blocks)
          .flatMap((block) => block.elements ?? []);
        const button = buttons.find((each) => each.text.text === label);
        if (button === undefined)
          throw new Error(
            `there is no button ${label}, only ${buttons.map((each) => each.text.text).join(", ")}`,
          );
        const payload = {
          type: "block_actions",
          user: { id, username: name, name, team_id: "T1" },
          api_app_id: "A1",
          channel: { id: card.channel, name: "x" },
          message: { ts: card.ts, thread_ts: card.thread_ts },
          actions: [{ ...button, type: "button", block_id: "b", action_ts: stamp() }],
          response_url: responseUrl,
          trigger_id: `${count}.${born}`,
        };
        const form = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
        await post(form, "application/x-www-form-urlencoded");
      },
      async command(command, text, channel = direct) {
        const form = new URLSearchParams({
          token: "legacy",
          team_id: "T1",
          channel_id: channel,
          user_id: id,
          user_name: name,
          command,
          text,
          response_url: responseUrl,
          trigger_id: `${++count}.${born}`,
        }).toString();
        await post(form, "application/x-www-form-urlencoded");
      },
    };
  };

  return {
    ...server,
    url: `${server.url}/api`,
    token,
    signingSecret,
    bot,
    messages,
    notes,
    person,
    event,
    post,
    setTarget: (url) => void (target = url),
    channel: (id, state = "joined") => {
      channels.set(id, state);
      return id;
    },
  };
}

/** Gives the bytes to everyone who asks, once so many have asked. */
function givenAfter(tries: number, bytes: Uint8Array): () => Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  let count = 0;
  return () => {
    if (++count >= tries) resolve(bytes);
    return promise;
  };
}

function isWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, false);
    work.finally(() => clearTimeout(timer)).then(() => resolve(true), reject);
  });
}
