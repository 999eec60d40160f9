import { startOf } from "../../core/text/cut.ts";
import { normalize } from "../../core/log/normalize.ts";
import { isObject, ownValue, type Json, type JsonObject } from "../../core/log/json.ts";
import { definitionSchema, METHODS, splitTemplate, TOOL_NAME } from "./definition.ts";
import { followReference, OpenApiSchemas, type ImportWork } from "./openapi-schema.ts";

/** The operations of an OpenAPI document (2.0, 3.0, 3.1) as tools. An operation that cannot be one is listed with the reason. */

export interface ImportOptions {
  /** in place of the servers of the document */
  readonly baseUrl?: string | undefined;
  /** of every request, such as `Authorization: Bearer secret:NAME` */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** before each name */
  readonly prefix?: string | undefined;
  /** operationIds, or `GET /path`; all when left out */
  readonly operations?: readonly string[] | undefined;
}

export interface ImportedTool {
  readonly name: string;
  /** `GET /path` */
  readonly operation: string;
  readonly definition: JsonObject;
}

export interface Imported {
  readonly title: string;
  readonly tools: readonly ImportedTool[];
  readonly left: readonly { readonly operation: string; readonly why: string }[];
}

/** operations that are made tools of, where none are named */
const OPERATIONS_MAX = 5_000;
const PATHS_MAX = 20_000;
const PATH_CHARS_MAX = 2_000;
const PARAMETERS_MAX = 100;
/** schemas of one operation, tried in this order until it is short enough for a model */
const BUDGETS = [300, 80, 25, 8] as const;
const NAME_CHARS_MAX = 48;
/** values that are read, and characters of schemas that are made and checked, for all operations of a document */
const WORK_MAX = 500_000;
const TOO_MUCH =
  "The schemas of this document are too large to read at once: name the operations that you need.";
const VERBS = ["get", "head", "post", "put", "patch", "delete", "options", "trace", "query"] as const;
const BODYLESS: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE"]);

/** Null where this is no OpenAPI document. `isTaken`: names that a tool of the deployment has. */
export function importOpenApi(
  document: JsonObject,
  options: ImportOptions,
  isTaken: (name: string) => boolean,
): Imported | null {
  const { openapi, swagger, paths = {}, webhooks, info } = document;
  const isOld = swagger === "2.0" || swagger === 2;
  // In YAML, `3.1` without quotes is a number.
  const version = typeof openapi === "number" ? String(openapi) : openapi;
  if (!isOld && !(typeof version === "string" && /^3(?:\.\d|$)/.test(version))) return null;
  if (!isObject(paths)) return null;
  const title = isObject(info) && typeof info["title"] === "string" ? startOf(info["title"].trim(), 100) : "";
  const tools: ImportedTool[] = [];
  const left: { operation: string; why: string }[] = [];
  const names = new FreeNames(isTaken);
  const wanted = options.operations === undefined ? null : new Set(options.operations);
  const found = new Set<string>();
  const work: ImportWork = { left: WORK_MAX };
  let seen = 0;
  const items = Object.entries(paths);
  if (items.length > PATHS_MAX)
    left.push({ operation: `paths ${PATHS_MAX + 1} and on`, why: `It has more than ${PATHS_MAX} paths.` });
  for (const [path, item] of items.slice(0, PATHS_MAX)) {
    if (seen > OPERATIONS_MAX) break;
    const shared = followReference(document, item);
    if (shared === null) {
      left.push({ operation: path.slice(0, 200), why: "Its path item cannot be found in this document." });
      continue;
    }
    for (const verb of VERBS) {
      const operation = shared[verb];
      if (operation === undefined) continue;
      const about = `${verb.toUpperCase()} ${path}`.slice(0, 300);
      const id =
        isObject(operation) && typeof operation["operationId"] === "string" ? operation["operationId"] : null;
      if (wanted !== null && !wanted.has(about) && (id === null || !wanted.has(id))) continue;
      found.add(about);
      if (id !== null) found.add(id);
      if (seen > OPERATIONS_MAX) break;
      seen += 1;
      const made: Made =
        seen > OPERATIONS_MAX
          ? {
              why: `It and all behind it: the document has more than ${OPERATIONS_MAX} operations. Name those that you need.`,
            }
          : isObject(operation)
            ? new Operation(document, { path, verb, shared, operation, isOld }, options, work).made()
            : { why: "It is no object." };
      if ("why" in made) {
        left.push({ operation: about, why: made.why });
        continue;
      }
      const name = names.next(nameOf(options.prefix ?? "", id ?? `${verb} ${path}`));
      tools.push({ name, operation: about, definition: made.definition });
    }
  }
  for (const name of isObject(webhooks) ? Object.keys(webhooks) : [])
    left.push({
      operation: `webhook ${name}`.slice(0, 300),
      why: "The API calls it, not the other way round.",
    });
  for (const name of wanted ?? [])
    if (!found.has(name))
      left.push({ operation: name.slice(0, 300), why: "The document has no such operation." });
  return { title: title === "" ? "OpenAPI" : title, tools, left };
}

