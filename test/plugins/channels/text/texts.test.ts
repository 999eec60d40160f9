import { describe, expect, test } from "vitest";
import { parseTelegramHtml } from "../../../../scripts/channels-demo/telegram-html.ts";
import { createChance, type Chance } from "../../../../scripts/demo-web/chance.ts";
import { parseBlocks } from "../../../../src/plugins/channels/text/read-markdown.ts";
import { shortened } from "../../../../src/cairn/core/text/cut.ts";
import { firstBytes, toPlain } from "../../../../src/plugins/channels/text/plain.ts";
import { splitForSlack, toSlackTexts } from "../../../../src/plugins/channels/slack/slack-text.ts";
import {
  splitForTelegram,
  TELEGRAM_CHARS_MAX,
  toTelegramHtml,
} from "../../../../src/plugins/channels/telegram/telegram-text.ts";

const telegram = (markdown: string): string => toTelegramHtml(parseBlocks(markdown));
const slack = (markdown: string): string[] =>
  toSlackTexts(parseBlocks(markdown)).map(({ type, text }) => `${type}: ${text}`);
const plain = (markdown: string): string => toPlain(parseBlocks(markdown));

const SAMPLE = [
  "# Huts & passes",
  "",
  "Open **now**, _soon_ and ~~never~~: see `GET /huts` and [the list](https://huts.example/a?b=1&c=2).",
  "",
  "- one",
  "  - inner **two**",
  "- [x] done",
  "",
  "3. third",
  "4. fourth",
  "",
  "> said <b>someone</b>",
  "",
  "```sh",
  "a < b && echo *x*",
  "```",
  "",
  "| Hut | Beds |",
  "| --- | ---: |",
  "| Top | 12 |",
].join("\n");

describe("Markdown", () => {
  test("is Telegram's HTML where Telegram has it, and plain text elsewhere", () => {
    expect(telegram(SAMPLE).split("\n")).toEqual([
      "<b>Huts &amp; passes</b>",
      "",
      'Open <b>now</b>, <i>soon</i> and <s>never</s>: see <code>GET /huts</code> and <a href="https://huts.example/a?b=1&amp;c=2">the list</a>.',
      "",
      "• one",
      "  • inner <b>two</b>",
      "• ☑ done",
      "",
      "3. third",
      "4. fourth",
      "<blockquote>said &lt;b&gt;someone&lt;/b&gt;</blockquote>",
      '<pre><code class="language-sh">a &lt; b &amp;&amp; echo *x*</code></pre>',
      "",
      "<b>Hut</b> | <b>Beds</b>",
      "Top | 12",
    ]);
  });

  test("is Slack's mrkdwn", () => {
    expect(slack(SAMPLE)).toEqual([
      [
        "mrkdwn: *Huts &amp; passes*",
        "",
        "Open *now*, _soon_ and ~never~: see `GET /huts` and <https://huts.example/a?b=1&amp;c=2|the list>.",
        "",
        "• one",
        "  • inner *two*",
        "• ☑ done",
        "",
        "3. third",
        "4. fourth",
        "",
        "> said &lt;b&gt;someone&lt;/b&gt;",
        "",
        "```",
        "a &lt; b &amp;&amp; echo *x*",
        "```",
        "",
        "*Hut* | *Beds*",
        "Top | 12",
      ].join("\n"),
    ]);
  });

  test("is plain text", () => {
    expect(plain(SAMPLE).split("\n").slice(0, 3)).toEqual([
      "Huts & passes",
      "",
      "Open now, soon and never: see GET /huts and the list (https://huts.example/a?b=1&c=2).",
    ]);
    expect(plain("> one\n> two\n\n<https://a.example/> a@b.example")).toBe(
      "> one\n> two\n\nhttps://a.example/ a@b.example",
    );
  });

  test("marks that Slack could take for markup send their paragraph as plain text, and no other", () => {
    expect(slack("**bold**\n\nrate \\*see below\n\nsnake_case_name and 2 * 3")).toEqual([
      "mrkdwn: *bold*",
      "plain_text: rate *see below",
      "mrkdwn: snake_case_name and 2 * 3",
    ]);
    expect(slack("a \\` b")).toEqual(["plain_text: a ` b"]);
    expect(slack("\\> no quote")).toEqual(["plain_text: > no quote"]);
    expect(slack("\\`\\`\\` <!channel> <@U1>")).toEqual(["plain_text: ``` <!channel> <@U1>"]);
    expect(slack("<!channel> and <@U1|x> & co")).toEqual([
      "mrkdwn: &lt;!channel&gt; and &lt;@U1|x&gt; &amp; co",
    ]);
  });

  test("a mark beside a letter, or around spaces, is no mark in Slack", () => {
    expect(slack("un**believ**able")).toEqual(["mrkdwn: unbelievable"]);
    expect(slack("**a\nb** c")).toEqual(["mrkdwn: *a*\n*b* c"]);
    expect(slack("***x***")).toEqual(["mrkdwn: *_x_*"]);
  });

  test("links lead to the web and to mailboxes only; any other is words", () => {
    expect(
      telegram("[x](javascript:alert(1)) [y](/local) [z](mailto:a@b.example) [](https://a.example)"),
    ).toBe(
      'x (javascript:alert(1)) y (/local) <a href="mailto:a@b.example">z</a> <a href="https://a.example/">https://a.example</a>',
    );
    expect(slack("[a](<https://a.example/x|y>z>)")).toEqual([
      "mrkdwn: [a](<https://a.example/x%7Cy|https://a.example/x|y>z&gt;)",
    ]);
    expect(telegram("[a][b]\n\n[b]: https://a.example/\n[b]: https://other.example/")).toBe(
      '<a href="https://a.example/">a</a>',
    );
  });

  test("a code holds nothing else, and a link wins over a code", () => {
    expect(telegram("**`a*b`** [`c`](https://a.example/)")).toBe(
      '<code>a*b</code> <a href="https://a.example/">c</a>',
    );
  });

  test("HTML is shown as it stands, but for line breaks and underlining", () => {
    expect(telegram("a<br>b <u>c</u> <script>x</script>\n\n<div>d</div>")).toBe(
      "a\nb <u>c</u> &lt;script&gt;x&lt;/script&gt;\n\n&lt;div&gt;d&lt;/div&gt;",
    );
  });

  test("nothing to show is an ellipsis, and control characters and half characters are gone", () => {
    expect([telegram(""), telegram(" \n\u0000\u0007"), telegram("a\u0007\ud83d b")]).toEqual([
      "…",
      "…",
      "a\ufffd b",
    ]);
  });

  test("a text too costly to parse is its paragraphs", () => {
    const deep = `${">".repeat(300)} **a** <b>\n\nnext`;
    expect(telegram(deep)).toBe(`${"&gt;".repeat(300)} **a** &lt;b&gt;\n\nnext`);
  });
});

