import { afterEach, describe, expect, test, vi } from "vitest";
import { answerOnPage } from "./answer-on-page.ts";
import { directOf, openSlack, type SlackChat } from "./slack-chat.ts";
import { lendToSessions } from "./telegram-chat.ts";

/** Options of a question are buttons in Slack, each for one question; they go when it is over. */

/** a busy machine is slow, and nothing here is about time */
const WAIT = { timeout: 20_000, interval: 50 };

let people = 0;
let stamps = 0;

interface Block {
  readonly type: string;
  readonly text?: { readonly text: string };
  readonly elements?: readonly { readonly text: { readonly text: string }; readonly value: string }[];
}
interface Message {
  readonly text: string;
  readonly ts: string;
  readonly blocks: readonly Block[];
}

async function opened() {
  const chat = openSlack();
  endings.push(await lendToSessions(chat.channels));
  const id = `U8000${(people += 1)}`;
  await chat.links(id);
  const place = directOf(id);
  const says = async (text: string, more: object = {}): Promise<void> => {
    const ts = `1700000000.${String((stamps += 1)).padStart(6, "0")}`;
    const status = await chat.event({
      type: "message",
      channel: place,
      channel_type: "im",
      user: id,
      text: escaped(text),
      ts,
      ...more,
    });
    expect(status).toBe(200);
  };
  /** As Slack documents the payload of `block_actions`. */
  const presses = async (message: Message, value: string, by = id): Promise<string | undefined> => {
    const before = chat.responses.length;
    await chat.interact({
      type: "block_actions",
      user: { id: by, username: "a", name: "a", team_id: "T1" },
      api_app_id: "A1",
      token: "legacy",
      container: { type: "message", message_ts: message.ts, channel_id: place, is_ephemeral: false },
      trigger_id: "12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3",
      team: { id: "T1", domain: "example" },
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: place, name: "directmessage" },
      message: { bot_id: "B1", type: "message", user: "UCAIRN", ...message },
      state: { values: {} },
      response_url: "https://hooks.slack.com/actions/T1/1/x",
      actions: [
        {
          action_id: "button-0",
          block_id: "b=R",
          value,
          type: "button",
          text: { type: "plain_text", text: "x", emoji: false },
          action_ts: `1700000002.${(stamps += 1)}`,
        },
      ],
    });
    return chat.responses[before];
  };
  return { chat, id, place, says, presses };
}

/** As Slack gives what a person has typed. */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const asks = (question: string, options: readonly string[]): string =>
  `/call ask_human ${JSON.stringify({ question, options })}\n/then\n/say Done with it.`;

const messageBy = (chat: SlackChat, method: string, words: string): Promise<Message> =>
  vi.waitFor(() => {
    const at = chat.calls.findLastIndex(
      (call) => call.method === method && String(call.body["text"]).includes(words),
    );
    const found = chat.calls[at];
    if (found === undefined) throw new Error("no such message yet");
    const body = found.body as unknown as Message;
    return { ...body, ts: body.ts ?? `1700000001.${String(at + 1).padStart(6, "0")}` };
  }, WAIT);

const buttonsOf = ({ blocks }: Message): NonNullable<Block["elements"]> =>
  blocks.flatMap(({ elements = [] }) => elements);
const wordsOf = ({ blocks }: Message): readonly string[] =>
  blocks.flatMap(({ text }) => (text === undefined ? [] : [text.text]));

const answersIn = async (chat: SlackChat, place: string): Promise<readonly unknown[]> =>
  (await chat.entries(place)).flatMap(({ kind, body }) => (kind === "human_answered" ? [body["value"]] : []));

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
  vi.restoreAllMocks();
});

describe("the options of a question in Slack", () => {
  test.each([
    ["two words", ["yes", "no"], "no", "no"],
    [
      "marks that Slack reads",
      ["<!channel> & all", "*none*"],
      "<!channel> & all",
      "&lt;!channel&gt; &amp; all",
    ],
    ["other scripts, and flags", ["はい 🇯🇵", "いいえ"], "はい 🇯🇵", "はい 🇯🇵"],
  ])("are buttons, which the choice replaces: %s", async (_, options, pressed, shown) => {
    const { chat, place, says, presses } = await opened();
    await says(asks("Which one?", options));
    const message = await messageBy(chat, "chat.postMessage", "Which one?");
    expect(buttonsOf(message).map(({ text }) => text.text)).toEqual(options);
    const button = buttonsOf(message)[options.indexOf(pressed)];
    expect(await presses(message, button?.value ?? "")).toBe(`Answered: ${shown}`);
    expect(await answersIn(chat, place)).toEqual([pressed]);
    const changed = await messageBy(chat, "chat.update", "Which one?");
    expect(changed.ts).toBe(message.ts);
    expect(buttonsOf(changed)).toEqual([]);
    expect(wordsOf(changed).join("\n")).toContain(shown.replaceAll("*", ""));
  });

  test("go when the question is answered on the page", async () => {
    const { chat, place, says } = await opened();
    await says(asks("Which one?", ["yes", "no"]));
    await messageBy(chat, "chat.postMessage", "Which one?");
    await answerOnPage(chat.api, place, "yes");
    const changed = await messageBy(chat, "chat.update", "Which one?");
    expect(buttonsOf(changed)).toEqual([]);
    expect(changed.text).toContain("Answered by alice: yes");
  });

  test("are for the one who was asked, and answer once", async () => {
    const { chat, place, says, presses } = await opened();
    const other = `U8900${people}`;
    await chat.links(other);
    await says(asks("Which one?", ["yes", "no"]));
    const message = await messageBy(chat, "chat.postMessage", "Which one?");
    const [yes, no] = buttonsOf(message);
    expect(await presses(message, yes?.value ?? "", other)).toBe(
      "This button is not for you, or its time is over.",
    );
    expect(await presses(message, no?.value ?? "")).toBe("Answered: no");
    expect(await presses(message, yes?.value ?? "")).toBe("This question was answered before.");
    expect(await answersIn(chat, place)).toEqual(["no"]);
  });

  test("answer the question of a thread in a channel", async () => {
    const { chat, says } = await opened();
    await says(asks("Which one?", ["yes", "no"]), { thread_ts: "1699999999.000001" });
    const message = await messageBy(chat, "chat.postMessage", "Which one?");
    expect(message).toMatchObject({ thread_ts: "1699999999.000001" });
    expect(buttonsOf(message)).toHaveLength(2);
  });
});
