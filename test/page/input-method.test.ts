import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parseAst } from "vitest/node";
import { isInputMethodKey, withoutInputMethod } from "../../src/page/parts/input-method.ts";
import { readTexts, ROOT } from "../house/source-tree.ts";

/** Input-method keys: which keys belong to the method, and that every listener of the page checks. */

const KEY = { key: "Enter", keyCode: 13, isComposing: false };

describe("a key of an input method", () => {
  test.each([
    ["Safari: the word has ended before its Enter", { ...KEY, keyCode: 229 }],
    ["Chrome: still composing", { ...KEY, keyCode: 229, isComposing: true }],
    ["Firefox: still composing, with the code of Enter", { ...KEY, isComposing: true }],
    ["React's event around a native one", { key: "Enter", keyCode: 13, nativeEvent: { isComposing: true } }],
    ["Windows: the name of the key is hidden", { key: "Process", keyCode: 0, isComposing: false }],
    ["an Escape that takes the word back", { ...KEY, key: "Escape", keyCode: 229 }],
    ["an arrow that chooses another word", { ...KEY, key: "ArrowDown", isComposing: true }],
    ["Android, GBoard: a letter without a name", { key: "Unidentified", keyCode: 229, isComposing: false }],
    ["a Tab that takes a suggestion", { ...KEY, key: "Tab", keyCode: 229 }],
    ["React's event of Safari", { key: "Enter", keyCode: 229, nativeEvent: { isComposing: false } }],
    ["a space that converts", { key: " ", keyCode: 229, isComposing: true }],
  ])("%s", (_, event) => {
    const listener = vi.fn<(event: object) => void>();
    withoutInputMethod(listener)(event);
    expect(isInputMethodKey(event)).toBe(true);
    expect(listener).not.toHaveBeenCalled();
  });

  test.each([
    ["Enter", KEY],
    ["Enter in React's event", { key: "Enter", keyCode: 13, nativeEvent: { isComposing: false } }],
    ["a key that a program sends without a code", { key: "Enter", keyCode: 0 }],
    ["Android, GBoard: the Enter after a word", { ...KEY, isComposing: false }],
    ["an Enter of the block of numbers", { ...KEY, code: "NumpadEnter" }],
    ["a dead key's letter", { key: "é", keyCode: 69, isComposing: false }],
  ])("not %s", (_, event) => {
    const listener = vi.fn<(event: object) => void>();
    withoutInputMethod(listener)(event);
    expect(listener.mock.calls).toEqual([[event]]);
  });
});

/** Enters in the order in which a person presses them: the first ends a word, the second sends. */
describe("of two Enters in a row only the second is the page's", () => {
  test.each([
    ["Safari", { ...KEY, keyCode: 229 }],
    ["Chrome", { ...KEY, keyCode: 229, isComposing: true }],
    ["Firefox", { key: "Process", keyCode: 229, isComposing: true }],
    ["Windows without a code", { key: "Process", keyCode: 0, isComposing: false }],
  ])("%s", (_, ending) => {
    const listener = vi.fn<(event: object) => void>();
    const guarded = withoutInputMethod(listener);
    guarded(ending);
    expect(listener).not.toHaveBeenCalled();
    guarded(KEY);
    guarded(ending);
    expect(listener.mock.calls).toEqual([[KEY]]);
  });
});

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

const KEY_PROPERTY = /^on-?key/i;