describe("cutting", () => {
  const parts = (markdown: string, link: string | null = null): string[] =>
    splitForTelegram(parseBlocks(markdown), { partsMax: 5, link }).map(
      (part) => parseTelegramHtml(toTelegramHtml(part)).text,
    );

  test("is between paragraphs, and a text that fits is one part", () => {
    const [a, b] = ["a".repeat(3_000), "b".repeat(1_094)];
    expect(parts(`${a}\n\n${b}`)).toEqual([`${a}\n\n${b}`]);
    expect(parts(`${a}\n\n${b}b`)).toEqual([a, `${b}b`]);
  });

  test("inside of a paragraph it is at the end of a line, a sentence or a word", () => {
    const [a, b] = ["a".repeat(3_000), "b".repeat(3_000)];
    expect(parts(`${a}\n${b}`)).toEqual([a, b]);
    expect(parts(`${a}. ${b}`)).toEqual([`${a}.`, b]);
    expect(parts(`${a} ${b}`)).toEqual([a, b]);
  });

  test("a mark that is cut is closed and opened again, as a code is", () => {
    const bold = splitForTelegram(parseBlocks(`**${"a ".repeat(3_000).trim()}**`), {
      partsMax: 5,
      link: null,
    });
    expect(bold.map((part) => toTelegramHtml(part).replace(/a( a)+/, "…"))).toEqual(["<b>…</b>", "<b>…</b>"]);
    const code = `\`\`\`js\n${"x = 1;\n".repeat(1_000)}\`\`\``;
    const cut = splitForTelegram(parseBlocks(code), { partsMax: 5, link: null });
    expect(cut.map((part) => toTelegramHtml(part).replace(/x = 1;(\nx = 1;)+/, "…"))).toEqual([
      '<pre><code class="language-js">…</code></pre>',
      '<pre><code class="language-js">…</code></pre>',
    ]);
    const slackCode = splitForSlack(parseBlocks(code), { partsMax: 5, link: null }).flatMap(toSlackTexts);
    expect(slackCode.map(({ text }) => text.replace(/x = 1;(\nx = 1;)+/, "…"))).toEqual(
      Array.from({ length: 3 }, () => "```\n…\n```"),
    );
  });

  test("never cuts a character in two", () => {
    for (const lead of ["", "a"]) {
      const all = parts(lead + "😀".repeat(3_000));
      expect(all.join("")).toBe(lead + "😀".repeat(3_000));
      expect(all.filter((part) => !part.isWellFormed())).toEqual([]);
    }
  });

  test("after five parts says where the rest is", () => {
    const long = Array.from({ length: 30 }, (_, at) => `${at} ${"x".repeat(1_000)}`).join("\n\n");
    const cut = parts(long, "https://cairn.example/s/1");
    expect(cut).toHaveLength(5);
    expect(cut.filter((part) => part.length > TELEGRAM_CHARS_MAX)).toEqual([]);
    expect(cut.at(-1)?.split("\n\n").at(-1)).toBe("… Read the rest: https://cairn.example/s/1");
    expect(parts(long).at(-1)?.split("\n\n").at(-1)).toBe("… The rest does not fit here.");
    const five = parts(Array.from({ length: 5 }, () => "x".repeat(4_096)).join("\n\n"), "https://c.example/");
    expect(five.map((part) => part.length)).toEqual([4_096, 4_096, 4_096, 4_096, 4_096]);
    expect(five.at(-1)).not.toContain("rest");
  });

  test("of plain text is by bytes or units", () => {
    expect([firstBytes("aé😀", 7), firstBytes("aé😀", 6), firstBytes("aaaa", 4)]).toEqual([
      "aé😀",
      "aé…",
      "aaaa",
    ]);
    expect([shortened("ab😀", 4), shortened("ab😀c", 4), shortened("abc", 3)]).toEqual([
      "ab😀",
      "ab…",
      "abc",
    ]);
  });
});

