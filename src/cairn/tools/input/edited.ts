import * as z from "zod";
import { canMake } from "./preimage.ts";
import { isSame, isSteady, overwrites, parsedBy, typeOf } from "./steady.ts";

/**
 * The schema of a tool for a value that it has made already: arguments as a card shows them, which a person edits. Conversions
 * are not made again; all else is checked as it is for a model.
 */

const EDITED = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

export function editedSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const known = EDITED.get(schema);
  if (known !== undefined) return known;
  const made = outputOf(schema, new Map());
  EDITED.set(schema, made);
  return made;
}

type Seen = Map<z.core.$ZodType, z.core.$ZodType | null>;

function outputOf(schema: z.core.$ZodType, seen: Seen): z.core.$ZodType {
  const before = seen.get(schema);
  if (before !== undefined) return before ?? z.lazy(() => seen.get(schema) ?? z.never());
  seen.set(schema, null);
  const made = overwrites(schema) && !isSteady(schema) ? converted(schema) : typed(schema, seen);
  seen.set(schema, made);
  return made;
}

function typed(schema: z.core.$ZodType, seen: Seen): z.core.$ZodType {
  const inner = (one: z.core.$ZodType): z.core.$ZodType => outputOf(one, seen);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const cloned = (changes: object): z.core.$ZodType => z.clone(schema, { ...def, ...changes });
  switch (def.type) {
    case "object": {
      const fields = Object.entries(def.shape).map(([name, one]) => [name, inner(one)] as const);
      const rest = def.catchall === undefined ? {} : { catchall: inner(def.catchall) };
      return cloned({ shape: Object.fromEntries(fields), ...rest });
    }
    case "array":
      return cloned({ element: inner(def.element) });
    case "tuple":
      return cloned({ items: def.items.map(inner), rest: def.rest === null ? null : inner(def.rest) });
    case "record":
      return cloned({ keyType: inner(def.keyType), valueType: inner(def.valueType) });
    case "union": {
      const options = def.options.map(inner);
      if (options.every((option, index) => option === def.options[index])) return schema;
      // Not by its discriminator: an option that converts has none any more.
      const { checks = [] } = def;
      return withChecks(z.union(options), checks);
    }
    case "intersection":
      return cloned({ left: inner(def.left), right: inner(def.right) });
    case "optional":
    case "nullable":
    case "nonoptional":
    case "readonly":
    case "default":
    case "catch":
      return cloned({ innerType: inner(def.innerType) });
    case "prefault": {
      const absent = parsedBy(schema, undefined);
      return absent === null ? inner(def.innerType) : z._default(inner(def.innerType), () => absent.value);
    }
    case "lazy":
      return z.lazy(() => inner(def.getter()));
    case "pipe":
      return typeOf(def.out) === "transform" ? converted(schema) : withChecks(inner(def.out), def.checks);
    case "transform":
      return converted(schema);
    default:
      return schema;
  }
}

const withChecks = (schema: z.core.$ZodType, checks: readonly z.core.$ZodCheck[] = []): z.core.$ZodType =>
  checks.length === 0 ? schema : (schema as z.ZodType).check(...(checks as never[]));

/** A place that the schema's own code fills. */
function converted(schema: z.core.$ZodType): z.core.$ZodType {
  let steady: boolean | null = null;
  const taken = z.transform((value: unknown, context) => {
    if ((steady ??= isSteady(schema))) {
      const made = parsedBy(schema, value);
      if (made !== null && isSame(parsedBy(schema, made.value)?.value, made.value)) return made.value;
    }
    if (canMake(schema, value)) return value;
    context.issues.push({ code: "custom", input: value, message: NOT_MADE });
    return z.NEVER;
  });
  if (schema._zod.optin !== "optional") return taken;
  const absent = parsedBy(schema, undefined);
  return absent === null || absent.value === undefined
    ? z.optional(taken)
    : z._default(taken, () => absent.value);
}

const NOT_MADE =
  "The tool converts what is asked for here, and nothing is known that it converts to this value. Write a value in the form that the card shows, or deny the call and say what you want";