/** Listeners for keys in the text of a file that are not made by `withoutInputMethod`, each by its line. */
function unguarded(file: string, text: string): string[] {
  const found: string[] = [];
  const constants = new Map<string, unknown[]>();
  const nodes: Node[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(walk);
    if (!isNode(value)) return;
    nodes.push(value);
    Object.values(value).forEach(walk);
  };
  walk(parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }));
  const nameOf = (node: unknown): string | null =>
    isNode(node) && typeof (node["name"] ?? node["value"]) === "string"
      ? String(node["name"] ?? node["value"])
      : null;
  for (const node of nodes)
    if (node.type === "VariableDeclarator") {
      const name = nameOf(node["id"]);
      if (name !== null) constants.set(name, [...(constants.get(name) ?? []), node["init"]]);
    }
  const declaresOther = new Set(
    nodes.flatMap((node) => {
      const type = ((node["typeAnnotation"] as Node | null)?.["typeAnnotation"] ?? null) as Node | null;
      if (node.type !== "Identifier" || type?.type !== "TSUnionType") return [];
      const names = (type["types"] as Node[]).map((one) => nameOf(one["literal"]));
      return names.every((one) => one !== null && !one.startsWith("key")) ? [nameOf(node) ?? ""] : [];
    }),
  );
  const isGuarded = (value: unknown): boolean => {
    if (!isNode(value)) return false;
    if (value.type === "JSXExpressionContainer") return isGuarded(value["expression"]);
    if (value.type === "CallExpression") return nameOf(value["callee"]) === "withoutInputMethod";
    const all = value.type === "Identifier" ? constants.get(nameOf(value) ?? "") : undefined;
    return all?.every((each) => isNode(each) && each.type === "CallExpression" && isGuarded(each)) ?? false;
  };
  const check = (node: Node, listener: unknown): void => {
    const line = text.slice(0, Number(node["start"])).split("\n").length;
    if (!isGuarded(listener)) found.push(`${file}:${line}`);
  };
  for (const node of nodes) {
    if (node.type === "JSXAttribute" && KEY_PROPERTY.test(nameOf(node["name"]) ?? ""))
      check(node, node["value"]);
    if (node.type === "Property" && KEY_PROPERTY.test(nameOf(node["key"]) ?? "")) check(node, node["value"]);
    if (node.type === "AssignmentExpression") {
      const left = node["left"] as Node;
      if (KEY_PROPERTY.test(nameOf(left["property"]) ?? "")) check(node, node["right"]);
    }
    if (node.type !== "CallExpression") continue;
    const callee = node["callee"] as Node;
    if (nameOf(callee.type === "MemberExpression" ? callee["property"] : callee) !== "addEventListener")
      continue;
    const [name, listener] = node["arguments"] as unknown[];
    const literal = isNode(name) && name.type === "Literal" ? nameOf(name) : null;
    // A name that is no literal may be one of a key, unless its type has none of these.
    if (literal?.startsWith("key") ?? !declaresOther.has(nameOf(name) ?? "")) check(node, listener);
  }
  return found;
}

describe("every listener for keys in src/page asks whether the key is an input method's", () => {
  test("none is left out", () => {
    const files = readTexts("src/page");
    const listening = files.filter(({ text }) => text.includes("withoutInputMethod("));
    // The reader finds what there is: a page without listeners would pass as well.
    expect(listening.length).toBeGreaterThan(10);
    expect(files.flatMap((file) => unguarded(file.path, file.text))).toEqual([]);
  });

  test("only one place reads the marks of an input method", () => {
    const readers = readTexts("src/page").filter(({ text }) => /isComposing|keyCode/.test(text));
    expect(readers.map((file) => file.path)).toEqual(["src/page/parts/input-method.ts"]);
    expect(readFileSync(path.join(ROOT, "src/page/parts/input-method.ts"), "utf8")).toContain("229");
  });

  test.each([
    ["a property of an element", `<input onKeyDown={(event) => send(event)} />`],
    ["a property for capturing", `<input onKeyUpCapture={send} />`],
    ["a named listener", `const heard = () => {}; const a = <p onKeyDown={heard} />;`],
    ["a listener of the window", `addEventListener("keydown", () => {});`],
    ["a listener of an element", `box.addEventListener("keypress", send, true);`],
    ["a name that is not literal", `for (const name of ["keyup"]) addEventListener(name, send);`],
    ["an assigned listener", `box.onkeydown = () => {};`],
    ["properties that are spread", `const more = { onKeyDown: send }; const a = <p {...more} />;`],
    [
      "one of two by one name",
      `{ const h = withoutInputMethod(f); } { const h = f; addEventListener("keyup", h); }`,
    ],
  ])("the rule finds %s", (_, text) => {
    expect(unguarded("example.tsx", text)).toEqual(["example.tsx:1"]);
  });

  test.each([
    [`<input onKeyDown={withoutInputMethod((event) => send(event))} />`],
    [`const heard = withoutInputMethod(send); addEventListener("keydown", heard);`],
    [`signal.addEventListener("abort", stop);`],
    [`const on = (name: "drop" | "dragover"): void => area.addEventListener(name, take);`],
  ])("the rule accepts %s", (text) => {
    expect(unguarded("example.tsx", text)).toEqual([]);
  });
});
