import { createApp } from "../../src/cairn/http/app.ts";
import { channels } from "../../src/plugins/channels/plugin.ts";
import { webpush } from "../../src/plugins/channels/webpush/plugin.ts";
import { cms } from "../../src/plugins/cms/plugin.ts";
import { mcpClient } from "../../src/plugins/mcp-client/plugin.ts";
import { mcpServer } from "../../src/plugins/mcp-server/plugin.ts";
import { AGENT_FIELD_DOCS } from "../../src/cairn/http/agents/field-docs.ts";
import type { FieldDoc } from "../../src/cairn/protocol/field-doc.ts";
import { RUN_FIELD_DOCS } from "../../src/cairn/protocol/run-spec/field-docs.ts";
import { parseConfig } from "../fixtures/config.ts";
import { readText, tableEntries } from "./doc-pages.ts";

/**
 * Tables of the documentation that are generated: routes from the OpenAPI document, which is made from the schemas that parse
 * requests; fields of runs and agents from the sentences next to their schemas; fields of tools, and limits, from the comments
 * of their declarations.
 */

interface Operation {
  readonly summary: string;
  /** `Scope: read or approve.` */
  readonly description?: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: { readonly [type: string]: { readonly schema: BodySchema } } };
  readonly responses: { readonly [status: string]: unknown };
}
interface BodySchema {
  readonly properties?: { readonly [name: string]: { readonly description?: string } };
  readonly required?: readonly string[];
}

export interface Route {
  /** `/api/sessions/:id` */
  readonly path: string;
  readonly cells: readonly string[];
}

/** A body with more fields is described by a table of its own. */
const BODY_FIELDS_MAX = 12;
const HEADS = {
  routes: ["route", "scope", "fields", "what it does"],
  fields: ["field", "meaning", "default"],
};
const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const FIELD_DOCS: { readonly [name: string]: { readonly [field: string]: FieldDoc } } = {
  agent: AGENT_FIELD_DOCS,
  run: RUN_FIELD_DOCS,
};
/** Declarations whose commented members are a table, by their names. */
const DECLARED: { readonly [name: string]: { readonly file: string; readonly opening: string } } = {
  FirstTool: { file: "src/cairn/tools/define.ts", opening: "export interface FirstTool<" },
  ToolOptions: { file: "src/cairn/tools/define.ts", opening: "export interface ToolOptions<" },
  ToolContext: { file: "src/cairn/tools/define.ts", opening: "export interface ToolContext<" },
  RequestLimits: { file: "src/cairn/config/config.ts", opening: "const LIMITS = {" },
};

/**
 * The members of a declaration from its source, with the comment of each: `meaning @see page.md#heading @default value`. The
 * default of a constant is its value. Throws for a member without a comment.
 */
export function declaredFields(source: string, opening: string): { [field: string]: FieldDoc } {
  const from = source.indexOf(opening);
  if (from < 0) throw new Error(`no ${opening}`);
  const body = source.slice(from, source.indexOf("\n}", from));
  const members = body.matchAll(
    /(?:^ {2}\/\*\* (.*?) \*\/\n)?^ {2}(?:readonly )?(\w+)\??: (?:([\d_]+),$)?/gm,
  );
  return Object.fromEntries(
    Array.from(members, ([, comment, name = "", value]) => {
      if (comment === undefined) throw new Error(`${opening}: ${name} has no comment`);
      const [, meaning = "", see, unset] = /^(.*?)(?: @see (\S+))?(?: @default (.*))?$/.exec(comment) ?? [];
      const count = value === undefined ? null : value.replaceAll("_", "");
      return [name, { meaning, unset: unset ?? count, ...(see === undefined ? {} : { see }) }];
    }),
  );
}

/** The fields of a table of this name. Throws if there is none. */
function fieldDocs(name: string): { readonly [field: string]: FieldDoc } {
  const declared = DECLARED[name];
  const docs =
    declared === undefined ? FIELD_DOCS[name] : declaredFields(readText(declared.file), declared.opening);
  if (docs === undefined) throw new Error(`no table of fields ${name}`);
  return docs;
}

/** Heads of a table: `default` only if a field has one. */
const headsOf = (kind: keyof typeof HEADS, names: string): string[] =>
  kind === "fields" && !hasDefaults(fieldDocs(names)) ? HEADS.fields.slice(0, 2) : HEADS[kind];

const hasDefaults = (docs: { readonly [field: string]: FieldDoc }): boolean =>
  Object.values(docs).some(({ unset }) => unset !== null);
/**
 * `<!-- routes: /api/runs* -->`: the paths whose routes the table has, `*` at the end for everything that begins so.
 * `<!-- fields: run -->`: the name of a table of fields. The table follows after an empty line.
 */
const MARKED = /<!-- (routes|fields): ([^\n]*?) -->\n\n((?:\|[^\n]*\n)*)/g;

interface Document {
  readonly paths: { readonly [path: string]: { readonly [verb: string]: Operation } };
}

async function readDocument(): Promise<Document> {
  const response = await createApp(unusedDeps()).fetch(
    new Request("http://localhost/api/openapi.json"),
    {} as Parameters<ReturnType<typeof createApp>["fetch"]>[1],
    {} as ExecutionContext,
  );
  return (await response.json()) as Document;
}

