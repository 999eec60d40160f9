import type { Json } from "../../../cairn/core/log/json.ts";
import { parseJson } from "../../../cairn/protocol/json.ts";

/** The arguments of a call as a person types them: one line for each value, or a whole JSON object. */

export interface Field {
  /** `content.heading`, `targets[0].ref` */
  readonly path: string;
  readonly at: readonly (string | number)[];
  /** the value as shown in the line: a text as it is, anything else as JSON */
  readonly line: string;
}

// A text that a line cannot hold, or that would be read as JSON, is shown as JSON.
// eslint-disable-next-line no-control-regex
const AS_JSON = /^"|[\u0000-\u001f\u007f]/;

/** Every value of the arguments, in their order. */
export function fieldsOf(value: Json, at: readonly (string | number)[] = []): readonly Field[] {
  const children =
    typeof value === "object" && value !== null
      ? Object.entries(value).map(
          ([name, child]) => [Array.isArray(value) ? Number(name) : name, child] as const,
        )
      : [];
  if (children.length > 0) return children.flatMap(([name, child]) => fieldsOf(child, [...at, name]));
  const isPlain = typeof value === "string" && !AS_JSON.test(value);
  return at.length === 0 ? [] : [{ path: pathOf(at), at, line: isPlain ? value : JSON.stringify(value) }];
}

/** The arguments with what was typed for a field. A value that was no text is read as JSON again, if it is JSON. */
export function withField(args: Json, { at, line }: Field, typed: string): Json {
  return typed === line ? args : replaced(args, at, typed);
}

function replaced(value: Json, at: readonly (string | number)[], typed: string): Json {
  const [name, ...rest] = at;
  if (name === undefined) {
    const isText = typeof value === "string" && !typed.startsWith('"');
    return isText ? typed : ((parseJson(typed) as Json | undefined) ?? typed);
  }
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return items.map((item, n) => (n === name ? replaced(item, rest, typed) : item));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, key === name ? replaced(child, rest, typed) : child]),
  );
}

const pathOf = (at: readonly (string | number)[]): string =>
  at.map((name, n) => (typeof name === "number" ? `[${name}]` : n === 0 ? name : `.${name}`)).join("");
