import type { Json } from "../log/json.ts";
import { createNeedles, type Needles } from "./multi-search.ts";
import { secretForms } from "./secret-forms.ts";

/** Scrubs secrets from whatever is written: by value and its encodings, and by the look of common keys. */
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

/** Keys that give themselves away by their form: bearer tokens, JSON web tokens, our own signed ones, prefixes of vendors. */
const FORMS: readonly RegExp[] = [
  /\bBearer\s+[A-Za-z0-9._~+/-]{20,}=*/g,
  // The first part ends where another might begin: however many beginnings there are, each character is looked at once.
  /\beyJ(?:\w|-(?!eyJ)){10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g,
  /\beyJ(?:\w|-(?!eyJ)){10,}\.[\w-]{43,}/g,
  /\b(?:sk|rk|pk)[-_](?:live|test|proj|ant|or)[-_A-Za-z0-9]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{20,}/g,
  /\bAKIA[0-9A-Z]{16,}/g,
  /\bwhsec_[A-Za-z0-9+/]{20,}=*/g,
];

/** Prefixes of secrets: a text without any of them is scanned once, not once per pattern. */
const MARK = /Bearer\s|eyJ|[srp]k[-_]|gh[pousr]_|xox[abprs]-|AKIA|whsec_/;

/** field names that a redactor remembers as clean: those of the entries, and frequent ones of tools */
const NAMES_CACHED = 1_000;

/**
 * The same forms while they grow, at the end of a text: nothing of them is shown until it is known what they become. Each is a
 * beginning and the signs that may follow it.
 */
const GROWING: readonly (readonly [begins: RegExp, goesOn: RegExp])[] = [
  [/\bBearer/g, /[\w.~+/=-]/],
  [/\beyJ/g, /[\w.-]/],
  [/\b[srp]k[-_]/g, /[\w-]/],
  [/\bgh[pousr]_?/g, /[A-Za-z0-9]/],
  [/\bxox/g, /[\w-]/],
  [/\bAKIA/g, /[0-9A-Z]/],
  [/\bwhsec_?/g, /[A-Za-z0-9+/=]/],
];
/** The first signs of such a beginning. */
const BEGINNING = /\b(?:B|Be|Bea|Bear|Beare|e|ey|[srp]|[srp]k|gh?|xo?|AK?|AKI|w|wh|whs|whse)$/;
/** signs of the longest beginning, and the one before it */
const BEGINNING_CHARS = 8;

/** held characters up to which each push looks at all of them; beyond, the next look waits until there are twice as many */
const EAGER_CHARS_MAX = 4_096;

/**
 * Names of fields whose values are never shown, at any depth (in views only: stored values must run as they were
 * approved).
 */
const HIDDEN_FIELD = /^(password|passwd|token|authorization|api_?key|cookie|secret|client_?secret)$/i;

/** Returns the log text of a thrown value: its stack and causes, or its text, scrubbed. */
export function complaintOf(error: unknown, redact: Redact): string {
  if (!(error instanceof Error)) return redact(String(error));
  const own = error.stack ?? error.message;
  // The stack begins with the message, unless that was changed after it was thrown.
  const report = own.includes(error.message) ? own : `${error.message}\n${own}`;
  const cause = error.cause === undefined ? "" : `\ncaused by: ${complaintOf(error.cause, redact)}`;
  return redact(report + cause);
}

interface Form {
  readonly text: string;
  readonly mark: string;
}

/** A function that replaces each secret in any string of a value, as `[secret:NAME]`. Cheap when nothing is found. */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const forms = createNeedles(
    secrets
      .filter(({ value }) => value.length >= VALUE_CHARS_MIN)
      .flatMap(({ name, value }) =>
        secretForms(value).map((text): Form => ({ text, mark: `[secret:${name}]` })),
      ),
  );
  const scrub = (text: string, midWord = false): string => {
    // No pattern begins with a digit, so this one only means that no word begins here.
    let out = (midWord ? "0" : "") + replaceFound(text, forms);
    if (!MARK.test(out)) return midWord ? out.slice(1) : out;
    for (const form of FORMS) out = out.replace(form, "[redacted]");
    return midWord ? out.slice(1) : out;
  };
  // Texts become texts and objects objects of the same fields: only the contents of strings change.
  const clean = new Set<string>();
  const scrubName = (name: string): string => {
    if (clean.has(name)) return name;
    const scrubbed = scrub(name);
    if (scrubbed === name && clean.size < NAMES_CACHED) clean.add(name);
    return scrubbed;
  };
  const redact: Redact = <Value extends Json>(value: Value) =>
    walk(value, (text) => scrub(text), scrubName) as Value;
  return Object.assign(redact, { stream: () => streamRedactor(forms, scrub) });
}

