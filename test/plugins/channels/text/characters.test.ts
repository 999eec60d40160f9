import { describe, expect, test } from "vitest";
import type { Outgoing } from "../../../../src/plugins/channels/channel.ts";
import { writeReference } from "../../../../src/plugins/channels/email/reference.ts";
import { parseBlocks } from "../../../../src/plugins/channels/text/read-markdown.ts";
import { firstBytes, toPlain } from "../../../../src/plugins/channels/text/plain.ts";
import { splitForSlack, toSlackTexts } from "../../../../src/plugins/channels/slack/slack-text.ts";
import {
  splitForTelegram,
  TELEGRAM_CHARS_MAX,
  toTelegramHtml,
} from "../../../../src/plugins/channels/telegram/telegram-text.ts";
import { pushPayload } from "../../../../src/plugins/channels/webpush/payload.ts";
import { shortened } from "../../../../src/cairn/core/text/cut.ts";
import { oneLine } from "../../../../src/page/parts/one-line.ts";

/**
 * Visible characters of many code points, sent through each outlet at every offset of its limit. The boundaries are those of
 * UAX #29 and of the sequences of emoji in UTS #51 (https://www.unicode.org/reports/tr51/).
 */

const CHARACTERS = [
  ["the flag of England, by tags", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
  ["two people of two skin tones with a heart", "👩🏽‍❤️‍💋‍👨🏿"],
  ["a pirate flag, joined to a flag", "🏴‍☠️"],
  ["a judge of a skin tone", "🧑🏾‍⚖️"],
  ["an emoji with its selector for color", "☎️"],
  ["a sign with its selector for text", "✔︎"],
  ["a keycap", "#️⃣"],
  ["a conjunct of Devanagari", "क्ष्म्य"],
  ["a conjunct of Bengali", "ক্ষ"],
  ["a syllable of three jamo", "\u1100\u1161\u11a8"],
  ["Thai with a vowel and a tone", "ก็่"],
  ["Tamil with a vowel on both sides", "\u0b95\u0bca"],
  ["Hebrew with points", "שּׁ"],
  ["Vietnamese in parts", "o\u031b\u0302\u0323"],
] as const;

/** Removes the whole characters; anything that is left is a part of one. */
const restOf = (text: string, character: string): string =>
  text.replaceAll(character, "").replaceAll(/[a …\n]/g, "");

const outgoing = (text: string, title?: string): Outgoing => ({
  kind: "final",
  text,
  ...(title === undefined ? {} : { title }),
});

/** Texts that an outlet makes of one that is too long for it. */
const OUTLETS: readonly (readonly [name: string, texts: (text: string) => readonly string[]])[] = [
  [
    "Telegram",
    (text) => splitForTelegram(parseBlocks(text), { partsMax: 5, link: null }).map(toTelegramHtml),
  ],
  ["Telegram in plain text", (text) => [shortened(toPlain(parseBlocks(text)), TELEGRAM_CHARS_MAX)]],
  [
    "Slack",
    (text) =>
      splitForSlack(parseBlocks(text), { partsMax: 5, link: null })
        .flatMap(toSlackTexts)
        .map((one) => one.text),
  ],
  ["a notification", (text) => [pushPayload(outgoing(text), parseBlocks(text), "t").body]],
  ["the title of a notification", (text) => [pushPayload(outgoing("a", text), parseBlocks("a"), "t").title]],
  ["bytes", (text) => [firstBytes(text, 300)]],
  [
    "the subject of a thread of mails",
    (text) => {
      const { subject } = JSON.parse(
        writeReference({ id: "<1@a.example>", references: [], subject: text }),
      ) as {
        subject: string;
      };
      return [subject];
    },
  ],
  ["a title of one line", (text) => [oneLine(text, 80)]],
];

describe.each(OUTLETS)("%s", (_outlet, textsOf) => {
  test.each(CHARACTERS)("cuts no character in two: %s", (_name, character) => {
    const { length } = character;
    const bytes = new TextEncoder().encode(character).length;
    for (let before = 0; before < Math.max(length, bytes); before += 1) {
      const whole = `${"a".repeat(before)}${character.repeat(Math.ceil(5_000 / length))}`;
      const texts = textsOf(whole);
      expect(texts.length).toBeGreaterThan(0);
      // The text was cut, and something of it is left.
      expect(texts[0]?.length).toBeLessThan(whole.length);
      expect(texts[0]).toContain(character);
      for (const text of texts) expect(restOf(text, character)).toBe("");
    }
  });
});
