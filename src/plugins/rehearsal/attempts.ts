import { shortForm } from "../../cairn/core/family/rollouts.ts";
import type { Conversation, Outcome } from "./conversation.ts";
import { textAt } from "../../cairn/models/script/fields.ts";

/** A run that was worked several times: one answer is made of the reports. */

interface Attempts {
  /** what the attempts said, in their order */
  readonly answers: readonly string[];
  readonly failed: number;
}

/** Null for a run that was worked once. */
export function attemptsIn({ message, calls, tools }: Conversation): Attempts | null {
  const isAttempt = ({ name, input }: (typeof calls)[number]): boolean =>
    name === "run_agent" && input["objective"] === message;
  if (tools.size > 0 || calls.length < 2 || !calls.every(isAttempt)) return null;
  const answers = calls.flatMap(({ outcome }) => (outcome === null ? [] : (answerOf(outcome) ?? [])));
  return { answers, failed: calls.length - answers.length };
}

function answerOf(outcome: Outcome): string | null {
  if (!outcome.ok || textAt(outcome.value, "outcome") !== "answered") return null;
  const lines = (textAt(outcome.value, "answer") ?? "")
    .split("\n")
    .filter((line) => !line.startsWith("(I am "));
  const text = lines.join("\n").trim();
  return text === "" ? null : text;
}

/** What most of them say, the first of those; and how many said it, or failed. */
export function oneOf({ answers, failed }: Attempts): string {
  const shortOf = (answer: string): string => shortForm(answer) ?? answer;
  const shorts = answers.map(shortOf);
  const votes = shorts.map((short) => shorts.filter((other) => other === short).length);
  const most = Math.max(0, ...votes);
  const best = answers[votes.indexOf(most)];
  const all = answers.length + failed;
  const lost = failed === 0 ? "" : `${failed} of ${all} attempts did not come to an answer.`;
  if (best === undefined) return `None of ${all} attempts came to an answer.`;
  return [best, `${most} of ${all} attempts say this.`, lost].filter((line) => line !== "").join("\n\n");
}
