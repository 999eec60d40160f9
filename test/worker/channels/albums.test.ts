import { createPictures } from "../../../src/plugins/cms/http/sent-image.ts";
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ANDREY, edited, sent } from "../../foreign/chats/album.ts";
import { ALBUMS } from "../../foreign/chats/albums.ts";
import { PIXEL } from "../../foreign/chats/brought.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { gated } from "../sessions/session-fixture.ts";
import { post } from "../http/routes-fixture.ts";
import { openTelegram, type TelegramChat } from "./telegram-chat.ts";

/** An album of Telegram is one message, one run and one answer. */

/** a busy machine is slow, and nothing here is about time */
const WAIT = { timeout: 20_000, interval: 50 };

let albums = 0;
/** A person of their own for each test, so that each has a session of its own. */
function somebody(): { id: number; album: string; of: (update: object) => object } {
  const id = 5_000_000 + (albums += 1);
  // Everything that names Andrey names this person.
  const of = (update: object): object =>
    JSON.parse(JSON.stringify(update).replaceAll(String(ANDREY.id), String(id))) as object;
  return { id, album: `al-${id}`, of };
}

/** Ids of the photos of these updates, in their largest sizes. */
const photosIn = (updates: readonly object[]): readonly string[] =>
  updates.flatMap((update) => {
    const { message } = update as { message?: { photo?: readonly { file_id: string }[] } };
    const largest = message?.photo?.at(-1);
    return largest === undefined ? [] : [largest.file_id];
  });

const saidIn = async (chat: TelegramChat, id: number) => {
  const entries = await chat.entries(id);
  return entries.flatMap(({ kind, body }) => {
    if (kind !== "user_message") return [];
    const parts = body["parts"] as {
      type: string;
      text?: string;
      foreign?: true;
      file?: { name: string };
      image?: object;
    }[];
    return [
      {
        mode: body["mode"],
        text: parts.flatMap((part) => (part.type === "text" && part.foreign !== true ? [part.text] : [])),
        foreign: parts.flatMap((part) => (part.foreign === true ? [part.text] : [])),
        files: parts.flatMap((part) =>
          part.image !== undefined ? ["a photo"] : part.file === undefined ? [] : [part.file.name],
        ),
      },
    ];
  });
};
const runsIn = async (chat: TelegramChat, id: number): Promise<number> =>
  (await chat.entries(id)).filter(({ kind }) => kind === "run_queued").length;
const endsIn = async (chat: TelegramChat, id: number): Promise<number> =>
  (await chat.entries(id)).filter(({ kind }) => kind === "run_ended").length;

/** The object that holds an album of this person. */
const intakeOf = (id: number, album: string) =>
  env.INTAKE.get(env.INTAKE.idFromName(JSON.stringify(["telegram", "", String(id), `${id}:album:${album}`])));

async function opened(before?: () => void) {
  const chat = openTelegram({}, { pictures: createPictures(ensureSeeded) }, before);
  const person = somebody();
  await chat.links(person.id);
  const posts = async (...updates: readonly object[]): Promise<void> => {
    for (const update of updates) expect(await chat.posts(person.of(update))).toBe(200);
  };
  return { chat, posts, ...person };
}

const privateOf = (id: number): object => ({ from: { ...ANDREY, id }, chat: { id, type: "private" } });

const sessionOf = (place: number): Promise<string | null> =>
  env.DB.prepare("SELECT session FROM channel_sessions WHERE place = ?1")
    .bind(String(place))
    .first<string>("session");

afterEach(() => vi.restoreAllMocks());

describe.each(ALBUMS)("$name", ({ input, value }) => {
  test("is one message with all files, and one run", async () => {
    const { chat, posts, id, album } = await opened();
    for (const n of photosIn(input(album))) chat.vendor.files.set(n, PIXEL);
    await posts(...input(album));
    await vi.waitFor(async () => expect(await saidIn(chat, id)).toHaveLength(1), WAIT);
    await vi.waitFor(async () => expect(await endsIn(chat, id)).toBe(1), WAIT);
    const [said] = await saidIn(chat, id);
    expect({
      text: said?.text.join("\n"),
      foreign: said?.foreign[0] ?? null,
      files: said?.files,
    }).toEqual(value);
    expect(await runsIn(chat, id)).toBe(1);
  });
});

test("an album that was received is not received again when its updates are repeated", async () => {
  const { chat, posts, id, album } = await opened();
  const updates = [1, 2].map((n) => sent(album, { n, document: `${n}.txt`, caption: "/say Here." }));
  await posts(...updates);
  await vi.waitFor(async () => expect(await endsIn(chat, id)).toBe(1), WAIT);
  await posts(...updates);
  expect(
    await runInDurableObject(intakeOf(id, album), (_, state) => state.storage.getAlarm()),
  ).toBeGreaterThan(Date.now() + 3_600_000);
  await runDurableObjectAlarm(intakeOf(id, album));
  expect(await saidIn(chat, id)).toHaveLength(1);
});

