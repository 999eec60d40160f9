import * as z from "zod";
import { $ZodAsyncError } from "zod/v4/core";
import { findUnplain } from "./plain.ts";
import { samplesOf } from "./samples.ts";
import { isSame, overwrites, typeOf } from "./steady.ts";

/**
 * Why the input of a tool cannot be one value from the card to `run`, or null. Values are stored as JSON, and the schema must
 * make the same of the same input at all times. The schema's own code is tried with samples, under two clocks.
 */
export function inputFault(schema: z.core.$ZodType): string | null {
  return faultIn({ schema, path: [], isInput: false }, new Set());
}

interface SchemaNode {
  readonly schema: z.core.$ZodType;
  readonly path: readonly string[];
  /** the value here is converted later: its type is not that of the stored value */
  readonly isInput: boolean;
}

/** Types without a value in JSON, and what to take in their place. */
const NOT_JSON: Readonly<Record<string, readonly [string, string]>> = {
  date: ["a Date", "take a text such as z.iso.datetime(), and make the Date in `run`"],
  set: ["a Set", "take z.array(), and make the Set in `run`"],
  map: ["a Map", "take z.record() or a list of pairs, and make the Map in `run`"],
  bigint: ["a bigint", "take z.int() or a text of digits, and make the bigint in `run`"],
  symbol: ["a symbol", "take z.enum()"],
  nan: ["NaN", "take z.number().nullable()"],
  file: ["a File", "take the id of a file, and read it in `run`"],
  promise: ["a promise", "await it in `run`"],
  function: ["a function", "take its name with z.enum()"],
};

function faultIn(node: SchemaNode, seen: Set<z.core.$ZodType>): string | null {
  const { schema, path, isInput } = node;
  if (seen.has(schema)) return null;
  seen.add(schema);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const sentence = (what: string): string =>
    `its input${path.length === 0 ? "" : ` ${path.join(".")}`} ${what}`;
  const refused = Object.hasOwn(NOT_JSON, def.type) ? NOT_JSON[def.type] : undefined;
  if (refused !== undefined && !isInput)
    return sentence(`is ${refused[0]}, and arguments are stored as JSON: ${refused[1]}`);
  if (def.type === "default" || def.type === "prefault") {
    const fault = tried([undefined], () => ({ value: def.defaultValue }));
    if (fault !== null) return sentence(`has a default that ${fault}`);
  }
  if (def.type === "catch") {
    const fault = tried([Symbol("fits nothing")], (sample) => made(schema, sample));
    if (fault !== null) return sentence(`has a value for what does not fit that ${fault}`);
  }
  const converts =
    def.type === "transform" ||
    (def.type === "pipe" && [def.in, def.out].some(isTransform)) ||
    overwrites(schema);
  if (converts || (def.type === "pipe" && def.transform !== undefined)) {
    const fault = conversionFault(schema);
    if (fault !== null && !(isInput && fault.startsWith(MAKES)))
      return sentence(`is converted by code that ${fault}`);
  }
  if (hasOwnChecks(schema) && isAsyncCheck(schema)) return sentence(`is checked by code that ${ASYNC}`);
  for (const inside of insideOf(node)) {
    const fault = faultIn(inside, seen);
    if (fault !== null) return fault;
  }
  return null;
}

/** True if the schema has custom checks, such as `refine`. */
const hasOwnChecks = (schema: z.core.$ZodType): boolean =>
  typeOf(schema) === "custom" ||
  schema._zod.def.checks?.some((check) => check._zod.def.check === "custom") === true;

const isAsyncCheck = (schema: z.core.$ZodType): boolean =>
  samplesOf(schema).some((sample) => {
    try {
      z.safeParse(schema, sample);
      return false;
    } catch (error) {
      return error instanceof $ZodAsyncError;
    }
  });

const isTransform = (schema: z.core.$ZodType): boolean => typeOf(schema) === "transform";

function insideOf({ schema, path, isInput }: SchemaNode): readonly SchemaNode[] {
  const here = (one: z.core.$ZodType, name?: string, input = isInput): SchemaNode => ({
    schema: one,
    path: name === undefined ? path : [...path, name],
    isInput: input,
  });
  const { def } = (schema as z.core.$ZodTypes)._zod;
  try {
    switch (def.type) {
      case "object":
        return [
          ...Object.entries(def.shape).map(([name, one]) => here(one, name)),
          ...(def.catchall === undefined ? [] : [here(def.catchall)]),
        ];
      case "array":
        return [here(def.element, "[]")];
      case "tuple":
        return [...def.items, ...(def.rest === null ? [] : [def.rest])].map((one, at) =>
          here(one, `[${at}]`),
        );
      case "record":
        return [here(def.keyType), here(def.valueType, "*")];
      case "union":
        return def.options.map((one) => here(one));
      case "intersection":
        return [here(def.left), here(def.right)];
      case "pipe":
        return [here(def.in, undefined, true), here(def.out)];
      case "lazy":
        return [here(def.getter())];
      default:
        return "innerType" in def ? [here(def.innerType)] : [];
    }
  } catch {
    // The schema refers to one that is not created yet. Its values are validated as JSON at each call.
    return [];
  }
}

