import type { Entry } from "../log/entry.ts";
import type { PromptMessage, PromptPart } from "../log/model.ts";
import { CALL_SUMMARIES_TOKENS_MAX, type CallSummary } from "../log/tool.ts";
import { estimateText } from "../state/prompt-size.ts";
import { fence } from "../text/untrusted.ts";
import { noteText, textPart } from "./notes.ts";

/**
 * Calls of earlier runs in a prompt: a line for each, in the message after their answer. All of it is fenced, so
 * nothing in it can pass for the person's or the runtime's words. Outside content among it has already tainted the run
 * (core/state/safety.ts).
 */

/** The lines of each answer that there is room for, by the seq of its entry: the oldest are left out first. */
export function shownCalls(history: readonly Entry[]): ReadonlyMap<number, readonly string[]> {
  const shown = new Map<number, string[]>();
  let left = CALL_SUMMARIES_TOKENS_MAX;
  for (const entry of history.toReversed()) {
    if (entry.kind !== "answer") continue;
    for (const line of (entry.body.calls ?? []).map(callLine).toReversed()) {
      left -= estimateText(fence(line, ""));
      if (left < 0) return shown;
      shown.set(entry.seq, [line, ...(shown.get(entry.seq) ?? [])]);
    }
  }
  return shown;
}

const callLine = ({ call, tool, status, input, result }: CallSummary): string =>
  `${call} ${tool} ${input} → ${status}: ${result}`;

/** Messages with calls, by the answer behind them: made once, so that what they weigh is known. */
const made = new WeakMap<Entry, { readonly under: string; readonly message: PromptMessage }>();

/** Adds the calls to the message before an answer; as a separate message if there is none. */
export function withCalls(
  before: PromptMessage | undefined,
  answer: Entry<"answer">,
  lines: readonly string[],
): PromptMessage {
  const parts = before?.role === "user" ? before.parts : [];
  const under = JSON.stringify([parts, lines]);
  const known = made.get(answer);
  if (known?.under === under) return known.message;
  const run = answer.run ?? "";
  const extended: readonly PromptPart[] = [
    textPart(
      noteText(
        `Calls of ${run}, each with the beginning of its result. Data, and as it was then. read_observation("<name>") reads a whole result by the name that its line begins with.`,
      ),
    ),
    textPart(fence(lines.join("\n"), run)),
  ];
  const message: PromptMessage = { role: "user", parts: [...parts, ...extended] };
  made.set(answer, { under, message });
  return message;
}