function replaceFound(text: string, forms: Needles<Form>): string {
  let out = "";
  let done = 0;
  for (const { start, end, needle } of forms.find(text)) {
    out += text.slice(done, start) + needle.mark;
    done = end;
  }
  return done === 0 ? text : out + text.slice(done);
}

function streamRedactor(
  forms: Needles<Form>,
  scrub: (text: string, midWord: boolean) => string,
): StreamRedactor {
  let held = "";
  /** what went out last ends in the middle of a word, in which no key of a known form begins */
  let midWord = false;
  /** held characters at which to look again */
  let lookAt = 0;
  const release = (chars: number): string => {
    if (chars === 0) return "";
    const scrubbed = scrub(held.slice(0, chars), midWord);
    held = held.slice(chars);
    midWord = /\w$/.test(scrubbed);
    return scrubbed;
  };
  return {
    push(text) {
      held += text;
      if (held.length < lookAt) return "";
      const certain = release(certainChars(held, midWord, forms));
      lookAt = held.length > EAGER_CHARS_MAX ? 2 * held.length : 0;
      return certain;
    },
    end: () => release(held.length),
  };
}

/** How many characters of the text can be part of no secret that has begun and is not complete. */
function certainChars(text: string, midWord: boolean, forms: Needles<Form>): number {
  const found = forms.find(text);
  // The growing end starts after the last complete secret: a mark separates the two.
  const last = found.at(-1)?.end ?? 0;
  const tail = (last === 0 && midWord ? "0" : "") + text.slice(last);
  let certain = text.length - (tail.length - startOfGrowing(tail));
  for (let at = Math.max(0, text.length - forms.longest + 1); at < certain; at++) {
    const inside = found.some(({ start, end }) => start < at && at < end);
    if (!inside && forms.mayGrow(text, at)) certain = at;
  }
  // Not in the middle of what is complete already, be it a secret or a key that is known by its form.
  const whole = [...found, ...known(text, certain)];
  for (let before = -1; before !== certain;) {
    before = certain;
    for (const { start, end } of whole) if (start < certain && certain < end) certain = start;
  }
  return certain;
}

/** Where the first key begins that may still grow at the end of the text; the length of the text where none does. Linear. */
function startOfGrowing(text: string): number {
  let first = text.length;
  for (const [begins, goesOn] of GROWING) {
    let run = text.length;
    while (run > 0 && goesOn.test(text.charAt(run - 1))) run--;
    // Blanks may follow only the first word of a bearer token.
    let from = run;
    if (begins.source.endsWith("Bearer")) while (from > 0 && /\s/.test(text.charAt(from - 1))) from--;
    const at = Math.max(0, from - BEGINNING_CHARS);
    // The sign before is needed to see where a word begins.
    for (const match of text.slice(at).matchAll(begins)) {
      const [start, end] = [at + match.index, at + match.index + match[0].length];
      const isCut = start === at && at > 0 && /\w/.test(text.charAt(at - 1));
      if (end < from || isCut) continue;
      first = Math.min(first, start);
      break;
    }
  }
  const tail = text.slice(-BEGINNING_CHARS);
  const begun = BEGINNING.exec(tail);
  return begun === null ? first : Math.min(first, text.length - tail.length + begun.index);
}

/** Finds keys of known forms; skipped if nothing is held back. */
function known(text: string, certain: number): readonly { readonly start: number; readonly end: number }[] {
  if (certain === text.length || certain === 0) return [];
  return FORMS.flatMap((form) =>
    Array.from(text.matchAll(form), (match) => ({ start: match.index, end: match.index + match[0].length })),
  );
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

type Scrub = (text: string) => string;

/** The same object comes back when nothing in it was a secret: most entries hold none. */
function walk(value: Json, scrub: Scrub, scrubName: Scrub): Json {
  if (typeof value === "string") return scrub(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const before = value as Json[];
    const after = before.map((item) => walk(item, scrub, scrubName));
    return after.every((item, index) => item === before[index]) ? before : after;
  }
  const names = Object.keys(value);
  const before: Json[] = Object.values(value);
  const after = before.map((item) => walk(item, scrub, scrubName));
  const isClean = names.every((name, index) => after[index] === before[index] && scrubName(name) === name);
  return isClean
    ? value
    : Object.fromEntries(names.map((name, index) => [scrubName(name), after[index] ?? null]));
}
