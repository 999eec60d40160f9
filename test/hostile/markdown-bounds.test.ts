import { expect, test } from "vitest";
import {
  isParsableMarkdown,
  MARKDOWN_CELLS_MAX,
  MARKDOWN_CHARS_MAX,
  MARKDOWN_NESTING_MAX,
} from "../../src/cairn/core/text/markdown-bounds.ts";
import { excerptOf, renderMarkdown } from "../../src/plugins/cms/renderer/html/markdown.ts";
import { siteContext } from "../plugins/cms/site-fixture.ts";

/** Inputs whose parsing cost exceeds their length: emphasis, brackets, unclosed links, nested quotes and lists. */
const HOSTILE = [
  ..."_* *a_ a* a**b **_~ [ ] ]( [a]( [a](b`( [](< ![ [] [[[]]] [^a] [x]:`( [[]".split(" "),
  ...'www.a_ http://a_ a@b. x@ <a` <!-- <? &a ~a~ ~~a~ ` `a`` " ( \\( $'.split(" "),
  "1) ",
  "> ",
  "+ 1. > ",
  "- ",
  "* > ",
  " - ",
  "- a\n",
  "- > - > a\n",
  "1.\n",
  "  \n",
  "\t- ",
  ">\n",
  "|a\n",
  "|\n",
  "a|\n",
  "|-|-|\n",
  "|a",
  "-\n",
  "+\n",
  "=\n",
  "a\n=\n",
  "#\n",
  "\n",
  "[a]: b\n",
  "```\n",
].map((unit) => unit.replaceAll("`(", " ("));

const CHARS = 65_536;
const ORDINARY = "A sentence with *some* words, and [a link](https://example.com/).\n\n".repeat(1_000);

const show = (text: string): string => String(renderMarkdown(text, 2, siteContext()));
/** milliseconds; the least of three, because a busy machine only adds */
const costOf = (act: () => unknown, times = 3): number =>
  Math.min(
    ...Array.from({ length: times }, () => {
      const from = performance.now();
      act();
      return performance.now() - from;
    }),
  );

test("64 KB of any mark cost at most 20 times an ordinary text of that size", () => {
  const most = 20 * costOf(() => show(ORDINARY.slice(0, CHARS)));
  const slow = HOSTILE.flatMap((unit) => {
    const text = `a ${unit.repeat(Math.ceil(CHARS / unit.length))}`.slice(0, CHARS);
    const cost = costOf(() => show(text), 1);
    return cost > most ? [[unit, cost]] : [];
  });
  expect(slow).toEqual([]);
}, 600_000);

test("a text at the bounds is parsed, one beyond any of them is not", () => {
  const quoted = (levels: number): string => `${">".repeat(levels)} a`;
  const table = (entries: number): string => `|a|b|c|\n|-|-|-|\n${"|1|2|3|\n".repeat(entries - 2)}`;
  const beyond = (text: string): boolean => !isParsableMarkdown(text);
  expect(["a".repeat(MARKDOWN_CHARS_MAX), "a".repeat(MARKDOWN_CHARS_MAX + 1)].map(beyond)).toEqual([
    false,
    true,
  ]);
  expect([quoted(MARKDOWN_NESTING_MAX - 1), quoted(MARKDOWN_NESTING_MAX + 1)].map(beyond)).toEqual([
    false,
    true,
  ]);
  const indented = (levels: number): string => `${"  ".repeat(levels)}- a`;
  expect([indented(MARKDOWN_NESTING_MAX - 2), indented(MARKDOWN_NESTING_MAX + 1)].map(beyond)).toEqual([
    false,
    true,
  ]);
  const entries = MARKDOWN_CELLS_MAX / 5;
  expect([table(entries), table(entries + 1)].map(beyond)).toEqual([false, true]);
  expect([show(quoted(MARKDOWN_NESTING_MAX - 1)), show(quoted(MARKDOWN_NESTING_MAX + 1))]).toEqual([
    expect.stringMatching(/^(<blockquote>\s*){99}<p>a/),
    `<p>${">".repeat(MARKDOWN_NESTING_MAX + 1)} a</p>`,
  ]);
});

test("long texts that people write are parsed", () => {
  const code = `\`\`\`json\n${'  { "name_of_it": ["a", "b"], "link": "https://example.com" },\n'.repeat(200)}\`\`\`\n`;
  const links = "- [A page of the site](https://example.com/a-page-of-the-site): **new**\n".repeat(200);
  const items = "- an item\n  - one below it, with `code`\n".repeat(500);
  const prices = `|name|price|for|\n|-|-|-|\n${"|**A tour**|12 €|[two](https://example.com/tour)|\n".repeat(300)}`;
  const texts = [ORDINARY, code, links, items, prices, "-".repeat(80), "* * *\n\n".repeat(500)];
  expect(texts.map(isParsableMarkdown)).toEqual(texts.map(() => true));
});

test("a text beyond the bounds is shown as it is, line by line", () => {
  const text = `<b>first</b>\n\n${"> ".repeat(2_048)}\nlast & least`;
  const shown = show(text);
  expect(shown).toMatch(/^<p>&#x3C;b>first&#x3C;\/b><\/p>\n<p>(> )*><\/p>\n<p>last &#x26; least<\/p>$/);
  expect(excerptOf(text, 20)).toBe("<b>first</b> > > >…");
});
