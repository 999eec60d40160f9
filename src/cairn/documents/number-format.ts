/**
 * Excel's number formats (ECMA-376 part 1, 18.8.30 and 18.8.31), as far as they change the meaning of a number: dates
 * and times become ISO 8601, elapsed time and percentages follow the format. Every other number is unchanged.
 */

export type NumberFormat =
  /** `date_or_time`: a built-in format that is a date in one language and a time in another, so the value decides */
  | {
      readonly kind: "date" | "time" | "date_time" | "date_or_time";
      /** digits of a second that are shown */
      readonly digits: number;
    }
  | { readonly kind: "elapsed"; readonly tokens: readonly Token[] }
  | { readonly kind: "percent"; readonly decimals: number }
  /** sections with a condition (`[<1]0%;0`): null where a section shows a number as it is */
  | {
      readonly kind: "conditional";
      readonly isMet: (value: number) => boolean;
      readonly met: NumberFormat | null;
      readonly unmet: NumberFormat | null;
    };

interface Token {
  /** `sign`: a character that is neither quoted nor escaped, such as a percent sign that multiplies */
  readonly unit: DateUnit | "fraction" | "place" | "text" | "sign";
  /** the unit counts on beyond 24 or 60 */
  readonly elapsed: boolean;
  /** digits at least; of a fraction exactly */
  readonly width: number;
  readonly text: string;
}

/** of a format that is looked at; Excel takes 255 */
const FORMAT_CHARS_MAX = 300;
const DECIMALS_MAX = 15;
const FRACTION_MAX = 3;

/** The format of positive numbers in a format code; null where it shows a number as it is. */
export function parseFormat(code: string): NumberFormat | null {
  const text = code.slice(0, FORMAT_CHARS_MAX);
  const { tokens, end, isMet } = tokensIn(text);
  const met = formatOf(tokens);
  if (isMet === null) return met;
  // A further condition after the first is rare: the second section applies to all other numbers.
  const unmet = end < text.length ? formatOf(tokensIn(text.slice(end + 1)).tokens) : met;
  return met === null && unmet === null ? null : { kind: "conditional", isMet, met, unmet };
}

function formatOf(tokens: readonly Token[]): NumberFormat | null {
  if (tokens.some(({ elapsed }) => elapsed)) return { kind: "elapsed", tokens };
  const units = tokens.flatMap(({ unit, width }) => (isUnit(unit) ? [{ unit, width }] : []));
  // A date has no places for digits, apart from those of a fraction of a second.
  const hasPlaces = tokens.some(({ unit }) => unit === "place");
  const isMinute = (at: number): boolean =>
    (units[at]?.width ?? 0) <= 2 && (units[at - 1]?.unit === "h" || units[at + 1]?.unit === "s");
  const hasTime = units.some(
    ({ unit }, at) => unit === "h" || unit === "s" || (unit === "m" && isMinute(at)),
  );
  const hasDate = units.some(
    ({ unit }, at) => unit === "y" || unit === "d" || (unit === "m" && !isMinute(at)),
  );
  const digits = Math.min(FRACTION_MAX, tokens.find(({ unit }) => unit === "fraction")?.width ?? 0);
  if (!hasPlaces && (hasDate || hasTime))
    return { kind: hasDate ? (hasTime ? "date_time" : "date") : "time", digits };
  const percents = tokens.filter(({ unit, text }) => unit === "sign" && text === "%").length;
  if (percents !== 1) return null;
  const point = tokens.findIndex(({ unit, text }) => unit === "sign" && text === ".");
  const decimals = point < 0 ? 0 : tokens.slice(point).filter(({ unit }) => unit === "place").length;
  return { kind: "percent", decimals: Math.min(DECIMALS_MAX, decimals) };
}

type DateUnit = "y" | "d" | "h" | "m" | "s";
const isUnit = (unit: string): unit is DateUnit => /^[ydhms]$/.test(unit);

interface Section {
  readonly tokens: readonly Token[];
  /** place of the `;` behind it, or the length of the format */
  readonly end: number;
  readonly isMet: ((value: number) => boolean) | null;
}