type Made = { readonly definition: JsonObject } | { readonly why: string };

/** `listPetsByTag` → `list_pets_by_tag` */
function nameOf(prefix: string, id: string): string {
  const words = normalize(id.slice(0, 300), "NFKD")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+|_+$/g, "");
  const name = `${prefix}${words}`.slice(0, NAME_CHARS_MAX).replace(/_+$/, "");
  return TOOL_NAME.test(name) ? name : `op_${name}`.slice(0, NAME_CHARS_MAX);
}

/** Gives each tool a unique name. */
class FreeNames {
  readonly #isTaken: (name: string) => boolean;
  readonly #given = new Set<string>();
  /** the last number behind a name, so that thousands of the same name are not counted from 2 each time */
  readonly #numbers = new Map<string, number>();

  constructor(isTaken: (name: string) => boolean) {
    this.#isTaken = isTaken;
  }

  next(wanted: string): string {
    let number = this.#numbers.get(wanted) ?? 1;
    let name = number === 1 ? wanted : numbered(wanted, ++number);
    while (this.#given.has(name) || this.#isTaken(name)) name = numbered(wanted, ++number);
    this.#given.add(name);
    this.#numbers.set(wanted, number);
    return name;
  }
}

function numbered(name: string, number: number): string {
  const ending = `_${number}`;
  return name.slice(0, NAME_CHARS_MAX - ending.length) + ending;
}

interface OperationSource {
  readonly path: string;
  readonly verb: string;
  readonly shared: JsonObject;
  readonly operation: JsonObject;
  readonly isOld: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly given: JsonObject;
  readonly schema: Json | undefined;
  readonly style: "repeat" | "comma" | "deep" | "json";
}

interface Body {
  readonly type: "json" | "form" | "text";
  readonly schema: Json | undefined;
  readonly required: boolean;
}

class Operation {
  readonly #document: JsonObject;
  readonly #source: OperationSource;
  readonly #options: ImportOptions;
  readonly #work: ImportWork;

  constructor(document: JsonObject, source: OperationSource, options: ImportOptions, work: ImportWork) {
    this.#work = work;
    this.#document = document;
    this.#source = source;
    this.#options = options;
  }

