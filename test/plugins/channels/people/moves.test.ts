import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  findButton,
  findCard,
  issueButtons,
  storeCardOfButtons,
} from "../../../../src/plugins/channels/people/buttons.ts";
import { createCode, redeemCode } from "../../../../src/plugins/channels/people/links.ts";
import { currentAddress, moveChat, type Move } from "../../../../src/plugins/channels/people/moves.ts";
import { readNotify, writeNotify } from "../../../../src/plugins/channels/people/notify.ts";
import {
  blockChat,
  findChat,
  storeChat,
  noteMessage,
} from "../../../../src/plugins/channels/people/chats.ts";
import { FakeD1 } from "../../../sim/site/d1.ts";

/** A group of Telegram becomes a supergroup: what is bound to its old id moves to the new one. */

let d1: FakeD1;
beforeEach(() => void (d1 = new FakeD1()));
afterEach(() => d1.close());

const NOW = 1_700_000_000_000;
const OLD = { channel: "telegram", place: "-42" } as const;
const NEW = { channel: "telegram", place: "-1001" } as const;
const MOVE: Move = { channel: "telegram", from: OLD.place, to: NEW.place, at: NOW };
const DEFAULTS = { zone: null, quiet: null, ask: "auto" };

const speak = (place: string, subject: string, session: string, at = NOW - 1_000_000): Promise<void> =>
  storeChat(
    d1.binding,
    { channel: "telegram", place },
    { session, sessionAt: 1, subject, isGroup: true, at },
  );
const sessions = (): unknown =>
  d1.rows("SELECT place, subject, session FROM channel_sessions ORDER BY subject").map((row) => ({ ...row }));
const move = (more: Partial<Move> = {}): Promise<boolean> => moveChat(d1.binding, { ...MOVE, ...more });
const tables = (): unknown =>
  ["channel_moves", "channel_places", "channel_sessions", "channel_links", "channel_buttons"].map((table) =>
    d1.rows(`SELECT * FROM ${table}`).map((row) => ({ ...row })),
  );

describe("a group that becomes a supergroup", () => {
  test("takes its sessions, its links, its cards and the settings that name it along, once", async () => {
    await speak(OLD.place, "ada", "a");
    await speak(OLD.place, "ben", "b");
    await noteMessage(d1.binding, OLD, "17");
    // The upgrade itself reads as if the group had shut us out.
    await blockChat(d1.binding, OLD, NOW);
    const { code } = await createCode(d1.binding, { subject: "ada", scopes: ["read"] }, NOW);
    const user = { id: "4711", name: "Ada" };
    await redeemCode(d1.binding, code, { ...OLD, user }, NOW);
    await writeNotify(d1.binding, "ada", { ...DEFAULTS, ask: "telegram:-42" });
    await writeNotify(d1.binding, "ben", { ...DEFAULTS, ask: "telegram:-421" });
    const button = { session: "a", sessionAt: 1, approval: "a1", shown: "", expiresAt: NOW + 1 };
    const [token = ""] = await issueButtons(
      d1.binding,
      [{ ...button, decision: "deny", address: OLD, userId: "4711" }],
      NOW,
    );
    await storeCardOfButtons(d1.binding, [token], "17");

    expect(await move()).toBe(true);
    const moved = tables();
    expect(sessions()).toEqual([
      { place: NEW.place, subject: "ada", session: "a" },
      { place: NEW.place, subject: "ben", session: "b" },
    ]);
    expect(await findChat(d1.binding, OLD)).toBeNull();
    expect(await findChat(d1.binding, NEW)).toEqual({ isGroup: true, blocked: false, answers: null });
    expect(d1.rows("SELECT place, subject FROM channel_links").map((row) => ({ ...row }))).toEqual([
      { place: NEW.place, subject: "ada" },
    ]);
    expect((await findButton(d1.binding, token, NOW))?.address).toEqual(NEW);
    // Message 17 of the supergroup is another message.
    expect(await findCard(d1.binding, { ...NEW, userId: "4711", card: "17" })).toBeNull();
    expect((await readNotify(d1.binding, "ada", DEFAULTS)).ask).toBe("telegram:-1001");
    expect((await readNotify(d1.binding, "ben", DEFAULTS)).ask).toBe("telegram:-421");

    // The other chat reports it too, each report is repeated, and a refused message tells it once more.
    expect([await move(), await move({ at: NOW + 9_000_000 })]).toEqual([true, true]);
    expect(tables()).toEqual(moved);
  });

  test("is known by both ids, and by no other", async () => {
    await move();
    const channel = { mayMove: (place: string) => place.startsWith("-") };
    for (const known of [channel, null])
      expect(await currentAddress(d1.binding, { ...OLD, thread: "7" }, known)).toEqual({
        ...NEW,
        thread: "7",
      });
    expect(await currentAddress(d1.binding, NEW, channel)).toEqual(NEW);
    const other = { channel: "slack", place: OLD.place } as const;
    expect(await currentAddress(d1.binding, other, channel)).toEqual(other);
  });

  test("is not looked up where its channel moves no such place", async () => {
    await move();
    for (const channel of [{}, { mayMove: () => false }])
      expect(await currentAddress(d1.binding, OLD, channel)).toEqual(OLD);
  });

  test("keeps what somebody began in the supergroup before its report came", async () => {
    await speak(OLD.place, "ada", "a");
    await speak(OLD.place, "ben", "b");
    await speak(NEW.place, "ben", "b2", NOW + 500);
    expect(await move()).toBe(true);
    expect(sessions()).toEqual([
      { place: NEW.place, subject: "ada", session: "a" },
      { place: NEW.place, subject: "ben", session: "b2" },
    ]);
    expect(d1.rows("SELECT place FROM channel_places").map((row) => ({ ...row }))).toEqual([
      { place: NEW.place },
    ]);
  });
});

describe("a group never takes over", () => {
  test.each([
    ["a place from which others spoke before", () => speak(NEW.place, "eve", "e", NOW - 60_001), {}],
    ["a place to which another group has moved", () => move({ from: "-7" }), {}],
    ["the place that it has moved from, by a second move", () => move({ to: "-1002" }), {}],
    ["a place that has moved itself", () => move({ from: NEW.place, to: "-1003" }), {}],
    [
      "a place by a supergroup that moves again",
      async () => d1.exec("INSERT INTO channel_moves VALUES ('telegram', '-6', '-42', 1)"),
      {},
    ],
    [
      "a place where somebody is linked",
      async () => {
        const { code } = await createCode(d1.binding, { subject: "eve", scopes: ["read"] }, NOW);
        await redeemCode(d1.binding, code, { ...NEW, user: { id: "5", name: "Eve" } }, NOW);
      },
      {},
    ],
  ])("%s", async (_what, before, more) => {
    await speak(OLD.place, "ada", "a");
    await before();
    const [, ...rows] = tables() as unknown[];
    const moves = d1.rows("SELECT * FROM channel_moves");
    expect(await move(more)).toBe(false);
    expect((tables() as unknown[]).slice(1)).toEqual(rows);
    expect(d1.rows("SELECT * FROM channel_moves")).toEqual(moves);
  });

  test("a place of an earlier release, of which nobody knows when it began", async () => {
    await speak(OLD.place, "ada", "a");
    await speak(NEW.place, "eve", "e");
    d1.exec("UPDATE channel_places SET opened_at = NULL");
    expect(await move()).toBe(false);
    expect(sessions()).toEqual([
      { place: OLD.place, subject: "ada", session: "a" },
      { place: NEW.place, subject: "eve", session: "e" },
    ]);
  });
});
