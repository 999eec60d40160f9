import { startOf } from "../../core/text/cut.ts";
import { json } from "../../protocol/json.ts";
import * as z from "zod";
import { isTooDeep, type JsonObject } from "../../core/log/json.ts";
import { inputOf } from "../input/schema-input.ts";
import { offeredSchema } from "../input/offer.ts";
import { headersField } from "../requests/request.ts";
import { URL_CHARS_MAX } from "../../core/limits.ts";

/** A tool as data: one HTTP request with places for arguments. */

export const TOOL_NAME = /^[a-z][a-z0-9_]{1,47}$/;
export const DEFINITION_BYTES_MAX = 65_536;
const SCHEMA_CHARS_MAX = 32_000;
const FIELDS_MAX = 100;

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

const parameterSchema = z.strictObject({
  in: z.enum(["path", "query", "header", "body"]),
  /** the name on the wire; the name of the field when left out */
  name: z.string().min(1).max(200).optional(),
  /** lists and objects in a query: each value by itself, joined by commas, as `name[key]`, or as JSON */
  style: z.enum(["repeat", "comma", "deep", "json"]).optional(),
});

export const definitionSchema = z
  .strictObject({
    description: z.string().trim().max(2_000).optional(),
    title: z.string().trim().min(1).max(80).optional(),
    method: z.enum(METHODS),
    /** `{field}` in the path or in the value of a query field is replaced by an argument */
    url: z.string().min(1).max(URL_CHARS_MAX),
    inputSchema: z.record(z.string(), json).optional(),
    /** values may name `secret:NAME`, and hold `{field}` */
    headers: headersField,
    /** where arguments go that the URL and the headers do not name; default: the query of GET, HEAD and DELETE, else the body */
    params: z.record(z.string(), parameterSchema).optional(),
    bodyType: z.enum(["json", "form", "text"]).optional(),
    effect: z.enum(["read", "keyed", "once"]).optional(),
    tier: z.enum(["open", "write", "publish", "external", "admin", "danger"]).optional(),
    approval: z.enum(["never", "ask"]).optional(),
    timeoutMs: z.int().min(1_000).max(120_000).optional(),
  })
  .superRefine((given, context) => {
    for (const { path, message } of faultsOf(given)) context.addIssue({ code: "custom", path, message });
  });

export type ToolDefinitionData = z.infer<typeof definitionSchema>;

interface Fault {
  readonly path: string[];
  readonly message: string;
}

/** `{field}` in a template. */
export const PLACEHOLDER = /\{([A-Za-z_$][\w$.-]{0,99})\}/g;
export const placeholdersIn = (text: string): readonly string[] =>
  [...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? "");

/** Returns scheme and host of a template, and the rest; null if an argument could change the host. */
export function splitTemplate(url: string): { readonly origin: string; readonly rest: string } | null {
  const found = /^(https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?)([/?][^#\s\\]*)?$/.exec(url);
  return found === null ? null : { origin: found[1] ?? "", rest: found[2] ?? "" };
}

function faultsOf(given: {
  readonly method: string;
  readonly url: string;
  readonly inputSchema?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly params?: Readonly<Record<string, z.infer<typeof parameterSchema>>> | undefined;
  readonly effect?: string | undefined;
}): readonly Fault[] {
  const faults: Fault[] = [];
  const template = splitTemplate(given.url);
  if (template === null)
    return [
      {
        path: ["url"],
        message:
          "An absolute http(s) address without credentials and fragment, whose host holds no {field}: https://api.example.com/items/{id}",
      },
    ];
  const [path = "", query = ""] = template.rest.split("?");
  if (/[{}]/.test(path.replace(PLACEHOLDER, "")) || /[{}]/.test(query.replace(PLACEHOLDER, "")))
    faults.push({
      path: ["url"],
      message: "Each { of a template ends with } and holds the name of a field.",
    });
  if (query.split("&").some((pair) => placeholdersIn(pair.split("=")[0] ?? "").length > 0))
    faults.push({ path: ["url"], message: "In the query a {field} stands in a value, not in a name." });
  if (path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    faults.push({ path: ["url"], message: "The path must not hold . or .. as a segment." });
  if (READS.has(given.method) && given.effect !== undefined && given.effect !== "read")
    faults.push({ path: ["effect"], message: `${given.method} is a read.` });
  const schema = given.inputSchema as JsonObject | undefined;
  const fault = schema === undefined ? null : schemaFault(schema);
  if (fault !== null) faults.push({ path: ["inputSchema"], message: fault });
  const fields = new Set(fieldsOf(schema));
  const named = [...placeholdersIn(given.url), ...Object.values(given.headers ?? {}).flatMap(placeholdersIn)];
  for (const name of new Set([...named, ...Object.keys(given.params ?? {})]))
    if (!fields.has(name))
      faults.push({ path: ["inputSchema"], message: `It has no field ${name}, which the request names.` });
  return faults;
}

function schemaFault(schema: JsonObject): string | null {
  if (isTooDeep(schema)) return "It is nested too deep.";
  if (JSON.stringify(schema).length > SCHEMA_CHARS_MAX)
    return `It is longer than ${SCHEMA_CHARS_MAX} characters.`;
  if (fieldsOf(schema).length > FIELDS_MAX) return `It has more than ${FIELDS_MAX} fields.`;
  if (offeredSchema(schema) === null) return "It is no schema of an object, or too long for a model.";
  try {
    inputOf(schema);
    return null;
  } catch (error) {
    return `It cannot be read: ${error instanceof Error ? startOf(error.message, 200) : "unknown"}`;
  }
}

export const fieldsOf = (schema: JsonObject | undefined): readonly string[] => {
  const properties = schema?.["properties"];
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
};

export const isRead = ({ method, effect }: Pick<ToolDefinitionData, "method" | "effect">): boolean =>
  READS.has(method) || effect === "read";
