import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { calendar } from "../../../../src/cairn/session/background/cron.ts";
import {
  TIMES_AGAIN_MS,
  waitsUntil,
  type KnownTimes,
} from "../../../../src/cairn/session/background/held.ts";
import { quietAt, type QuietTimes } from "../../../../src/cairn/core/quiet.ts";
import { DELIVERY_ALARM_MS_MIN } from "../../../../src/cairn/core/limits.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** Deliveries and notes that wait, in the tables of a session. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const NIGHT = { zone: "Europe/Berlin", quiet: { from: "22:00", to: "07:00" } };
const AT = Date.parse("2026-01-10T23:00Z");
const MORNING = Date.parse("2026-01-11T06:00Z");

function open() {
  const platform = new FakePlatform([]);
  const { outbox, engine, disk } = platform;
  const { held } = outbox;
  const within = <Value>(act: () => Value): Value => engine.rearm(act);
  /** A card for somebody, which nobody asked for now. */
  const card = (subject: string): void => {
    const note = { type: "card", approval: "a", subject, quiet: { subject } };
    disk.exec(
      "INSERT INTO outbox (id, target, type, body, at, due, tries, status) VALUES ('n', ?, 'card', ?, ?, ?, 0, NULL)",
      `person:${subject}`,
      JSON.stringify(note),
      AT,
      AT,
    );
  };
  const claim = (at: number, times: KnownTimes): string[] =>
    within(() => outbox.claim(at, times).map(({ target }) => target));
  const states = (): string[] =>
    outbox
      .page(100, null)
      .items.map(({ target, state }) => `${target} ${state}`)
      .toSorted();
  const note = (id: string): void => within(() => held.note({ id, to: "friend", text: `News ${id}` }, AT));
  return { platform, held, within, card, claim, states, note };
}

describe("a card for several people", () => {
  test("waits for those alone who are in their quiet hours, until these end", () => {
    const { platform, within, card, claim, states, held } = open();
    card("ada");
    card("bob");
    const times: KnownTimes = new Map<string, QuietTimes>([
      ["ada", { zone: null, quiet: null }],
      ["bob", NIGHT],
    ]);
    expect(claim(AT, times)).toEqual(["person:ada"]);
    expect(states()).toEqual(["person:ada pending", "person:bob held"]);
    expect(held.due()).toBe(MORNING);
    const delivered = { id: "n", target: "person:ada", body: "", tries: 1 };
    within(() => platform.outbox.settle(delivered, { status: 200, retryAfterMs: null }, AT));
    expect(states()).toEqual(["person:ada delivered", "person:bob held"]);
    // The session wakes for what is held, too.
    expect(platform.outbox.due()).toBe(MORNING);
    expect(claim(MORNING - 1, times)).not.toContain("person:bob");
    // Their settings are read for what waits here, too.
    expect(held.subjectsDue(MORNING)).toContain("bob");
    expect(claim(MORNING, times)).toContain("person:bob");
  });

  test("is not sent while the settings of its person were not read, and waits a minute where they cannot be", () => {
    const { card, claim, states, held } = open();
    card("ada");
    expect(claim(AT, new Map())).toEqual([]);
    expect(states()).toEqual(["person:ada pending"]);
    expect(claim(AT, new Map([["ada", null]]))).toEqual([]);
    expect([states(), held.due()]).toEqual([["person:ada held"], AT + TIMES_AGAIN_MS]);
  });
});

test("a row may wait before it is due, because its person may have the page open", () => {
  const { platform, within } = open();
  const { outbox } = platform;
  within(() => outbox.keep({ id: "n", target: "person:ada", type: "budget", body: "{}" }, AT, 10_000));
  expect(outbox.page(9, null).items.map(({ id, target }) => [id, target])).toEqual([["n", "person:ada"]]);
  expect(outbox.due()).toBe(AT + 10_000 + DELIVERY_ALARM_MS_MIN);
});

test("what is left for a channel that the deployment has no more has failed", async () => {
  const { platform, card, states } = open();
  card("ada");
  platform.now = AT;
  platform.times = { zone: null, quiet: null };
  await platform.outboxSender.work();
  expect(states()).toEqual(["person:ada failed"]);
  expect(platform.outbox.page(9, null).items.map(({ lastStatus }) => lastStatus)).toEqual([404]);
});

test("what a person asks for from the first moment of their quiet hours on does not wait", () => {
  const since = quietAt(NIGHT, AT, calendar)?.since ?? 0;
  expect(since).toBe(Date.parse("2026-01-10T21:00Z"));
  expect(waitsUntil({ subject: "ada", askedAt: since }, NIGHT, AT)).toBeNull();
  expect(waitsUntil({ subject: "ada", askedAt: since - 1 }, NIGHT, AT)).toBe(MORNING);
});

describe("notes", () => {
  test("are put off one by one", () => {
    const { held, within, note } = open();
    note("n1");
    note("n2");
    const [first] = held.notesDue(AT);
    if (first === undefined) throw new Error("no note is due");
    within(() => held.postpone([first], MORNING, true));
    expect(held.notesDue(AT).map(({ id }) => id)).toEqual(["n2"]);
    expect(held.notesDue(MORNING).map(({ id, isNew }) => [id, isNew])).toEqual([
      ["n1", false],
      ["n2", true],
    ]);
  });

  test("are called for by words of their person, which nobody sees among the deliveries", () => {
    const { held, within, note, states } = open();
    const call = { run: "r1", channel: null };
    // Without a note there is nothing to tell.
    within(() => held.call(call, AT));
    expect([held.due(), held.takeCall(AT)]).toEqual([null, null]);
    note("n1");
    within(() => held.call(call, AT));
    expect(states()).toEqual(["note:friend noted"]);
    expect(within(() => held.takeCall(AT))).toEqual(call);
    expect(within(() => held.takeCall(AT))).toBeNull();
    expect(held.notes().map(({ id }) => id)).toEqual(["n1"]);
  });
});
