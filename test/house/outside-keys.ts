import { parseAst } from "vitest/node";
import { readTexts } from "./source-tree.ts";

/**
 * Reads of records by a computed key. A record with string keys inherits `constructor` and `toString` from the
 * prototype of objects, so a key from outside is looked up with `ownValue`, or behind `Object.hasOwn` in the same
 * function. Keys that the code itself writes pass: literals, constants, members of a constant list, and the matches of
 * a regular expression that matches no inherited name.
 */

/** Properties that every object inherits. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A node and the nodes around it. */
interface Path {
  readonly node: Node;
  readonly above: Path | null;
}

export interface Source {
  readonly path: string;
  readonly text: string;
}

export interface Read {
  readonly path: string;
  readonly line: number;
  /** as written, such as `WORDS[key]` */
  readonly read: string;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

function visit(value: unknown, above: Path | null, see: (path: Path) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, above, see);
  if (!isNode(value)) return;
  const path = { node: value, above };
  see(path);
  for (const field in value) {
    const child = value[field];
    if (typeof child === "object" && child !== null) visit(child, path, see);
  }
}

const nodesOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

const nameOf = (node: unknown): string | null =>
  isNode(node) && node.type === "Identifier" ? String(node["name"]) : null;

/** A type whose keys are any string: `Record<string, …>`, `{ [key: string]: … }`, a name of such a type, Readonly and Partial of it. */
function isStringRecord(type: unknown, aliases: ReadonlySet<string>): boolean {
  if (!isNode(type)) return false;
  switch (type.type) {
    case "TSTypeAnnotation":
    case "TSParenthesizedType":
      return isStringRecord(type["typeAnnotation"], aliases);
    case "TSUnionType":
    case "TSIntersectionType":
      return nodesOf(type["types"]).some((one) => isStringRecord(one, aliases));
    case "TSTypeLiteral":
      return nodesOf(type["members"]).some(hasStringKeys);
    case "TSTypeReference":
      return isReferenceToRecord(type, aliases);
    default:
      return false;
  }
}

function isReferenceToRecord(type: Node, aliases: ReadonlySet<string>): boolean {
  const name = nameOf(type["typeName"]);
  const first = isNode(type["typeArguments"]) ? nodesOf(type["typeArguments"]["params"])[0] : undefined;
  if (name === "Readonly" || name === "Partial" || name === "Required") return isStringRecord(first, aliases);
  if (name === "Record") return first?.type === "TSStringKeyword";
  return name !== null && aliases.has(name);
}

const hasStringKeys = (member: Node): boolean =>
  member.type === "TSIndexSignature" && JSON.stringify(member["parameters"]).includes('"TSStringKeyword"');

/** Every read without a guard. */
export function unguardedReads(sources: readonly Source[]): Read[] {
  const parsed = sources.map((source) => {
    const program: unknown = parseAst(source.text, { lang: source.path.endsWith("x") ? "tsx" : "ts" });
    const nodes: Path[] = [];
    visit(program, null, (path) => nodes.push(path));
    return { source, nodes };
  });
  const all = parsed.flatMap(({ nodes }) => nodes.map(({ node }) => node));
  const aliases = aliasesIn(all);
  const properties = new Set(
    parsed.flatMap(({ nodes }) => [
      ...propertiesIn(
        nodes.map(({ node }) => node),
        aliases,
      ),
    ]),
  );
  return parsed.flatMap(({ source, nodes }) => {
    const variables = variablesIn(nodes, aliases, properties);
    return nodes
      .filter((path) => isUnguarded(path, variables, properties))
      .map(({ node }) => ({
        path: source.path,
        line: source.text.slice(0, node.start).split("\n").length,
        read: source.text.slice(node.start, node.end),
      }));
  });
}

function aliasesIn(nodes: readonly Node[]): Set<string> {
  const aliases = new Set<string>();
  const declared = nodes.filter(
    ({ type }) => type === "TSTypeAliasDeclaration" || type === "TSInterfaceDeclaration",
  );
  for (let before = -1; before < aliases.size;) {
    before = aliases.size;
    for (const node of declared) {
      const body = isNode(node["body"]) ? nodesOf(node["body"]["body"]) : [];
      const name = nameOf(node["id"]);
      if (name !== null && (body.some(hasStringKeys) || isStringRecord(node["typeAnnotation"], aliases)))
        aliases.add(name);
    }
  }
  return aliases;
}

