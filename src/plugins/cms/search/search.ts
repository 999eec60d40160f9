import { startOf } from "../../../cairn/core/text/cut.ts";
import { normalize } from "../../../cairn/core/log/normalize.ts";
import type { CmsServices, SearchDocument } from "../model/types.ts";
import { batchOf, rowsOf } from "../storage/rows.ts";
import { number, oneOf, text, textOrNull, type Row } from "../model/columns.ts";
import {
  bandOf,
  computeMistypedScore,
  computeSubstringScore,
  hasAllWords,
  computeWorth,
  isUnspaced,
  SCORE_MIN,
  SEARCH_CANDIDATES_MAX,
  SEARCH_SCAN_ROWS_MAX,
  tokensOf,
  type Match,
} from "./score.ts";
import { likenessTo } from "../../../cairn/core/text/nearest.ts";
import { findByMeaning, type Near } from "./meaning.ts";
import { mergeByRank } from "./merge.ts";
import { questionsOf } from "./words.ts";

/**
 * The search over `search_docs`: SQL picks the candidates inside the filters, arithmetic scores them. Where an embedding
 * model is configured, what means the same is found too, and both lists are merged by rank.
 */

export const SEARCH_KINDS = [
  "page",
  "section",
  "entry",
  "image",
  "template",
  "collection",
] as const satisfies readonly SearchDocument["kind"][];
export type SearchKind = SearchDocument["kind"];

interface SearchQuestion {
  readonly query: string;
  readonly kinds: readonly SearchKind[];
  readonly locales: readonly string[];
  /** status of the root: the page of a section, the entry itself */
  readonly status?: string;
  /** only these things; absent for all */
  readonly ids?: readonly string[];
  readonly limit: number;
}

const SNIPPET_CHARS_MAX = 120;

/** A row that may answer. */
type Found = ReturnType<typeof foundOf>;
interface Scored {
  readonly found: Found;
  readonly score: number;
  /** of two with one score, the closer one is better */
  readonly closeness: number;
  readonly match: Match;
}

const COLUMNS = "d.kind, d.ref_id, d.locale, d.title, d.slug, d.body, d.parent_id, d.updated_at";
/** ?1 environment, ?2 kinds, ?3 locales, ?4 status, ?5 ids: all before the limit, so that no kind can crowd out another */
const FILTER = `d.env_id = ?1 AND d.kind IN (SELECT value FROM json_each(?2)) AND d.locale IN (SELECT value FROM json_each(?3))
  AND (?4 IS NULL OR d.status = ?4) AND (?5 IS NULL OR d.ref_id IN (SELECT value FROM json_each(?5)))`;
/** The same where rows are looked up by another index. */
const BY_KEY = FILTER.replaceAll(/d\.(env_id|kind|locale)/g, "+d.$1");
/**
 * The newest hits of the words (?6), which include the rest of the filter: the index is read from its end, up to the
 * number of hits that are used. The documents of a change set (?7, empty without one) replace those of the site.
 */
export const BY_WORDS = `SELECT ${COLUMNS}, snippet(search_fts, 2, '', '', '…', 12) AS snip
  FROM search_fts CROSS JOIN main.search_docs d ON d.id = search_fts.rowid WHERE search_fts MATCH ?6
    AND (?5 IS NULL OR d.ref_id IN (SELECT value FROM json_each(?5)))
    AND (d.env_id = ?7 OR NOT EXISTS (SELECT 1 FROM main.change_set_rows s
      WHERE s.set_id = ?7 AND s.tbl = 'search_docs' AND s.pk = d.kind || ':' || d.ref_id))
  ORDER BY search_fts.rowid DESC LIMIT ${SEARCH_CANDIDATES_MAX}`;
/** By the unique key of the documents, `kind:id:locale`, which is indexed where `ref_id` alone is not. */
const BY_ID = `SELECT ${COLUMNS}, '' AS snip FROM search_docs d WHERE ${BY_KEY} AND d.doc_key IN
  (SELECT k.value || ':' || ?6 || ':' || l.value FROM json_each(?2) k, json_each(?3) l)`;
/** Semantic hits inside the filters. ?6 rows of documents; not those whose text has changed since. */
const BY_ROW = `SELECT d.id, d.kind, d.ref_id, d.locale, d.title, d.slug, substr(d.body, 1, ${SNIPPET_CHARS_MAX + 1}) AS body, d.parent_id,
  d.updated_at, '' AS snip FROM search_docs d WHERE d.id IN (SELECT value FROM json_each(?6)) AND d.embedded_at IS NOT NULL
  AND ${FILTER}`;