describe("whatever the Markdown", () => {
  const PIECES: readonly [string, ...string[]] = [
    ...([
      "**",
      "*",
      "_",
      "__",
      "~~",
      "`",
      "```",
      "```js\n",
      "<b>",
      "</b>",
      "<",
      ">",
      "&",
      "&lt;",
      "&#0;",
    ] as const),
    "[",
    "](",
    ")",
    "![",
    "https://a.example/",
    "javascript:x",
    "[^1]",
    "[^1]: ",
    "[a]: https://b.example\n",
    "\n",
    "\n\n",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n    ",
    "# ",
    "| a | b |\n|---|---|\n| c | d |\n",
    "<!-- ",
    "-->",
    "word",
    " ",
    "😀",
    "é",
    "\ud83d",
    "\udc00",
    "\u0000",
    "<script>",
    '"',
    "'",
    "\\",
    "@",
    "a@b.example",
    "|",
    "x".repeat(900),
    "long word ".repeat(90),
    "😀".repeat(700),
    "*b* ".repeat(300),
    "<".repeat(500),
  ];
  const markdown = (chance: Chance): string =>
    Array.from({ length: chance.between(1, 60) }, () => chance.pick(PIECES)).join("");

  test("Telegram's HTML is well formed, has only its tags, and each part fits", () => {
    for (let seed = 0; seed < 150; seed++) {
      const source = markdown(createChance(seed));
      const split = splitForTelegram(parseBlocks(source), { partsMax: 5, link: "https://c.example/s" });
      expect(split.length, String(seed)).toBeLessThanOrEqual(5);
      for (const part of split) {
        const html = toTelegramHtml(part);
        const { text } = parseTelegramHtml(html);
        expect(text.length, String(seed)).toBeLessThanOrEqual(TELEGRAM_CHARS_MAX);
        expect(text.trim(), String(seed)).not.toBe("");
        expect(text.isWellFormed(), String(seed)).toBe(true);
        const bare = html.replace(
          /<\/?(?:b|i|s|u|code|pre|blockquote|a)>|<a href="(?:https?:|mailto:)[^"<>]*">|<code class="language-[\w+#.-]+">/g,
          "",
        );
        expect(bare, String(seed)).not.toMatch(/[<>]|&(?!(?:lt|gt|amp|quot);)/);
      }
    }
  });

  test("Slack's sections fit, and hold no control sequence but links", () => {
    for (let seed = 0; seed < 150; seed++) {
      const split = splitForSlack(parseBlocks(markdown(createChance(seed))), { partsMax: 5, link: null });
      expect(split.length, String(seed)).toBeLessThanOrEqual(5);
      for (const { type, text } of split.flatMap(toSlackTexts)) {
        expect(text.length, String(seed)).toBeLessThanOrEqual(3_000);
        expect(text.isWellFormed(), String(seed)).toBe(true);
        if (type !== "mrkdwn") continue;
        const bare = text.replace(/<(?:https?:|mailto:)[^<>|]*\|[^<>]*>/g, "").replace(/^> /gm, "");
        expect(bare, String(seed)).not.toMatch(/[<>]|&(?!(?:lt|gt|amp);)/);
      }
    }
  });
});