/** The first section of a format: that of positive numbers, or of those that meet its condition. */
function tokensIn(text: string): Section {
  const tokens: Token[] = [];
  const add = (unit: Token["unit"], width: number, said = "", elapsed = false): void => {
    tokens.push({ unit, elapsed, width, text: said });
  };
  const until = (sign: string, from: number): number => {
    const end = text.indexOf(sign, from);
    return end < 0 ? text.length : end;
  };
  let wasSecond = false;
  let isMet: Section["isMet"] = null;
  let at = 0;
  while (at < text.length && text.charAt(at) !== ";") {
    const char = text.charAt(at);
    const unit = char.toLowerCase();
    let next = at + 1;
    if (char === '"') {
      next = until('"', at + 1) + 1;
      add("text", 0, text.slice(at + 1, next - 1));
    } else if (char === "\\") {
      add("text", 0, text.charAt(at + 1));
      next = at + 2;
    } else if (char === "_" || char === "*") {
      // A blank as wide as the next sign, or that sign again and again.
      next = at + 2;
    } else if (char === "[") {
      next = until("]", at + 1) + 1;
      const inside = text.slice(at + 1, next - 1).toLowerCase();
      isMet ??= conditionIn(inside);
      const counted = /^(?:h+|m+|s+)$/.test(inside) ? inside.charAt(0) : "";
      if (counted === "h" || counted === "m" || counted === "s") {
        add(counted, inside.length, "", true);
        wasSecond = counted === "s";
      }
    } else if (/^(?:general|am\/pm|a\/p)/i.test(text.slice(at, at + 7))) {
      next = at + (unit === "g" ? 7 : text.charAt(at + 1) === "/" ? 3 : 5);
    } else if (isUnit(unit)) {
      while (text.charAt(next).toLowerCase() === unit) next++;
      add(unit, next - at);
      wasSecond = unit === "s";
    } else if (wasSecond && (char === "." || char === ",") && text.charAt(at + 1) === "0") {
      while (text.charAt(next) === "0") next++;
      add("fraction", next - at - 1);
    } else if (char === "0" || char === "#" || char === "?") add("place", 1);
    else add("sign", 0, char);
    at = next;
  }
  return { tokens, end: at, isMet };
}

/** `<1`, `>=100`, `<>0`; null for a colour, a language or a currency. */
function conditionIn(inside: string): Section["isMet"] {
  const [, sign, digits] = /^(<>|<=|>=|<|>|=)\s*(-?\d{1,15}(?:\.\d{1,15})?)$/.exec(inside) ?? [];
  if (sign === undefined) return null;
  const limit = Number(digits);
  return (value) => {
    if (sign === "<>") return value !== limit;
    if (sign === "=") return value === limit;
    return value === limit ? sign.endsWith("=") : value < limit === sign.startsWith("<");
  };
}

/** A serial number as its format shows it; null where Excel shows no date for it either. */
export function formatSerial(value: number, format: NumberFormat, isFrom1904: boolean): string | null {
  if (format.kind === "conditional") {
    const section = format.isMet(value) ? format.met : format.unmet;
    return section === null ? null : formatSerial(value, section, isFrom1904);
  }
  if (format.kind === "percent") return percent(value, format.decimals);
  if (format.kind === "elapsed") return elapsed(value, format.tokens);
  const limit = isFrom1904 ? LAST_DAY - DAYS_TO_1904 : LAST_DAY;
  if (value < 0 || value >= limit + 1) return null;
  // The clock is rounded first, so that 23:59:59.7 is the next day where no fraction is shown.
  const scale = 10 ** format.digits;
  const parts = Math.round(value * DAY_SECONDS * scale);
  const day = Math.floor(parts / (DAY_SECONDS * scale));
  const rest = parts - day * DAY_SECONDS * scale;
  const clock = clockOf(rest, format.digits);
  if (format.kind === "time" || (format.kind === "date_or_time" && value < 1)) return clock;
  const date = dateOf(isFrom1904 ? day + DAYS_TO_1904 : day);
  return rest === 0 ? date : `${date} ${clock}`;
}

