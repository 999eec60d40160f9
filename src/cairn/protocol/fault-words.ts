import { ownValue } from "../core/log/json.ts";
import * as z from "zod";

/** Messages for values that do not fit their schema, worded for people and models. */

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
  url: "an address such as https://example.com/",
  email: "an email address",
  datetime: "a time such as 2026-01-31T12:00:00Z",
  date: "a date such as 2026-01-31",
  uuid: "a UUID",
};

/** number of possible values that are listed */
const VALUES_LISTED_MAX = 20;

type Fault = Parameters<z.core.$ZodErrorMap>[0];

/** One sentence; undefined for what zod itself has to word. */
export function faultWords(fault: Fault): string | undefined {
  switch (fault.code) {
    case "invalid_type":
      return fault.input === undefined
        ? "It is missing."
        : `It must be ${ownValue(KINDS, fault.expected) ?? fault.expected}.`;
    case "invalid_value":
      return `It must be ${choices(fault.values)}.`;
    case "too_small":
      return boundWords(fault.origin, fault.minimum, fault.inclusive === false ? "more than" : "at least");
    case "too_big":
      return boundWords(fault.origin, fault.maximum, fault.inclusive === false ? "less than" : "at most");
    case "invalid_format":
      return `It must be ${ownValue(FORMATS, fault.format) ?? "of another form"}.`;
    case "not_multiple_of":
      return `It must be a multiple of ${fault.divisor}.`;
    case "unrecognized_keys":
      return `Not known here: ${fault.keys.join(", ")}.`;
    case "invalid_union":
      return "It is none of what is possible here.";
    default:
      return undefined;
  }
}

/** From here on all schemas of this isolate speak so, but for those that have words of their own. */
export function installErrorMessages(): void {
  z.config({ customError: faultWords });
}

function boundWords(origin: string, bound: number | bigint, how: string): string {
  if (origin === "string" && how === "at least" && Number(bound) === 1) return "It must not be empty.";
  if (origin === "string") return `It must have ${how} ${counted(bound, "character")}.`;
  if (origin === "array" || origin === "set") {
    if (how === "at least" && Number(bound) === 1) return "It must not be empty.";
    return `It must have ${how} ${bound === 1 ? "1 entry" : `${bound} entries`}.`;
  }
  return `It must be ${how} ${bound}.`;
}

const counted = (count: number | bigint, what: string): string =>
  `${count} ${what}${Number(count) === 1 ? "" : "s"}`;

function choices(values: readonly unknown[]): string {
  const listedValues = values
    .slice(0, VALUES_LISTED_MAX)
    .map((value) => JSON.stringify(value) ?? String(value));
  if (listedValues.length === 1) return listedValues[0] ?? "";
  return `one of ${listedValues.join(", ")}${values.length > listedValues.length ? " …" : ""}`;
}
