import { startOf } from "../../../cairn/core/text/cut.ts";
import { isObject, type Json, type JsonObject } from "../../../cairn/core/log/json.ts";
import { json, parseJson } from "../../../cairn/protocol/json.ts";
import type { Remembered } from "./remembered.ts";

/** A parsed line that was typed at an approval prompt. */
export type Reply =
  /** `args` if they are on the same line, as `e {"name":"Our story"}` */
  | { readonly decision: "edit"; readonly args: string | null }
  /** `remember`: for equal arguments, or for every call of the tool */
  | { readonly decision: "approve"; readonly remember?: "args" | "tool" }
  | { readonly decision: "deny"; readonly reason: string | null }
  | { readonly decision: "unclear" };

/** The decision as it is sent. */
export type Choice =
  | {
      readonly decision: "approve" | "deny";
      readonly reason?: string;
      readonly remember?: Remembered;
    }
  | { readonly decision: "edit"; readonly args: Json };

/** an hour */
const REMEMBERED_SECONDS = 3_600;

export const REASON_CHARS_MAX = 1_000;

export const QUESTION = "Approve? [y/N, n because …, or e to edit the arguments] ";
/** for a call with arguments that the person has changed */
export const AS_CHANGED = "Approve it like this? [y/N, or e to edit it again] ";

/**
 * Only `y` and `yes` approve, alone or with `remember`. Only an empty line, `n` and `no` deny, alone or with
 * `because` and a reason: a sentence that begins with "no" may be something else. Anything else is asked again.
 */
export function parseReply(line: string): Reply {
  const text = line.trim();
  if (/^(y|yes)[.!]?$/i.test(text)) return { decision: "approve" };
  const remembered = /^(?:y|yes)[\s,]+(?:and\s+)?remember(?:\s+(args|tool))?[.!]?$/i.exec(text);
  if (remembered !== null)
    return { decision: "approve", remember: remembered[1]?.toLowerCase() === "tool" ? "tool" : "args" };
  if (text === "") return { decision: "deny", reason: null };
  const edit = /^(?:edit|e)(?:$|\s+(\{.*)$)/is.exec(text);
  if (edit !== null) return { decision: "edit", args: edit[1] ?? null };
  if (/^(?:no|n)[.!]?$/i.test(text)) return { decision: "deny", reason: null };
  const no = /^(?:no|n)[\s,.:;–—-]+(?:because|since)\b[\s,:]*(.*)$/is.exec(text);
  if (no === null) return { decision: "unclear" };
  const reason = startOf((no[1] ?? "").trim(), REASON_CHARS_MAX);
  return { decision: "deny", reason: reason === "" ? null : reason };
}

/**
 * The decision to send for a reply, or a message for the person if it cannot be sent. `rememberable` as the approval
 * lists it.
 */
export function decisionOf(
  reply: Exclude<Reply, { decision: "edit" }>,
  rememberable: readonly string[],
): Choice | string {
  switch (reply.decision) {
    case "deny":
      return reply.reason === null ? { decision: "deny" } : { decision: "deny", reason: reply.reason };
    case "unclear":
      return rememberable.length === 0
        ? "Unknown reply. Type y, or n, or n because and why not, or e to edit the arguments."
        : "Unknown reply. Type y (or y remember, for an hour), or n, or n because and why not, or e to edit the arguments.";
    case "approve": {
      const { decision, remember: match } = reply;
      if (match === undefined) return { decision };
      if (rememberable.includes(match)) return { decision, remember: { match, seconds: REMEMBERED_SECONDS } };
      return rememberable.length === 0
        ? "This approval cannot be remembered. Type y to approve once."
        : `This approval can be remembered as: ${rememberable.map((each) => `y remember ${each}`).join(", ")}. Or type y for this once.`;
    }
  }
}

/** The typed text as a JSON object, or null. */
export function parseObject(text: string): JsonObject | null {
  const value = json.safeParse(parseJson(text)).data ?? null;
  return isObject(value) ? value : null;
}
