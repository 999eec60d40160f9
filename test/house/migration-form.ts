/**
 * The form of the D1 migrations. D1's server splits a file into statements by its own rules, which the local D1 does not
 * have, and a file that failed in the middle runs again from its start. So: a trigger is one line, keywords are upper
 * case, a comment is a line without `;`, quote or backtick, and every CREATE can be repeated. An ALTER cannot be repeated, so it
 * is the only statement of its file: `ALTER TABLE pages ADD COLUMN note TEXT;`
 */

/** Keywords of SQLite as far as they are never names of tables, columns or functions here. */
const KEYWORDS = new Set(
  `ADD ALTER AND AS ASC BEGIN BETWEEN BLOB BY CASCADE CASE CHECK COLLATE COLUMN CONFLICT CONSTRAINT CREATE
  CROSS DEFAULT DELETE DESC DISTINCT DO DROP ELSE END ESCAPE EXCEPT EXISTS FOREIGN FROM GENERATED ALWAYS GLOB GROUP HAVING
  IF IGNORE IN INDEX INNER INSERT INTEGER INTERSECT INTO IS JOIN LEFT LIKE LIMIT NOCASE NOT NULL OF OFFSET ON OR ORDER
  OUTER OVER PARTITION PRAGMA PRIMARY REFERENCES RENAME RESTRICT RETURNING SELECT SET STRICT TABLE THEN TO TRIGGER
  UNION UNIQUE UPDATE USING VALUES VIRTUAL WHEN WHERE WITH WITHOUT`.split(/\s+/),
);
/** Words that are keywords in the head of a CREATE, and names of columns elsewhere. */
const HEAD = /^\s*CREATE\s+(?:(VIEW)|TRIGGER\b.*?\b(BEFORE|AFTER))\s/i;
const CREATE =
  /^CREATE\s+(?:TEMP\s+|TEMPORARY\s+)?(?:UNIQUE\s+)?(?:VIRTUAL\s+)?(?:TABLE|INDEX|TRIGGER|VIEW)\b(.*)$/i;
const IN_COMMENT = /[;'"`]/;
const TEXT = /'(?:[^']|'')*'|"(?:[^"]|"")*"/g;

/** The violations of a migration, each with its line; empty for a sound file. */
export function* migrationFaults(sql: string): Generator<string> {
  /** within a statement of several lines */
  let open = false;
  let statements = 0;
  let alter: string | null = null;
  for (const [at, line] of sql.split("\n").entries()) {
    const fault = (what: string): string => `line ${at + 1}: ${what}`;
    const comment = line.trimStart().startsWith("--");
    if (comment) {
      if (open) yield fault("a comment inside a statement");
      if (IN_COMMENT.test(line)) yield fault("a semicolon, quote or backtick in a comment");
      continue;
    }
    const code = line.replaceAll(TEXT, "''");
    if (code.trim() === "") continue;
    for (const [text] of line.matchAll(TEXT)) if (text.includes(";")) yield fault("a semicolon in a text");
    if (/['"]/.test(code.replaceAll("''", ""))) yield fault("a text that does not end on its line");
    if (code.includes("--") || code.includes("/*")) yield fault("a comment that is not a line of its own");
    if (code.includes("`")) yield fault("a backtick");
    for (const [word] of code.matchAll(/\b[A-Za-z_]+\b/g)) {
      if (KEYWORDS.has(word.toUpperCase()) && word !== word.toUpperCase())
        yield fault(`${word} in lower case`);
    }
    const [, view, time] = HEAD.exec(code) ?? [];
    const head = view ?? time;
    if (head !== undefined && head !== head.toUpperCase()) yield fault(`${head} in lower case`);
    yield* startFaults(open, code, fault);
    if (!open) statements += 1;
    if (/^\s*ALTER\b/i.test(code)) alter ??= fault("an ALTER that is not the only statement of its file");
    open = !code.trimEnd().endsWith(";");
  }
  if (open) yield "the last statement does not end with a semicolon";
  if (alter !== null && statements > 1) yield alter;
}

/** The faults of a line as a piece of a statement. */
function* startFaults(open: boolean, code: string, fault: (what: string) => string): Generator<string> {
  const trigger = /^\s*CREATE\s+(?:TEMP\s+|TEMPORARY\s+)?TRIGGER\b/i.test(code);
  if (trigger && !/\bBEGIN\b.*;\s*END;\s*$/i.test(code)) yield fault("a trigger of several lines");
  if (!trigger && /;\s*\S/.test(code)) yield fault("two statements on a line");
  if (!trigger && /\b(?:BEGIN|END)\b/i.test(code)) yield fault("BEGIN or END outside a trigger");
  if (open && /^\s*CREATE\b/i.test(code)) yield fault("a CREATE inside another statement");
  const rest = CREATE.exec(code.trim())?.[1];
  if (rest === undefined ? /^\s*CREATE\b/i.test(code) : !/^\s+IF\s+NOT\s+EXISTS\b/i.test(rest))
    yield fault("a CREATE without IF NOT EXISTS");
}
