import type { Json, JsonObject } from "../../src/cairn/core/log/json.ts";
import type { Value } from "./run/state.ts";

/**
 * A task: a site at its start, a wish in plain words, the calls that fulfil it, and how the site must differ at its end.
 * It is graded by that difference alone. What differs and is not expected fails it, and so does what is missing.
 */

export const KINDS = [
  "pages",
  "sections",
  "navigation",
  "posts",
  "publishing",
  "scheduling",
  "images",
  "settings",
  "history",
  "change sets",
  "restraint",
  "incidents",
] as const;
export type Kind = (typeof KINDS)[number];

/**
 * A tool with its input, and what becomes of the call: `ok` when left out, `denied` by the person, or the code of its failure.
 * `{1.page.id}` in the input is from the result of the first of these calls, `{start 1.page.id}` and `{earlier 1.page.id}`
 * from those before.
 */
export type Call = readonly [tool: string, input: JsonObject, becomes?: string];

/** Fields with their new values; null: it has none any more. */
export type Fields = Readonly<Record<string, Value | null>>;

/** By the name of the thing (run/names.ts): what changed, `gone`, or under `+ name` all fields of what is new. */
export type Difference = Readonly<Record<string, Fields | "gone">>;

export interface Task {
  readonly id: string;
  readonly kind: Kind;
  readonly wish: string;
  /** what somebody else has done on the sample site before */
  readonly start?: readonly Call[];
  /** what this session has done before; the difference counts from before it */
  readonly earlier?: readonly { readonly wish: string; readonly calls: readonly Call[] }[];
  /** what somebody else does on the site between that and the wish; it is part of the difference */
  readonly meanwhile?: readonly Call[];
  readonly gold: readonly Call[];
  /** all gold calls in one reply of the model */
  readonly together?: true;
  /** what the person answers to each approval in turn, the last of them from then on; yes when left out */
  readonly decisions?: readonly ("yes" | "no")[];
  /** the person's answer when they are asked something; a model may ask where a wish is open */
  readonly answer?: string;
  /** so late it is at the end: what was due by then has come (ISO, UTC) */
  readonly time?: string;
  readonly expected: Difference;
}

/** The text with what stands in braces looked up. Throws on a reference to nothing. */
export function resolved(
  value: Json,
  lookUp: (list: string, index: number, path: readonly string[]) => Json,
): Json {
  if (typeof value === "string") {
    const whole = /^\{(start |earlier |)(\d+)\.([\w.]+)\}$/.exec(value);
    if (whole !== null) return lookUp((whole[1] ?? "").trim(), Number(whole[2]), (whole[3] ?? "").split("."));
    return value.replace(
      /\{(start |earlier |)(\d+)\.([\w.]+)\}/g,
      (_, list: string, index: string, path: string) =>
        String(lookUp(list.trim(), Number(index), path.split("."))),
    );
  }
  if (Array.isArray(value)) return value.map((one) => resolved(one, lookUp));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(one, lookUp)]));
}
