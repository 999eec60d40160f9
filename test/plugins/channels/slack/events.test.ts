import { expect, test } from "vitest";
import { readEvent, readPress, type Around } from "../../../../src/plugins/channels/slack/events.ts";
import { NOW } from "../channel-fixture.ts";

/** Single events of Slack, and what each of their fields decides. */

const AROUND: Around = {
  now: () => NOW,
  ack: () => () => Promise.resolve(),
  read: () => () => Promise.resolve(new Uint8Array()),
};
const read = (event: object) =>
  readEvent(
    {
      type: "event_callback",
      event_id: "E1",
      event_time: 100,
      authorizations: [{ user_id: "UBOT" }],
      event,
    },
    AROUND,
  );
const DIRECT = { type: "message", channel: "D1", channel_type: "im" };
const SAID = { user: "U1", text: "Paris", ts: "5.5" };

test.each([
  ["edited by its author to other words", { edited: { ts: "6.1" } }, "Pariss", true],
  ["edited by its author to the same words", { edited: { ts: "6.1" } }, "Paris", false],
  ["changed by Slack itself", {}, "Pariss", false],
])("a message that was %s is said anew, or not", (_, more, before, isSaid) => {
  const found = read({
    ...DIRECT,
    subtype: "message_changed",
    ts: "7.1",
    message: { ...SAID, ...more },
    previous_message: { ...SAID, text: before },
  });
  expect(found?.kind === "message" ? [found.text, found.isEdit] : found).toEqual(
    isSaid ? ["Paris", true] : null,
  );
});

test.each([
  [undefined, "message"],
  ["file_share", "message"],
  ["thread_broadcast", "message"],
  ["channel_join", undefined],
  ["bot_message", undefined],
])("a message of the kind %s is what a person says, or nothing", (subtype, kind) => {
  expect(read({ ...DIRECT, ...SAID, ...(subtype === undefined ? {} : { subtype }) })?.kind).toBe(kind);
});

test("a command that names another bot is no command of ours", () => {
  expect(read({ ...DIRECT, ...SAID, text: "/stop" })).toMatchObject({ kind: "command", command: "stop" });
  expect(read({ ...DIRECT, ...SAID, text: "/stop@other" })).toMatchObject({
    kind: "message",
    text: "/stop@other",
  });
});

test("only a button of a message is a press, where its answer can be seen", () => {
  const press = {
    type: "block_actions",
    user: { id: "U1" },
    channel: { id: "C1" },
    message: { ts: "1.1" },
    actions: [{ value: "t", action_ts: "1.2" }],
    response_url: "https://hooks.slack.com/x",
  };
  expect(readPress(press, AROUND)).toMatchObject({ kind: "press", token: "t", card: "1.1", isGroup: true });
  expect(readPress({ ...press, channel: { id: "D1" } }, AROUND)).toMatchObject({ isGroup: false });
  const others = [
    { type: "view_submission" },
    { channel: undefined },
    { message: undefined },
    { response_url: undefined },
    { actions: [] },
    { actions: [{ action_ts: "1.2" }] },
  ];
  expect(others.map((other) => readPress({ ...press, ...other }, AROUND))).toEqual(Array(6).fill(null));
});
