import { parseAst } from "vitest/node";
import { expect, test } from "vitest";
import { readTexts } from "./source-tree.ts";

/**
 * Text that a model reads as instructions stands in `prompts`, where a person edits it. A string in code is a label, a hint of
 * one line or a message to a person; one that is longer than any of these is found by the syntax tree.
 */

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** characters, words and sentences from which a string is prose; lists of words and statements of SQL have no sentences */
const PROSE = { chars: 130, words: 20, sentences: 2 };
/** in a file that is handed the words of notes: a note is one line */
const NOTE = { chars: 80, words: 12, sentences: 1 };

/**
 * A hint, which is what a check says about one call or one answer: it stands with the check, as an error message does. In a file
 * that is handed the words of notes (`NoteText`) nothing is a hint: its words belong into `prompts/cairn/notes`.
 */
const HINT = /hint$|^instead$/i;
/** functions that take such a hint */
const WITH_HINT = new Set(["against", "askAgain", "skip", "refusal"]);

const hasNotes = (text: string): boolean => /\bNoteText\b/.test(text);

const isHint = (node: Node): boolean => {
  if (node.type === "Property") return HINT.test(nameOf(node["key"]));
  if (node.type === "VariableDeclarator") return HINT.test(nameOf(node["id"]));
  return node.type === "CallExpression" && WITH_HINT.has(nameOf(node["callee"]));
};
const nameOf = (node: unknown): string => {
  const name = isNode(node) ? (node["name"] ?? node["value"]) : null;
  return typeof name === "string" ? name : "";
};

/** Every string of a file as it is written but for hints: literals that are joined by + are one, and a place in a template is a word. */
function stringsIn(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (!isNode(value) || (!hasNotes(text) && isHint(value))) return;
    const written = textOf(value);
    if (written !== null) {
      found.push(written);
      return;
    }
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }));
  return found;
}

function textOf(node: Node): string | null {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : null;
  if (node.type === "TemplateLiteral")
    return (node["quasis"] as { value: { raw: string } }[]).map(({ value }) => value.raw).join(" … ");
  if (node.type !== "BinaryExpression" || node["operator"] !== "+") return null;
  const [left, right] = [node["left"], node["right"]].map((side) => (isNode(side) ? textOf(side) : null));
  return left === null && right === null ? null : `${left ?? "…"}${right ?? "…"}`;
}

const isLong = (text: string, { chars, words, sentences }: typeof PROSE): boolean =>
  text.length >= chars &&
  (text.match(/\p{L}+/gu) ?? []).length >= words &&
  (text.match(/(?:^|[.!?:][ \n]|\n- )\p{Lu}\p{Ll}* /gu) ?? []).length >= sentences;
const isProse = (text: string): boolean => isLong(text, PROSE);

/** Folders whose strings can reach a model as instructions. The others speak to people and programs. */
const FOLDERS = ["src/cairn/core", "src/cairn/models", "src/cairn/session", "src/cairn/agents", "src/agents"];

/** Rules in place of a model, and the report of a run that ended without one: a person reads it. */
const NO_MODEL = /^src\/plugins\/rehearsal\/|^src\/cairn\/core\/loop\/closing-report\.ts$/;

test("prose that a model reads stands in prompts", () => {
  const files = FOLDERS.flatMap((folder) => readTexts(folder)).filter(({ path }) => !NO_MODEL.test(path));
  const found = files.flatMap(({ path, text }) => {
    const bounds = hasNotes(text) ? NOTE : PROSE;
    return stringsIn(path, text).some((one) => isLong(one, bounds)) ? [path] : [];
  });
  expect(found.toSorted()).toEqual([]);
});

test("a hint is prose where a file has notes, and a message of a check elsewhere", () => {
  const code = `const a = { hint: "${words}" }; const B_HINT = "${words}"; askAgain(1, "${words}");`;
  expect(stringsIn("a.ts", code)).toEqual([]);
  expect(stringsIn("a.ts", `let note: NoteText; ${code}`).filter(isProse)).toHaveLength(3);
});

const words = "Some words stand here. ".repeat(15);
test.each([
  ["a string", `const a = "${words}";`],
  ["a template", `const a = \`${words}\`;`],
  [
    "a template with places",
    `const a = \`${"Some words stand here. ".repeat(8)}\${x}${"Some words stand here. ".repeat(8)}\`;`,
  ],
  [
    "joined strings",
    `const a = "${"Some words stand here. ".repeat(8)}" + "${"Some words stand here. ".repeat(8)}";`,
  ],
  ["an argument", `tell({ text: ["${words}"] });`],
  ["a default", `function f(a = "${words}") {}`],
])("prose is found in %s", (_, text) => {
  expect(stringsIn("a.ts", text).filter(isProse)).toHaveLength(1);
});

test("a label, a hint of a line and a table of a program are no prose", () => {
  const code = [
    'const label = "Send one short message with facts, and go on with the work.";',
    `const sql = "${"a, ".repeat(200)}";`,
    `const lexicon = "${"Word word ".repeat(60)}";`,
    `// ${words}`,
  ].join("\n");
  expect(stringsIn("a.ts", code)).toHaveLength(3);
  expect(stringsIn("a.ts", code).filter(isProse)).toEqual([]);
});
