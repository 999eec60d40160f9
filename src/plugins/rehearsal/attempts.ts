import { shortForm } from "../../cairn/core/family/rollouts.ts";
import type { Conversation, Outcome } from "../../cairn/models/script/conversation.ts";
import { textAt } from "../../cairn/models/script/fields.ts";

/** The combined answer of a run with several attempts (rollouts); null for every other run. */
export function combineAttempts({ message, calls, tools }: Conversation): string | null {
  const isAttempt = ({ name, input }: (typeof calls)[number]): boolean =>
    name === "run_agent" && input["objective"] === message;
  if (tools.size > 0 || calls.length < 2 || !calls.every(isAttempt)) return null;
  return mostFrequent(
    calls.flatMap(({ outcome }) => (outcome === null ? [] : (answerOf(outcome) ?? []))),
    calls.length,
  );
}

/** The answer of a child run without the line that names the model. */
function answerOf(outcome: Outcome): string | null {
  if (!outcome.ok || textAt(outcome.value, "outcome") !== "answered") return null;
  const lines = (textAt(outcome.value, "answer") ?? "")
    .split("\n")
    .filter((line) => !line.startsWith("(I am "));
  const text = lines.join("\n").trim();
  return text === "" ? null : text;
}

/** The most frequent answer with the number of attempts that gave it, and the number that failed. */
function mostFrequent(answers: readonly string[], attempts: number): string {
  const forms = answers.map((answer) => shortForm(answer) ?? answer);
  const votes = forms.map((form) => forms.filter((other) => other === form).length);
  const most = Math.max(0, ...votes);
  const best = answers[votes.indexOf(most)];
  if (best === undefined) return `None of ${attempts} attempts came to an answer.`;
  const failed = attempts - answers.length;
  const lost = failed === 0 ? "" : `${failed} of ${attempts} attempts did not come to an answer.`;
  return [best, `${most} of ${attempts} attempts say this.`, lost].filter((line) => line !== "").join("\n\n");
}
