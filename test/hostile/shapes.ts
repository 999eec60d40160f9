/** What a hostile text is made of: each unit is repeated up to the size that an entry point accepts. */
export const UNITS: readonly string[] = [
  // Markup: deep, wide, unclosed, closed without an opening, many tiny attributes, entities, comments.
  ...[
    "<b>a",
    "<div>",
    "<p>",
    "a<br>",
    "<script ",
    "<script>",
    "<!--",
    "<![CDATA[",
    "<a href=",
    '<a b="',
    "</x>",
  ],
  ...[
    "<i></i>",
    "<x1>",
    "<table><tr><td>a",
    "<blockquote>",
    "<svg/>",
    "<form>",
    "<title>a",
    "<h1>a",
    "a=b ",
    "<li>a",
  ],
  ...["&amp;", "&", "&#", "<", "</", "<?"],
  // Tables and quotes.
  ...['"', '""', 'a"', '"a"', ",", "a,", ";", "\t", "\r\n", "\n", '",\n"'],
  // Blanks, and marks of Markdown, of templates, of quotes in mails, of JSON and of our own.
  ...[
    " ",
    " \n",
    "\u00a0",
    "> ",
    ">\n",
    "- ",
    "# ",
    "*",
    "**a",
    "_",
    "[",
    "[a](",
    "`",
    "```\n",
    "|a",
    "~~",
    "---\n",
  ],
  ...[
    "{",
    "{{",
    "{{a ",
    "${",
    '{"a":',
    "[1,",
    "On a\n",
    "From: a\n",
    "-- \n",
    "\n_____",
    "[e1]",
    "[e1, ",
    "FINAL_ANSWER:",
  ],
  ...[
    "<think>",
    "<tool_call>",
    "<untrusted",
    "\\u003c",
    "%253c",
    "a.",
    "a@",
    "http://a ",
    "www.a",
    "eyJ",
    "sk-live-",
  ],
  // Combining marks out of their order, letters that decompose, halves of pairs, what nobody sees.
  ...["\u0315\u0300", "e\u0301", "\u0344", "\u200b", "\ud800", "\u{1f600}", "\u1100"],
];

/** Exactly so many characters. */
export const filled = (unit: string, chars: number): string =>
  unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);

/**
 * Exactly so many bytes: the unit again and again between two texts. Made without a string of that size, which takes twice its
 * bytes from the heap of the parser.
 */
export function filledBytes(
  unit: string,
  bytes: number,
  [before, behind]: readonly [before: string, behind: string],
): Uint8Array {
  const [head, one, end] = [before, unit, behind].map((text) => new TextEncoder().encode(text)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const all = new Uint8Array(bytes);
  all.set(head);
  all.set(one.subarray(0, bytes - head.length), head.length);
  for (let size = one.length; head.length + size < bytes; size *= 2)
    all.copyWithin(head.length + size, head.length, head.length + size);
  all.set(end, bytes - end.length);
  return all;
}

/** Words and marks that the patterns of the review look for, in the languages that they know. */
export const WORDS: readonly string[] = [
  ...[
    "é",
    "é ",
    "i ",
    "a ",
    "a, ",
    "not ",
    "no ",
    "will ",
    "i have ",
    "i created and ",
    "published, ",
    "created ",
  ],
  ...["has been ", "done and ", "ok, ", "he ", "ha sido ", "j'ai ", "je l'ai ", "ne ", "ist ", "ich habe "],
  ...["(", "a)", "]", "' ", "“", "„a", "«", "‘", "1. ", "e.g.", "z. b", "d. ", "a. ", "? ", ".", "…)"],
  ...["[e1] ", "\t[e1", "please ", "can you ", "![", "](", ". ", "https://a"],
  "0",
  ")",
  "[\n",
  " \n",
  "sk-",
  "g.eyJ.",
];