function conversionFault(schema: z.core.$ZodType): string | null {
  const samples = samplesOf(schema);
  const fitting = samples.filter((sample) => {
    try {
      return z.safeParse(schema, sample).success;
    } catch (error) {
      return error instanceof $ZodAsyncError;
    }
  });
  if (fitting.length > 0) return tried(fitting, (sample) => made(schema, sample));
  // No sample passes the schema before the conversion: the conversion is tried alone.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type !== "pipe" || !isTransform(def.out)) return null;
  return tried(samples, (sample) => made(def.out, sample));
}

/** null where the value does not fit */
function made(schema: z.core.$ZodType, sample: unknown): { readonly value: unknown } | null {
  const parsed = z.safeParse(schema, sample);
  return parsed.success ? { value: parsed.data } : null;
}

const MAKES = "makes ";
const ASYNC = "is asynchronous, and arguments are checked at once: do that in `preview` and `run`";
const CHANGES =
  "gives another value each time (from the clock, at random, or by counting): leave the field out, and decide in `run` from `context.at` or `context.key`";

type Attempt = { readonly value: unknown } | { readonly error: unknown } | null;

/** The fault of the values that are made of these samples, or null. An error for a sample is no fault. */
function tried(
  samples: readonly unknown[],
  make: (sample: unknown) => { readonly value: unknown } | null,
): string | null {
  const attempt = (sample: unknown): Attempt => {
    try {
      return make(sample);
    } catch (error) {
      return { error };
    }
  };
  // All samples under one clock and then under the other: each change of the clock costs more than a sample.
  const [ones = [], others = []] = UNDER.map((under) => withFixedClock(under, () => samples.map(attempt)));
  for (const [at, one] of ones.entries()) {
    const other = others[at] ?? null;
    const failed = [one, other].find((each) => each !== null && "error" in each);
    if (failed !== undefined) {
      if (failed !== null && "error" in failed && failed.error instanceof $ZodAsyncError) return ASYNC;
      continue;
    }
    const value = valueOf(one);
    const unplain = value === undefined || typeof value === "symbol" ? null : findUnplain(value);
    if (unplain !== null && !unplain.isNumber)
      return `${MAKES}${unplain.what}${unplain.path.length === 0 ? "" : ` in ${unplain.path.join(".")}`}, and arguments are stored as JSON: make it in \`run\``;
    if ((one === null) !== (other === null) || !isSame(value, valueOf(other))) return CHANGES;
  }
  return null;
}

const valueOf = (attempt: Attempt): unknown =>
  attempt !== null && "value" in attempt ? attempt.value : undefined;

interface Under {
  /** milliseconds since the epoch */
  readonly clock: number;
  /** from 0 to 1 */
  readonly draw: number;
}

const UNDER: readonly Under[] = [
  { clock: Date.UTC(2001, 1, 3, 4, 5, 6, 7), draw: 0.125 },
  { clock: Date.UTC(2031, 10, 12, 13, 14, 15, 16), draw: 0.875 },
];

/** Runs code that must not wait under another clock and another chance, and puts both back. */
function withFixedClock<Value>({ clock, draw }: Under, body: () => Value): Value {
  const RealDate = Date;
  class OtherDate extends RealDate {
    constructor(...given: readonly unknown[]) {
      if (given.length === 0) super(clock);
      else super(...(given as [number]));
    }
    static override now(): number {
      return clock;
    }
  }
  Object.defineProperty(OtherDate, "name", { value: RealDate.name });
  const put: readonly (readonly [object, string, unknown])[] = [
    [globalThis, "Date", OtherDate],
    [Math, "random", () => draw],
    [performance, "now", () => clock],
    [crypto, "randomUUID", () => `00000000-0000-4000-8000-${String(clock).padStart(12, "0").slice(-12)}`],
    [crypto, "getRandomValues", (bytes: Uint8Array) => bytes.fill(Math.floor(draw * 256))],
  ];
  const back: (() => void)[] = [];
  try {
    for (const [holder, name, value] of put) {
      const before = Object.getOwnPropertyDescriptor(holder, name);
      if (!Reflect.defineProperty(holder, name, { value, configurable: true, writable: true })) continue;
      back.push(() => {
        if (before === undefined) Reflect.deleteProperty(holder, name);
        else Reflect.defineProperty(holder, name, before);
      });
    }
    return body();
  } finally {
    for (const undo of back) undo();
  }
}
