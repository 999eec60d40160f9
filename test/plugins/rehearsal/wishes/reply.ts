import type { Words } from "./format.ts";

/** What an answer says, by its words: English and German. It is a reading, so it errs on the side of "claims to be done". */

const QUOTED = /“[^”]*”|„[^“”]*[“”]|"[^"\n]*"|«[^»]*»|`[^`\n]*`/gu;
const COURTESY = /anything else|something else|what else|next\?|sonst noch|noch etwas|als nächstes/iu;
const LEFT_OUT =
  /\bnot\b|n['’]t\b|\bcannot\b|\bleft\b|\bno\b|\bnone\b|\bnothing\b|\bskip|\bwithout\b|\bunable\b|\bopen\b|\bremain|\bstill\b|\bnicht|\bkein|\bohne\b|ausgelassen|\boffen\b|\bübrig/iu;
const UNABLE =
  /\bcan ?not\b|\bcan['’]t\b|\bcould(?: not|n['’]t)\b|\bunable\b|\bnot able\b|\b(?:do|did)(?: not|n['’]t)\b|\bnot (?:something|possible)\b|\bno tool\b|\bnothing (?:was|has|is)\b|\b(?:kann|konnte|habe|wurde|verstehe)\b[^.!?]*\bnicht|\bnichts\b|\bkein(?:e|en)? werkzeug/iu;
const ABLE =
  /(?<!\b(?:not|nothing|no)\b[^.!?\n]*)\b(?:I|it|we|one|model|cairn|rules) can\b(?! ?not|['’]t)|\bwhat I (?:can|do)\b|\bcan I\b(?! ?not)|\bI (?:only )?(?:look after|make|change)\b|\b(?:ich|es|modell|regeln) kann\b(?![^.!?\n]*\bnicht)|\bkann ich\b(?![^.!?\n]*\bnicht)|\bwas ich kann\b|\bich kümmere mich\b/iu;
const DONE =
  /\b(?:done|created|made|added|renamed|removed|deleted|published|unpublished|moved|changed|updated|set|hidden|is now|are now|already|erledigt|fertig|angelegt|erstellt|hinzugefügt|eingefügt|umbenannt|gelöscht|entfernt|veröffentlicht|verschoben|geändert|heißt jetzt|ist jetzt|bereits)\b/iu;

/** A question to the person: a sentence that ends in a question mark, outside of quotes, and is no mere courtesy. */
export function asks(text: string): boolean {
  return sentences(ownWords(text)).some((one) => one.endsWith("?") && !COURTESY.test(one));
}

/** It says that it does not do it. */
export function isUnable(text: string): boolean {
  return UNABLE.test(ownWords(text));
}

/** It says that it does not do it, and what it can do. */
export function declines(text: string): boolean {
  return isUnable(text) && ABLE.test(ownWords(text));
}

/** A sentence without a "not" that speaks of something as done. */
export function claimsDone(text: string): boolean {
  return sentences(ownWords(text)).some((one) => DONE.test(one) && !LEFT_OUT.test(one));
}

/** The answer without the lines that decline something: what they repeat of the wish answers nothing. */
export function withoutDeclined(text: string): string {
  return text
    .split("\n")
    .filter((line) => !declines(line))
    .join("\n");
}

export function mentions(text: string, words: Words): boolean {
  const plain = text.normalize("NFC").toLowerCase();
  return (typeof words === "string" ? [words] : words).some((one) => plain.includes(one.toLowerCase()));
}

/** The words stand in a sentence with a "not", "left out" or the like, or somewhere after one (a list of what was left out). */
export function namesAsLeftOut(text: string, words: Words): boolean {
  const all = sentences(text);
  const from = all.findIndex((one) => LEFT_OUT.test(one));
  return from >= 0 && mentions(all.slice(from).join(" "), words);
}

/** Without quotes, which are the person's or the site's words, and without what stands below in brackets: who it is. */
const ownWords = (text: string): string => text.replace(/\n\s*\([^()]*\)\s*$/u, "").replace(QUOTED, "…");

/** Split at the ends of sentences and of lines. */
const sentences = (text: string): string[] =>
  text
    .split(/(?<=[.!?])\s+|\n+/u)
    .map((one) => one.trim())
    .filter((one) => one !== "");
