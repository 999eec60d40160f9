import { parseAst } from "vitest/node";
import { expect, test } from "vitest";
import { readTexts } from "./source-tree.ts";

/** The language of the code: comments begin with their subject, and no name is a word that only this code uses. */

const product = ["src", "scripts", "build"].flatMap(readTexts);
const tests = readTexts("test");

/** A comment that begins so names its subject last. */
const LATE_SUBJECT = /^(What|Whether|Who|Whoever|Whose|Of|It|Its)\b/;

/** The first line of each comment: of a block, or of lines that follow each other. */
function beginningsOf(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.flatMap((line, at) => {
    if (line === "/**") return [lines[at + 1]?.replace(/^\*\s?/, "") ?? ""];
    const [, block, single] = /^(?:\/\*\*\s+(.*)|\/\/\s?(.*))$/.exec(line) ?? [];
    if (block !== undefined) return [block];
    return single === undefined || lines[at - 1]?.startsWith("//") === true ? [] : [single];
  });
}

/** Words that reviewers stumbled over. A name is split into its words: `heardMail` has `heard`. */
const BANNED: ReadonlySet<string> = new Set([
  "beside",
  "brought",
  "desk",
  "door",
  "heard",
  "hearing",
  "hears",
  "kept",
  "lent",
  "relatives",
  "said",
  "shelf",
  "teller",
  "told",
  "whoever",
  "wish",
  "wished",
  "wishes",
]);
/** Stored with a schedule: true where a person asked for it. */
const STORED: ReadonlySet<string> = new Set(["wished"]);
/** Names of exported functions that say nothing at the call site. */
const BARE: ReadonlySet<string> = new Set(["wordsOf", "within", "judge", "settle", "plain", "literal"]);

/** Names that a file declares at its top level, and those of fields and methods: these without those that would be bare. */
function declaredIn(text: string, lang: "ts" | "tsx"): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (node: unknown, isField = false): void => {
    if (!isNode(node) || typeof node["name"] !== "string") return;
    if (!isField || !BARE.has(node["name"])) found.add(node["name"]);
  };
  const visit = (value: unknown, depth: number): void => {
    if (Array.isArray(value)) return value.forEach((one) => visit(one, depth));
    if (!isNode(value)) return;
    const { type } = value;
    const isTop = depth === 0;
    if (/^(TSInterface|TSTypeAlias|Class)Declaration$/.test(type)) add(value["id"]);
    if (type === "FunctionDeclaration" && isTop) add(value["id"]);
    if (type === "VariableDeclarator" && isTop) add(value["id"]);
    if (/^(PropertyDefinition|MethodDefinition|TSPropertySignature|TSMethodSignature)$/.test(type))
      add(value["key"], true);
    const inner = /Function|MethodDefinition/.test(type) ? depth + 1 : depth;
    for (const part of Object.values(value)) visit(part, inner);
  };
  visit(parseAst(text, { lang }), 0);
  return found;
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** `heardMail` and `HEARD_MAIL` have the words `heard` and `mail`. */
const isBanned = (name: string): boolean =>
  BARE.has(name) ||
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).some((word) => BANNED.has(word.toLowerCase()));

test("a late subject and a banned name would be found", () => {
  expect(beginningsOf("/** What is done. */\n// Of it.\n// More.\n/**\n * Whether so.\n */")).toEqual([
    "What is done. */",
    "Of it.",
    "Whether so.",
  ]);
  expect(["heardMail", "FamilyDoor", "KEPT_MS", "wordsOf"].filter(isBanned)).toHaveLength(4);
  expect(["receivedMail", "outdoors", "quotedWordsOf", "judgeReply"].filter(isBanned)).toEqual([]);
  const declared = declaredIn("interface A { said: string } function f() { const told = 1; }", "ts");
  expect([...declared]).toEqual(["A", "said", "f"]);
});

test("no comment begins with What, Whether, Who, Of or It", () => {
  const late = [...product, ...tests].flatMap(({ path, text }) =>
    beginningsOf(text)
      .filter((line) => LATE_SUBJECT.test(line))
      .map((line) => `${path}: ${line}`),
  );
  expect(late).toEqual([]);
});

test("no declared name is a word of a private dialect", () => {
  const found = product.flatMap(({ path, text }) =>
    [...declaredIn(text, path.endsWith("x") ? "tsx" : "ts")]
      .filter((name) => isBanned(name) && !STORED.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(found).toEqual([]);
});
