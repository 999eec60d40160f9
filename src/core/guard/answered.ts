import type { Entry } from "../entries.ts";
import { failureText, type Result } from "../settle.ts";
import type { ToolFailure } from "../tool.ts";
import type { Objection } from "./before-tool.ts";

/** The result of a call that a guard keeps from running: the verdict, the earlier result, or both (guards 1.3, rule 5). */
export function resultOfObjection(
  rows: readonly Entry[],
  objection: Extract<Objection, { act: "skip" | "reuse" }>,
): { readonly result: Result; readonly reusedFrom: string | null } {
  const { verdict, stored } = objection;
  const earlier = stored === null ? null : settledOf(rows, stored);
  if (objection.act === "reuse" && earlier !== null) {
    const { status, observation, chars, failure, mark } = earlier;
    const noted = `${observation}\n[${verdict.hint}]`;
    const result = { status, observation: noted, chars, failure, ms: 0, ...(mark ? { mark } : {}) };
    return { result, reusedFrom: stored };
  }
  const failure: ToolFailure = {
    class: "policy",
    code: verdict.code.toLowerCase(),
    message: verdict.hint,
    retryable: false,
  };
  const said = failureText(failure);
  const observation = earlier === null ? said : `${said}\nIts last result, from ${stored}:\n${earlier.observation}`;
  const result = { status: "refused", observation, chars: observation.length, failure, ms: 0, skip: verdict.code } as const;
  return { result, reusedFrom: null };
}

function settledOf(rows: readonly Entry[], call: string): Entry<"call_settled">["body"] | null {
  const row = rows.findLast((entry) => entry.kind === "call_settled" && entry.body.call === call);
  return row?.kind === "call_settled" ? row.body : null;
}
