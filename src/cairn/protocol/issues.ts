import { shortened } from "../core/text/cut.ts";
import type * as z from "zod";

/** Issues with the fields of a body or a frame, worded the same on every interface. */

export interface Issue {
  /** such as `parts[0].text`; empty for the whole */
  readonly path: string;
  readonly code: string;
  readonly message: string;
  /** what may have been meant */
  readonly suggestion?: string;
}

export interface FieldFaults {
  readonly code: "unknown_field" | "invalid_request";
  readonly message: string;
  readonly issues: readonly Issue[];
}

/** Issues that an answer lists: what is refused must not make an answer as large as itself. */
export const ISSUES_MAX = 20;
const PATH_CHARS_MAX = 120;

/**
 * The faults without a bound of a value that has the wrong type: zod checks the length of anything that has one, so a long
 * text in place of a list would be too long as well.
 */
export function withoutBoundsOfWrongTypes(found: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const pathKey = ({ path }: z.core.$ZodIssue): string => JSON.stringify(path.map(String));
  const wrong = new Set(found.filter(({ code }) => code === "invalid_type").map(pathKey));
  if (wrong.size === 0) return found;
  return found.filter(
    (fault) => (fault.code !== "too_big" && fault.code !== "too_small") || !wrong.has(pathKey(fault)),
  );
}

/** `unknown_field` when there is one, else `invalid_request`; an issue per fault, and one that counts those left out. */
export function fieldFaults(found: readonly z.core.$ZodIssue[], whole: string): FieldFaults {
  const all = withoutBoundsOfWrongTypes(found).flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({
          path: pathText([...issue.path, key]),
          code: "unknown_field",
          message: "This field is not known.",
        }))
      : [{ path: pathText(issue.path), code: issueCode(issue), message: issue.message }],
  );
  const unknown = all.find((issue) => issue.code === "unknown_field");
  const first = unknown ?? all[0];
  const what = first === undefined || first.path === "" ? whole : `The field ${first.path}`;
  return {
    code: unknown === undefined ? "invalid_request" : "unknown_field",
    message:
      unknown === undefined
        ? `${what} is not valid: ${(first?.message ?? "see issues").replace(/\.$/, "")}.`
        : `${what} is not known.`,
    issues: listIssues(all),
  };
}

/** The issues as they are answered: at most ISSUES_MAX, and one that counts the others. */
export function listIssues(all: readonly Issue[]): readonly Issue[] {
  const rest = all.length - ISSUES_MAX;
  const more = { path: "", code: "more_issues", message: `${rest} more are not listed.` };
  return rest > 0 ? [...all.slice(0, ISSUES_MAX), more] : all;
}

function issueCode(issue: z.core.$ZodIssue): string {
  if (issue.code === "too_big" || issue.code === "too_small") return "out_of_range";
  return issue.code === "custom" ? "invalid" : issue.code;
}

export function pathText(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((before, key) => {
    if (typeof key === "number") return `${before}[${key}]`;
    return before === "" ? String(key) : `${before}.${String(key)}`;
  }, "");
  return shortened(text, PATH_CHARS_MAX + 1);
}
