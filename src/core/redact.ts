import type { Json } from "./json.ts";

/** Scrubs secrets from whatever is written (loop 11): by value and its encodings, and by the look of common keys. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

export type Redact = <Value extends Json>(value: Value) => Value;

/** shorter values would scrub ordinary words */
const VALUE_CHARS_MIN = 8;

/** Keys that give themselves away by their form: bearer tokens, JSON web tokens, and prefixes that vendors use. */
const FORMS: readonly RegExp[] = [
  /\bBearer\s+[A-Za-z0-9._~+/-]{20,}=*/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /\b(?:sk|rk|pk)[-_](?:live|test|proj|ant|or)[-_A-Za-z0-9]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{20,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bwhsec_[A-Za-z0-9+/]{20,}=*/g,
];

/** Names of fields whose values are never shown, wherever they stand (views only: what is stored must run as it was decided). */
const HIDDEN_FIELD = /^(password|passwd|token|authorization|api_?key|cookie|secret|client_?secret)$/i;

/** A function that replaces each secret in any string of a value, as `[secret:NAME]`. Cheap when nothing is found. */
export function createRedactor(secrets: readonly Secret[]): Redact {
  const forms = secrets
    .filter(({ value }) => value.length >= VALUE_CHARS_MIN)
    .flatMap(({ name, value }) => encodings(value).map((text) => ({ text, mark: `[secret:${name}]` })))
    .sort((a, b) => b.text.length - a.text.length);
  const scrub = (text: string): string => {
    let out = text;
    for (const form of forms) if (out.includes(form.text)) out = out.split(form.text).join(form.mark);
    for (const form of FORMS) out = out.replace(form, "[redacted]");
    return out;
  };
  // Texts become texts and objects objects of the same fields: only the contents of strings change.
  return <Value extends Json>(value: Value) => walk(value, scrub) as Value;
}

/** The value without the contents of fields that are named like secrets. */
export function hideFields(value: Json): Json {
  if (Array.isArray(value)) return (value as Json[]).map(hideFields);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      HIDDEN_FIELD.test(key) && item !== null ? "[redacted]" : hideFields(item),
    ]),
  );
}

function walk(value: Json, scrub: (text: string) => string): Json {
  if (typeof value === "string") return scrub(value);
  if (typeof value !== "object" || value === null) return value;
  // The same object comes back when nothing in it was a secret: most rows hold none.
  if (Array.isArray(value)) {
    const before = value as Json[];
    const items = before.map((item) => walk(item, scrub));
    return items.every((item, index) => item === before[index]) ? before : items;
  }
  let changed = false;
  const out: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const next = walk(item, scrub);
    const name = scrub(key);
    if (next !== item || name !== key) changed = true;
    out[name] = next;
  }
  return changed ? out : value;
}

function encodings(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const base64 = btoa(String.fromCharCode(...bytes));
  const plain = base64.replace(/=+$/, "");
  const url = plain.replaceAll("+", "-").replaceAll("/", "_");
  const json = JSON.stringify(value).slice(1, -1);
  return [...new Set([value, json, encodeURIComponent(value), base64, plain, url])];
}
