import type * as z from "zod";
import { isSame, parsedBy } from "./steady.ts";
import { samplesOf } from "./samples.ts";

/**
 * Finds an input of which a schema makes a given output. A person edits what a schema has made; that something makes the
 * edited value too is the proof that it is of the declared type, whatever the schema's own code does.
 */

/** times that the schema is asked for one value */
const TRIES_MAX = 4_000;
const PARTS_MAX = 40;

/** True where the schema makes exactly this value of some input. */
export function canMake(schema: z.core.$ZodType, output: unknown): boolean {
  let tries = 0;
  const make = (input: unknown): { readonly value: unknown } | null => {
    tries += 1;
    return tries > TRIES_MAX ? null : parsedBy(schema, input);
  };
  const makes = (input: unknown): boolean => {
    const made = make(input);
    return made !== null && isSame(made.value, output);
  };
  const samples = samplesOf(schema);
  if (candidates(output, pairsOf(samples, make)).some(makes) || samples.some(makes)) return true;
  return samples.filter(isRecord).some((sample) => makes(fieldwise(schema, sample, output, make)));
}

interface Pair {
  readonly input: unknown;
  readonly output: number;
}

function pairsOf(
  samples: readonly unknown[],
  make: (input: unknown) => { readonly value: unknown } | null,
): readonly Pair[] {
  return samples.flatMap((input) => {
    const made = make(input);
    return typeof made?.value === "number" && Number.isFinite(made.value)
      ? [{ input, output: made.value }]
      : [];
  });
}

/** Inputs that usual conversions make this value of. */
function candidates(output: unknown, pairs: readonly Pair[]): readonly unknown[] {
  const found: unknown[] = [output, JSON.stringify(output)];
  if (typeof output === "string") found.push(output.toLowerCase(), output.toUpperCase(), Number(output));
  if (typeof output === "boolean")
    found.push(...(output ? ["yes", "1", "on", 1] : ["no", "0", "off", 0, ""]));
  if (Array.isArray(output)) {
    const texts = output.map(String);
    found.push(...[",", ", ", " ", "\n", ";", "; ", "|"].map((sign) => texts.join(sign)));
    if (output.length === 1) found.push(output[0]);
  }
  if (typeof output === "number") {
    found.push(String(output), new Date(output).getTime() === output ? new Date(output).toISOString() : null);
    for (const input of inputsOnLine(pairs, output))
      found.push(input, String(input), input.toFixed(2), `${input}%`);
  }
  return found;
}

/** Where a conversion of numbers is a line, such as of euros to cents: the points that give this output. */
function inputsOnLine(pairs: readonly Pair[], output: number): readonly number[] {
  const points = pairs
    .map((pair) => ({ x: Number(pair.input), y: pair.output }))
    .filter(({ x }) => Number.isFinite(x));
  const [first] = points;
  const last = points.findLast(({ x }) => x !== first?.x);
  if (first === undefined || last === undefined || last.y === first.y) return [];
  const x = first.x + ((output - first.y) * (last.x - first.x)) / (last.y - first.y);
  return [x, ...[0, 1, 2, 3, 4, 6].map((digits) => Number(x.toFixed(digits)))];
}

/** An object, field by field: each gets the candidate with which most parts of the output are right. */
function fieldwise(
  schema: z.core.$ZodType,
  sample: Readonly<Record<string, unknown>>,
  output: unknown,
  make: (input: unknown) => { readonly value: unknown } | null,
): Readonly<Record<string, unknown>> {
  const parts = partsOf(output);
  const score = (input: unknown): number => {
    const made = make(input);
    return made === null ? -1 : agreement(made.value, output);
  };
  let best = sample;
  let bestScore = score(best);
  for (const [name, field] of fieldsOf(schema)) {
    const base = best;
    const values = samplesOf(field);
    const pairs = parts.flatMap(({ path, value }) => {
      if (typeof value !== "number") return [];
      return [
        pairsOf(values, (input) => {
          const made = make({ ...base, [name]: input });
          return made === null ? null : { value: at(made.value, path) };
        }),
      ];
    });
    const tried = parts.flatMap(({ value }) => [
      ...candidates(value, []),
      ...(typeof value === "number"
        ? pairs.flatMap((points) =>
            inputsOnLine(points, value).flatMap((input) => [input, String(input), input.toFixed(2)]),
          )
        : []),
    ]);
    for (const value of [undefined, ...tried, ...values]) {
      const input = { ...base };
      if (value === undefined) delete input[name];
      else input[name] = value;
      const scored = score(input);
      if (scored > bestScore) [best, bestScore] = [input, scored];
    }
  }
  return best;
}

type Path = readonly (string | number)[];

/** The output and what is in it. */
function partsOf(output: unknown): readonly { readonly path: Path; readonly value: unknown }[] {
  const parts: { path: Path; value: unknown }[] = [{ path: [], value: output }];
  for (const { path, value } of parts) {
    if (parts.length >= PARTS_MAX) break;
    if (typeof value !== "object" || value === null) continue;
    for (const [key, item] of Object.entries(value))
      parts.push({ path: [...path, Array.isArray(value) ? Number(key) : key], value: item });
  }
  return parts.slice(0, PARTS_MAX);
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inside, key) =>
      typeof inside === "object" && inside !== null ? (inside as Record<string, unknown>)[key] : undefined,
    value,
  );

/** How many parts of the wanted output are in what was made. */
const agreement = (made: unknown, output: unknown): number =>
  partsOf(output).filter(({ path, value }) => isSame(at(made, path), value)).length;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields that a schema takes, where that is an object. */
function fieldsOf(schema: z.core.$ZodType): readonly (readonly [string, z.core.$ZodType])[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "object") return Object.entries(def.shape);
  if (def.type === "pipe")
    return fieldsOf((def.in as z.core.$ZodTypes)._zod.def.type === "transform" ? def.out : def.in);
  return "innerType" in def ? fieldsOf(def.innerType) : [];
}