/** Properties that are declared as such a record, or as `z.record(…)` in a schema. */
function propertiesIn(nodes: readonly Node[], aliases: ReadonlySet<string>): Set<string> {
  const names = new Set<string>();
  const schemas = recordSchemasIn(nodes);
  for (const node of nodes) {
    const name = nameOf(node["key"]);
    if (name === null) continue;
    const isDeclared = node.type === "TSPropertySignature" || node.type === "PropertyDefinition";
    if (isDeclared && isStringRecord(node["typeAnnotation"], aliases)) names.add(name);
    if (node.type === "Property" && isRecordSchema(node["value"], schemas)) names.add(name);
  }
  return names;
}

/** Names in a file of schemas of such a record, and of functions that make one. */
function recordSchemasIn(nodes: readonly Node[]): Set<string> {
  const names = new Set<string>();
  for (let before = -1; before < names.size;) {
    before = names.size;
    for (const node of nodes) {
      const name = node.type === "VariableDeclarator" ? nameOf(node["id"]) : null;
      if (name !== null && isRecordSchema(node["init"], names)) names.add(name);
    }
  }
  return names;
}

/** `z.record(…)`, a name of such a schema, and a function that makes one; also with `.optional()` and the like after it. */
function isRecordSchema(value: unknown, schemas: ReadonlySet<string>): boolean {
  if (!isNode(value)) return false;
  if (value.type === "Identifier") return schemas.has(nameOf(value) ?? "");
  if (value.type === "ArrowFunctionExpression") return isRecordSchema(value["body"], schemas);
  if (value.type !== "CallExpression" || !isNode(value["callee"])) return false;
  const { object, property } = value["callee"];
  const isRecord = nameOf(object) === "z" && nameOf(property) === "record";
  return isRecord || schemas.has(nameOf(value["callee"]) ?? "") || isRecordSchema(object, schemas);
}

/** Names in a file that are declared as such a record, taken out of its holder, or asked about with `isObject`. */
function variablesIn(
  paths: readonly Path[],
  aliases: ReadonlySet<string>,
  properties: ReadonlySet<string>,
): Set<string> {
  const names = new Set<string>();
  for (const { node, above } of paths) {
    if (node.type === "Property" && above?.node.type === "ObjectPattern") {
      const value = node["value"];
      const taken = nameOf(value) ?? (isNode(value) ? nameOf(value["left"]) : null);
      if (taken !== null && properties.has(nameOf(node["key"]) ?? "")) names.add(taken);
    }
    const name = nameOf(node);
    if (name !== null && isStringRecord(node["typeAnnotation"], aliases)) names.add(name);
    if (node.type !== "CallExpression" || nameOf(node["callee"]) !== "isObject") continue;
    const asked = nameOf(nodesOf(node["arguments"])[0]);
    if (asked !== null) names.add(asked);
  }
  return names;
}

function isUnguarded(path: Path, variables: ReadonlySet<string>, properties: ReadonlySet<string>): boolean {
  const { node } = path;
  if (node.type !== "MemberExpression" || node["computed"] !== true) return false;
  const key = node["property"];
  if (!isNode(key) || isWrittenInCode(key) || isFromCode(nameOf(key), path)) return false;
  const name = recordName(node["object"], variables, properties);
  return name !== null && !isWritten(path) && !isGuarded(name, path);
}

/** Also `(record ?? {})[key]`, `holder.record?.[key]` and `(value as Record<string, unknown>)[key]`. */
function recordName(
  record: unknown,
  variables: ReadonlySet<string>,
  properties: ReadonlySet<string>,
): string | null {
  if (!isNode(record)) return null;
  switch (record.type) {
    case "Identifier":
      return variables.has(String(record["name"])) ? String(record["name"]) : null;
    case "MemberExpression": {
      // Records in a record, such as texts by language and field.
      if (record["computed"] === true) return recordName(record["object"], variables, properties);
      const property = nameOf(record["property"]);
      return property !== null && properties.has(property) ? property : null;
    }
    case "CallExpression":
      return nameOf(record["callee"]) === "ownValue" ? "" : null;
    case "LogicalExpression":
      return recordName(record["left"], variables, properties);
    case "ParenthesizedExpression":
    case "ChainExpression":
    case "TSNonNullExpression":
      return recordName(record["expression"], variables, properties);
    case "TSAsExpression":
      return isStringRecord(record["typeAnnotation"], new Set())
        ? (nameOf(record["expression"]) ?? "")
        : null;
    default:
      return null;
  }
}