/**
 * The newest documents of one kind (?6) in one locale (?7), in the order of the index: no more rows are read than the
 * limit.
 */
const NEWEST = (columns: string): string => `SELECT d.id, ${columns}, '' AS snip FROM search_docs d
  WHERE d.env_id = ?1 AND d.kind = ?6 AND d.locale = ?7 AND (?4 IS NULL OR d.status = ?4)
    AND (?5 IS NULL OR d.ref_id IN (SELECT value FROM json_each(?5))) ORDER BY d.id DESC LIMIT ?8`;
const SUBSTRING = `SELECT * FROM (${NEWEST(COLUMNS)})
  WHERE instr(title, ?9) > 0 OR instr(body, ?9) > 0 LIMIT ${SEARCH_CANDIDATES_MAX}`;
const NAMES = NEWEST(
  `d.kind, d.ref_id, d.locale, d.title, d.slug, substr(d.body, 1, ${SNIPPET_CHARS_MAX + 1}) AS body, d.parent_id, d.updated_at`,
);

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** why it did not search semantically too: a sentence */
  readonly note: string | null;
}

/**
 * Answers a query inside its filters, best first. By words: by score, then closeness, then the newest, then id. Locales of one
 * thing collapse to the best one. When no word is found, names that look alike answer with `match: "fuzzy"`. With what
 * was found by meaning: by the ranks in both, but what is the whole query stays first.
 */
export async function searchSite(
  services: CmsServices,
  question: SearchQuestion,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const query = question.query.trim();
  if (query === "" || question.kinds.length === 0) return { hits: [], note: null };
  const { meaning } = services;
  const filter = filterOf(services, question);
  const [worded, { near, note }] = await Promise.all([
    findByWords(services, { ...question, query }, filter),
    meaning === undefined
      ? { near: [], note: null }
      : findByMeaning(services, meaning, { ...question, query }, signal),
  ]);
  const meant = near.length === 0 ? [] : collapse(await readNear(services, filter, near));
  const merged = merge(worded, meant);
  const inSet = services.changeSet === undefined || meaning === undefined ? null : WORDS_IN_SET;
  return { hits: merged.slice(0, question.limit).map(hitOf), note: note ?? inSet };
}

const WORDS_IN_SET = "What the open change set holds is found by words only.";

type Filter = readonly (string | null)[];

function filterOf({ env }: CmsServices, { kinds, locales, status, ids }: SearchQuestion): Filter {
  return [
    env,
    JSON.stringify(kinds),
    JSON.stringify(locales),
    status ?? null,
    ids === undefined ? null : JSON.stringify(ids),
  ];
}

async function findByWords(
  services: CmsServices,
  { query, limit, kinds, locales, status }: SearchQuestion,
  filter: Filter,
): Promise<readonly Scored[]> {
  const tokens = tokensOf(query);
  type Query = [sql: string, ...more: (string | number)[]];
  const look = async (...queries: Query[]): Promise<Found[]> => {
    const answers = await batchOf(
      services,
      queries.map(([sql, ...more]) => [sql, ...filter, ...more]),
    );
    return answers.flat().map(foundOf);
  };

  /** the same of each kind and locale, with their shares of what may be looked through */
  const scopes = kinds.flatMap((kind) => locales.map((locale) => [kind, locale] as const));
  const share = Math.ceil(SEARCH_SCAN_ROWS_MAX / Math.max(1, scopes.length));
  const newest = (sql: string, ...more: string[]): Query[] =>
    scopes.map(([kind, locale]) => [sql, kind, locale, share, ...more]);
  const set = services.changeSet?.id ?? "";
  const words = questionsOf(query, tokens, {
    environments: set === "" ? [services.env] : [set, services.env],
    kinds,
    locales,
    ...(status === undefined ? {} : { status }),
  });
  const asking = (matches: readonly string[]): Query[] => matches.map((match) => [BY_WORDS, match, set]);
  const first: Query[] = [[BY_ID, query]];
  if (tokens.length > 0) first.push(...asking([words.name, ...words.all]));
  if (isUnspaced(query)) first.push(...newest(SUBSTRING, normalize(query, "NFC")));
  let best = collapse((await look(...first)).map((found) => scoreOf(query, found)));
  for (const more of [[words.begun], tokens.length > 1 ? words.some : []]) {
    if (best.length >= limit || tokens.length === 0 || more.length === 0) continue;
    const found = await look(...asking(more));
    best = collapse([...best, ...found.map((one) => scoreOf(query, one))]);
  }
  // If nothing has all of the words, one of them may be mistyped: names are searched for similar words.
  const isWhole = ({ match, found }: Scored): boolean => match === "exact" || hasAllWords(query, found);
  if (best.length > 0 && (tokens.length === 0 || isUnspaced(query) || best.some(isWhole))) return best;
  const named = await look(...newest(NAMES));
  const meant = named.flatMap((found): Scored[] => {
    const score = computeMistypedScore(query, found);
    return score === null ? [] : [{ found, score, closeness: 0, match: "fuzzy" }];
  });
  best = collapse([...best, ...meant]);
  return best.length > 0 ? best : collapse(alike(query, named));
}

