import type { Outcome } from "../entries.ts";
import { unresolvedCalls } from "./failures.ts";
import {
  OPEN_LINES_MAX,
  OPEN_LINE_CHARS_MAX,
  REFUSALS_PER_CODE_MAX,
  REFUSALS_PER_DOUBTFUL_CODE_MAX,
  REFUSALS_PER_RUN_MAX,
} from "./limits.ts";
import { isOpen, isToldOpen } from "./open-items.ts";
import { languageOf, tellsFailure } from "./phrases.ts";
import { review, unbackedClaims, type ReviewCode, type ReviewVerdict } from "./review.ts";
import type { ReviewSubject } from "./subject.ts";
import type { Language } from "./verbs.ts";

/** What becomes of a finish candidate (guards 1.5 before_finish, 7.2, 7.3). */
export type Finish =
  | { readonly do: "accept"; readonly text: string }
  /** not a refusal: the person has written something new */
  | { readonly do: "reask"; readonly code: "INPUT_PENDING"; readonly hint: string }
  | { readonly do: "wait"; readonly code: "WORK_PENDING" }
  | { readonly do: "refuse"; readonly round: number; readonly verdict: ReviewVerdict }
  /** no ordinary step is left in which the model could mend it */
  | { readonly do: "force"; readonly code: "REVIEW_NO_STEP"; readonly verdict: ReviewVerdict }
  /** enough refusals. `text` null: the honest message, with `open` added */
  | {
      readonly do: "end";
      readonly code: "REVIEW_CAP";
      readonly verdict: ReviewVerdict;
      readonly outcome: Extract<Outcome, "failed_review" | "completed_partial">;
      /** of run_ended, such as `review:ACK_ONLY` */
      readonly reason: string;
      readonly text: string | null;
      readonly open: readonly string[];
    };

/** Without any of these the candidate is no answer at all, so it is not delivered. */
const NO_ANSWER: ReadonlySet<ReviewCode> = new Set([
  "NO_SEND",
  "ACK_ONLY",
  "EMPTY_PROMISE",
  "NO_SUBSTANTIVE",
]);

/** Decides about a candidate, first match wins. Do not ask for forced answers and denials: they end as they are. */
export function decideFinish(subject: ReviewSubject): Finish {
  if (subject.inputPending)
    return {
      do: "reask",
      code: "INPUT_PENDING",
      hint: "The person has written something new: read it, then answer.",
    };
  if (subject.workPending) return { do: "wait", code: "WORK_PENDING" };
  const verdict = review(subject);
  if (verdict === null) return { do: "accept", text: subject.candidate };
  if (isSpent(subject.refusals, verdict.code)) return endOf(subject, verdict);
  if (subject.stepsLeft <= 0) return { do: "force", code: "REVIEW_NO_STEP", verdict };
  return { do: "refuse", round: refusedInAll(subject.refusals) + 1, verdict };
}

function refusedInAll(refusals: Readonly<Record<string, number>>): number {
  return Object.values(refusals).reduce((sum, count) => sum + count, 0);
}

function isSpent(refusals: Readonly<Record<string, number>>, code: ReviewCode): boolean {
  const most = code === "CLAIM_UNBACKED" ? REFUSALS_PER_DOUBTFUL_CODE_MAX : REFUSALS_PER_CODE_MAX;
  return (refusals[code] ?? 0) >= most || refusedInAll(refusals) >= REFUSALS_PER_RUN_MAX;
}

function endOf(subject: ReviewSubject, verdict: ReviewVerdict): Finish {
  const { code } = verdict;
  const open = openPoints(subject);
  const common = { do: "end", code: "REVIEW_CAP", verdict, reason: `review:${code}`, open } as const;
  if (NO_ANSWER.has(code)) return { ...common, outcome: "failed_review", text: null };
  const text = subject.candidate.trim() === "" ? null : withOpenPoints(subject.candidate, open);
  return { ...common, outcome: "completed_partial", text };
}

const HEADINGS: Readonly<Record<Language, string>> = {
  en: "Checked against what was really done, this is open:",
  de: "Verglichen mit dem, was wirklich geschah, ist dies offen:",
  fr: "Comparé à ce qui a vraiment été fait, ceci reste ouvert :",
  es: "Comparado con lo que de verdad se hizo, esto queda pendiente:",
};

/** The candidate, with what it does not say: added, so that the person can tell the two apart. */
export function withOpenPoints(candidate: string, open: readonly string[]): string {
  if (open.length === 0) return candidate;
  const heading = HEADINGS[languageOf(candidate) ?? "en"];
  return [candidate.trim(), `${heading}\n${open.map((line) => `- ${line}`).join("\n")}`].join("\n\n");
}

/** What is open, a line each: failures that nothing mended, plan items, claims that nothing bears out. */
export function openPoints(subject: ReviewSubject): readonly string[] {
  const { calls, plan, candidate, request } = subject;
  const lines = [
    ...(tellsFailure(candidate) ? [] : unresolvedCalls(calls, plan)).map((call) =>
      call.status === "unknown"
        ? `${call.title}: it is not known whether it happened`
        : `${call.title}: failed (${call.error ?? "error"})`,
    ),
    ...plan
      .filter((item) => isOpen(item) && !isToldOpen(item, candidate))
      .map((item) => `Not done: ${item.text}`),
    ...unbackedClaims(calls, candidate, request).map((verb) =>
      verb === "done" ? "No call of this run changed anything" : `No call of this run did this: ${verb}`,
    ),
  ];
  return [...new Set(lines)].slice(0, OPEN_LINES_MAX).map((line) => line.slice(0, OPEN_LINE_CHARS_MAX));
}
