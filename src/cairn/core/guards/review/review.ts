import { startOf } from "../../text/cut.ts";
import { HINT_CHARS_MAX, REFUSALS_PER_CODE_MAX, REFUSALS_PER_RUN_MAX } from "../../limits.ts";
import type { Verdict } from "../../log/verdict.ts";
import { sentencesOf } from "../../text/sentences.ts";
import type { PlainWords } from "../words.ts";
import { unresolvedCalls } from "./evidence.ts";
import { receiptOfCalls } from "./receipt.ts";
import {
  isOpen,
  isNews,
  isRun,
  isWork,
  type Quality,
  type ReviewCall,
  type ReviewSubject,
} from "./subject.ts";

/**
 * The review of "done". The log decides: a failed or unknown effect that the candidate does not report, an open plan,
 * requested work that was not attempted, citation marks without evidence, an empty answer. Words (words.ts) only excuse
 * a candidate, or send it back once; they never end a run. In doubt a rule passes the answer, because the receipt above
 * it states the actions.
 */
export const REVIEW_CODES = [
  "NO_SEND",
  "ACK_ONLY",
  "EMPTY_PROMISE",
  "UNSENT_RESULTS",
  "ERROR_UNRESOLVED",
  "PLAN_ITEMS_OPEN",
  "CLAIM_UNBACKED",
  "NOTHING_CHANGED",
  "BAD_CITATION",
  "NO_CITATION",
] as const;
export type ReviewCode = (typeof REVIEW_CODES)[number];

/** Why a candidate is sent back. `code` is the first that fires and has not sent one back before, else the first; `codes` are all. */
export interface ReviewVerdict extends Verdict<ReviewCode> {
  readonly codes: readonly ReviewCode[];
}

/** True where this reason has sent back as many candidates of the run as it may, or all reasons together have. */
export function isSpent(refusals: Readonly<Record<string, number>>, code: ReviewCode): boolean {
  const all = Object.values(refusals).reduce((sum, count) => sum + count, 0);
  return (refusals[code] ?? 0) >= REFUSALS_PER_CODE_MAX || all >= REFUSALS_PER_RUN_MAX;
}

type Check = (subject: ReviewSubject, words: PlainWords) => Omit<Verdict<ReviewCode>, "code" | "rule"> | null;

const CHECKS: Readonly<Record<ReviewCode, Check>> = {
  NO_SEND: noSend,
  ACK_ONLY: ackOnly,
  EMPTY_PROMISE: emptyPromise,
  UNSENT_RESULTS: unsentResults,
  ERROR_UNRESOLVED: errorUnresolved,
  PLAN_ITEMS_OPEN: planItemsOpen,
  CLAIM_UNBACKED: claimUnbacked,
  NOTHING_CHANGED: nothingChanged,
  BAD_CITATION: badCitation,
  NO_CITATION: noCitation,
};

/** Returns the objection to a candidate, or null. */
export function review(subject: ReviewSubject, words: PlainWords): ReviewVerdict | null {
  if (isRepeated(subject)) return null;
  const isEmpty = subject.candidate.trim() === "";
  // Silence is a valid end of a heartbeat.
  if (isEmpty && subject.profile === "heartbeat") return null;
  const codes: readonly ReviewCode[] =
    subject.profile === "trivial" && !isEmpty
      ? ["NO_SEND", "CLAIM_UNBACKED", "NOTHING_CHANGED", "BAD_CITATION", "NO_CITATION"]
      : REVIEW_CODES;
  const found = codes.flatMap((code) => {
    const objection = CHECKS[code](subject, words);
    return objection === null ? [] : [{ code, rule: `review.${code.toLowerCase()}`, ...objection }];
  });
  const first = found.find(({ code }) => !isSpent(subject.refusals, code)) ?? found[0];
  if (first === undefined) return null;
  return { ...first, hint: startOf(first.hint, HINT_CHARS_MAX), codes: found.map(({ code }) => code) };
}

/** The candidate of a reply: its text, or, where that is empty and nothing fresh came after it, the held text. */
export function candidateOf(
  text: string,
  held: { readonly seq: number; readonly text: string } | null,
  calls: readonly Pick<ReviewCall, "seq" | "fresh" | "effect" | "status">[],
): string {
  if (text.trim() !== "" || held === null) return text;
  return calls.some((call) => call.seq > held.seq && isNews(call)) ? "" : held.text;
}

function isRepeated(subject: ReviewSubject): boolean {
  if (subject.candidate.trim() !== "") return false;
  const last = subject.deliveries.findLast((one) => one.toOrigin && one.quality === "substantive");
  return last !== undefined && !subject.calls.some((call) => call.seq > last.seq && isNews(call));
}

const seqsOf = (calls: readonly { readonly seq: number }[]): readonly number[] => calls.map(({ seq }) => seq);
/** Builds an objection with its evidence from these calls of the run. */
const against = (calls: readonly { readonly seq: number; readonly id: string }[], hint: string) => ({
  evidence: { seqs: seqsOf(calls), names: calls.map(({ id }) => id) },
  hint,
});
const listed = (names: readonly string[]): string => [...new Set(names)].slice(0, 4).join(", ");

/** Returns the qualities of all messages to the person, including the candidate. */
function messageQualities(subject: ReviewSubject, words: PlainWords): readonly Quality[] {
  const qualities = subject.deliveries.filter((one) => one.toOrigin).map((one) => one.quality);
  if (subject.candidate.trim() === "") return qualities;
  const results = subject.calls
    .filter((call) => isWork(call) && call.status === "ok")
    .map((call) => call.result);
  return [...qualities, words.qualityOf(subject.candidate, { request: subject.request, results })];
}

