import { asSchema, type FlexibleSchema, type LazySchema } from "@ai-sdk/provider-utils";
import * as z from "zod";
import { isObject, toJson, type JsonObject } from "../core/log/json.ts";
import { startOf } from "../core/text/cut.ts";
import { samplesOf } from "./input/samples.ts";
import { inputOf } from "./input/schema-input.ts";

/** A schema of the AI SDK (Zod 3 and 4, `jsonSchema()`, `zodSchema()`, a standard schema, a lazy one) as Cairn checks arguments. */

/** problems of one value that are reported, and characters of each */
const PROBLEMS_MAX = 8;
const PROBLEM_CHARS_MAX = 500;

/** A part of a value that does not fit. */
export interface SchemaProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export type Verdict =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] };

type Validate = (value: unknown) => Verdict | Promise<Verdict>;

/** The input of a tool. Without `validateLater`, `input` checks and converts everything. */
export interface AiInput {
  readonly input: z.ZodType;
  /** absent where `input` is a Zod schema of the tool itself */
  readonly inputSchema?: JsonObject;
  /** the schema's own check where it is asynchronous: arguments are checked at once, so it comes before the preview and the call */
  readonly validateLater?: (value: unknown) => Promise<Verdict>;
}

/**
 * The input of an AI SDK tool. Zod 4 is taken as it is; of others the JSON Schema is checked, then the schema's own `validate`,
 * whose value is the one that is stored. Throws a sentence where there is no JSON Schema, or none that can be checked here.
 */
export function aiInputOf(given: FlexibleSchema | undefined): AiInput {
  const schema = resolved(given);
  if (isZod4(schema)) return { input: schema };
  const { $schema: _, ...inputSchema } = jsonSchemaOf(schema);
  const base = checkOf(inputSchema);
  const validate = validateOf(schema);
  if (validate === null) return { input: base, inputSchema };
  if (isAsync(validate, base))
    return { input: base, inputSchema, validateLater: async (value) => validate(value) };
  return { input: base.pipe(validatedBy(validate)), inputSchema };
}

/** The check that belongs to a schema: it may change the value, and may be asynchronous. Null where the schema has none. */
export function validateOf(given: FlexibleSchema | undefined): Validate | null {
  const schema = resolved(given);
  if (schema === undefined) return null;
  if ("~standard" in schema) {
    const standard = schema["~standard"];
    return (value) =>
      mapped(standard.validate(value), (result) =>
        result.issues === undefined
          ? { ok: true, value: result.value as unknown }
          : { ok: false, problems: problemsIn(result) },
      );
  }
  const { validate } = asSchema(schema);
  if (validate === undefined) return null;
  return (value) =>
    mapped(validate(value), (result) =>
      result.success
        ? { ok: true, value: result.value as unknown }
        : { ok: false, problems: problemsIn(result.error) },
    );
}

type ReadySchema = Exclude<FlexibleSchema, LazySchema<unknown>>;

/** The schemas of some libraries are functions too. */
const isLazy = (schema: FlexibleSchema): schema is LazySchema<unknown> =>
  typeof schema === "function" && !("~standard" in schema);

function resolved(schema: FlexibleSchema | undefined): ReadySchema | undefined {
  if (schema === undefined) return undefined;
  return isLazy(schema) ? schema() : (schema as ReadySchema);
}

const isZod4 = (schema: object | undefined): schema is z.ZodType => schema !== undefined && "_zod" in schema;

function jsonSchemaOf(schema: FlexibleSchema | undefined): JsonObject {
  const { jsonSchema } = asSchema(schema);
  if (isPromise(jsonSchema)) throw new Error("its JSON Schema is a promise: await it, and give its value");
  const json = toJson(jsonSchema);
  if (!isObject(json)) throw new Error("its JSON Schema is no object");
  return json;
}

function checkOf(inputSchema: JsonObject): z.ZodType {
  try {
    return inputOf(inputSchema);
  } catch (error) {
    throw new Error(`its JSON Schema cannot be checked here: ${messageOf(error)}`, { cause: error });
  }
}

/** Tried with samples, as the code of any schema is at load. */
function isAsync(validate: Validate, base: z.ZodType): boolean {
  const samples = samplesOf(base);
  const fitting = samples.flatMap((sample) => {
    const parsed = z.safeParse(base, sample);
    return parsed.success ? [parsed.data] : [];
  });
  return [...fitting, ...samples, {}].some((sample) => {
    try {
      const verdict = validate(sample);
      if (!isPromise(verdict)) return false;
      verdict.then(undefined, () => {});
      return true;
    } catch {
      return false;
    }
  });
}

/** Directly behind the JSON Schema, whose samples it is tried with (input/fault.ts). */
const validatedBy = (validate: Validate): z.ZodTransform =>
  z.transform((value: unknown, context) => {
    const verdict = validate(value);
    if (isPromise(verdict)) {
      verdict.then(undefined, () => {});
      throw new Error("validate is asynchronous for this value alone");
    }
    if (verdict.ok) return verdict.value;
    for (const { path, message } of verdict.problems)
      context.issues.push({ code: "custom", input: value, message, path: [...path] });
    return z.NEVER;
  });

function mapped<From, To>(from: From | PromiseLike<From>, map: (value: From) => To): To | Promise<To> {
  return isPromise(from) ? Promise.resolve(from).then(map) : map(from);
}

const isPromise = <Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** The issues of a standard schema and of Zod's errors, also within an error of the AI SDK; of any other error its message. */
function problemsIn(error: unknown): readonly SchemaProblem[] {
  const issues = [error, field(error, "cause")]
    .flatMap((one) => [one, field(one, "issues")])
    .find((one): one is readonly unknown[] => Array.isArray(one) && one.length > 0);
  if (issues === undefined) return [{ path: [], message: messageOf(error) }];
  return issues.slice(0, PROBLEMS_MAX).map((issue) => ({ path: pathIn(issue), message: messageOf(issue) }));
}

function pathIn(issue: unknown): readonly PropertyKey[] {
  const path = field(issue, "path");
  if (!Array.isArray(path)) return [];
  return path.map((part: unknown) => {
    const key: unknown = typeof part === "object" ? field(part, "key") : part;
    return typeof key === "number" ? key : String(key);
  });
}

const messageOf = (error: unknown): string => {
  const message = field(error, "message");
  return startOf(typeof message === "string" ? message : String(error), PROBLEM_CHARS_MAX);
};

const field = (value: unknown, name: "cause" | "issues" | "key" | "message" | "path"): unknown =>
  typeof value === "object" && value !== null ? (Reflect.get(value, name) as unknown) : undefined;
