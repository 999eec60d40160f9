import type { Sent } from "./recorder.ts";

/** Rows that a statement reads, according to its query plan. */

/** Tables that stay small however large a site grows, with what keeps them so. */
const SMALL: Readonly<Record<string, string>> = {
  section_templates: "they belong to the deployment",
  sites: "one",
  environments: "a site has a few",
  locales: "an environment has a few",
  settings: "five keys",
  collections: "a site has a few",
  nav_items: "a navigation that people can read",
  secrets: "two",
  change_set_rows: "of one set",
  change_set_things: "of one set",
  site_counts: "a row for each status and each language",
};

/** Statements that read more than a few rows, and why they may. */
const MAY: readonly (readonly [part: string, because: string])[] = [
  ["owner_type='nav'", "the labels of the navigation, which is small"],
  ["m.status='pending'", "an index of what waits"],
  ["INSERT INTO images(", "entries are looked through only while a foreign key is open, and none ever is"],
  ["search_docs WHERE env_id='cs_", "the documents of one set"],
  ["DELETE FROM search_docs WHERE env_id=?1", "the same"],
  ["AS navigation,", "the things of a site are counted once for a file, when it is begun and when it is in"],
  ["'/orig.'||ext NOT IN", "whether each image of a file has come is asked once, at its end"],
];

/** In a change set, looked up by its id: what it has itself. */
const SETS_OWN = new Set(["main.search_docs", "main.operations", "main.revisions"]);

/** Columns that many rows share: a look-up by these alone reads all of an environment, or of a type. */
const SHARED =
  /\((?:(?:env_id|owner_type|target_type|root_type|entity_type|kind|status|locale)=\?(?: AND )?)+\)/;

/** The table that a name in a plan stands for; null for what a statement has made itself. */
function tableOf(name: string, sql: string): string | null {
  if (name.startsWith("main.")) return name.slice("main.".length);
  // In a change set, a bare name is what the set makes of a table; the table itself is called b.
  const isInSet = /^WITH \w+ AS \([\s\S]*'cs_/.test(sql);
  const named = new RegExp(String.raw`\b(?:FROM|JOIN)\s+(main\.)?(\w+)\s+(?:AS\s+)?${name}\b`, "i").exec(sql);
  if (named !== null && named[2] !== undefined) return isInSet && named[1] === undefined ? null : named[2];
  return isInSet || name.startsWith("(") ? null : name;
}

/** The lines of a plan that read a growing table whole, or all of an environment. */
export function scansIn({ sql }: Pick<Sent, "sql">, plan: readonly string[]): string[] {
  if (MAY.some(([part]) => sql.includes(part))) return [];
  const isLimited = /\bORDER BY\b[\s\S]*\bLIMIT\b/.test(sql);
  return plan.filter((line, at) => {
    const found = /^(SCAN|SEARCH) (\(?[\w.-]+\)?)(.*)$/.exec(line);
    if (found === null || line.includes("VIRTUAL TABLE") || line.includes("CONSTANT ROW")) return false;
    const [, how, name = "", rest = ""] = found;
    // Every table that a set shadows is called b: which one it is, its own index says.
    const indexed = name === "b" ? /\bsqlite_autoindex_(\w+)_\d+\b/.exec(rest)?.[1] : undefined;
    const table = indexed ?? tableOf(name, sql);
    if (table === null || table === "json_each" || SMALL[table] !== undefined) return false;
    if (how === "SCAN") return isTable(table);
    if (SETS_OWN.has(name)) return false;
    // In the order of an index, no more is read than is asked for. What is sorted is said behind what is read for it.
    const isSorted = plan.slice(at).some((one) => one.includes("TEMP B-TREE FOR ORDER BY"));
    return SHARED.test(rest) && (isSorted || !isLimited);
  });
}

const TABLES = new Set([
  "pages",
  "sections",
  "contents",
  "entries",
  "images",
  "image_metadata",
  "image_variants",
  "published_docs",
  "redirects",
  "asset_refs",
  "operations",
  "revisions",
  "search_docs",
  "change_sets",
]);
const isTable = (name: string): boolean => TABLES.has(name);