/** Descriptions by field of the body of this operation. */
export async function describedFields(path: string, verb: string): Promise<{ [field: string]: unknown }> {
  const { paths } = await readDocument();
  const [body] = Object.values(paths[path]?.[verb]?.requestBody?.content ?? {});
  return Object.fromEntries(
    Object.entries(body?.schema.properties ?? {}).map(([name, { description }]) => [name, description]),
  );
}

/** Every route of the kernel and of the plugins that ship, as the OpenAPI document has it. */
export async function documentedRoutes(): Promise<Route[]> {
  const { paths } = await readDocument();
  return Object.entries(paths).flatMap(([braced, operations]) => {
    const path = braced.replaceAll(/\{(\w+)\}/g, ":$1");
    return Object.entries(operations).map(([verb, operation]) => ({
      path,
      cells: cellsOf(verb.toUpperCase(), path, operation),
    }));
  });
}

function cellsOf(verb: string, path: string, operation: Operation): string[] {
  const scope = /^Scope: (.*)\.$/.exec(operation.description ?? "")?.[1] ?? "any";
  const query = operation.parameters.filter((one) => one.in === "query").map(({ name }) => name);
  const [body] = Object.values(operation.requestBody?.content ?? {});
  const fields = [
    ...(query.length === 0 ? [] : [`\`?${query.join("&")}\``]),
    ...(body === undefined ? [] : bodyFields(body.schema)),
  ];
  return [`\`${verb} ${path}\``, scope, fields.join(" "), `${operation.summary}${statuses(operation)}`];
}

function bodyFields({ properties = {}, required = [] }: BodySchema): string[] {
  const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  if (names.length === 0) return [];
  return [names.length > BODY_FIELDS_MAX ? "`{…}`" : `\`{${names.join(",")}}\``];
}

/** ` → 201`; nothing where 200 is the only status of a response. */
function statuses({ responses }: Operation): string {
  const listed = Object.keys(responses).filter((status) => status !== "default");
  return listed.join() === "200" ? "" : ` → ${listed.join(", ")}`;
}

/** Routes are only declared here: whatever a route would call to answer a request is a stand-in that is never called. */
function unusedDeps(): Parameters<typeof createApp>[0] {
  const unused: unknown = new Proxy(() => unused, {
    get: (_, name) => {
      if (name === Symbol.toPrimitive) return () => "";
      return typeof name === "symbol" || name === "then" ? undefined : unused;
    },
    apply: () => unused,
  });
  const people = channels({ vendors: [webpush()] } as unknown as Parameters<typeof channels>[0]);
  const mount = ({ name, routes }: { name: string; routes?: unknown }): object => ({
    name,
    routes: (places: unknown, deps: unknown) =>
      (routes as (...given: unknown[]) => void)(places, deps, { embedder: null, previewSecret: null }),
  });
  const known: { readonly [name: string]: unknown } = {
    config: { ...parseConfig({}), problems: [] },
    version: "1",
    env: { DB: unused, MEDIA: unused },
    now: () => 0,
    newId: () => "abcdefgh",
    report: (error: unknown) => {
      throw error;
    },
    plugins: [cms(), people, mcpClient(), mcpServer()].map((plugin) => mount(plugin as never)),
  };
  return new Proxy(known, {
    get: (_, name) => (Object.hasOwn(known, name) ? known[String(name)] : unused),
  }) as unknown as Parameters<typeof createApp>[0];
}

const isOf =
  (patterns: readonly string[]) =>
  ({ path }: Route): boolean =>
    patterns.some((pattern) =>
      pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
    );

interface MarkedTable {
  readonly kind: keyof typeof HEADS;
  /** paths, or the name of a table of fields */
  readonly names: string;
  readonly entries: string[][];
}

const kindOf = (text: string): keyof typeof HEADS => (text === "fields" ? "fields" : "routes");

/** The tables of a page: what their markers name, and their cells. */
export function markedTables(page: string): MarkedTable[] {
  return Array.from(page.matchAll(MARKED), ([, kind = "", names = "", table = ""]) => ({
    kind: kindOf(kind),
    names,
    entries: tableEntries(table),
  }));
}

/** The cells that a table with this marker should have. Throws for an unknown table of fields. */
export function expectedEntries(
  kind: keyof typeof HEADS,
  names: string,
  routes: readonly Route[],
): string[][] {
  if (kind === "routes")
    return routes
      .filter(isOf(names.split(" ")))
      .toSorted(byPath)
      .map(({ cells }) => [...cells]);
  const docs = fieldDocs(names);
  return Object.entries(docs).map(([name, { meaning, unset, see }]) => [
    `\`${name}\``,
    see === undefined ? meaning : `${meaning} ([more](${see}))`,
    ...(hasDefaults(docs) ? [unset ?? "–"] : []),
  ]);
}

const verbRank = ({ cells: [route = ""] }: Route): number =>
  VERBS.findIndex((verb) => route.startsWith(`\`${verb} `));
const byPath = (left: Route, right: Route): number =>
  left.path === right.path ? verbRank(left) - verbRank(right) : left.path < right.path ? -1 : 1;

/** The page with its tables written anew. */
export function withTables(page: string, routes: readonly Route[]): string {
  return page.replaceAll(MARKED, (_, of: string, names: string) => {
    const kind = kindOf(of);
    const head = headsOf(kind, names);
    const lines = [head, head.map(() => "-"), ...expectedEntries(kind, names, routes)];
    const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
    return `<!-- ${kind}: ${names} -->\n\n${table}\n`;
  });
}