test("a crash while an album is received repeats exactly that album", async () => {
  let crashes = 1;
  const { chat, posts, id, album } = await opened(() => {
    if (crashes-- > 0) throw new Error("the database could not be reached");
  });
  await posts(
    sent(album, { n: 1, document: "a.txt", caption: "/say Whole." }),
    sent(album, { n: 2, document: "b.txt" }),
  );
  await vi.waitFor(() => expect(crashes).toBeLessThan(1), WAIT);
  // The third comes while the first two are tried again.
  await posts(sent(album, { n: 3, document: "c.txt" }));
  await vi.waitFor(async () => expect(await saidIn(chat, id)).toHaveLength(2), WAIT);
  expect((await saidIn(chat, id)).map(({ files }) => files)).toEqual([["a.txt", "b.txt"], ["c.txt"]]);
});

test("parts that were stored before a crash are received after it", async () => {
  const { chat, posts, id, album } = await opened();
  await posts(sent(album, { n: 1, document: "a.txt" }), sent(album, { n: 2, document: "b.txt" }));
  await abortAllDurableObjects();
  await posts(sent(album, { n: 3, document: "c.txt", caption: "/say All three." }));
  await vi.waitFor(async () => expect(await saidIn(chat, id)).toHaveLength(1), WAIT);
  expect((await saidIn(chat, id))[0]).toMatchObject({
    text: ["/say All three."],
    files: ["a.txt", "b.txt", "c.txt"],
  });
});

describe("a part that comes late", () => {
  const LATE = "(This belongs to the album that was sent before.)";

  test("joins the run of its album while that waits, and is answered with it", async () => {
    const { chat, posts, id, album } = await opened();
    // A run that waits for its person holds the queue.
    await chat.posts({ update_id: 1, message: { message_id: 60, date: 1, ...privateOf(id), text: gated() } });
    await vi.waitFor(async () => {
      expect((await chat.entries(id)).map(({ kind }) => kind)).toContain("approval_requested");
    }, WAIT);
    await posts(sent(album, { n: 2, document: "b.txt", caption: "/say Both." }));
    await vi.waitFor(async () => expect(await saidIn(chat, id)).toHaveLength(2), WAIT);
    await posts(sent(album, { n: 1, document: "a.txt" }));
    await vi.waitFor(async () => expect(await saidIn(chat, id)).toHaveLength(3), WAIT);
    expect((await saidIn(chat, id)).slice(1)).toEqual([
      { mode: "queue", text: ["/say Both."], foreign: [], files: ["b.txt"] },
      { mode: "join", text: [LATE], foreign: [], files: ["a.txt"] },
    ]);
    const entries = await chat.entries(id);
    const messages = await chat.api.json<{ role: string; parts: { text?: string }[] }[]>(
      200,
      `/api/sessions/${await sessionOf(id)}/messages`,
    );
    expect(
      messages.flatMap(({ role, parts }) =>
        role === "user" ? [parts.map(({ text = "" }) => text).join("")] : [],
      ),
    ).toEqual([expect.stringContaining("/call page_create"), "/say Both.", LATE]);
    const { approval, digest } = entries.find(({ kind }) => kind === "approval_requested")?.body ?? {};
    const denial = { sessionId: await sessionOf(id), approvalId: approval, decision: "deny", digest };
    await chat.api.json(200, "/api/approvals/decisions", post({ decisions: [denial] }));
    await vi.waitFor(async () => expect(await endsIn(chat, id)).toBe(2), WAIT);
    expect(await runsIn(chat, id)).toBe(2);
  });

  test("follows its album when that is answered, and says so", async () => {
    const { chat, posts, id, album } = await opened();
    await posts(sent(album, { n: 1, document: "a.txt", caption: "/say One." }));
    await vi.waitFor(async () => expect(await endsIn(chat, id)).toBe(1), WAIT);
    await posts(sent(album, { n: 2, document: "b.txt" }));
    await vi.waitFor(async () => expect(await endsIn(chat, id)).toBe(2), WAIT);
    expect((await saidIn(chat, id))[1]).toEqual({
      mode: "queue",
      text: [LATE],
      foreign: [],
      files: ["b.txt"],
    });
  });

  test("follows it into its own session, though its person has begun a new one", async () => {
    const { chat, posts, id, album } = await opened();
    await posts(sent(album, { n: 1, document: "a.txt", caption: "/say One." }));
    await vi.waitFor(async () => expect(await endsIn(chat, id)).toBe(1), WAIT);
    const first = await sessionOf(id);
    await chat.posts({ update_id: 2, message: { message_id: 60, date: 1, ...privateOf(id), text: "/new" } });
    expect(await sessionOf(id)).not.toBe(first);
    await posts(sent(album, { n: 2, document: "b.txt" }));
    await vi.waitFor(async () => {
      const said = (await chat.entriesOf(first ?? "")).filter(({ kind }) => kind === "user_message");
      expect(said).toHaveLength(2);
    }, WAIT);
  });

  test("a changed caption brings no file again", async () => {
    const { chat, posts, id, album } = await opened();
    await posts(sent(album, { n: 1, document: "a.txt", caption: "/say One." }));
    await vi.waitFor(async () => expect(await endsIn(chat, id)).toBe(1), WAIT);
    await posts(edited(album, { n: 1, document: "a.txt", caption: "/say Two." }, 60));
    await vi.waitFor(async () => expect(await endsIn(chat, id)).toBe(2), WAIT);
    expect((await saidIn(chat, id))[1]).toEqual({
      mode: "queue",
      text: ["/say Two.", "(This is a new version of an earlier message.)", LATE],
      foreign: [],
      files: [],
    });
  });
});

