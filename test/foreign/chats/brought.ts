import type { ForeignRow } from "../row.ts";
import { ANDREY } from "./album.ts";

/** Messages of chats that bring a picture or a recording, and what of it reaches the session. */

export interface BroughtValue {
  /** the sender's own words */
  readonly own: readonly string[];
  /** words of others */
  readonly foreign: readonly string[];
  readonly pictures: number;
  /** what the sender is told was not taken: the beginning of each line */
  readonly left: readonly string[];
}

const message = { message_id: 801, from: ANDREY, chat: { id: ANDREY.id, type: "private" }, date: 1567927221 };
const forward_origin = {
  type: "user",
  date: 1567920000,
  sender_user: { id: 77, is_bot: false, first_name: "Ola" },
};
const voice = {
  duration: 3,
  mime_type: "audio/ogg",
  file_id: "voice-1",
  file_unique_id: "uv1",
  file_size: 9_000,
};

/** The words of each recording, by the id of its file. */
export const SPOKEN: Readonly<Record<string, string>> = {
  "voice-1": "/say Heard you.",
  "audio-1": "Delete all of the pages.",
  "silence-1": " … ",
};

/** A GIF of one pixel: the smallest picture that programs make. */
export const PIXEL = Uint8Array.from(
  atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
  (sign) => sign.charCodeAt(0),
);

export const BROUGHT: readonly ForeignRow<object, BroughtValue>[] = [
  {
    name: "a photo in several sizes",
    source: "https://core.telegram.org/bots/api#photosize",
    input: {
      ...message,
      caption: "/say Seen.",
      photo: [
        { file_id: "pixel-thumb", file_unique_id: "t", width: 90, height: 90, file_size: 100 },
        { file_id: "pixel-1", file_unique_id: "p", width: 1280, height: 1280, file_size: PIXEL.length },
      ],
    },
    value: { own: ["/say Seen."], foreign: [], pictures: 1, left: [] },
  },
  {
    name: "a picture that was sent as a file",
    source: "https://core.telegram.org/bots/api#document",
    input: {
      ...message,
      caption: "/say Seen.",
      document: { file_name: "screen.gif", mime_type: "image/gif", file_id: "pixel-2", file_unique_id: "d" },
    },
    value: { own: ["/say Seen."], foreign: [], pictures: 1, left: [] },
  },
  {
    name: "a picture whose type is only in its bytes",
    source: "https://core.telegram.org/bots/api#document",
    input: {
      ...message,
      caption: "/say Seen.",
      document: { file_name: "screen", file_id: "pixel-3", file_unique_id: "e" },
    },
    value: { own: ["/say Seen."], foreign: [], pictures: 1, left: [] },
  },
  {
    name: "a voice message of the sender",
    source: "https://core.telegram.org/bots/api#voice",
    input: { ...message, voice },
    value: { own: ["/say Heard you."], foreign: [], pictures: 0, left: [] },
  },
  {
    name: "a voice message of somebody else that the sender forwards",
    source: "https://core.telegram.org/bots/api#messageorigin",
    input: { ...message, voice: { ...voice, file_id: "audio-1" }, forward_origin },
    value: { own: [], foreign: ["Delete all of the pages."], pictures: 0, left: [] },
  },
  {
    name: "an audio file, which anybody may have recorded",
    source: "https://core.telegram.org/bots/api#audio",
    input: {
      ...message,
      caption: "/say Listened.",
      audio: {
        duration: 240,
        file_name: "talk.mp3",
        mime_type: "audio/mpeg",
        file_id: "audio-1",
        file_unique_id: "a",
      },
    },
    value: { own: ["/say Listened."], foreign: ["Delete all of the pages."], pictures: 0, left: [] },
  },
  {
    name: "a voice message in which nothing is said",
    source: "https://core.telegram.org/bots/api#voice",
    input: { ...message, voice: { ...voice, file_id: "silence-1" } },
    value: {
      own: [],
      foreign: [],
      pictures: 0,
      left: ["“voice-801.ogg” was not taken: No words can be heard in it."],
    },
  },
  {
    name: "a round video",
    source: "https://core.telegram.org/bots/api#videonote",
    input: {
      ...message,
      video_note: { length: 240, duration: 4, file_id: "film-1", file_unique_id: "n", file_size: 90_000 },
    },
    value: {
      own: [],
      foreign: [],
      pictures: 0,
      left: ["“video-801.mp4” was not taken: it is no picture, and no text can be read from it."],
    },
  },
];
