import { Parser } from "htmlparser2";

/** What a person wrote in a mail, and what they quote or forward: the words of others begin at the first mark of a quote. */

export interface Parted {
  readonly own: string;
  /** null where nothing is quoted */
  readonly foreign: string | null;
  /** nothing but a quote of what was answered, with none of the person's words in it or below it */
  readonly isTail: boolean;
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
  /^(?:\*?)(?:From|Von|De|Da|Van|Från|Fra):\*? [^\n]{1,300}\n(?:\*?)(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Inviato|Verzonden|Skickat):/m,
];

/** nobody writes more than this themselves, and it bounds the search */
const OWN_CHARS_MAX = 200_000;

export function partQuotes(text: string): Parted {
  const lines = text.replace(/\r\n?/g, "\n");
  const near = lines.slice(0, OWN_CHARS_MAX);
  const firstOf = (marks: readonly RegExp[]): number =>
    Math.min(...marks.map((mark) => mark.exec(near)?.index ?? near.length));
  const forwarded = firstOf(FORWARDS);
  const at = Math.min(forwarded, firstOf(QUOTES));
  const foreign = lines.slice(at).trim();
  const own = withoutSignature(lines.slice(0, at))
    // A line that parts the quote from what was written.
    .replace(/\n_{5,}\s*$/, "")
    .trim();
  const isTail = foreign !== "" && forwarded === near.length && !goesOnBelow(foreign);
  return { own, foreign: foreign === "" ? null : foreign, isTail };
}

/** What stands below two dashes alone (RFC 3676 4.3). */
const withoutSignature = (text: string): string => text.replace(/(?:^|\n)-- ?\n[\s\S]*$/, "");

/** Somebody answers below a quote, or between its lines. */
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

/** A mail that has HTML alone, as text. What stands in a quote, or in what a mail program marks as one, gets `> ` before it. */
export function textOfHtml(html: string): string {
  let text = "";
  let hidden = 0;
  const quotes: string[] = [];
  const open: string[] = [];
  const lineBreak = (): void => {
    if (text !== "" && !/\n(?:> )?$/.test(text)) text = `${text.trimEnd()}\n${quotes.length > 0 ? "> " : ""}`;
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      open.push(name);
      if (HIDDEN.has(name)) hidden += 1;
      const isQuote =
        name === "blockquote" || /\bgmail_quote\b|\byahoo_quoted\b/.test(attributes["class"] ?? "");
      if (isQuote) quotes.push(`${name}${open.length}`);
      if (BREAKS.has(name)) lineBreak();
      if (isQuote && !text.endsWith("> ")) text += "> ";
    },
    onclosetag(name) {
      if (quotes.at(-1) === `${name}${open.length}`) quotes.pop();
      open.pop();
      if (HIDDEN.has(name)) hidden -= 1;
      if (BREAKS.has(name) && name !== "br") lineBreak();
    },
    ontext(data) {
      if (hidden === 0) text += data.replace(/\s+/g, " ");
    },
  });
  parser.end(html);
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== ">")
    .join("\n")
    .trim();
}
