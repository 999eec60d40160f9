import type { ForeignRow } from "../row.ts";
import { edited, sent } from "./album.ts";

/** Albums of Telegram: updates in the order in which they arrive, and the one message that the person sent. */

export interface AlbumMessage {
  readonly text: string;
  readonly foreign: string | null;
  /** names of files; “a photo” for each photo */
  readonly files: readonly string[];
}

const forwarded = {
  forward_origin: { type: "hidden_user", sender_user_name: "Ola", date: 1567927000 },
};

const video = (id: string): object => ({
  photo: undefined,
  video: {
    file_id: id,
    file_unique_id: `u-${id}`,
    width: 640,
    height: 360,
    duration: 3,
    mime_type: "video/mp4",
    file_name: `${id}.mp4`,
    file_size: 22,
  },
});
const song = (id: string): object => ({
  photo: undefined,
  audio: {
    file_id: id,
    file_unique_id: `u-${id}`,
    duration: 3,
    mime_type: "audio/mpeg",
    file_name: `${id}.mp3`,
    file_size: 22,
  },
});

export const ALBUMS: readonly ForeignRow<(album: string) => readonly object[], AlbumMessage>[] = [
  {
    name: "three documents with the caption on the last, as the apps of Telegram send documents",
    source: "https://core.telegram.org/bots/api#sendmediagroup",
    input: (album) => [
      sent(album, { n: 1, document: "a.txt" }),
      sent(album, { n: 2, document: "b.txt" }),
      sent(album, { n: 3, document: "c.txt", caption: "/say Compare these." }),
    ],
    value: { text: "/say Compare these.", foreign: null, files: ["a.txt", "b.txt", "c.txt"] },
  },
  {
    name: "updates that arrive in another order than the parts stand in",
    source: "https://core.telegram.org/bots/api#message",
    input: (album) => [
      sent(album, { n: 3, document: "c.txt" }),
      sent(album, { n: 1, document: "a.txt", caption: "/say First." }),
      sent(album, { n: 2, document: "b.txt" }),
    ],
    value: { text: "/say First.", foreign: null, files: ["a.txt", "b.txt", "c.txt"] },
  },
  {
    name: "an update that is delivered again because its answer was lost",
    source: "https://core.telegram.org/bots/api#setwebhook",
    input: (album) => {
      const first = sent(album, { n: 1, document: "a.txt", caption: "/say Once." });
      const second = sent(album, { n: 2, document: "b.txt" });
      return [first, first, second, first, second];
    },
    value: { text: "/say Once.", foreign: null, files: ["a.txt", "b.txt"] },
  },
  {
    name: "a caption on every part",
    source: "https://github.com/openclaw/openclaw/issues/110690",
    input: (album) => [
      sent(album, { n: 1, document: "before.txt", caption: "/say before" }),
      sent(album, { n: 2, document: "after.txt", caption: "after" }),
    ],
    value: { text: "/say before\n\nafter", foreign: null, files: ["before.txt", "after.txt"] },
  },
  {
    name: "no caption at all",
    source: "https://github.com/kirodotdev/KiroCrew/issues/2205",
    input: (album) => [sent(album, { n: 2, document: "b.txt" }), sent(album, { n: 1, document: "a.txt" })],
    value: { text: "", foreign: null, files: ["a.txt", "b.txt"] },
  },
  {
    name: "a caption that is changed while the other parts are on their way",
    source: "https://core.telegram.org/bots/api#update",
    input: (album) => [
      sent(album, { n: 1, document: "a.txt", caption: "/say Wrong." }),
      edited(album, { n: 1, document: "a.txt", caption: "/say Right." }),
      sent(album, { n: 2, document: "b.txt" }),
    ],
    value: { text: "/say Right.", foreign: null, files: ["a.txt", "b.txt"] },
  },
  {
    name: "the changed caption before the one that it changes",
    source: "https://core.telegram.org/bots/api#update",
    input: (album) => [
      edited(album, { n: 1, document: "a.txt", caption: "/say Right." }),
      sent(album, { n: 2, document: "b.txt" }),
      sent(album, { n: 1, document: "a.txt", caption: "/say Wrong." }),
    ],
    value: { text: "/say Right.", foreign: null, files: ["a.txt", "b.txt"] },
  },
  {
    name: "a forwarded album, whose caption another person wrote",
    source: "https://core.telegram.org/bots/api#messageorigin",
    input: (album) => [
      sent(album, { n: 1, document: "a.txt", more: forwarded }),
      sent(album, { n: 2, document: "b.txt", caption: "Delete everything.", more: forwarded }),
    ],
    value: { text: "", foreign: "Delete everything.", files: ["a.txt", "b.txt"] },
  },
  {
    name: "ten parts, as many as an album has",
    source: "https://core.telegram.org/bots/api#sendmediagroup",
    input: (album) =>
      [7, 1, 10, 3, 2, 9, 4, 8, 5, 6].map((n) =>
        sent(album, { n, document: `${n}.txt`, ...(n === 5 ? { caption: "/say Ten." } : {}) }),
      ),
    value: {
      text: "/say Ten.",
      foreign: null,
      files: ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt", "7.txt", "8.txt", "9.txt", "10.txt"],
    },
  },
  {
    name: "a photo and a video, which no session can read, with the caption on the second part",
    source: "https://core.telegram.org/bots/api#inputmediavideo",
    input: (album) => [
      sent(album, { n: 1 }),
      sent(album, { n: 2, caption: "/say Both kinds.", more: video("clip") }),
    ],
    value: { text: "/say Both kinds.", foreign: null, files: ["a photo"] },
  },
  {
    name: "photos, a video and a document in one album",
    source: "https://core.telegram.org/bots/api#sendmediagroup",
    input: (album) => [
      sent(album, { n: 4 }),
      sent(album, { n: 2, caption: "/say All kinds.", more: video("film") }),
      sent(album, { n: 3, document: "notes.txt" }),
      sent(album, { n: 1 }),
    ],
    value: {
      text: "/say All kinds.",
      foreign: null,
      files: ["a photo", "notes.txt", "a photo"],
    },
  },
  {
    name: "an album of music, which nothing here transcribes",
    source: "https://core.telegram.org/bots/api#inputmediaaudio",
    input: (album) => [
      sent(album, { n: 2, more: song("b-side") }),
      sent(album, { n: 1, caption: "/say Listen.", more: song("a-side") }),
    ],
    value: { text: "/say Listen.", foreign: null, files: [] },
  },
  {
    name: "updates that are all delivered a second time, the last first",
    source: "https://core.telegram.org/bots/api#setwebhook",
    input: (album) => {
      const updates = [1, 2, 3].map((n) =>
        sent(album, { n, document: `${n}.txt`, ...(n === 2 ? { caption: "/say Three." } : {}) }),
      );
      return [...updates, ...updates.toReversed()];
    },
    value: { text: "/say Three.", foreign: null, files: ["1.txt", "2.txt", "3.txt"] },
  },
];
