import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { workerFile } from "../../src/cli/create/project-files.ts";
import { ROOT } from "../house/source-tree.ts";

/** The pages of the documentation, and how the tests read them. */

export const readText = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

export const DOCS: readonly string[] = readdirSync(path.join(ROOT, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

export const PAGES: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "ARCHITECTURE.md",
  "AGENTS.md",
  "llms.txt",
  "CHANGELOG.md",
  ...DOCS,
];

/** Number of words outside of code. */
export const countProse = (page: string): number =>
  page
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .split(/\s+/)
    .filter((word) => /\w/.test(word)).length;

export interface Fence {
  readonly language: string;
  readonly body: string;
  /** the comment above it, empty where there is none */
  readonly comment: string;
}

/** The blocks between ``` of a page. */
export function fencesOf(page: string): Fence[] {
  const fences = page.matchAll(/(?:<!-- ([^\n]*) -->\n\n)?^( *)```(\S*)\n([\s\S]*?)^\2```$/gm);
  return Array.from(fences, ([, comment = "", indent = "", language = "", body = ""]) => ({
    language,
    comment,
    body: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/** The text below a heading, up to the next one of its level. Throws when there is no such heading. */
export function sectionOf(page: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0] ?? "";
  const from = page.indexOf(`\n${heading}\n`);
  if (from < 0) throw new Error(`no ${heading}`);
  const rest = page.slice(from + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${level.length}} `, "m"));
  return end < 0 ? rest : rest.slice(0, end);
}

/** The lines of the tables of a text, as cells, without heads and rulers. */
export function tableEntries(text: string): string[][] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) =>
    line.startsWith("|") && !/^\|[-:| ]+$/.test(line) && !/^\|[-:| ]+$/.test(lines[at + 1] ?? "")
      ? [
          line
            .slice(1, -1)
            .split("|")
            .map((cell) => cell.trim()),
        ]
      : [],
  );
}

/** The names in backticks of the first cells. */
export const firstNames = (text: string): string[] =>
  tableEntries(text).flatMap(([first = ""]) =>
    Array.from(first.matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
  );

/** The fields of an interface, from its source. */
export function fieldsOf(file: string, name: string): string[] {
  const source = readText(file);
  const from = source.indexOf(`export interface ${name}`);
  if (from < 0) throw new Error(`${file} has no interface ${name}`);
  const body = source.slice(from, source.indexOf("\n}", from));
  return Array.from(body.matchAll(/^ {2}readonly (\w+)\??:/gm), ([, field = ""]) => field);
}

/** The words of a union of texts of the core, from its source. Throws when there is none of this name. */
export function wordsOf(name: string): string[] {
  const declared = new RegExp(`export type ${name} =([^;]+);`);
  for (const file of readdirSync(path.join(ROOT, "src/cairn/core"), { recursive: true, encoding: "utf8" })) {
    const [, union] = (file.endsWith(".ts") ? declared.exec(readText(`src/cairn/core/${file}`)) : null) ?? [];
    if (union !== undefined) return Array.from(union.matchAll(/"([a-z_]+)"/g), ([, word = ""]) => word);
  }
  throw new Error(`src/cairn/core has no type ${name}`);
}

/** `<!-- test/fixtures/docs/a.ts as src/agents/default.ts -->` above an example: where it is compiled, and where a reader puts it. */
const PLACED = /^(test\/\S+\.(?:tsx?|md)) as (\S+\.(?:tsx?|md))$/;

/** Where the examples of all pages are compiled → where readers put them. */
export function placesOf(pages: readonly string[]): ReadonlyMap<string, string> {
  const placed = pages.flatMap((page) => fencesOf(readText(page)).map(({ comment }) => PLACED.exec(comment)));
  return new Map(placed.flatMap((found) => (found === null ? [] : [[found[1] ?? "", found[2] ?? ""]])));
}

/** The example as its page shows it: the compiled file, with imports as they are at the reader's place. */
export function exampleAt(fixture: string, places: ReadonlyMap<string, string>): string {
  const target = places.get(fixture) ?? fixture;
  return readText(fixture).replaceAll(/ from "(\.[^"]+)"/g, (_, relative: string) => {
    const file = path.posix.join(path.posix.dirname(fixture), relative);
    const shown = path.posix.relative(path.posix.dirname(target), places.get(file) ?? file);
    return ` from "${shown.startsWith(".") ? shown : `./${shown}`}"`;
  });
}

/** Comment above the worker of a new project. */
export const CREATED_WORKER = "created as src/worker.ts";

/** A page with its examples written anew from the compiled files, and from what `npm run create` writes. */
export function withExamples(page: string, places: ReadonlyMap<string, string>): string {
  return page.replaceAll(
    /<!-- (\S+) as \S+ -->\n\n```(tsx?|md)\n[\s\S]*?```$/gm,
    (shown, fixture: string, of: string) =>
      shown.replace(
        /```(?:tsx?|md)\n[\s\S]*/,
        () => `\`\`\`${of}\n${fixture === "created" ? workerFile([]) : exampleAt(fixture, places)}\`\`\``,
      ),
  );
}
