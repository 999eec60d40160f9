import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Channels } from "../../../src/plugins/channels/channels.ts";
import { createCode, redeemCode } from "../../../src/plugins/channels/people/links.ts";
import { writeNotify } from "../../../src/plugins/channels/people/notify.ts";
import type { ChannelName } from "../../../src/cairn/core/address.ts";
import type { NotifySettings } from "../../../src/cairn/core/quiet.ts";
import { createPeopleReader } from "../../../src/plugins/channels/session/people.ts";
import { peopleIn } from "../../../src/cairn/config/rights.ts";

/** Facts that a session reads of a person before it asks them something: their hours, and the place to ask at. */

const NIGHT = { from: "22:00", to: "07:00" };
const defaults: NotifySettings = { zone: null, quiet: NIGHT, ask: "auto" };

/** A deployment with Telegram and Slack, and no other channel. */
const channels = { find: (name: string) => (name === "email" ? null : {}) } as unknown as Channels;

const reader = (tokens: object | null = null) =>
  createPeopleReader({
    db: env.DB,
    channels,
    notifyDefaults: defaults,
    people: tokens === null ? null : peopleIn({ AUTH_TOKENS: tokens }),
    zone: () => "Asia/Tokyo",
  });

async function link(
  subject: string,
  channel: ChannelName,
  place: string,
  at: number,
  grant: string | null = null,
): Promise<void> {
  const { code } = await createCode(env.DB, { subject, scopes: ["read"], grant }, at);
  await redeemCode(env.DB, code, { channel, user: { id: `${subject}-${place}`, name: null }, place }, at);
}

describe("the hours of a person", () => {
  test("are the deployment's in the zone of the session, until the person has set them", async () => {
    expect(await reader().timesOf("ada")).toEqual({ quiet: NIGHT, zone: "Asia/Tokyo" });
    await writeNotify(env.DB, "ada", {
      zone: "Europe/Paris",
      quiet: { from: "20:00", to: "06:00" },
      ask: "auto",
    });
    expect(await reader().timesOf("ada")).toEqual({
      quiet: { from: "20:00", to: "06:00" },
      zone: "Europe/Paris",
    });
    await writeNotify(env.DB, "ada", { zone: null, quiet: null, ask: "auto" });
    expect(await reader().timesOf("ada")).toEqual({ quiet: null, zone: "Asia/Tokyo" });
  });
});

describe("the place at which a person is asked", () => {
  test("is where they linked last, on a channel that is set up", async () => {
    const at = Date.now();
    expect(await reader().channelOf("ben")).toBeNull();
    await link("ben", "telegram", "t-1", at);
    await link("ben", "slack", "s-1", at + 1_000);
    await link("ben", "email", "ben@example.com", at + 2_000);
    expect(await reader().channelOf("ben")).toEqual({ channel: "slack", place: "s-1" });
    await writeNotify(env.DB, "ben", { ...defaults, ask: "telegram:t-1" });
    expect(await reader().channelOf("ben")).toEqual({ channel: "telegram", place: "t-1" });
    await writeNotify(env.DB, "ben", { ...defaults, ask: "email:ben@example.com" });
    expect(await reader().channelOf("ben")).toEqual({ channel: "slack", place: "s-1" });
    await writeNotify(env.DB, "ben", { ...defaults, ask: "page" });
    expect(await reader().channelOf("ben")).toBeNull();
  });

  test("is none once the grant that made the link has ended", async () => {
    const grant = { subject: "cleo", scopes: ["read"] };
    const held = { "cleo-real-token-0001": grant };
    const [named] = peopleIn({ AUTH_TOKENS: held }).tokens;
    await link("cleo", "telegram", "t-2", Date.now(), named?.name);
    const asked = (tokens: object) => reader(tokens).channelOf("cleo");
    expect(await asked(held)).toEqual({ channel: "telegram", place: "t-2" });
    expect(await asked({ "cleo-real-token-0001": { ...grant, expires: "2020-01-01" } })).toBeNull();
    expect(await asked({ "cleo-real-token-0001": { ...grant, scopes: ["approve"] } })).toBeNull();
    expect(await asked({ "cleo-real-token-0002": grant })).toBeNull();
    expect(await asked({})).toBeNull();
  });
});
