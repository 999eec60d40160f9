import type { MarkupHandler, readMarkup } from "../../../cairn/documents/markup.ts";
import { findQuoteHeaders } from "./quote-header.ts";

/** The sender's own text in a mail, and the quoted or forwarded text: quotes begin at the first mark of a quote. */

export interface Parted {
  readonly own: string;
  /** null where nothing is quoted */
  readonly foreign: string | null;
  /** nothing but a quote of what was answered, with none of the person's words in it or below it */
  readonly isTail: boolean;
  /** a line of `own` after which a quote may begin, so that the run counts as one that reads others' text; or null */
  readonly doubt: string | null;
}

const WROTE =
  "wrote|writes|schrieb|a écrit|escribió|ha scritto|schreef|escreveu|skrev|kirjoitti|napsal|napisał|написал|写道|のメール";

const FORWARDS: readonly RegExp[] = [
  /^[-_]{2,}[ \t]*(?:Forwarded message|Weitergeleitete Nachricht|Message transféré|Mensaje reenviado)/im,
  /^(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht|Début du message réexpédié) ?:/im,
];
const QUOTES: readonly RegExp[] = [
  /^>/m,
  // "On Mon, 1 Mar 2026 at 12:00, Bob <bob@example.com>", which mail programs break into lines.
  new RegExp(
    `^(?:On |Am |Le |El |Il |Op |Em |Den |Dne |Dnia |W dniu |在|\\d{4})[^\\n]{0,300}(?:\\n[^\\n]{0,200}){0,2}?(?:${WROTE})[^\\n]{0,100}:[ \\t]*$`,
    "m",
  ),
  /^[-_]{2,}[ \t]*(?:Original Message|Original-Nachricht|Ursprüngliche Nachricht|Message d'origine|Mensaje original|Messaggio originale|Oorspronkelijk bericht)/im,
  // Outlook puts the head of the other mail there, below a line or none.
  /^(?:\*?)(?:From|Von|De|Da|Van|Från|Fra):\*? [^\n]{1,300}\n(?:\*?)(?:Sent|Gesendet|Envoyé|Enviado|Inviato|Verzonden|Skickat):/m,
];

/** the person's own text is shorter than this, and it bounds the search */
const OWN_CHARS_MAX = 200_000;

/** `subject`: of the mail; a quote of the mail that it answers has the same. */
export function partQuotes(text: string, subject = ""): Parted {
  const lines = text.replace(/\r\n?/g, "\n");
  const near = lines.slice(0, OWN_CHARS_MAX);
  const firstOf = (marks: readonly RegExp[]): number =>
    Math.min(...marks.map((mark) => mark.exec(near)?.index ?? near.length));
  const split = near.split("\n");
  const { sure, doubt } = findQuoteHeaders(split, subject);
  const header = sure === null ? near.length : startOf(split, sure.line);
  const forwarded = Math.min(firstOf(FORWARDS), sure?.mayBeForward === true ? header : near.length);
  const at = Math.min(forwarded, firstOf(QUOTES), header);
  const foreign = lines.slice(at).trim();
  const own = withoutSignature(lines.slice(0, at))
    // A line that parts the quote from what was written.
    .replace(/\n_{5,}\s*$/, "")
    .trim();
  const isTail = foreign !== "" && forwarded === near.length && !goesOnBelow(foreign);
  const doubtful = doubt === null || startOf(split, doubt) >= at ? "" : (split[doubt] ?? "").trim();
  return {
    own,
    foreign: foreign === "" ? null : foreign,
    isTail,
    doubt: doubtful === "" || !own.includes(doubtful) ? null : doubtful,
  };
}

const startOf = (lines: readonly string[], line: number): number =>
  lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0);

/** Cuts the signature, below a line of two dashes (RFC 3676 4.3). */
const withoutSignature = (text: string): string => text.replace(/(?:^|\n)-- ?\n[\s\S]*$/, "");