test("in a group the part that names the bot brings the others with it, whichever comes first", async () => {
  const { chat, id, album, of } = await opened();
  const group = -1_000_000 - id;
  const inGroup = (update: object): object => {
    const { message, ...rest } = of(update) as { message: object };
    return { ...rest, message: { ...message, chat: { id: group, type: "supergroup" } } };
  };
  const caption = "@cairn_bot /say Seen.";
  const mention = { caption_entities: [{ type: "mention", offset: 0, length: 10 }] };
  expect(await chat.posts(inGroup(sent(album, { n: 1, document: "a.txt" })))).toBe(200);
  expect(await chat.posts(inGroup(sent(album, { n: 2, document: "b.txt", caption, more: mention })))).toBe(
    200,
  );
  await vi.waitFor(async () => expect(await saidIn(chat, group)).toHaveLength(1), WAIT);
  expect((await saidIn(chat, group))[0]).toMatchObject({ text: ["/say Seen."], files: ["a.txt", "b.txt"] });
});

test("two albums whose parts arrive in turn are two messages", async () => {
  const { chat, posts, id, album } = await opened();
  const other = `${album}-b`;
  await posts(
    sent(album, { n: 1, document: "a1.txt" }),
    sent(other, { n: 4, document: "b2.txt" }),
    sent(album, { n: 2, document: "a2.txt", caption: "/say First." }),
    sent(other, { n: 3, document: "b1.txt", caption: "/say Second." }),
  );
  await vi.waitFor(async () => expect(await endsIn(chat, id)).toBe(2), WAIT);
  const said = (await saidIn(chat, id)).map(({ text, files }) => ({ text, files }));
  expect(said).toHaveLength(2);
  expect(said).toContainEqual({ text: ["/say First."], files: ["a1.txt", "a2.txt"] });
  expect(said).toContainEqual({ text: ["/say Second."], files: ["b1.txt", "b2.txt"] });
});

test("an album in a topic is one message of that topic, and comes from there", async () => {
  const { chat, id, album, of } = await opened();
  const group = -2_000_000 - id;
  const inTopic = (update: object): object => {
    const { message, ...rest } = of(update) as { message: object };
    const topic = { chat: { id: group, type: "supergroup" }, message_thread_id: 7, is_topic_message: true };
    return { ...rest, message: { ...message, ...topic } };
  };
  const caption = "@cairn_bot /say Seen.";
  const mention = { caption_entities: [{ type: "mention", offset: 0, length: 10 }] };
  expect(await chat.posts(inTopic(sent(album, { n: 2, document: "b.txt", caption, more: mention })))).toBe(
    200,
  );
  expect(await chat.posts(inTopic(sent(album, { n: 1, document: "a.txt" })))).toBe(200);
  await vi.waitFor(async () => expect(await endsIn(chat, group)).toBe(1), WAIT);
  expect(await saidIn(chat, group)).toMatchObject([{ text: ["/say Seen."], files: ["a.txt", "b.txt"] }]);
  const queued = (await chat.entries(group)).filter(({ kind }) => kind === "run_queued");
  expect(queued.map(({ body }) => body["origin"])).toMatchObject([
    { channel: "telegram", place: String(group), thread: "7" },
  ]);
});

test("of a group nothing is fetched that is for others", async () => {
  const received = vi.fn<() => void>();
  const { chat, id, album, of } = await opened(received);
  const { message, ...rest } = of(sent(album, { n: 1, document: "a.txt" })) as { message: object };
  await chat.posts({ ...rest, message: { ...message, chat: { id: -id, type: "supergroup" } } });
  await vi.waitFor(() => expect(received).toHaveBeenCalledTimes(1), WAIT);
  expect(chat.vendor.fetched).toEqual([]);
});

test("nothing is stored of somebody who is not linked", async () => {
  const chat = openTelegram();
  const { id, album, of } = somebody();
  expect(await chat.posts(of(sent(album, { n: 1, document: "a.txt" })))).toBe(200);
  expect(chat.vendor.sent).toHaveLength(1);
  const tables = await runInDurableObject(intakeOf(id, album), (_, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'versions'").toArray(),
  );
  expect(tables).toEqual([]);
});
