/** A tool's output is JSON, may hold the JSON of another service, and is quoted in a message that is JSON again. */
const JSON_DEPTH_MAX = 3;

/**
 * Returns the spellings of a value in a text: plain, and as URLs, HTML, base64 and hexadecimal write it, each also
 * inside JSON, and inside JSON in JSON. Not included: base64 broken into lines inside the value, other nested
 * encodings, and inventions of a model, such as the value backwards.
 */
export function secretForms(value: string): readonly string[] {
  const text = value.toWellFormed();
  const bytes = new TextEncoder().encode(text);
  const forms = new Set([
    ...codeForms(text),
    ...urlForms(text, bytes),
    ...htmlForms(text),
    ...byteForms(bytes),
  ]);
  for (let depth = 0; depth < JSON_DEPTH_MAX; depth++) {
    // Most forms hold nothing that JSON escapes, and stay as they are.
    for (const form of Array.from(forms)) forms.add(JSON.stringify(form).slice(1, -1));
  }
  return [...forms];
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");
const eachByte = (bytes: Uint8Array, write: (byte: number) => string): string =>
  Array.from(bytes, write).join("");

/** Itself, with escaped strokes, and letter by letter by its code. */
function codeForms(text: string): string[] {
  const units = Array.from({ length: text.length }, (_, at) => hex(text.charCodeAt(at), 4));
  return [
    text,
    JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
    units.map((unit) => `\\u${unit}`).join(""),
    units.map((unit) => `\\u${unit.toUpperCase()}`).join(""),
  ];
}

function urlForms(text: string, bytes: Uint8Array): string[] {
  const component = encodeURIComponent(text);
  // As forms are sent: a blank is a plus, and more signs are escaped.
  const form = component
    .replace(/[!'()~]/g, (sign) => `%${hex(sign.charCodeAt(0), 2).toUpperCase()}`)
    .replaceAll("%20", "+");
  const every = eachByte(bytes, (byte) => `%${hex(byte, 2)}`);
  const lower = (escaped: string): string => escaped.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [
    component,
    lower(component),
    form,
    lower(form),
    every,
    every.replace(/[a-f]/g, (a) => a.toUpperCase()),
  ];
}

function htmlForms(text: string): string[] {
  const text3 = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quoted = text3.replaceAll('"', "&quot;");
  const apostrophes = ["&#39;", "&#x27;", "&#x27;".toUpperCase().replace("X", "x"), "&apos;", "&#039;"];
  const points = Array.from(text, (sign) => sign.codePointAt(0) ?? 0);
  return [
    text3,
    quoted,
    ...apostrophes.map((entity) => quoted.replaceAll("'", entity)),
    points.map((point) => `&#${point};`).join(""),
    points.map((point) => `&#x${hex(point, 1)};`).join(""),
    points.map((point) => `&#x${hex(point, 1).toUpperCase()};`).join(""),
  ];
}

/** Hexadecimal, and base64 of the value alone and of any longer text that holds it. */
function byteForms(bytes: Uint8Array): string[] {
  const digits = eachByte(bytes, (byte) => hex(byte, 2));
  const whole = base64(bytes);
  const forms = [whole, whole.replace(/=+$/, ""), ...[0, 1, 2].map((before) => base64Inside(bytes, before))];
  const ofUrls = forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  return [digits, digits.toUpperCase(), ...forms, ...ofUrls];
}

/**
 * Returns the base64 characters that encode the value in any context, when `before` bytes of a group of three come
 * first. Characters shared with neighbors are left out: at most two at each end, which reveal less than a byte.
 */
function base64Inside(bytes: Uint8Array, before: number): string {
  const group = new Uint8Array(before + bytes.length);
  group.set(bytes, before);
  const shared = Math.ceil((before * 8) / 6);
  return base64(group).slice(shared, Math.floor((group.length * 8) / 6));
}

function base64(bytes: Uint8Array): string {
  return btoa(eachByte(bytes, (byte) => String.fromCharCode(byte)));
}
