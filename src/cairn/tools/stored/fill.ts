import { isObject, ownValue, type Json, type JsonObject } from "../../core/log/json.ts";
import { ToolError } from "../define.ts";
import type { HttpRequest } from "../requests/request.ts";
import { PLACEHOLDER, placeholdersIn, splitTemplate, type ToolDefinitionData } from "./definition.ts";

/**
 * The request of a tool as data, with the arguments in their places. An argument never leaves its place: what would change the
 * host, the path around it, the other fields of the query, or the other headers is refused.
 */
export function fillRequest(tool: ToolDefinitionData, input: JsonObject): HttpRequest {
  const { method, headers = {}, params = {} } = tool;
  const template = splitTemplate(tool.url);
  if (template === null) throw invalidInput("url", "The template is no address.");
  const [pathTemplate = "", queryTemplate = ""] = template.rest.split("?");
  const path = pathTemplate.replace(PLACEHOLDER, (_whole, name: string) =>
    inPath(name, ownValue(input, name)),
  );
  const inTemplate = new Set([
    ...placeholdersIn(tool.url),
    ...Object.values(headers).flatMap(placeholdersIn),
  ]);
  const query: string[] = queryTemplate === "" ? [] : filledQuery(queryTemplate, input);
  const filled: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const placeholders = placeholdersIn(value);
    // A header whose argument was left out is left out.
    if (placeholders.some((placeholder) => isAbsent(ownValue(input, placeholder)))) continue;
    filled[name] = value.replace(PLACEHOLDER, (_whole, placeholder: string) =>
      inHeader(placeholder, ownValue(input, placeholder)),
    );
  }
  const fields: Record<string, Json> = {};
  let whole: Json | undefined;
  for (const [name, value] of Object.entries(input)) {
    if (isAbsent(value) || (inTemplate.has(name) && ownValue(params, name) === undefined)) continue;
    const parameter = ownValue(params, name) ?? { in: BODYLESS.has(method) ? ("query" as const) : null };
    const wire = "name" in parameter && parameter.name !== undefined ? parameter.name : name;
    const style = "style" in parameter ? parameter.style : undefined;
    if (parameter.in === "path") continue;
    if (parameter.in === "query") query.push(...inQuery(wire, value, style ?? "repeat"));
    else if (parameter.in === "header") filled[wire] = inHeader(name, value);
    else if (parameter.in === "body") whole = value;
    else fields[wire] = value;
  }
  const url = `${template.origin}${path || "/"}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  checkSegments(url, template.origin, path || "/");
  const body = bodyOf(tool, whole ?? (Object.keys(fields).length === 0 ? undefined : fields));
  if (body !== null && !Object.keys(filled).some((name) => name.toLowerCase() === "content-type"))
    filled["Content-Type"] = body.type;
  return {
    method,
    url,
    ...(Object.keys(filled).length === 0 ? {} : { headers: filled }),
    ...(body === null ? {} : { body: body.text }),
  };
}

const BODYLESS: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE"]);
const BODY_CHARS_MAX = 262_144;
const HEADER_CHARS_MAX = 1_024;

const isAbsent = (value: Json | undefined): value is null | undefined =>
  value === undefined || value === null;

const invalidInput = (field: string, message: string): ToolError =>
  new ToolError("invalid_args", "invalid_input", message, { at: field, nothingDone: true });

function textOf(field: string, value: Json | undefined): string {
  if (isAbsent(value)) throw invalidInput(field, `${field} is missing.`);
  if (Array.isArray(value)) return value.map((one: Json) => textOf(field, one)).join(",");
  if (typeof value === "object")
    return Object.entries(value)
      .flatMap(([key, one]) => (isAbsent(one) ? [] : [key, textOf(field, one)]))
      .join(",");
  const text = String(value);
  if (!text.isWellFormed()) throw invalidInput(field, `${field} holds half a character.`);
  return text;
}

const encoded = (field: string, value: Json | undefined): string => encodeURIComponent(textOf(field, value));

/** One segment or a part of it. Its slashes are encoded; some servers decode them, so no part may lead upwards. */
function inPath(field: string, value: Json | undefined): string {
  const text = textOf(field, value);
  if (text === "") throw invalidInput(field, `${field} stands in the path, so it must not be empty.`);
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(text)) throw invalidInput(field, `${field} holds a control character.`);
  if (leadsUp(text))
    throw invalidInput(field, `${field} would lead to another path: it must hold no . or .. as a segment.`);
  return encodeURIComponent(text);
}

function leadsUp(text: string): boolean {
  let plain = text;
  // Some servers decode twice.
  for (let turn = 0; turn < 3; turn += 1) {
    if (plain.split(/[/\\]/).some((part) => /^\.{1,2}(?:;.*)?$/.test(part.trim()))) return true;
    const next = plain.replace(/%(2e|2f|5c|25)/gi, (_whole, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    );
    if (next === plain) return false;
    plain = next;
  }
  return false;
}

function filledQuery(template: string, input: JsonObject): string[] {
  return template.split("&").flatMap((pair) => {
    // A field of the query whose argument was left out is left out.
    if (placeholdersIn(pair).some((name) => isAbsent(ownValue(input, name)))) return [];
    return [pair.replace(PLACEHOLDER, (_whole, name: string) => encoded(name, ownValue(input, name)))];
  });
}

function inQuery(name: string, value: Json, style: "repeat" | "comma" | "deep" | "json"): string[] {
  const pair = (key: string, one: Json): string => `${encodeURIComponent(key)}=${encoded(name, one)}`;
  if (style === "json") return [`${encodeURIComponent(name)}=${encodeURIComponent(JSON.stringify(value))}`];
  if (Array.isArray(value)) {
    const present = value.filter((one: Json) => !isAbsent(one));
    return style === "comma" ? [pair(name, present)] : present.map((one: Json) => pair(name, one));
  }
  if (!isObject(value) || style === "comma") return [pair(name, value)];
  return Object.entries(value).flatMap(([key, one]) =>
    isAbsent(one) ? [] : [pair(style === "deep" ? `${name}[${key}]` : key, one)],
  );
}

function inHeader(field: string, value: Json | undefined): string {
  const text = textOf(field, value);
  if (!/^[\t\x20-\x7e]*$/.test(text) || text.length > HEADER_CHARS_MAX)
    throw invalidInput(
      field,
      `${field} stands in a header: one line of at most ${HEADER_CHARS_MAX} ASCII characters.`,
    );
  if (/secret:/i.test(text))
    throw invalidInput(field, `${field} must name no secret: the tool says which it uses.`);
  return text;
}

/** The address as the platform reads it has the host and as many segments as the template has. */
function checkSegments(url: string, origin: string, path: string): void {
  const read = URL.parse(url);
  const wanted = URL.parse(`${origin}/`);
  const isHeld =
    read !== null &&
    wanted !== null &&
    read.origin === wanted.origin &&
    read.hash === "" &&
    read.username === "" &&
    read.pathname.split("/").length === path.split("/").length;
  if (!isHeld) throw invalidInput("url", "The arguments would lead to another address than the tool's.");
}

function bodyOf(
  { bodyType = "json", method }: ToolDefinitionData,
  value: Json | undefined,
): { readonly text: string; readonly type: string } | null {
  if (value === undefined || method === "GET" || method === "HEAD") return null;
  const body =
    bodyType === "form"
      ? { text: inForm(value), type: "application/x-www-form-urlencoded" }
      : bodyType === "text"
        ? {
            text: typeof value === "string" ? value : JSON.stringify(value),
            type: "text/plain; charset=utf-8",
          }
        : { text: JSON.stringify(value), type: "application/json" };
  if (body.text.length > BODY_CHARS_MAX)
    throw invalidInput("body", `The body is longer than ${BODY_CHARS_MAX} characters.`);
  return body;
}

const inForm = (value: Json): string =>
  isObject(value)
    ? Object.entries(value)
        .flatMap(([name, one]) => (isAbsent(one) ? [] : inQuery(name, one, "repeat")))
        .join("&")
    : encodeURIComponent(textOf("body", value));