/** Keys that the code writes: literals, constants such as `KEPT_BY`, numbers, and texts with a hyphen. */
function isWrittenInCode(key: Node): boolean {
  if (key.type === "Literal" || key.type === "BinaryExpression") return true;
  if (key.type === "CallExpression") return nameOf(key["callee"]) === "Number";
  if (key.type === "Identifier") return /^[A-Z][A-Z0-9_]*$/.test(String(key["name"]));
  if (key.type !== "TemplateLiteral") return false;
  return nodesOf(key["quasis"]).some((one) => JSON.stringify(one["value"]).includes("-"));
}

/** The key is an element of a constant list, or a match of a regular expression that matches no inherited name. */
function isFromCode(key: string | null, path: Path): boolean {
  if (key === null) return false;
  for (let around = path.above; around !== null; around = around.above) {
    const { node, above } = around;
    if (node.type === "ForOfStatement" && isConstantList(node["right"])) {
      const declared = isNode(node["left"]) ? nodesOf(node["left"]["declarations"])[0] : undefined;
      if (nameOf(declared?.["id"]) === key) return true;
    }
    if (node.type === "BlockStatement") {
      const declared = nodesOf(node["body"])
        .flatMap((statement) => nodesOf(statement["declarations"]))
        .find(({ id }) => nameOf(id) === key);
      if (declared !== undefined) return isFoundInConstants(declared["init"]);
    }
    if (!/^(?:Function|ArrowFunction)/.test(node.type)) continue;
    const parameters = nodesOf(node["params"]);
    if (nameOf(parameters[0]) === key) return isCallOnConstants(node, above?.node);
    if (parameters.some((one) => JSON.stringify(one).includes(`"name":"${key}"`))) return false;
  }
  return false;
}

/** Names in capital letters, and lists of literals and of such names. */
function isConstantList(list: unknown): boolean {
  if (!isNode(list)) return false;
  if (list.type === "Identifier" || list.type === "Literal") return isWrittenInCode(list);
  if (list.type === "SpreadElement") return isConstantList(list["argument"]);
  return list.type === "ArrayExpression" && nodesOf(list["elements"]).every(isConstantList);
}

/** `NAMES.find(…)` */
function isFoundInConstants(call: unknown): boolean {
  if (!isNode(call) || call.type !== "CallExpression" || !isNode(call["callee"])) return false;
  return nameOf(call["callee"]["property"]) === "find" && isConstantList(call["callee"]["object"]);
}

/** `NAMES.some((key) => …)`, and `text.replace(/[&<>]/g, (sign) => …)` */
function isCallOnConstants(callback: Node, call: Node | undefined): boolean {
  if (call?.type !== "CallExpression" || !isNode(call["callee"])) return false;
  const [first, second] = nodesOf(call["arguments"]);
  if (first === callback) return isConstantList(call["callee"]["object"]);
  const method = nameOf(call["callee"]["property"]);
  if (second !== callback || (method !== "replace" && method !== "replaceAll")) return false;
  const written = first?.["regex"];
  if (typeof written !== "object" || written === null || !("pattern" in written)) return false;
  const flags = "flags" in written ? String(written.flags).replaceAll(/[gy]/g, "") : "";
  const pattern = new RegExp(String(written.pattern), flags);
  return INHERITED.every((name) => pattern.exec(name)?.[0] !== name);
}

function isWritten({ node, above }: Path): boolean {
  const parent = above?.node;
  if (parent?.type === "AssignmentExpression") return parent["left"] === node && parent["operator"] === "=";
  return parent?.type === "UnaryExpression" && parent["operator"] === "delete";
}

/** The function around the read asks `Object.hasOwn` about the same record. */
function isGuarded(name: string, path: Path): boolean {
  let around = path.above;
  while (around !== null && !/^(?:Function|ArrowFunction)/.test(around.node.type)) around = around.above;
  let guarded = false;
  visit(around?.node, null, ({ node }) => {
    if (node.type !== "CallExpression" || !isNode(node["callee"])) return;
    const callee = node["callee"];
    if (callee.type !== "MemberExpression" || nameOf(callee["object"]) !== "Object") return;
    const first = nodesOf(node["arguments"])[0];
    const about = nameOf(first) ?? (first?.type === "MemberExpression" ? nameOf(first["property"]) : null);
    if (about === name && nameOf(callee["property"]) === "hasOwn") guarded = true;
  });
  return guarded;
}

export const readSources = (): Source[] => readTexts("src").map(({ path, text }) => ({ path, text }));
