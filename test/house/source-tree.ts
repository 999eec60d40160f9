import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "vitest/node";

/** The source as data: which file imports what, and which names of the environment it uses. Read from the syntax tree, never run. */

export const ROOT = path.resolve(import.meta.dirname, "../..");

export interface SourceFile {
  /** from the project's folder, such as `src/cairn/core/loop/next.ts` */
  readonly path: string;
  readonly lines: number;
  /** files of the project that it imports, types included */
  readonly files: readonly string[];
  /** packages and built-in modules that it imports, as written */
  readonly packages: readonly string[];
  /** what it takes from its environment: free-standing names, and `Date.now`-like reads as `Object.property` */
  readonly uses: ReadonlySet<string>;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** A file by its text alone. */
export type SourceText = Pick<SourceFile, "path" | "lines" | "text">;

/** Every .ts and .tsx file below a folder of the project, sorted. What is installed there (test/bench/peers) is not the project's. */
export function readTexts(folder: string): SourceText[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts") && !name.includes("node_modules"))
    .toSorted()
    .map((name) => {
      const file = path.posix.join(folder, name.split(path.sep).join("/"));
      const text = readFileSync(path.join(ROOT, file), "utf8");
      return { path: file, lines: linesOf(text), text };
    });
}

/** The same files, parsed. */
export const readTree = (folder: string): SourceFile[] =>
  readTexts(folder).map(({ path: file, text }) => {
    const known = PARSED.get(file);
    const source = known?.text === text ? known : parseSource(file, text);
    PARSED.set(file, source);
    return source;
  });

/** parsed files by path: several tests of one process read the same folders */
const PARSED = new Map<string, SourceFile>();

const linesOf = (text: string): number => text.split("\n").length - 1;

/** Exported for the tests of the rules themselves. Throws when the text is no TypeScript. */
export function parseSource(file: string, text: string): SourceFile {
  const files = new Set<string>();
  const packages = new Set<string>();
  const uses = new Set<string>();
  const program: unknown = parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" });
  visit(program, (node) => {
    const target = importOf(node);
    if (target?.startsWith(".")) files.add(path.posix.join(path.posix.dirname(file), target));
    else if (target !== null) packages.add(target);
    const use = useOf(node);
    if (use !== null) uses.add(use);
  });
  return {
    path: file,
    lines: linesOf(text),
    files: [...files],
    packages: [...packages],
    uses,
    text,
  };
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, see);
  if (!isNode(value)) return;
  see(value);
  for (const [key, child] of Object.entries(value)) {
    // The name of a property or a member belongs to its object, not to the environment.
    const ownName = (key === "property" || key === "key") && value["computed"] !== true;
    if (!ownName) visit(child, see);
  }
}

/** The module that a node imports or re-exports, or null. */
function importOf(node: Node): string | null {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return isNode(node["source"]) && typeof node["source"]["value"] === "string"
        ? node["source"]["value"]
        : null;
    default:
      return null;
  }
}

function useOf(node: Node): string | null {
  if (node.type === "Identifier") return String(node["name"]);
  if (node.type === "MemberExpression" && isNode(node["object"]) && isNode(node["property"]))
    return `${String(node["object"]["name"])}.${String(node["property"]["name"] ?? node["property"]["value"])}`;
  // `new Date()` reads the clock; `new Date(at)` does not.
  const bare = (node.type === "NewExpression" || node.type === "CallExpression") && isNode(node["callee"]);
  if (bare && Array.isArray(node["arguments"]) && node["arguments"].length === 0)
    return isNode(node["callee"]) && node["callee"]["name"] === "Date" ? "Date()" : null;
  return null;
}
