import type { Json } from "./json.ts";

/** Scrubs secrets from whatever is written (loop 11): by value and its encodings, and by the look of common keys. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

export type Redact = <Value extends Json>(value: Value) => Value;

/** Scrubs whole values, and texts that come in pieces. */
export type Redactor = Redact & {
  /** for one text that is streamed */
  readonly stream: () => StreamRedactor;
};

/** However the text is cut, what comes out is what the whole of it would be scrubbed to. */
export interface StreamRedactor {
  /** scrubbed text that is certain so far; holds back a tail that may be the beginning of a secret */
  push(text: string): string;
  /** what was held back */
  end(): string;
}

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

/** The same forms while they grow, at the end of a text: nothing of them is shown until it is known what they become. */
const GROWING =
  /\b(?:Bearer\s*[\w.~+/=-]*|eyJ[\w.-]*|[srp]k[-_][\w-]*|gh[pousr]_?[A-Za-z0-9]*|xox[\w-]*|AKIA[0-9A-Z]*|whsec_?[A-Za-z0-9+/=]*|B|Be|Bea|Bear|Beare|e|ey|[srp]|[srp]k|gh?|xo?|AK?|AKI|w|wh|whs|whse)$/;

/** Names of fields whose values are never shown, wherever they stand (views only: what is stored must run as it was decided). */
const HIDDEN_FIELD = /^(password|passwd|token|authorization|api_?key|cookie|secret|client_?secret)$/i;

/** A function that replaces each secret in any string of a value, as `[secret:NAME]`. Cheap when nothing is found. */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const forms = secrets
    .filter(({ value }) => value.length >= VALUE_CHARS_MIN)
    .flatMap(({ name, value }) => encodings(value).map((text) => ({ text, mark: `[secret:${name}]` })))
    .sort((a, b) => b.text.length - a.text.length);
  const scrub = (text: string, midWord = false): string => {
    let out = text;
    for (const form of forms) if (out.includes(form.text)) out = out.split(form.text).join(form.mark);
    // No form begins with a digit, so this one only says that no word begins here.
    out = midWord ? `0${out}` : out;
    for (const form of FORMS) out = out.replace(form, "[redacted]");
    return midWord ? out.slice(1) : out;
  };
  const texts = forms.map((form) => form.text);
  // Texts become texts and objects objects of the same fields: only the contents of strings change.
  const redact: Redact = <Value extends Json>(value: Value) => walk(value, (text) => scrub(text)) as Value;
  return Object.assign(redact, { stream: () => streamRedactor(texts, scrub) });
}

function streamRedactor(
  secrets: readonly string[],
  scrub: (text: string, midWord: boolean) => string,
): StreamRedactor {
  let held = "";
  /** what went out last ends in the middle of a word, in which no key of a known form begins */
  let midWord = false;
  const release = (chars: number): string => {
    if (chars === 0) return "";
    const text = held.slice(0, chars);
    const scrubbed = scrub(text, midWord);
    held = held.slice(chars);
    midWord = /\w$/.test(text);
    return scrubbed;
  };
  return {
    push(text) {
      held += text;
      return release(certainChars(held, midWord, secrets));
    },
    end: () => release(held.length),
  };
}

/** How many characters of the text can be part of no secret that has begun and is not complete. */
function certainChars(text: string, midWord: boolean, secrets: readonly string[]): number {
  const growing = GROWING.exec(midWord ? `0${text}` : text);
  let certain = growing === null ? text.length : growing.index - (midWord ? 1 : 0);
  for (const secret of secrets) {
    let at = text.indexOf(secret.charAt(0), Math.max(0, text.length - secret.length + 1));
    while (at >= 0 && at < certain) {
      if (secret.startsWith(text.slice(at))) certain = at;
      at = text.indexOf(secret.charAt(0), at + 1);
    }
  }
  // Not in the middle of a secret that is complete already.
  for (const secret of secrets) {
    for (
      let at = text.indexOf(secret);
      at >= 0 && at < certain;
      at = text.indexOf(secret, at + secret.length)
    ) {
      if (at + secret.length > certain) certain = at;
    }
  }
  return certain;
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