async function readNear(services: CmsServices, filter: Filter, near: readonly Near[]): Promise<Scored[]> {
  const scores = new Map(near.map(({ document, score }) => [document, score]));
  const rows = await rowsOf(services, BY_ROW, ...filter, JSON.stringify([...scores.keys()]));
  return rows.map((row) => ({
    found: foundOf(row),
    match: "semantic",
    closeness: 0,
    score: scores.get(number(row, "id")) ?? 0,
  }));
}

/** A thing found in both ways counts as found by words, with the better score. */
function merge(worded: readonly Scored[], meant: readonly Scored[]): readonly Scored[] {
  if (meant.length === 0) return worded;
  const byWords = new Map(worded.map((one) => [thingOf(one), one]));
  const byMeaning = new Map(meant.map((one) => [thingOf(one), one]));
  const order = mergeByRank([...byWords.keys()], [...byMeaning.keys()]);
  const merged = order.flatMap((thing) => {
    const [word, mean] = [byWords.get(thing), byMeaning.get(thing)];
    const one = word ?? mean;
    return one === undefined ? [] : [{ ...one, score: Math.max(word?.score ?? 0, mean?.score ?? 0) }];
  });
  const isExact = ({ match }: Scored): boolean => match === "exact";
  return [...merged.filter(isExact), ...merged.filter((one) => !isExact(one))];
}

function foundOf(row: Row) {
  return {
    kind: oneOf(row, "kind", SEARCH_KINDS),
    id: text(row, "ref_id"),
    locale: text(row, "locale"),
    title: text(row, "title"),
    slug: text(row, "slug"),
    body: text(row, "body"),
    parentId: textOrNull(row, "parent_id"),
    updatedAt: number(row, "updated_at"),
    excerpt: text(row, "snip"),
  };
}

function scoreOf(query: string, found: Found): Scored {
  const { score: byWords, closeness } = computeWorth(query, found);
  const score = isUnspaced(query) ? Math.max(byWords, computeSubstringScore(query, found)) : byWords;
  return { found, score, closeness, match: score === 1 ? "exact" : "text" };
}

function alike(query: string, found: readonly Found[]): Scored[] {
  const likeness = likenessTo(query);
  return found.map((one) => {
    const score = Math.max(likeness(one.title), likeness(one.slug)) / 2;
    return { found: one, score, closeness: 0, match: "fuzzy" };
  });
}

/** Best first, one of each thing, none below the weak band. */
function collapse(scored: readonly Scored[]): Scored[] {
  const sorted = scored.filter(({ score }) => score >= SCORE_MIN).sort(compare);
  const seen = new Set<string>();
  return sorted.filter((one) => !seen.has(thingOf(one)) && seen.add(thingOf(one)));
}

const thingOf = ({ found }: Scored): string => `${found.kind}/${found.id}`;

function compare(a: Scored, b: Scored): number {
  const order = b.score - a.score || b.closeness - a.closeness || b.found.updatedAt - a.found.updatedAt;
  return order || (a.found.id < b.found.id ? -1 : 1);
}

export type SearchHit = ReturnType<typeof hitOf>;

/** A hit in the result: the score is 0 to 1, rounded to hundredths. */
function hitOf({ found, score, match }: Scored) {
  const { body } = found;
  const start = body.length > SNIPPET_CHARS_MAX ? `${startOf(body, SNIPPET_CHARS_MAX).trimEnd()}…` : body;
  return {
    kind: found.kind,
    id: found.id,
    locale: found.locale,
    title: found.title,
    slug: found.slug,
    parentId: found.parentId,
    score: Math.round(score * 100) / 100,
    band: bandOf(score) ?? "weak",
    match,
    snippet: found.excerpt || start,
  };
}
