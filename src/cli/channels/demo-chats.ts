import { randomBytes } from "node:crypto";
import { startSlack } from "../../../scripts/channels-demo/slack.ts";
import { startTelegram } from "../../../scripts/channels-demo/telegram.ts";
import type { DemoChannel } from "./demo-options.ts";
import type { BotMessage } from "./shown-chat.ts";

/** A person's chat with the bot, at a vendor of this machine. */
export interface DemoChat {
  readonly title: string;
  /** what Cairn is started with */
  readonly variables: Readonly<Record<string, string>>;
  /** of the bot, as they look now */
  messages(): readonly BotMessage[];
  /** messages that only this person sees, in order */
  notes(): readonly string[];
  /** Sends what the person does to the Cairn at this URL. */
  connect(url: string): void;
  link(code: string): Promise<unknown>;
  say(text: string): Promise<unknown>;
  press(message: BotMessage, label: string): Promise<unknown>;
  close(): Promise<void>;
}

/** `changed` is called after each call of the bot. */
export function openChat(channel: DemoChannel, changed: () => void): Promise<DemoChat> {
  return channel === "slack" ? openSlack(changed) : openTelegram(changed);
}

const PERSON = 4_711;

async function openTelegram(changed: () => void): Promise<DemoChat> {
  const telegram = await startTelegram({ changed, idsFrom: Date.now() });
  const secret = randomBytes(24).toString("base64url");
  const ada = telegram.person(PERSON, "Ada");
  const own = () => telegram.messages.filter((one) => one.chat.id === ada.chat.id && one.from.is_bot);
  return {
    title: "Telegram",
    variables: {
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_WEBHOOK_SECRET: secret,
      TELEGRAM_BASE_URL: telegram.url,
    },
    messages: own,
    notes: () => telegram.notes.map(({ text }) => text),
    connect: (url) => telegram.setWebhook(`${url}/channels/telegram`, secret),
    link: (code) => ada.say(`/link ${code}`),
    say: (text) => ada.say(text),
    press: async ({ message_id: id }, label) => {
      const card = own().find((one) => one.message_id === id);
      if (card !== undefined) await ada.press(card, label);
    },
    close: () => telegram.close(),
  };
}

/** As a person types it: `/cairn stop`. */
const COMMAND = /^\/cairn\s+/;

async function openSlack(changed: () => void): Promise<DemoChat> {
  const slack = await startSlack({ changed });
  const ada = slack.person("U4711", "ada");
  const isOurs = ({ channel, user }: { readonly channel: string; readonly user: string }): boolean =>
    channel === ada.direct && user === slack.bot;
  return {
    title: "Slack",
    variables: {
      SLACK_BOT_TOKEN: slack.token,
      SLACK_SIGNING_SECRET: slack.signingSecret,
      SLACK_BASE_URL: slack.url,
    },
    messages: () =>
      slack.messages.flatMap((one, at): BotMessage[] => {
        if (!isOurs(one)) return [];
        const sections = one.blocks.flatMap(({ text }) => text?.text ?? []);
        const buttons = one.blocks.flatMap(({ elements = [] }) => elements);
        return [
          {
            message_id: at,
            text: sections.length === 0 ? one.text : sections.join("\n"),
            buttons: buttons.map(({ text, url }) => ({
              text: text.text,
              ...(url === undefined ? {} : { url }),
            })),
          },
        ];
      }),
    notes: () => slack.notes.map(({ text }) => text),
    connect: (url) => slack.setTarget(`${url}/channels/slack`),
    link: (code) => ada.command("/cairn", `link ${code}`),
    say: (text) => (COMMAND.test(text) ? ada.command("/cairn", text.replace(COMMAND, "")) : ada.say(text)),
    press: async ({ message_id: at }, label) => {
      const card = slack.messages[at];
      if (card !== undefined) await ada.press(card, label);
    },
    close: () => slack.close(),
  };
}
