import { createPictures } from "../../../src/plugins/cms/http/sent-image.ts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { PIXEL } from "../../foreign/chats/brought.ts";
import { SLACK_BROUGHT } from "../../foreign/chats/slack.ts";
import { spokenWords } from "./spoken.ts";
import { directOf, openSlack } from "./slack-chat.ts";

/** Pictures and recordings in Slack. */

/** a busy machine is slow, and nothing here is about time */
const WAIT = { timeout: 20_000, interval: 50 };

let people = 0;

afterEach(() => vi.restoreAllMocks());

describe.each(SLACK_BROUGHT)("$name", ({ input, value }) => {
  test("reaches the session as what it is", async () => {
    const chat = openSlack({ pictures: createPictures(ensureSeeded), transcriber: spokenWords });
    const id = `U7000${(people += 1)}`;
    await chat.links(id);
    for (const name of ["pixel-1", "pixel-2"]) chat.files.set(name, PIXEL);
    const event = JSON.stringify(input).replaceAll("U2147483697", id).replaceAll("D2147483697", directOf(id));
    expect(await chat.event(JSON.parse(event) as object)).toBe(200);
    const left = () => chat.sent().filter((text) => text.includes("was not taken"));
    const said = async () => {
      const entry = (await chat.entries(directOf(id))).find(({ kind }) => kind === "user_message");
      return (entry?.body["parts"] ?? []) as {
        readonly type: string;
        readonly text?: string;
        readonly foreign?: true;
        readonly image?: object;
      }[];
    };
    const isSaid = value.own.length + value.foreign.length + value.pictures > 0;
    await vi.waitFor(async () => {
      expect((await said()).length > 0).toBe(isSaid);
      expect(left()).toHaveLength(value.left.length);
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
      left: left().map((text, at) => text.slice(0, value.left[at]?.length)),
    }).toEqual(value);
  });
});

test("a message that is a mention and nothing else is answered in one line, once, and begins nothing", async () => {
  const chat = openSlack();
  const id = "U71001";
  await chat.links(id);
  const mention = {
    type: "app_mention",
    channel: "C71001",
    user: id,
    text: "<@UCAIRN>",
    ts: "1700000000.000300",
  };
  expect([await chat.event(mention), await chat.event(mention)]).toEqual([200, 200]);
  expect(chat.sent()).toEqual(["Your message is empty here. Send text, a picture or a file."]);
  expect(await chat.entries("C71001")).toEqual([]);
});
