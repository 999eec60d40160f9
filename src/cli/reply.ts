/** What a line typed at the question of an approval says. */
export type Reply =
  /** `args` when they stand in the same line, as `e {"name":"Our story"}` */
  | { readonly decision: "edit"; readonly args: string | null }
  | { readonly decision: "approve" }
  | { readonly decision: "deny"; readonly reason: string | null }
  | { readonly decision: "unclear" };

/** Nobody is there to answer a question: the run waits on. */
export const LEFT_OPEN = {
  code: "question_open",
  message: "The run waits for an answer, and there is nobody at this terminal to give one.",
  hint: "Come back to this session to answer.",
};

export const REASON_CHARS_MAX = 1_000;

export const QUESTION = "Approve? [y/N, n because …, or e to edit the arguments] ";

/** Only `y` and `yes` approve; nothing at all denies; what is neither is asked again. */
export function parseReply(line: string): Reply {
  const text = line.trim();
  if (/^(y|yes)[.!]?$/i.test(text)) return { decision: "approve" };
  if (text === "") return { decision: "deny", reason: null };
  const edit = /^(?:edit|e)(?:$|\s+(\{.*)$)/is.exec(text);
  if (edit !== null) return { decision: "edit", args: edit[1] ?? null };
  const no = /^(?:no|n)(?:$|[\s,.:;!–—-]+)(?:(?:because|since)\b[\s,:]*)?(.*)$/is.exec(text);
  if (no === null) return { decision: "unclear" };
  const reason = (no[1] ?? "").trim().slice(0, REASON_CHARS_MAX);
  return { decision: "deny", reason: reason === "" ? null : reason };
}

/** What was typed as a JSON object, or null. */
export function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
