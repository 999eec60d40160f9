import type { PolicyView } from "../../cairn/protocol/approval.ts";

/** The tag of a remembered decision, and what is to be known of it. */
export function policyWords({ decision, by, ended }: Pick<PolicyView, "decision" | "by" | "ended">): {
  readonly tone: "good" | "bad" | "none";
  readonly tag: string;
  readonly note: string | null;
} {
  const tag = decision === "approve" ? "yes" : "no";
  if (ended === true)
    return {
      tone: "none",
      tag: `${tag}, ended`,
      note: `${by} may not decide this any more: people are asked.`,
    };
  return { tone: decision === "approve" ? "good" : "bad", tag, note: null };
}
