import { titleOf } from "./subject.ts";

/**
 * Headers of a quoted mail, known by their shape in every language: a block of labels with an address, a date and a subject
 * (Outlook, forwards), and a line with an address and a date before a quote (Gmail, Apple Mail, Thunderbird, Yahoo, Proton).
 * Each line is looked at a bounded number of times, and no more of it than LINE_CHARS_MAX.
 */

export interface QuoteHeader {
  /** the first line of the header */
  readonly line: number;
  /** also a forwarded mail begins like this: it is no quote of the mail that is answered */
  readonly mayBeForward: boolean;
}

export interface QuoteHeaders {
  readonly sure: QuoteHeader | null;
  /** the first line before that which may begin a quote, or be a list of the writer's own */
  readonly doubt: number | null;
}

const LINE_CHARS_MAX = 1_000;
const LABEL_CHARS_MAX = 40;
const BLOCK_LINES_MAX = 40;
const LABELS_MAX = 12;
/** lines of one wrapped value */
const WRAPPED_LINES_MAX = 8;
/** lines of a wrapped line before a quote */
const ATTRIBUTION_LINES_MAX = 4;
const ATTRIBUTION_CHARS_MAX = 500;
/** a shorter line was not broken by a mail program */
const BROKEN_CHARS_MIN = 50;

/** `subject`: of the mail that has these lines; a quote of the mail that it answers has the same. */
export function findQuoteHeaders(given: readonly string[], subject: string): QuoteHeaders {
  const lines = given.map(bare);
  const title = titleOf(subject);
  let doubt: number | null = null;
  /** the end of the last block that was looked at */
  let next = 0;
  for (const [at, line] of lines.entries()) {
    if (line === "") continue;
    if (line.startsWith(">"))
      return { sure: { line: attributionAbove(lines, at), mayBeForward: false }, doubt };
    if (isSeparator(line)) {
      const below = afterBlanks(lines, at + 1);
      if (labelOf(lines[below] ?? "") !== null || isAttribution(lines, below))
        return { sure: { line: at, mayBeForward: true }, doubt };
      if (/^[-_=–—]{5,}.*[-_=–—]{5,}$/.test(line)) doubt ??= at;
    }
    if (isHeaderOnOneLine(line)) return { sure: { line: at, mayBeForward: false }, doubt };
    if (isAttribution(lines, at)) return { sure: { line: at, mayBeForward: false }, doubt };
    if (doubt === null && hasDate(line) && hasTime(line) && endsOpen(line) && at + 1 < lines.length)
      doubt = at;
    const label = at < next ? null : labelOf(line);
    // `Book this:` above a list of labels is none of them.
    if (label === null || (label.value === "" && labelOf(lines[at + 1] ?? "") !== null)) continue;
    const block = blockAt(lines, at);
    next = block.end;
    const verdict = isQuoteHeader(block.labels, {
      title,
      isParted: isRule(lines[beforeBlanks(lines, at - 1)] ?? ""),
    });
    if (verdict === "header")
      return { sure: { line: startOf(block.labels, title, at), mayBeForward: false }, doubt };
    if (verdict === "doubt") doubt ??= at;
  }
  return { sure: null, doubt };
}

