import type * as z from "zod";
import { nearestWords } from "../../core/text/nearest.ts";
import { ISSUES_MAX, type Issue } from "../issues.ts";

/** Faults in a run specification, in the codes that callers know. */

/** a longer word is no misspelt name */
const WORD_CHARS_MAX = 100;

type Refining = Pick<z.core.$RefinementCtx, "addIssue">;

/** Adds a fault that is not about types and bounds. */
export function refuse(context: Refining, code: string, message: string, suggestion?: string): void {
  context.addIssue({ code: "custom", message, params: { code, suggestion } });
}

export const issueAt = (path: string, code: string, message: string, suggestion?: string): Issue => ({
  path,
  code,
  message,
  ...(suggestion === undefined ? {} : { suggestion }),
});

/** The word that was meant, where one is near. */
export const nearest = (wanted: string, words: readonly string[]): string | undefined =>
  wanted.length > WORD_CHARS_MAX ? undefined : nearestWords(wanted, words)[0];

/** A key that is none, with the nearest that is one. `before`: issues in front of it; those that are not listed need no words. */
export function unknownField(path: string, key: string, known: readonly string[], before: number): Issue {
  const meant = before < ISSUES_MAX ? nearest(key, known) : undefined;
  return issueAt(path, "unknown_field", "This field is not known.", meant);
}

/** The issues of a fault that zod found. `keysAt`: the fields that are known at a path. */
export function issuesOf(
  fault: z.core.$ZodIssue,
  pathOf: (path: readonly PropertyKey[]) => string,
  keysAt: (path: readonly PropertyKey[]) => readonly string[],
): Issue[] {
  switch (fault.code) {
    case "unrecognized_keys":
      return fault.keys.map((key, at) =>
        unknownField(pathOf([...fault.path, key]), key, keysAt(fault.path), at),
      );
    case "custom": {
      const { code, suggestion } = fault.params ?? {};
      return [
        issueAt(
          pathOf(fault.path),
          typeof code === "string" ? code : "wrong_type",
          fault.message,
          typeof suggestion === "string" ? suggestion : undefined,
        ),
      ];
    }
    case "invalid_value": {
      const values = fault.values.map(String);
      if (typeof fault.input !== "string") return [issueAt(pathOf(fault.path), "wrong_type", fault.message)];
      return [issueAt(pathOf(fault.path), "out_of_range", fault.message, nearest(fault.input, values))];
    }
    case "too_big":
    case "too_small":
    case "invalid_format":
      return [issueAt(pathOf(fault.path), "out_of_range", fault.message)];
    default:
      return [issueAt(pathOf(fault.path), "wrong_type", fault.message)];
  }
}
