import { isObject, type Json, type JsonObject } from "../../cairn/core/log/json.ts";
import type { FieldIssue } from "../api-error.ts";

/** The form of a run as the body of `POST /api/runs`, and the API's issues as faults of its fields. Pure. */

export interface RunForm {
  readonly objective: string;
  /** empty: the deployment's own */
  readonly agent: string;
  /** names; null: all that its agent has */
  readonly tools: readonly string[] | null;
  /** empty: the agent's */
  readonly model: string;
  readonly steps: string;
  readonly minutes: string;
  readonly instructions: string;
  readonly resultKey: string;
  readonly output: string;
  readonly input: string;
}

export type RunField = keyof RunForm;
export type Faults = Readonly<Partial<Record<RunField, string>>>;

export const EMPTY_FORM: RunForm = {
  objective: "",
  agent: "",
  tools: null,
  model: "",
  steps: "",
  minutes: "",
  instructions: "",
  resultKey: "",
  output: "",
  input: "",
};

/** in the order of the form: the first fault gets the focus */
export const FIELDS = Object.keys(EMPTY_FORM) as readonly RunField[];

/** Under which name the API knows a field. */
const NAMES: Readonly<Record<RunField, string>> = {
  objective: "objective",
  agent: "agent",
  tools: "tools",
  model: "model",
  steps: "max_iterations",
  minutes: "timeout_ms",
  instructions: "instructions",
  resultKey: "result_key",
  output: "output",
  input: "input",
};

const MINUTE_MS = 60_000;

export type Body =
  | { readonly ok: true; readonly body: JsonObject }
  | { readonly ok: false; readonly faults: Faults };

/** The body, without empty fields; or the reason why the input is invalid. The API checks the bounds. */
export function bodyOf(form: RunForm): Body {
  const faults: Partial<Record<RunField, string>> = {};
  const numberIn = (
    field: "steps" | "minutes",
    fits: (value: number) => boolean,
    fault: string,
  ): Json | null => {
    const text = form[field].trim();
    if (text === "") return null;
    const value = Number(text);
    if (fits(value)) return value;
    faults[field] = fault;
    return null;
  };
  const jsonIn = (field: "output" | "input", example: string): Json | null => {
    const read = readObject(form[field], example);
    if (typeof read === "string") faults[field] = read;
    return typeof read === "string" ? null : read;
  };
  if (form.objective.trim() === "") faults.objective = "Enter an objective.";
  const steps = numberIn(
    "steps",
    (value) => Number.isSafeInteger(value) && value > 0,
    "Enter a whole number above 0.",
  );
  const minutes = numberIn(
    "minutes",
    (value) => Number.isFinite(value) && value > 0,
    "Enter a number above 0.",
  );
  const output = jsonIn("output", '{"type":"object"}');
  const input = jsonIn("input", '{"city":"Graz"}');
  const text = (value: string): string | null => (value.trim() === "" ? null : value.trim());
  const all: Readonly<Record<string, Json | null>> = {
    [NAMES.objective]: text(form.objective),
    [NAMES.agent]: text(form.agent),
    [NAMES.tools]: form.tools,
    [NAMES.model]: text(form.model),
    [NAMES.steps]: steps,
    [NAMES.minutes]: typeof minutes === "number" ? Math.round(minutes * MINUTE_MS) : null,
    [NAMES.instructions]: text(form.instructions),
    [NAMES.resultKey]: text(form.resultKey),
    [NAMES.output]: output,
    [NAMES.input]: input,
  };
  if (Object.keys(faults).length > 0) return { ok: false, faults };
  return { ok: true, body: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) };
}

/** null where nothing is written; a sentence where it is no object. */
function readObject(text: string, example: string): JsonObject | string | null {
  if (text.trim() === "") return null;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    return jsonFault(error);
  }
  return isObject(value) ? value : `It must be a JSON object, such as ${example}.`;
}

/** The position of a JSON error, if the browser reports it. */
function jsonFault(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  const odd = /token '(.)'/u.exec(message)?.[1];
  if (line !== undefined) return `This is not valid JSON. Look at line ${line}, column ${column}.`;
  if (odd !== undefined) return `This is not valid JSON: an “${odd}” is out of place.`;
  return /\bend of\b/i.test(message)
    ? "This is not valid JSON: it ends too early."
    : "This is not valid JSON.";
}

export interface Refused {
  readonly faults: Faults;
  /** what belongs to no field of the form */
  readonly others: readonly string[];
}

/** The issues of a refusal by field, with suggestions. */
export function faultsOf(issues: readonly FieldIssue[]): Refused {
  const faults: Partial<Record<RunField, string>> = {};
  const others: string[] = [];
  for (const { path, message, suggestion } of issues) {
    const name = /^[a-z_]+/.exec(path)?.[0];
    const field = FIELDS.find((each) => NAMES[each] === name);
    const meant = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
    if (field === undefined) others.push(`${path === "" ? "" : `${path}: `}${message}${meant}`);
    else faults[field] = [faults[field], `${message}${meant}`].filter((part) => part !== undefined).join(" ");
  }
  return { faults, others };
}

export const RUNS_PATH = "/api/runs?async=true";

/** The same from a shell, with the token in a variable. */
export function curlOf(body: JsonObject, origin: string): string {
  // The JSON of an object has no line `JSON`.
  return [
    `curl "${origin}${RUNS_PATH}" \\`,
    '  -H "Authorization: Bearer $CAIRN_TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    "  --data-binary @- <<'JSON'",
    JSON.stringify(body, null, 2),
    "JSON",
  ].join("\n");
}
