import { SEARCH_MOST_TOKENS_MIN, wordsOf } from "./score.ts";

/**
 * What is asked of the index of words. Pure. Always holds: a question names the environments, kinds and locales, so
 * that nothing outside of them is read; and it is answered newest first, so that no more is read than is kept.
 */

/** What a document is told by in the index: `marks` of migrations/0016. */
interface Place {
  /** the environment, and the change set that is looked through */
  readonly environments: readonly string[];
  readonly kinds: readonly string[];
  readonly locales: readonly string[];
  readonly status?: string;
}

/** One word of letters and digits, as the index splits no such word. */
function wordOf(...parts: readonly string[]): string {
  const bytes = new TextEncoder().encode(parts.join("/"));
  return `"${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}

function scopeOf({ environments, kinds, locales, status }: Place): string {
  const words = environments.flatMap((environment) =>
    kinds.flatMap((kind) =>
      locales.map((locale) => wordOf(environment, kind, locale, ...(status === undefined ? [] : [status]))),
    ),
  );
  return `marks : (${words.join(" OR ")})`;
}

// Without `marks`, whose words nobody may ask for.
const NAMES = "{title slug}";
const TEXT = "{title slug body}";
// Tokens are letters and digits, so no quote can get out.
const whole = (tokens: readonly string[], join: "AND" | "OR"): string =>
  `(${tokens.map((token) => `"${token}"`).join(` ${join} `)})`;
const begun = (tokens: readonly string[], join: "AND" | "OR"): string =>
  `(${tokens.map((token) => `"${token}"*`).join(` ${join} `)})`;

/** Questions to the index, each answered by its newest hits. */
export interface Questions {
  /** what is called just so */
  readonly name: string;
  /** all words, at least one of them in a name; all words anywhere; a word's beginning only in names */
  readonly all: readonly string[];
  /** all words or what begins with them: what begins so is gathered from the whole index, which takes time */
  readonly begun: string;
  /** some of the words: all but one, then each by itself, so that a rare one is not crowded out by common ones */
  readonly some: readonly string[];
}

export function questionsOf(query: string, tokens: readonly string[], place: Place): Questions {
  const scope = scopeOf(place);
  const within = (words: string): string => `${scope} AND ${words}`;
  const but = (token: string): readonly string[] => tokens.filter((one) => one !== token);
  // As the index holds a name: one word, where nothing but spaces and hyphens stands between its parts.
  const asTyped = query.trim().replaceAll("\0", " ").replaceAll(/[ -]/g, "x").replaceAll('"', '""');
  const most = tokens.map((token) => whole(but(token), "AND")).join(" OR ");
  return {
    name: within(`marks : ("x${asTyped}x" OR "x${wordsOf(query).join("x")}x")`),
    all: [
      within(`${NAMES} : ${begun(tokens, "AND")}`),
      within(`${NAMES} : ${whole(tokens, "AND")}`),
      ...(tokens.length > 1
        ? [within(`${NAMES} : ${whole(tokens, "OR")} AND ${TEXT} : ${whole(tokens, "AND")}`)]
        : []),
      within(`${TEXT} : ${whole(tokens, "AND")}`),
    ],
    begun: within(`${TEXT} : ${begun(tokens, "AND")}`),
    some: [
      ...(tokens.length < SEARCH_MOST_TOKENS_MIN ? [] : [within(`${TEXT} : (${most})`)]),
      ...tokens.map((token) => within(`${TEXT} : ${begun([token], "AND")}`)),
    ],
  };
}
