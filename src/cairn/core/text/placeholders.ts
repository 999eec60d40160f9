import { PLACEHOLDER_CHARS_MAX } from "../limits.ts";
import type { Json } from "../log/json.ts";

/** Unfilled placeholders: `{{x}}`, `[[x]]`, `<<x>>`, `{%x%}`, `${x}`, `[insert x]`, outside code. */

const NAME = `[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}_ .|'-]{0,${PLACEHOLDER_CHARS_MAX - 1}})(?<! )`;
const PLACEHOLDER = new RegExp(
  [
    String.raw`\{\{\s*${NAME}\s*\}\}`,
    String.raw`\[\[\s*${NAME}\s*\]\]`,
    String.raw`<<${NAME}>>`,
    String.raw`\{%\s*${NAME}\s*%\}`,
    String.raw`\$\{\s*${NAME}\s*\}`,
    String.raw`\[insert ${NAME}\]`,
  ].join("|"),
  "giu",
);
/** Fenced blocks and code spans, whole or left open. */
const CODE = /(`+)[\s\S]*?(?:\1|$)/g;

/** The placeholders of a text, or of all texts of a value, each once, in their order. */
export function findPlaceholders(value: Json): readonly string[] {
  return [...new Set(textsOf(value).flatMap((text) => text.replace(CODE, " ").match(PLACEHOLDER) ?? []))];
}

function textsOf(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
