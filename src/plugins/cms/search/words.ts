import { SEARCH_MOST_TOKENS_MIN, splitWords } from "./score.ts";

/**
 * Queries of the full-text index. Pure. Invariants: a query names the environments, kinds and locales, so that
 * nothing outside them is read; and results come newest first, so that no more rows are read than are used.
 */

/** The filter of a document in the index: `marks` of migrations/0016. */
interface SearchScope {
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

function scopeOf({ environments, kinds, locales, status }: SearchScope): string {
  const words = environments.flatMap((environment) =>
    kinds.flatMap((kind) =>
      locales.map((locale) => wordOf(environment, kind, locale, ...(status === undefined ? [] : [status]))),
    ),
  );
  return `marks : (${words.join(" OR ")})`;
}

// Without `marks`, which a query must not search.
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

export function questionsOf(query: string, tokens: readonly string[], scope: SearchScope): Questions {
  const condition = scopeOf(scope);
  const inScope = (words: string): string => `${condition} AND ${words}`;
  const but = (token: string): readonly string[] => tokens.filter((one) => one !== token);
  // A name as the index holds it: one word, if only spaces and hyphens separate its parts.
  const asTyped = query.trim().replaceAll("\0", " ").replaceAll(/[ -]/g, "x").replaceAll('"', '""');
  const most = tokens.map((token) => whole(but(token), "AND")).join(" OR ");
  return {
    name: inScope(`marks : ("x${asTyped}x" OR "x${splitWords(query).join("x")}x")`),
    all: [
      inScope(`${NAMES} : ${begun(tokens, "AND")}`),
      inScope(`${NAMES} : ${whole(tokens, "AND")}`),
      ...(tokens.length > 1
        ? [inScope(`${NAMES} : ${whole(tokens, "OR")} AND ${TEXT} : ${whole(tokens, "AND")}`)]
        : []),
      inScope(`${TEXT} : ${whole(tokens, "AND")}`),
    ],
    begun: inScope(`${TEXT} : ${begun(tokens, "AND")}`),
    some: [
      ...(tokens.length < SEARCH_MOST_TOKENS_MIN ? [] : [inScope(`${TEXT} : (${most})`)]),
      ...tokens.map((token) => inScope(`${TEXT} : ${begun([token], "AND")}`)),
    ],
  };
}