function noSend(subject: ReviewSubject): ReturnType<Check> {
  const nothingSent = !subject.deliveries.some((one) => one.toOrigin);
  if (!nothingSent || (subject.deliver === "reply" && subject.candidate.trim() !== "")) return null;
  const hint =
    subject.deliver === "tool"
      ? "Nothing has been sent to the person. Send them the answer by the message tool, then finish."
      : "Your answer is empty and nothing has been sent. Tell the person what was done, what was found and what was not.";
  return { evidence: { seqs: [] }, hint };
}

function ackOnly(subject: ReviewSubject, words: PlainWords): ReturnType<Check> {
  const worked = subject.calls.some((call) => isWork(call) && isRun(call));
  const qualities = messageQualities(subject, words);
  if (!(subject.work || worked) || qualities.length === 0 || qualities.some((quality) => quality !== "ack"))
    return null;
  return {
    evidence: { seqs: seqsOf(subject.deliveries) },
    hint: "That only says that you are on it, and finishing now would leave it at that. Do the work with the tools, then say what came of it; or say why it cannot be done.",
  };
}

function emptyPromise(subject: ReviewSubject, words: PlainWords): ReturnType<Check> {
  const { candidate, request, calls } = subject;
  if (!words.promisesLater(candidate)) return null;
  // "One minute." may be what was found.
  const isAnswer = words.isQuestion(request) && sentencesOf(candidate).length === 1;
  if (isAnswer && messageQualities(subject, words).includes("substantive")) return null;
  if (calls.some((call) => call.opensLater && call.status === "ok")) return null;
  return against(
    [],
    "You promise to do something later, but the run ends with this answer and nothing is scheduled. Do it now, or say plainly that it is not done; offer it if the person has to decide.",
  );
}

function unsentResults(subject: ReviewSubject): ReturnType<Check> {
  if (subject.candidate.trim() !== "" && subject.deliver === "reply") return null;
  const last = Math.max(0, ...seqsOf(subject.deliveries));
  const unsent = subject.calls.filter((call) => isWork(call) && call.seq > last && isNews(call));
  if (unsent.length === 0) return null;
  return against(
    unsent,
    `The person has not been told what came of ${listed(unsent.map(({ tool }) => tool))}. Tell them what you found or did.`,
  );
}

function errorUnresolved(subject: ReviewSubject, words: PlainWords): ReturnType<Check> {
  const open = words.hiddenFailures(subject, unresolvedCalls(subject.calls, subject.plan));
  if (open.length === 0) return null;
  const what = listed(open.map((call) => `${call.tool} (${call.error ?? call.status})`));
  return against(
    open,
    `Not settled: ${what}. Try it another way, or say in your answer that it did not work, or that its outcome is not known.`,
  );
}

function planItemsOpen({ plan, candidate }: ReviewSubject, words: PlainWords): ReturnType<Check> {
  const hidden = plan.filter((item) => isOpen(item) && !words.namesAsOpen(item, candidate));
  if (hidden.length === 0) return null;
  return {
    evidence: { seqs: [], names: hidden.map(({ id }) => id) },
    hint: `Open in your plan: ${hidden
      .slice(0, 3)
      .map((item) => `${item.id} “${startOf(item.text, 50)}”`)
      .join(", ")}. Do them, mark what is done, or name them in your answer as not done.`,
  };
}

/** The request asks for a change by name, no effect made it, and the candidate claims it. */
function claimUnbacked(subject: ReviewSubject, words: PlainWords): ReturnType<Check> {
  const unbacked = words.unbackedClaims(subject);
  if (unbacked.length === 0) return null;
  const what = listed(unbacked.map((verb) => (verb === "done" ? "what was asked" : verb)));
  return {
    evidence: { seqs: [], names: unbacked },
    hint: `Your answer says that it is done (${what}), but no call of this run did it. Do it now, or say what was really done and what was not.`,
  };
}

/** Objects if work was requested, nothing was changed, and the candidate does not admit it. */
function nothingChanged(subject: ReviewSubject, words: PlainWords): ReturnType<Check> {
  const { calls, candidate } = subject;
  const { changed, unknown } = receiptOfCalls(calls);
  if (changed.length + unknown.length > 0 || candidate.trim() === "") return null;
  const tried = calls.filter((call) => isWork(call) && call.effect !== "read");
  // The person who denied the call knows, and the receipt lists it.
  if (tried.some(({ status }) => status === "denied")) return null;
  if (/[?？؟]/u.test(candidate) || !words.hidesNoChange(subject, tried)) return null;
  return against(
    tried,
    "Nothing was changed in this run, and your answer does not say so. Do what was asked, or say plainly that it is not done and why.",
  );
}

/**
 * Sends a candidate back once, while a step is left. After that the run ends as partial: the marks are removed, and the
 * answer states it. If no step was left to correct them, they are only removed.
 */
function badCitation({ citations, refusals, stepsLeft }: ReviewSubject): ReturnType<Check> {
  const unknown = citations?.unknown ?? [];
  if (unknown.length === 0 || (stepsLeft <= 0 && !isSpent(refusals, "BAD_CITATION"))) return null;
  return {
    evidence: { seqs: [], names: unknown },
    hint: `Your answer cites what nothing that you read bears out: ${listed(unknown)}. Cite only ids that a result shows, or say it without a mark.`,
  };
}

function noCitation({ citations, stepsLeft }: ReviewSubject): ReturnType<Check> {
  if (citations?.rule !== "require" || citations.known > 0 || citations.unknown.length > 0 || stepsLeft <= 0)
    return null;
  return {
    evidence: { seqs: [] },
    hint: "Your answer must cite what it rests on. Read sources, and set the id of a passage behind each sentence that it bears out, as [e12].",
  };
}
