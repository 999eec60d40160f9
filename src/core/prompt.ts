import { activeGap } from "./apply.ts";
import type { Entry } from "./entries.ts";
import { CHARS_PER_TOKEN } from "./limits.ts";
import { renderMemory } from "./memory.ts";
import type { PromptMessage } from "./model.ts";
import type { LiveRun, State } from "./state.ts";
import { note, textPart, transcript } from "./transcript.ts";

/** The messages of one model call: the conversation, then the one block that changes every step, last. */
export function composeMessages(
  state: State,
  run: LiveRun,
  rows: { history: readonly Entry[]; current: readonly Entry[] },
  step: { n: number; purpose: "step" | "final" },
  at: number,
): PromptMessage[] {
  const messages = transcript(rows.history, rows.current);
  if (step.purpose === "step" && step.n === run.limits.steps - 1) {
    messages.push(note("This is your last step with tools: the next turn is the last and has none."));
  }
  return [...messages, { role: "user", parts: [textPart(situation(state, run, step.n, at))] }];
}

/** Date, working memory and what is left of the budget. */
function situation(state: State, run: LiveRun, n: number, at: number): string {
  const minutes = Math.floor((run.activeMs + activeGap(state, at)) / 60_000);
  const budget = [
    `step ${n} of ${run.limits.steps}`,
    `calls ${run.toolCalls} of ${run.limits.toolCalls}`,
    `time ${minutes} of ${Math.round(run.limits.activeMs / 60_000)} min`,
  ].join(" · ");
  return [
    "<cairn-situation>",
    `date: ${new Date(at).toISOString()}`,
    "memory:",
    renderMemory(state.memory),
    `budget: ${budget}`,
    "</cairn-situation>",
  ].join("\n");
}

/** Characters of a request, for estimates and the trace. */
export function promptChars(instructions: string, messages: readonly PromptMessage[]): number {
  return instructions.length + JSON.stringify(messages).length;
}

export function estimateTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