/** Without marks of direction, and without the stars of bold text; blanks of all kinds are blanks. */
const bare = (line: string): string =>
  line
    .slice(0, LINE_CHARS_MAX)
    .replace(/[\u200b\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/g, "")
    .replace(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, "")
    .replace(/\s/g, " ")
    .trim();

interface Label {
  readonly name: string;
  readonly value: string;
}

/** A label with its position. */
interface Placed extends Label {
  readonly line: number;
  /** a blank line is above it */
  readonly isApart: boolean;
}

/** `Fra: Bob`, `差出人：Bob`; null for any other line */
function labelOf(line: string): Label | null {
  const [, name, value] = /^([^:：]{1,40}?) ?[:：]\s*(.*)$/u.exec(line) ?? [];
  if (name === undefined || value === undefined || name.length > LABEL_CHARS_MAX) return null;
  return /^\p{L}[\p{L}\p{M}\p{N}.'’()/ -]*$/u.test(name) && name.split(" ").length <= 4
    ? { name, value }
    : null;
}

/** The labels from a line on, with what is wrapped of their values. */
function blockAt(
  lines: readonly string[],
  from: number,
): { readonly labels: readonly Placed[]; readonly end: number } {
  const labels: (Omit<Placed, "value"> & { value: string })[] = [];
  let wrapped = 0;
  let blanks = 0;
  let at = from;
  for (; at < lines.length && at - from < BLOCK_LINES_MAX && labels.length < LABELS_MAX; at++) {
    const line = lines[at] ?? "";
    if (line === "") {
      if (++blanks > 1) break;
      continue;
    }
    if (/^[-_=–—]{3,}$/.test(line)) break;
    const label = labelOf(line);
    const last = labels.at(-1);
    if (label !== null) labels.push({ ...label, line: at, isApart: blanks > 0 });
    else if (blanks > 0 || last === undefined || ++wrapped > WRAPPED_LINES_MAX) break;
    // The first line of the quoted mail may be here too.
    else if (
      /[,;<(]$/.test(last.value) ||
      last.value === "" ||
      (lines[at - 1] ?? "").length >= BROKEN_CHARS_MIN
    )
      last.value = `${last.value} ${line}`;
    if (label !== null) wrapped = 0;
    blanks = 0;
  }
  return { labels, end: at };
}

/** The label with which a header begins: the writer may have put a line of the same form above it, such as `PS: call me`. */
function startOf(labels: readonly Placed[], title: string, line: number): number {
  const sender = labels.findIndex(({ name, value }) => hasAddress(value) || SENDERS.has(name.toLowerCase()));
  const starts = [
    ...labels.slice(Math.max(0, sender), sender + 1),
    ...labels.filter(({ isApart }) => isApart),
  ];
  const found = starts.find(
    (start) =>
      start.line > line &&
      isQuoteHeader(
        labels.filter((label) => label.line >= start.line),
        { title, isParted: false },
      ) === "header",
  );
  return found?.line ?? line;
}

/** `isParted`: a line of dashes precedes it. */
function isQuoteHeader(
  labels: readonly Label[],
  { title, isParted }: { readonly title: string; readonly isParted: boolean },
): "header" | "doubt" | "text" {
  const [first] = labels;
  if (first === undefined || labels.length < 3) return "text";
  const dated = labels.find(({ value }) => hasDate(value));
  const addressed = labels.find((label) => label !== dated && hasAddress(label.value));
  const isSameTitle = title.length >= 3 && labels.some(({ value }) => titleOf(value) === title);
  const isFrom = SENDERS.has(first.name.toLowerCase());
  if (dated !== undefined) {
    // Dates of mails have a time; a list in the person's own text may have an address and a day.
    const isBracketed = addressed !== undefined && hasBracketedAddress(addressed.value);
    const isSender =
      (isBracketed && (addressed === first || hasTime(dated.value))) ||
      (addressed === first && addressed !== undefined && (isFrom || hasTime(dated.value)));
    const isKnown = addressed !== undefined || (labels.length > 3 && hasTime(dated.value));
    if (isSender || ((isParted || isSameTitle) && isKnown)) return "header";
    // Outlook leaves out addresses of the same organization.
    const isSent = labels[1] === dated && hasTime(dated.value);
    return isFrom && isSent && labels.length > 3 ? "header" : "doubt";
  }
  const isTimed = labels.some(({ value }) => hasTime(value));
  const mayBe = (addressed !== undefined && (isFrom || isTimed)) || (isParted && isFrom) || isSameTitle;
  return mayBe ? "doubt" : "text";
}

/** The first line of the attribution above a quote; the quote itself if there is none. */
function attributionAbove(lines: readonly string[], quote: number): number {
  const end = beforeBlanks(lines, quote - 1);
  if (end < 0 || quote - end > 3) return quote;
  let text = "";
  let found = quote;
  for (let at = end; at >= 0 && end - at < ATTRIBUTION_LINES_MAX; at--) {
    const line = lines[at] ?? "";
    if (line === "" || (at < end && endsSentence(line))) break;
    text = `${line} ${text}`;
    if (text.length > ATTRIBUTION_CHARS_MAX) break;
    const [isDated, isAddressed] = [hasDate(text) || hasTime(text), hasAddress(text)];
    if (isDated && isAddressed) return at;
    if ((isDated || isAddressed) && endsOpen(lines[end] ?? "")) found = Math.min(found, at);
    // More of it is above only where this was broken off.
    if (found !== quote && (lines[at - 1] ?? "").length < BROKEN_CHARS_MIN && !isPart(lines[at - 1])) break;
  }
  return found;
}

const isPart = (line = ""): boolean => hasDate(line) || hasAddress(line) || hasTime(line);

/** A line that names an address and a date and ends with a colon. It may be wrapped. */
function isAttribution(lines: readonly string[], from: number): boolean {
  if (!isPart(lines[from])) return false;
  for (let at = from; at < lines.length && at - from < ATTRIBUTION_LINES_MAX; at++) {
    const line = lines[at] ?? "";
    if (line === "") return false;
    if (!endsOpen(line)) {
      if (endsSentence(line)) return false;
      continue;
    }
    const isWhole = (start: number): boolean => {
      const text = lines.slice(start, at + 1).join(" ");
      return text.length <= ATTRIBUTION_CHARS_MAX && hasDate(text) && hasAddress(text);
    };
    // The header begins as late as it can: the lines above are the writer's.
    return isWhole(from) && !(from < at && isWhole(from + 1));
  }
  return false;
}

/** A sentence that ends is the writer's own; a number with a dot may be a day. */
const endsSentence = (line: string): boolean => /[.!?。！？]$/.test(line) && !/\p{Nd}\.$/u.test(line);

/** Labels, a sender and a date that a program has put on one line. */
const isHeaderOnOneLine = (line: string): boolean =>
  hasBracketedAddress(line) &&
  hasDate(line) &&
  hasTime(line) &&
  labelOf(line) !== null &&
  (line.match(/\p{L} ?[:：]/gu) ?? []).length > 2;

const endsOpen = (line: string): boolean => /[:：﹕]$/.test(line);

/** `----- Oprindelig meddelelse -----` */
const isSeparator = (line: string): boolean =>
  /^[-_=–—]{2,} ?[^-_=–—\s].{0,80}[^\s] ?[-_=–—]{2,}$/.test(line);
const isRule = (line: string): boolean => /^[-_=–—]{20,}$/.test(line) || isSeparator(line);

const afterBlanks = (lines: readonly string[], from: number): number => {
  let at = from;
  while (at < lines.length && at - from < 3 && lines[at] === "") at++;
  return at;
};
const beforeBlanks = (lines: readonly string[], from: number): number => {
  let at = from;
  while (at >= 0 && from - at < 3 && lines[at] === "") at--;
  return at;
};

const hasAddress = (text: string): boolean => /[\p{L}\p{N}_+-]@[\p{L}\p{N}][\p{L}\p{N}-]*\.\p{L}/u.test(text);
const hasBracketedAddress = (text: string): boolean =>
  /[<[(（](?:mailto:)?[^\s<>[\]()@]{1,64}@[^\s<>[\]()@]{1,255}[>\])）]/u.test(text);

/** Digits of any script: `10:00`, `10.00`, `10時00`, `10h00` */
const hasTime = (text: string): boolean =>
  /(?<!\p{Nd})\p{Nd}{1,2}(?:[:：.h]|時|时|시 ?)\p{Nd}{2}(?!\p{Nd})/u.test(text);

/** `1.3.2026`, `2026年3月1日`, `2026. 3. 1.`; or a year next to a word and a day */
function hasDate(text: string): boolean {
  if (/(?<!\p{Nd})\p{Nd}{1,4}(?:[./-]|年|년) ?\p{Nd}{1,2}(?:[./-]|月|월) ?\p{Nd}{1,4}(?!\p{Nd})/u.test(text))
    return true;
  const hasYear = /(?<![\p{Nd}+@.-])\p{Nd}{4}(?!\p{Nd}|[-@])/u.test(text);
  const hasDay = /(?<!\p{Nd})\p{Nd}{1,2}(?!\p{Nd})/u.test(text);
  return hasYear && hasDay && /\p{L}{2}/u.test(text);
}

/** Labels of a sender that Outlook writes. They decide only where it has left out every address. */
const SENDERS: ReadonlySet<string> = new Set(
  (
    "from|von|de|da|van|från|fra|od|от|від|kimden|gönderen|lähettäjä|frá|feladó|από|מאת|من|จาก|từ|dari|saatja|no|nuo|" +
    "差出人|送信者|发件人|寄件者|寄件人|보낸 사람|보낸사람|expéditeur|mittente|absender|afzender|avsändare|avsender|remetente|remitente|" +
    "nadawca|odesílatel|odosielateľ|expeditor|pošiljatelj|отправитель|подател|šalje|de la"
  ).split("|"),
);