const DAY_SECONDS = 86_400;
const DAY_MS = 86_400_000;
/** 31 December 9999 */
const LAST_DAY = 2_958_465;
/** from the first day of the 1900 system to that of the 1904 system */
const DAYS_TO_1904 = 1_462;
/** Excel counts a 29 February 1900 that never was: 60. Before it, day 1 is 1 January. */
const DAY_THAT_NEVER_WAS = 60;

function dateOf(day: number): string {
  // Excel shows both of these days, and no calendar has them.
  if (day === 0) return "1900-01-00";
  if (day === DAY_THAT_NEVER_WAS) return "1900-02-29";
  const first = Date.UTC(1899, 11, day < DAY_THAT_NEVER_WAS ? 31 : 30);
  return new Date(first + day * DAY_MS).toISOString().slice(0, 10);
}

const two = (count: number): string => String(count).padStart(2, "0");

function clockOf(parts: number, digits: number): string {
  const scale = 10 ** digits;
  const seconds = Math.floor(parts / scale);
  const clock = `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return digits === 0 ? clock : `${clock}.${String(parts % scale).padStart(digits, "0")}`;
}

/** Units that are not shown are cut off, as Excel does: 30:14:24 is 30:14. */
function elapsed(value: number, tokens: readonly Token[]): string {
  const digits = Math.min(FRACTION_MAX, tokens.find(({ unit }) => unit === "fraction")?.width ?? 0);
  const scale = 10 ** digits;
  const parts = Math.round(Math.abs(value) * DAY_SECONDS * scale);
  const seconds = Math.floor(parts / scale);
  const shown = tokens.map(({ unit, elapsed: goesOn, width, text }) => {
    if (unit === "fraction") return `.${String(parts % scale).padStart(digits, "0")}`;
    if (unit !== "h" && unit !== "m" && unit !== "s") return text;
    const count = Math.floor(seconds / SECONDS_OF[unit]);
    return String(goesOn ? count : count % (unit === "h" ? 24 : 60)).padStart(width, "0");
  });
  return `${value < 0 ? "-" : ""}${shown.join("").trim()}`;
}

const SECONDS_OF = { h: 3_600, m: 60, s: 1 } as const;

/** At least the digits that the format shows; more where the number has them, so that nothing of it is lost. */
function percent(value: number, decimals: number): string {
  const shown = plainNumber(value * 100);
  if (!/^-?\d+(?:\.\d+)?$/.test(shown)) return `${shown}%`;
  const has = shown.includes(".") ? shown.length - shown.indexOf(".") - 1 : 0;
  return `${has >= decimals ? shown : (value * 100).toFixed(decimals)}%`;
}

/** Excel has 15 digits: 0.1 + 0.2 is 0.3. */
export const plainNumber = (value: number): string => String(Number(value.toPrecision(15)));

const DATE: NumberFormat = { kind: "date", digits: 0 };
const TIME: NumberFormat = { kind: "time", digits: 0 };
const BOTH: NumberFormat = { kind: "date_time", digits: 0 };
const EITHER: NumberFormat = { kind: "date_or_time", digits: 0 };

const numbered = (ids: string, format: NumberFormat): readonly (readonly [number, NumberFormat])[] =>
  ids.split(" ").map((id) => [Number(id), format] as const);

/** Formats that a file names by their number alone. 27 to 36 and 50 to 58 are East Asian, 71 to 80 Thai. */
const BUILT_IN: ReadonlyMap<number, NumberFormat> = new Map([
  ...numbered("14 15 16 17 27 28 29 30 31 36 50 51 54 57 58 71 72 73 74", DATE),
  ...numbered("18 19 20 21 32 33 45 75 76 78", TIME),
  ...numbered("47 80", { kind: "time", digits: 1 }),
  ...numbered("22 77", BOTH),
  ...numbered("34 35 52 53 55 56", EITHER),
  ...numbered("9", { kind: "percent", decimals: 0 }),
  ...numbered("10", { kind: "percent", decimals: 2 }),
  ...[46, 79].flatMap((id) => {
    const format = parseFormat("[h]:mm:ss");
    return format === null ? [] : [[id, format] as const];
  }),
]);

export const builtInFormat = (id: number): NumberFormat | null => BUILT_IN.get(id) ?? null;
