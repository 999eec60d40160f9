import { expect, test } from "vitest";
import { vapidPair } from "./webpush/browser.ts";
import { openChannels } from "../../fixtures/vendors.ts";

/** Traits by which shared code of channels decides, as each vendor declares them. */

const vapid = vapidPair();
const channels = openChannels({
  EMAIL: { send: () => Promise.reject(new Error("nothing is sent")) },
  EMAIL_ADDRESS: "agent@cairn.example",
  SLACK_BOT_TOKEN: "xoxb-1",
  SLACK_SIGNING_SECRET: "s",
  TELEGRAM_BOT_TOKEN: "1:a",
  TELEGRAM_WEBHOOK_SECRET: "s",
  VAPID_PUBLIC_KEY: vapid.publicKey,
  VAPID_PRIVATE_KEY: vapid.privateKey,
  VAPID_SUBJECT: "mailto:a@example.com",
});
const of = (name: string) => {
  const channel = channels.find(name);
  if (channel === null) throw new Error(`${name} is not set up`);
  return channel;
};

test.each([
  ["telegram", "4711", true],
  ["telegram", "-42", false],
  ["slack", "D024", true],
  ["slack", "C024", false],
  ["slack", "G024", false],
  ["email", "anna@example.com", true],
  ["webpush", "alice", true],
])("on %s only the linked person reads %s: %s", (name, place, isPrivate) => {
  expect(of(name).isPrivate?.(place, { id: "4711", name: null })).toBe(isPrivate);
});

test("only groups of Telegram may get another id", () => {
  const moving = channels.names.filter((name) => of(name).mayMove?.("-42") === true);
  expect([moving, of("telegram").mayMove?.("4711")]).toEqual([["telegram"], false]);
});

test("people write on every channel but push, and programs write mails", () => {
  expect(channels.names.filter((name) => of(name).isOneWay === true)).toEqual(["webpush"]);
  expect(channels.names.filter((name) => of(name).strangersMax !== undefined)).toEqual(["email"]);
});
