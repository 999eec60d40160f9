import type { ForeignRow } from "../row.ts";
import { ANDREY } from "./album.ts";

/** Messages of Telegram in which there is nothing that a session can read, and the one line that answers; null: no line. */

const message = { message_id: 901, from: ANDREY, chat: { id: ANDREY.id, type: "private" }, date: 1567927221 };
const group = { id: -1_001_234, type: "supergroup", title: "Office" };
const ours = {
  message_id: 44,
  from: { id: 99, is_bot: true, first_name: "Cairn", username: "cairn_bot" },
  chat: group,
  date: 1567927000,
  text: "Ready.",
};
const sticker = {
  width: 512,
  height: 512,
  emoji: "👍",
  set_name: "HotCherry",
  is_animated: true,
  is_video: false,
  type: "regular",
  file_id: "CAACAgIAAxkBAAI",
  file_unique_id: "AgADOQADfyesDlKEqOOd72VK",
  file_size: 11_000,
};
const location = { latitude: 52.520008, longitude: 13.404954 };

const rest = "Send text, a picture or a file.";

export const UNREADABLE: readonly ForeignRow<object, string | null>[] = [
  {
    name: "a sticker",
    source: "https://core.telegram.org/bots/api#sticker",
    input: { message: { ...message, sticker } },
    value: `I cannot read a sticker. ${rest}`,
  },
  {
    name: "a live location",
    source: "https://core.telegram.org/bots/api#location",
    input: { message: { ...message, location: { ...location, live_period: 900 } } },
    value: `I cannot read a location. ${rest}`,
  },
  {
    name: "a live location that moves",
    source: "https://core.telegram.org/bots/api#location",
    input: {
      edited_message: { ...message, edit_date: 1567927300, location: { ...location, live_period: 900 } },
    },
    value: null,
  },
  {
    name: "a venue, which has a location too",
    source: "https://core.telegram.org/bots/api#venue",
    input: { message: { ...message, location, venue: { location, title: "Café", address: "Main St 1" } } },
    value: `I cannot read a place. ${rest}`,
  },
  {
    name: "a contact",
    source: "https://core.telegram.org/bots/api#contact",
    input: { message: { ...message, contact: { phone_number: "+4912345", first_name: "Ola" } } },
    value: `I cannot read a contact. ${rest}`,
  },
  {
    name: "a poll that the sender forwards",
    source: "https://core.telegram.org/bots/api#poll",
    input: {
      message: {
        ...message,
        forward_origin: { type: "hidden_user", sender_user_name: "Ola", date: 1567920000 },
        poll: {
          id: "5",
          question: "When?",
          total_voter_count: 0,
          is_closed: false,
          is_anonymous: true,
          type: "regular",
          allows_multiple_answers: false,
          options: [{ text: "Now", voter_count: 0 }],
        },
      },
    },
    value: `I cannot read a poll. ${rest}`,
  },
  {
    name: "dice",
    source: "https://core.telegram.org/bots/api#dice",
    input: { message: { ...message, dice: { emoji: "🎲", value: 4 } } },
    value: `I cannot read dice. ${rest}`,
  },
  {
    name: "a checklist",
    source: "https://core.telegram.org/bots/api#checklist",
    input: { message: { ...message, checklist: { title: "Today", tasks: [{ id: 1, text: "Call" }] } } },
    value: `I cannot read a checklist. ${rest}`,
  },
  {
    name: "a sticker in a group that answers the bot",
    source: "https://core.telegram.org/bots/api#message",
    input: { message: { ...message, chat: group, sticker, reply_to_message: ours } },
    value: `I cannot read a sticker. ${rest}`,
  },
  {
    name: "a message in a group that is a mention and nothing else",
    source: "https://core.telegram.org/bots/api#messageentity",
    input: {
      message: {
        ...message,
        chat: group,
        text: "@cairn_bot",
        entities: [{ type: "mention", offset: 0, length: 10 }],
      },
    },
    value: `Your message is empty here. ${rest}`,
  },
  {
    name: "a sticker in a group for others",
    source: "https://core.telegram.org/bots/api#message",
    input: { message: { ...message, chat: group, sticker } },
    value: null,
  },
  {
    name: "a note of Telegram that a message was pinned",
    source: "https://core.telegram.org/bots/api#message",
    input: { message: { ...message, pinned_message: { ...ours, chat: message.chat } } },
    value: null,
  },
  {
    name: "a note of Telegram that messages delete themselves from now on",
    source: "https://core.telegram.org/bots/api#messageautodeletetimerchanged",
    input: {
      message: { ...message, message_auto_delete_timer_changed: { message_auto_delete_time: 86_400 } },
    },
    value: null,
  },
];
