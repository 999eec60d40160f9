import { sha256Hex } from "../log/digest.ts";
import type { Entry } from "../log/entry.ts";
import { CHARS_PER_TOKEN } from "../limits.ts";
import { ledgerOf } from "../guards/budget/account.ts";
import { budgetLine } from "../guards/budget/exhaust.ts";
import { planOf } from "../rows/plan.ts";
import { renderPlan, type Plan } from "../state/plan.ts";
import { notesFor } from "./notes.ts";
import { renderFacts, type ValueOf } from "../state/facts.ts";
import { renderMemory } from "../state/memory.ts";
import type { PromptMessage } from "../log/model.ts";
import type { LiveRun, State } from "../state/state.ts";
import {
  composeTranscript,
  noteText,
  textPart,
  type Transcript,
  type TranscriptPolicy,
} from "./transcript.ts";

/** What a request is made of, beside its rows. */
export interface StepAsk {
  readonly n: number;
  readonly purpose: "step" | "final";
  readonly transcript: TranscriptPolicy;
  readonly inputTokensMax: number;
  /** words of a hook for this step */
  readonly added: string | null;
}

/** The messages of one model call: the conversation, then the one block that changes every step, last. */
export function composeMessages(
  state: State,
  run: LiveRun,
  rows: { readonly history: readonly Entry[]; readonly current: readonly Entry[]; readonly valueOf: ValueOf },
  step: StepAsk,
  at: number,
): Transcript {
  const { messages, earlier } = composeTranscript(rows.history, rows.current, step.transcript, step);
  const notes = notesFor(rows.current);
  const plan = planOf(run, rows.current);
  const parts = [...notes.map(noteText), situation(state, run, plan, rows.valueOf, step, at)].map(textPart);
  const tail: PromptMessage = { role: "user", parts };
  return { messages: [...messages, tail], earlier };
}

/** Date, working memory, stored facts, the plan and what is left of the budget. */
function situation(
  state: State,
  run: LiveRun,
  plan: Plan | null,
  valueOf: ValueOf,
  step: Pick<StepAsk, "n" | "added">,
  at: number,
): string {
  const budget = budgetLine(ledgerOf(state, run, at), step.n);
  return [
    "<cairn-situation>",
    `date: ${new Date(at).toISOString()}`,
    "memory:",
    renderMemory(state.memory),
    ...renderFacts(state.memory.facts, valueOf),
    ...(plan === null ? [] : [renderPlan(plan)]),
    `budget: ${budget}`,
    ...(step.added === null ? [] : [step.added]),
    "</cairn-situation>",
  ].join("\n");
}

/** Characters of a request, for estimates and the trace. */
export function promptChars(instructions: string, messages: readonly PromptMessage[]): number {
  return instructions.length + JSON.stringify(messages).length;
}

/** Digest of a request's text, so that two prompts can be told apart without being kept. */
export function promptDigest(instructions: string, messages: readonly PromptMessage[]): string {
  return `sha256:${sha256Hex(JSON.stringify([instructions, messages]))}`;
}

export function estimateTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