/** True if the person answers below a quote, or between its lines. */
function goesOnBelow(foreign: string): boolean {
  const lines = withoutSignature(foreign).split("\n");
  const first = lines.findIndex((line) => line.startsWith(">"));
  return first >= 0 && lines.slice(first).some((line) => line.trim() !== "" && !line.startsWith(">"));
}

const BREAKS: ReadonlySet<string> = new Set([
  "p",
  "div",
  "br",
  "li",
  "tr",
  "h1",
  "h2",
  "h3",
  "h4",
  "blockquote",
  "pre",
]);
const HIDDEN: ReadonlySet<string> = new Set(["style", "script", "head", "title", "template"]);

/** characters of a mail in HTML that are read as text; the rest is cut off */
const HTML_TEXT_CHARS_MAX = 500_000;
/** classes of elements that hold a quote (GMX names them instead): Gmail, Yahoo, Thunderbird, Proton, Zoho */
const QUOTING =
  /(?:^|[\s_])(?:gmail_quote|yahoo_quoted|moz-cite-prefix|moz-forward-container|protonmail_quote|zmail_extra)(?:[\s_]|$)/;
/** names of elements with which the quote begins, in a mail that was quoted once more too: Outlook, Exchange, Yahoo */
const QUOTED_BEHIND =
  /^(?:x_)*(?:divRplyFwdMsg|appendonsend|OLK_SRC_BODY_SECTION|mail-editor-reference-message-container|ms-outlook-mobile-reference-message|yahoo_quoted_\w*|replySplit)$/;
/** quotes inside of one another; a deeper one is a part of the one around it */
const QUOTE_LEVELS_MAX = 50;

/**
 * An HTML-only mail as text. Quotes, and elements that mail programs mark as quotes, get the prefix `> `. `read`: the
 * HTML reader, loaded on demand.
 */
export function textOfHtml(html: string, read: typeof readMarkup): string {
  const reader = new MailHtml();
  read(html, reader, "html");
  return reader.end();
}

class MailHtml implements MarkupHandler {
  readonly #lines: string[] = [];
  #line: string[] = [];
  #lineIsQuoted = false;
  #chars = 0;
  #hidden = 0;
  #quotes = 0;
  /** the rest of the document is a quote */
  #isRest = false;
  /** for each open element, whether it is a quote */
  readonly #open: boolean[] = [];

  isDone(): boolean {
    return this.#chars > HTML_TEXT_CHARS_MAX;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (HIDDEN.has(name)) this.#hidden++;
    const isQuote =
      this.#quotes < QUOTE_LEVELS_MAX &&
      (name === "blockquote" ||
        QUOTING.test(attributes.get("class") ?? "") ||
        (name === "div" && attributes.get("name") === "quote"));
    // The quoted mail follows the element with its headers.
    if (QUOTED_BEHIND.test(attributes.get("id") ?? "")) {
      this.#endLine();
      this.#isRest = true;
    }
    if (isQuote || BREAKS.has(name)) this.#endLine();
    this.#open.push(isQuote);
    if (isQuote) this.#quotes++;
  }

  close(name: string): void {
    if (HIDDEN.has(name)) this.#hidden--;
    const isQuote = this.#open.pop() === true;
    if (isQuote || (BREAKS.has(name) && name !== "br")) this.#endLine();
    if (isQuote) this.#quotes--;
  }

  text(data: string): void {
    if (this.#hidden > 0) return;
    if (this.#line.length === 0) this.#lineIsQuoted = this.#isRest || this.#quotes > 0;
    this.#line.push(data);
    this.#chars += data.length;
  }

  end(): string {
    this.#endLine();
    return this.#lines.join("\n").trim();
  }

  #endLine(): void {
    if (this.#line.length === 0) return;
    const words = this.#line.join("").replace(/\s+/g, " ").trim();
    this.#line = [];
    if (words === "") return;
    this.#lines.push(this.#lineIsQuoted ? `> ${words}` : words);
    this.#chars++;
  }
}
