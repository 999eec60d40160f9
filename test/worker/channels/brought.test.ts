import { createPictures } from "../../../src/plugins/cms/http/sent-image.ts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import type { Transcriber } from "../../../src/plugins/channels/transcriber.ts";
import { ANDREY } from "../../foreign/chats/album.ts";
import { BROUGHT, PIXEL } from "../../foreign/chats/brought.ts";
import { UNREADABLE } from "../../foreign/chats/unreadable.ts";
import { spokenWords } from "./spoken.ts";
import { openTelegram } from "./telegram-chat.ts";

/** Pictures and recordings in a chat. */

/** a busy machine is slow, and nothing here is about time */
const WAIT = { timeout: 20_000, interval: 50 };

let people = 0;

async function opened(parts: Parameters<typeof openTelegram>[1]) {
  const chat = openTelegram({}, { pictures: createPictures(ensureSeeded), ...parts });
  const id = 6_000_000 + (people += 1);
  await chat.links(id);
  for (const name of ["pixel-1", "pixel-2", "pixel-3"]) chat.vendor.files.set(name, PIXEL);
  chat.vendor.files.set(
    "film-1",
    Uint8Array.from([0, 0, 0, 24, 102, 116, 121, 112, 109, 112, 52, 50, 0, 0, 0, 0]),
  );
  const posts = async (message: object): Promise<void> => {
    const update = JSON.stringify({ update_id: id, message }).replaceAll(String(ANDREY.id), String(id));
    expect(await chat.posts(JSON.parse(update) as object)).toBe(200);
  };
  const parts_ = async () => {
    const said = (await chat.entries(id)).find(({ kind }) => kind === "user_message");
    return (said?.body["parts"] ?? []) as { type: string; text?: string; foreign?: true; image?: object }[];
  };
  return { chat, id, posts, said: parts_ };
}

afterEach(() => vi.restoreAllMocks());

describe.each(BROUGHT)("$name", ({ input, value }) => {
  test("reaches the session as what it is", async () => {
    const { chat, posts, said } = await opened({ transcriber: spokenWords });
    await posts(input);
    const isSaid = value.own.length + value.foreign.length + value.pictures > 0;
    await vi.waitFor(async () => {
      expect((await said()).length > 0).toBe(isSaid);
      expect(chat.vendor.sent.filter((text) => text.includes("was not taken"))).toHaveLength(
        value.left.length,
      );
    }, WAIT);
    const parts = await said();
    const texts = (isForeign: boolean) =>
      parts.flatMap(({ type, text = "", foreign = false }) =>
        type === "text" && foreign === isForeign ? [text] : [],
      );
    expect({
      own: texts(false),
      foreign: texts(true),
      pictures: parts.filter(({ image }) => image !== undefined).length,
      left: chat.vendor.sent
        .filter((text) => text.includes("was not taken"))
        .map((text, at) => text.slice(0, value.left[at]?.length)),
    }).toEqual(value);
  });
});

describe.each(UNREADABLE)("$name", ({ input, value }) => {
  test("is answered in the one line of its row, once, and begins nothing", async () => {
    const { chat, id } = await opened({});
    const update = JSON.parse(
      JSON.stringify({ update_id: id, ...input })
        .replaceAll(String(ANDREY.id), String(id))
        .replaceAll("-1001234", String(-id)),
    ) as object;
    expect([await chat.posts(update), await chat.posts(update)]).toEqual([200, 200]);
    expect(chat.vendor.sent).toEqual(value === null ? [] : [value]);
    expect([await chat.entries(id), await chat.entries(-id)]).toEqual([[], []]);
  });
});

test("where recordings are transcribed, a sender of a sticker may send one", async () => {
  const { chat, posts } = await opened({ transcriber: spokenWords });
  await posts({
    message_id: 1,
    from: ANDREY,
    chat: { id: ANDREY.id, type: "private" },
    date: 1,
    sticker: { file_id: "s" },
  });
  expect(chat.vendor.sent).toEqual([
    "I cannot read a sticker. Send text, a picture or a file, or a voice message.",
  ]);
});

test("a round video that is replaced by another is a new version", async () => {
  const { chat, id } = await opened({});
  const round = (name: string) => ({
    message_id: 803,
    from: { ...ANDREY, id },
    chat: { id, type: "private" },
    date: 1567927221,
    video_note: { length: 240, duration: 4, file_id: "film-1", file_unique_id: name, file_size: 90_000 },
  });
  await chat.posts({ update_id: 1, message: round("n") });
  expect(chat.vendor.sent).toHaveLength(1);
  await chat.posts({ update_id: 2, edited_message: { ...round("n"), edit_date: 1567927300 } });
  expect(chat.vendor.sent).toHaveLength(1);
  await chat.posts({ update_id: 3, edited_message: { ...round("m"), edit_date: 1567927400 } });
  expect(chat.vendor.sent).toHaveLength(2);
});

test("without a model that transcribes the sender is told what to do instead, and nothing is fetched", async () => {
  const { chat, posts } = await opened({});
  const [, , , spoken] = BROUGHT;
  await posts(spoken?.input ?? {});
  expect(chat.vendor.sent).toEqual([
    "“voice-801.ogg” was not taken: recordings are not written down here. Write your message, or ask the operator of this Cairn to set TRANSCRIPTION_MODEL.",
  ]);
  expect(chat.vendor.fetched).toEqual([]);
});

test("a crash while a recording is transcribed loses nothing, and says it once", async () => {
  let tries = 0;
  const failing: Transcriber = {
    transcribe: async (recording, signal) => {
      if ((tries += 1) === 1) throw new Error("the isolate was stopped");
      return await spokenWords.transcribe(recording, signal);
    },
  };
  const { chat, posts, said, id } = await opened({ transcriber: failing });
  const [, , , spoken] = BROUGHT;
  await posts(spoken?.input ?? {});
  await vi.waitFor(async () => expect(await said()).toHaveLength(1), WAIT);
  expect(tries).toBe(2);
  expect((await chat.entries(id)).filter(({ kind }) => kind === "user_message")).toHaveLength(1);
});

test("a picture that is repeated is one picture of the library", async () => {
  const { chat, posts, said, id } = await opened({});
  const [photo] = BROUGHT;
  await posts(photo?.input ?? {});
  await posts(photo?.input ?? {});
  expect(await said()).toHaveLength(2);
  expect((await chat.entries(id)).filter(({ kind }) => kind === "user_message")).toHaveLength(1);
  expect(chat.vendor.sent).toEqual([]);
});