  made(): Made {
    const { verb, path } = this.#source;
    const method = verb.toUpperCase();
    if (!METHODS.some((one) => one === method)) return { why: `${method} is not supported.` };
    if (path.length > PATH_CHARS_MAX) return { why: `Its path is longer than ${PATH_CHARS_MAX} characters.` };
    if (!path.startsWith("/") || /[?#]/.test(path)) return { why: "Its path is no plain path." };
    if (this.#work.left < 0) return { why: TOO_MUCH };
    const base = this.#base();
    if ("why" in base) return base;
    const parameters = this.#parameters();
    if ("why" in parameters) return parameters;
    const body = this.#body(parameters.body);
    if (body !== null && "why" in body) return body;
    if (body !== null && body.required && BODYLESS.has(method) && method !== "DELETE")
      return { why: `${method} with a body is not supported.` };
    let why = "Its schema is too large for a model.";
    for (const budget of BUDGETS) {
      const definition = this.#definition(method, base.url, parameters.list, body, budget);
      if ("why" in definition) return definition;
      this.#work.left -= JSON.stringify(definition).length;
      if (this.#work.left < 0) return { why: TOO_MUCH };
      const read = definitionSchema.safeParse(definition.definition);
      if (read.success) return definition;
      const [issue] = read.error.issues;
      why = issue === undefined ? why : `${issue.path.join(".")}: ${issue.message}`.slice(0, 300);
    }
    return { why };
  }

  /** The address before the path. */
  #base(): { readonly url: string } | { readonly why: string } {
    const { operation, shared, isOld } = this.#source;
    const document = this.#document;
    const given =
      this.#options.baseUrl ?? (isOld ? oldBase(document) : serverUrl(operation, shared, document));
    if (given === null || splitTemplate(given) === null || /[?{}]/.test(given))
      return { why: "The document names no absolute server for it: send baseUrl." };
    return { url: given.replace(/\/+$/, "") };
  }

  #parameters():
    | { readonly list: readonly Parameter[]; readonly body: Body | { readonly why: string } | null }
    | { readonly why: string } {
    const { operation, shared, isOld } = this.#source;
    const given = [shared["parameters"], operation["parameters"]].flatMap((list) =>
      Array.isArray(list) ? (list as readonly Json[]) : [],
    );
    if (given.length > PARAMETERS_MAX) return { why: `It has more than ${PARAMETERS_MAX} parameters.` };
    const byLocation = new Map<string, Parameter>();
    let body: Body | null = null;
    const form: Parameter[] = [];
    for (const one of given) {
      const parameter = followReference(this.#document, one);
      const name = parameter?.["name"];
      const where = parameter?.["in"];
      if (parameter === null || typeof name !== "string" || typeof where !== "string" || name === "")
        return { why: "One of its parameters cannot be found in this document." };
      const required = parameter["required"] === true || where === "path";
      if (isOld && where === "body") {
        body = { type: "json", schema: parameter["schema"], required };
        continue;
      }
      const read = {
        name,
        in: where,
        required,
        given: parameter,
        schema: schemaIn(parameter, isOld),
        style: styleOf(parameter, isOld),
      };
      if (isOld && where === "formData") {
        if (parameter["type"] === "file") return { why: "It takes a file." };
        form.push(read);
        continue;
      }
      if (where === "cookie") {
        if (required) return { why: `It needs the cookie ${name.slice(0, 60)}.` };
        continue;
      }
      const { style } = parameter;
      if (typeof style === "string" && !STYLES.has(style))
        return {
          why: `The style ${style.slice(0, 40)} of its parameter ${name.slice(0, 60)} is not supported.`,
        };
      // The specification ignores these three.
      if (where === "header" && /^(?:accept|content-type|authorization)$/i.test(name)) continue;
      if (!["path", "query", "header"].includes(where))
        return { why: `A parameter stands in ${where.slice(0, 40)}.` };
      if (where === "header" && !/^[A-Za-z0-9-]{1,64}$/.test(name)) {
        if (required)
          return { why: `It needs the header ${name.slice(0, 60)}, whose name is not supported.` };
        continue;
      }
      byLocation.set(`${where} ${name}`, read);
    }
    if (form.length > 0) {
      const properties = Object.fromEntries(form.map((one) => [one.name, one.schema ?? {}]));
      const required = form.filter((one) => one.required).map((one) => one.name);
      body = {
        type: "form",
        schema: { type: "object", properties, required },
        required: required.length > 0,
      };
    }
    if (isOld && body !== null) {
      const consumes = operation["consumes"] ?? this.#document["consumes"];
      const types = Array.isArray(consumes) ? consumes.filter((type: Json) => typeof type === "string") : [];
      if (body.type === "form" && types.length > 0 && !types.some((type: string) => /urlencoded/i.test(type)))
        return { why: `It takes ${types.join(", ").slice(0, 100)}, which is not supported.` };
      if (body.type === "json" && types.length > 0 && !types.some((type: string) => JSON_TYPE.test(type)))
        return { why: `It takes ${types.join(", ").slice(0, 100)}, which is not supported.` };
    }
    return { list: [...byLocation.values()], body };
  }

  #body(old: Body | { readonly why: string } | null): Body | { readonly why: string } | null {
    if (this.#source.isOld) return old;
    const given = this.#source.operation["requestBody"];
    if (given === undefined) return null;
    const body = followReference(this.#document, given);
    if (body === null) return { why: "Its body cannot be found in this document." };
    const { content } = body;
    if (!isObject(content) || Object.keys(content).length === 0) return null;
    const required = body["required"] === true;
    const types = Object.entries(content);
    for (const [type, fits] of [
      ["json", JSON_TYPE],
      ["form", /^application\/x-www-form-urlencoded/i],
      ["text", /^text\/plain/i],
    ] as const) {
      const one = types.find(([name]) => fits.test(name));
      if (one === undefined) continue;
      return { type, schema: followReference(this.#document, one[1])?.["schema"], required };
    }
    return {
      why: `It takes ${types
        .map(([name]) => name)
        .join(", ")
        .slice(0, 100)}, which is not supported.`,
    };
  }

  #definition(
    method: string,
    base: string,
    parameters: readonly Parameter[],
    body: Body | null,
    budget: number,
  ): { readonly definition: JsonObject } | { readonly why: string } {
    const { path, operation } = this.#source;
    const schemas = new OpenApiSchemas(this.#document, budget, this.#work);
    const properties: Record<string, Json> = {};
    const required: string[] = [];
    const params: Record<string, Json> = {};
    const renamedPath = new Map<string, string>();
    const put = (name: string, schema: JsonObject, isRequired: boolean): string => {
      const field = freeField(name, properties);
      properties[field] = schema;
      if (isRequired) required.push(field);
      return field;
    };
    for (const { name, in: where, required: isRequired, given, schema, style } of parameters) {
      const words: JsonObject =
        typeof given["description"] === "string" ? { description: startOf(given["description"], 300) } : {};
      const field = put(name, { ...schemas.of(schema), ...words }, isRequired);
      if (where === "path") renamedPath.set(name, field);
      else
        params[field] = {
          in: where,
          ...(field === name ? {} : { name }),
          ...(style === "repeat" ? {} : { style }),
        };
    }
    for (const [, name = ""] of path.matchAll(/\{([^{}]*)\}/g))
      if (!renamedPath.has(name)) renamedPath.set(name, put(name, { type: "string" }, true));
    if (body !== null) {
      const field = put("body", schemas.of(body.schema), body.required);
      params[field] = { in: "body" };
    }
    const url =
      base + path.replace(/\{([^{}]*)\}/g, (_whole, name: string) => `{${renamedPath.get(name) ?? "_"}}`);
    const text = [operation["summary"], operation["description"]].flatMap((one) =>
      typeof one === "string" && one.trim() !== "" ? [one.trim()] : [],
    );
    const description = startOf([...new Set(text)].join("\n"), 1_000).toWellFormed();
    return {
      definition: {
        ...(description === "" ? {} : { description }),
        method,
        url,
        inputSchema: { type: "object", properties, ...(required.length === 0 ? {} : { required }) },
        ...(this.#options.headers === undefined ? {} : { headers: this.#options.headers }),
        ...(Object.keys(params).length === 0 ? {} : { params }),
        ...(body === null || body.type === "json" ? {} : { bodyType: body.type }),
        effect: method === "GET" || method === "HEAD" ? "read" : "once",
        tier: method === "GET" || method === "HEAD" ? "open" : "external",
      },
    };
  }
}

const STYLES: ReadonlySet<string> = new Set(["simple", "form", "deepObject"]);
const JSON_TYPE = /^(?:application\/(?:[\w.+-]*\+)?json|\*\/\*|application\/\*)/i;

const schemaIn = (parameter: JsonObject, isOld: boolean): Json | undefined => {
  if (isOld) return parameter;
  if (parameter["schema"] !== undefined) return parameter["schema"];
  const { content } = parameter;
  const [one] = isObject(content) ? Object.values(content) : [];
  return isObject(one) ? one["schema"] : undefined;
};

function styleOf(parameter: JsonObject, isOld: boolean): Parameter["style"] {
  if (isOld)
    return parameter["collectionFormat"] === "multi" || parameter["type"] !== "array" ? "repeat" : "comma";
  if (parameter["schema"] === undefined && isObject(parameter["content"])) return "json";
  if (parameter["style"] === "deepObject") return "deep";
  return parameter["explode"] === false ? "comma" : "repeat";
}

/** A name that a template may hold and no other field has. */
function freeField(name: string, taken: JsonObject): string {
  const plain = name
    .replace(/[^\w$.-]+/g, "_")
    .replace(/^[^A-Za-z_$]+/, "")
    .slice(0, 90);
  const wanted = plain === "" ? "value" : plain;
  if (ownValue(taken, wanted) === undefined) return wanted;
  for (let number = 2; ; number += 1)
    if (ownValue(taken, `${wanted}_${number}`) === undefined) return `${wanted}_${number}`;
}

function serverUrl(...holders: readonly JsonObject[]): string | null {
  for (const { servers } of holders) {
    const [first] = Array.isArray(servers) ? (servers as readonly Json[]) : [];
    if (!isObject(first) || typeof first["url"] !== "string") continue;
    const { variables } = first;
    return first["url"].slice(0, 2_000).replace(/\{([^{}]*)\}/g, (whole, name: string) => {
      const variable = isObject(variables) ? ownValue(variables, name) : undefined;
      const preset = isObject(variable) ? variable["default"] : undefined;
      return typeof preset === "string" || typeof preset === "number" ? String(preset) : whole;
    });
  }
  return null;
}

function oldBase({ schemes, host, basePath }: JsonObject): string | null {
  if (typeof host !== "string") return null;
  const scheme =
    Array.isArray(schemes) && schemes.includes("https")
      ? "https"
      : Array.isArray(schemes) && schemes.includes("http")
        ? "http"
        : "https";
  return `${scheme}://${host}${typeof basePath === "string" && basePath !== "/" ? basePath : ""}`;
}
