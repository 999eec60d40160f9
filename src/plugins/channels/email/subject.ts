/** The subject of a mail: whose words it is, as its prefix and the headers of the thread show it. */

/** `reply`: "Re:", the only prefix that a standard names (RFC 5322 section 3.6.5). `other`: any word with a colon, in any language. */
export type SubjectPrefix = "reply" | "other";

/** `own`: the sender's words. `thread`: those of the mail that is answered. `open`: one of the two. */
export type SubjectAuthor = "own" | "thread" | "open";

/** marks that gateways and mail lists put first, such as `[EXT]` */
const TAGS = /^(?:\[[^\][]{1,40}\] ?){1,3}/u;
/** `AW:`, `Re[2]:`, `回复：`, `Fwd (3):`, `إعادة توجيه:`: one or two words of letters, perhaps with a counter */
const PREFIX =
  /^(\p{L}[\p{L}\p{M}.]{0,14}(?: \p{L}[\p{L}\p{M}.]{0,14})?) ?(?:[[(（^*]\p{Nd}{1,3}[\])）]?)? ?[:：﹕]/u;
const PREFIXES_MAX = 10;
const SUBJECT_CHARS_MAX = 1_000;

/** Without invisible characters, and on one line. */
const onOneLine = (subject: string): string =>
  subject
    .slice(0, SUBJECT_CHARS_MAX)
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/gu, " ")
    .trim();

const partAt = (subject: string): { readonly word: string; readonly rest: string } | null => {
  const bare = subject.replace(TAGS, "");
  const found = PREFIX.exec(bare);
  return found?.[1] === undefined ? null : { word: found[1], rest: bare.slice(found[0].length).trim() };
};

/** The prefix that answers and forwards have put before a subject; null where there is none. */
export function prefixOf(subject: string): SubjectPrefix | null {
  const part = partAt(onOneLine(subject));
  if (part === null) return null;
  return part.word.toLowerCase() === "re" ? "reply" : "other";
}

/** A subject without what answers and forwards put before it, in lower case. */
export function titleOf(subject: string): string {
  let title = onOneLine(subject);
  for (let count = 0; count < PREFIXES_MAX; count++) {
    const part = partAt(title);
    if (part === null) break;
    title = part.rest;
  }
  return title.replace(TAGS, "").trim().toLowerCase();
}

/**
 * The author of a subject's text. `isInThread`: the mail names others that it answers (In-Reply-To, References).
 * Neither sign is sure alone: a new mail may begin with a word and a colon, and an answer may have a new subject.
 */
export function authorOf(subject: string, isInThread: boolean): SubjectAuthor {
  const prefix = prefixOf(subject);
  if (prefix === "reply") return "thread";
  if (isInThread) return prefix === null ? "open" : "thread";
  return prefix === null ? "own" : "open";
}
