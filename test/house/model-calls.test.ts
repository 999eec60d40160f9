import { parseAst } from "vitest/node";
import { expect, test } from "vitest";
import { readTexts } from "./source-tree.ts";

/**
 * Every model call in the source. Text from outside reaches a model only in a request that one of two places builds: the
 * request of a run (its transcript fences by part) and `separateCall` (which fences everything). A call built anywhere else,
 * or sent past these types, fails here.
 */

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, see);
  if (!isNode(value)) return;
  see(value);
  for (const child of Object.values(value)) visit(child, see);
}

const nameOf = (node: unknown): string => (isNode(node) ? String(node["name"] ?? node["value"] ?? "") : "");

/** Model-related syntax of a file: keys of object literals, calls and member reads by name. */
function inspect(path: string, text: string): { keys: string[]; members: string[]; calls: string[] } {
  const found = { keys: [] as string[], members: [] as string[], calls: [] as string[] };
  visit(parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }), (node) => {
    if (node.type === "ObjectExpression" && Array.isArray(node["properties"]))
      for (const one of node["properties"]) if (isNode(one)) found.keys.push(nameOf(one["key"]));
    if (node.type === "MemberExpression")
      found.members.push(`${nameOf(node["object"])}.${nameOf(node["property"])}`);
    if (node.type === "CallExpression" && isNode(node["callee"])) {
      const { callee } = node;
      if (callee.type === "Identifier") found.calls.push(nameOf(callee));
      if (callee.type === "MemberExpression" || callee.type === "ChainExpression")
        visit(callee, (inner) => {
          if (inner.type === "MemberExpression") found.calls.push(nameOf(inner["property"]));
        });
    }
  });
  return found;
}

const tree = readTexts("src").map((file) => ({ ...file, ...inspect(file.path, file.text) }));
const filesWhere = (holds: (file: (typeof tree)[number]) => boolean): string[] =>
  tree.filter(holds).map((file) => file.path);

test("a request for a model is built in two places: by a run's own composition and by separateCall", () => {
  // `takesWritten` is a required field of ModelRequest and of nothing else.
  expect(filesWhere(({ keys }) => keys.includes("takesWritten"))).toEqual([
    "src/cairn/core/prompt/separate-call.ts",
    // Hands the field on to the reader of the reply, and builds no request.
    "src/cairn/models/step.ts",
    "src/cairn/session/engine/claim.ts",
    "src/cairn/session/engine/compose-request.ts",
  ]);
});

test("these features make a separate call, and none of them adds messages of its own", () => {
  const callers = filesWhere(({ calls }) => calls.includes("separateCall"));
  expect(callers).toEqual([
    "src/cairn/core/loop/class-label.ts",
    "src/cairn/models/look.ts",
    "src/cairn/models/read-page.ts",
    "src/cairn/session/background/session-title.ts",
  ]);
  expect(
    filesWhere(
      ({ path, keys }) => callers.includes(path) && (keys.includes("messages") || keys.includes("parts")),
    ),
  ).toEqual([]);
});

test("a provider is reached from src/cairn/models alone", () => {
  const providers = [
    "doStream",
    "doGenerate",
    "generateText",
    "streamText",
    "generateObject",
    "streamObject",
  ];
  expect(filesWhere(({ calls }) => calls.some((name) => providers.includes(name)))).toEqual([
    "src/cairn/models/step.ts",
  ]);
  // The binding carries the request of src/cairn/models/step.ts; embeddings turn text into numbers and follow no instruction.
  expect(filesWhere(({ members }) => members.some((one) => /^(ai|AI)\.run$/.test(one)))).toEqual([
    "src/cairn/models/binding.ts",
    "src/plugins/channels/transcriber.ts",
    "src/plugins/cms/embedding/embedder.ts",
  ]);
});

/** The values of a member by name in the object literals of a file, and the arguments of the calls of a function. */
function written(
  path: string,
  text: string,
  key: string,
  callee: string,
): { values: Node[]; args: Node[][] } {
  const found = { values: [] as Node[], args: [] as Node[][] };
  visit(parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }), (node) => {
    if (node.type === "Property" && nameOf(node["key"]) === key && isNode(node["value"]))
      found.values.push(node["value"]);
    if (node.type === "CallExpression" && nameOf(node["callee"]) === callee)
      found.args.push((node["arguments"] as unknown[]).filter(isNode));
  });
  return found;
}

test("an instruction of a separate call is a file of prompts/cairn/calls, and no text stands in it that a program made", () => {
  const names: string[] = [];
  const inCode: string[] = [];
  for (const { path, text, calls } of tree) {
    const { values, args } = written(path, text, "instructions", "callText");
    const literal = values.filter(({ type }) => type === "Literal" || type === "TemplateLiteral");
    if (calls.includes("separateCall") && literal.length > 0) inCode.push(path);
    for (const [name, numbers] of args) {
      names.push(nameOf(name));
      const inside = (numbers?.["properties"] as Node[] | undefined) ?? [];
      const bad = inside.filter(({ value }) => !isNode(value) || !/^[A-Z_]+$/.test(nameOf(value)));
      expect([path, bad]).toEqual([path, []]);
    }
  }
  expect(inCode).toEqual([]);
  expect(names.toSorted()).toEqual([
    "describe-picture",
    "name-session",
    "read-part",
    "read-values",
    "sort-request",
  ]);
});

test("the inspection sees calls, keys and member reads behind every spelling", () => {
  const text = `ai.run("x"); ai?.run("y"); Reflect.apply(ai.run, ai, []); model.doStream({ takesWritten: true }); m?.doGenerate()`;
  const { members, calls, keys } = inspect("a.ts", text);
  expect(members.filter((one) => one === "ai.run")).toHaveLength(3);
  expect(calls).toEqual(expect.arrayContaining(["doStream", "doGenerate"]));
  expect(keys).toContain("takesWritten");
});
