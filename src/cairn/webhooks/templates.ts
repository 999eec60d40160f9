import { startOf } from "../core/text/cut.ts";
import { FENCED_CHARS_MAX } from "../core/limits.ts";
import type { PromptPart } from "../core/log/model.ts";

/**
 * The text of a webhook's rule with places for what was sent: `{{body.issue.title|truncate:80|untrusted}}`. A place begins
 * with `header.NAME`, `body` or `body.PATH`, or `delivery` (a name of the delivery, made by Cairn); filters follow.
 */

/** The received webhook. `text` is the raw body. */
export interface Sent {
  readonly headers: Headers;
  readonly body: unknown;
  readonly text: string;
  /** letters and digits that identify this delivery, equal for each repetition */
  readonly delivery: string;
}

export interface Placeholder {
  readonly root: "header" | "body" | "delivery";
  readonly path: readonly string[];
  readonly filters: readonly Filter[];
}
export type Template = readonly (string | Placeholder)[];

export type Filter =
  | { readonly name: "slug" | "json" | "untrusted" }
  | { readonly name: "truncate"; readonly chars: number };

const PLACEHOLDER = /\{\{([^{}]*)\}\}/;
const PATH = /^(header\.[A-Za-z0-9-]+|body(\.[\w$-]+)*|delivery)$/;

/** Throws with words about the first place that cannot be read. */
export function parseTemplate(text: string): Template {
  return text.split(PLACEHOLDER).map((piece, at) => {
    if (at % 2 === 1) return parsePlaceholder(piece);
    if (/\{\{|\}\}/.test(piece)) throw new Error("{{ and }} do not match");
    return piece;
  });
}

function parsePlaceholder(text: string): Placeholder {
  const [path = "", ...filters] = text.split("|").map((part) => part.trim());
  if (!PATH.test(path))
    throw new Error(`{{${text}}} does not begin with header.NAME, body, body.PATH or delivery`);
  const [root = "", ...steps] = path.split(".");
  return { root: root as Placeholder["root"], path: steps, filters: filters.map(parseFilter) };
}

function parseFilter(text: string): Filter {
  const chars = /^truncate:([1-9]\d{0,6})$/.exec(text)?.[1];
  if (chars !== undefined) return { name: "truncate", chars: Number(chars) };
  if (text === "slug" || text === "json" || text === "untrusted") return { name: text };
  throw new Error(`there is no filter ${text}; there are slug, json, truncate:N and untrusted`);
}

/** The text with what was sent in its places. A place without a value is empty, and named to `missing`. */
export function render(
  template: Template,
  sent: Sent,
  missing: (placeholder: string) => void = () => {},
): string {
  return template
    .map((piece) => {
      if (typeof piece === "string") return piece;
      const value = valueAt(piece, sent);
      const text = value === undefined || value === null ? "" : filtered(piece, value, sent);
      if (text === "") missing([piece.root, ...piece.path].join("."));
      return text;
    })
    .join("");
}

/**
 * Renders the text as parts of a message: the template's own text, and each inserted value separately. A prompt fences
 * all but the first (core/prompt/transcript.ts).
 */
export function renderParts(template: Template, sent: Sent): PromptPart[] {
  const parts: PromptPart[] = [];
  let own = "";
  const flush = (): void => {
    if (own.trim() !== "") parts.push({ type: "text", text: own.trim(), trusted: true });
    own = "";
  };
  for (const piece of template) {
    const text = render([piece], sent);
    if (typeof piece === "string" || piece.root === "delivery") own += text;
    else if (text !== "") {
      flush();
      parts.push({ type: "text", text: truncate(text, FENCED_CHARS_MAX) });
    }
  }
  flush();
  return parts;
}

function valueAt({ root, path }: Placeholder, sent: Sent): unknown {
  if (root === "delivery") return sent.delivery;
  if (root === "header") return sent.headers.get(path[0] ?? "");
  let value = sent.body;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function filtered({ root, path, filters }: Placeholder, value: unknown, sent: Sent): string {
  // The whole body is inserted raw, not parsed and serialized again.
  let text = root === "body" && path.length === 0 ? sent.text : textOf(value);
  for (const filter of filters) {
    if (filter.name === "json") text = typeof value === "string" ? JSON.stringify(text) : text;
    if (filter.name === "slug") text = slug(text);
    if (filter.name === "truncate") text = truncate(text, filter.chars);
  }
  return text.toWellFormed();
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

function truncate(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${startOf(text, chars)} [cut here: the text had ${text.length} characters]`;
}
