import * as z from "zod";

/** Values to try a schema with. Not all of them fit it. */

const STRINGS: readonly string[] = [
  "a",
  "12.50",
  "12",
  "2026-01-02",
  "2026-01-02T03:04:05Z",
  "12:30",
  "a,b",
  "A B",
  " a ",
  "someone@example.com",
  "https://example.com/a",
  "0197d0a4-1111-7abc-8def-0123456789ab",
  '{"a":1}',
  "[1]",
  "true",
  "EUR 5",
  "abcdefghijklmnop",
  "",
];
const NUMBERS: readonly number[] = [1, 2, 5, 12.5, 10, 100, 1_000, 0, -1];
const ANYTHING: readonly unknown[] = ["a", 1, true, {}, [], null, ...STRINGS];
const SAMPLES_MAX = 64;
const DEPTH_MAX = 5;

/** At most SAMPLES_MAX values in the form that the schema takes. Never throws. */
export function samplesOf(schema: z.core.$ZodType, depth = 0): readonly unknown[] {
  if (depth > DEPTH_MAX) return [];
  try {
    const named: unknown = z.globalRegistry.get(schema)?.["examples"];
    const examples: readonly unknown[] = Array.isArray(named) ? named : [];
    return [...examples, ...typed(schema, depth)].slice(0, SAMPLES_MAX);
  } catch {
    // A schema that refers to another before that is made.
    return [];
  }
}

function typed(schema: z.core.$ZodType, depth: number): readonly unknown[] {
  const inner = (one: z.core.$ZodType): readonly unknown[] => samplesOf(one, depth + 1);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "string":
    case "template_literal":
    case "date":
      return STRINGS;
    case "number":
    case "bigint":
      return NUMBERS;
    case "boolean":
      return [true, false];
    case "enum":
      return Object.values(def.entries);
    case "literal":
      return def.values;
    case "null":
      return [null];
    case "array": {
      const [first, second] = inner(def.element);
      return [[], [first], [first, second ?? first]];
    }
    case "tuple":
      return [0, 1, 2].map((turn) => def.items.map((item) => pick(inner(item), turn)));
    case "record": {
      const keys = inner(def.keyType).filter((key) => typeof key === "string");
      const value = inner(def.valueType)[0];
      return [{}, Object.fromEntries(keys.slice(0, 1).map((key) => [key, value]))];
    }
    case "object": {
      const fields = Object.entries(def.shape).map(([name, one]) => {
        const fitting = inner(one).filter((value) => fits(one, value));
        return [name, fitting] as const;
      });
      return [0, 1, 2, 3].map((turn) =>
        Object.fromEntries(
          fields.flatMap(([name, values]) => {
            const value = pick(values, turn);
            return value === undefined ? [] : [[name, value]];
          }),
        ),
      );
    }
    case "union":
      return def.options.flatMap((option) => inner(option).slice(0, 16));
    case "intersection": {
      const right = inner(def.right);
      return inner(def.left).map((one, turn) => ({ ...(one as object), ...(pick(right, turn) as object) }));
    }
    case "pipe":
      return (def.in as z.core.$ZodTypes)._zod.def.type === "transform"
        ? [...inner(def.out), ...STRINGS]
        : inner(def.in);
    case "lazy":
      return inner(def.getter());
    case "optional":
    case "default":
    case "prefault":
      return [...inner(def.innerType), undefined];
    case "nullable":
      return [...inner(def.innerType), null];
    case "nonoptional":
    case "readonly":
    case "catch":
    case "success":
      return inner(def.innerType);
    default:
      return ANYTHING;
  }
}

const pick = (values: readonly unknown[], turn: number): unknown =>
  values.length === 0 ? undefined : values[turn % values.length];

function fits(schema: z.core.$ZodType, value: unknown): boolean {
  try {
    return z.safeParse(schema, value).success;
  } catch {
    return true;
  }
}
