import { addressName, ORIGIN, SEND_MESSAGE } from "../../address.ts";
import type { Entry } from "../../log/entry.ts";
import { isObject } from "../../log/json.ts";
import { planOf } from "../../entries/plan.ts";
import type { LiveRun } from "../../state/state.ts";
import { readMarker } from "../../text/markers.ts";
import type { PlainWords } from "../words.ts";
import { citationRuleOf, citedBy, type Cite } from "./citations.ts";
import { reviewCallsOf } from "./evidence.ts";
import { candidateOf, isSpent, review, type ReviewVerdict } from "./review.ts";
import { isOpen, isWork, type ReviewCall, type ReviewDelivery, type ReviewSubject } from "./subject.ts";

/** Decision about a candidate answer. */
export type Finish =
  | { readonly do: "accept"; readonly text: string }
  | { readonly do: "refuse"; readonly round: number; readonly verdict: ReviewVerdict }
  /** no ordinary step is left in which the model could correct it */
  | { readonly do: "force"; readonly code: "REVIEW_NO_STEP"; readonly verdict: ReviewVerdict }
  /**
   * the refusals are spent, or the steps of a run without a forced answer: the run ends as partial. `text` null: the
   * closing report replaces it
   */
  | {
      readonly do: "end";
      readonly code: "REVIEW_CAP";
      readonly verdict: ReviewVerdict;
      /** of run_ended, such as `review:ACK_ONLY` */
      readonly reason: string;
      readonly text: string | null;
    };

/** Decides about a candidate, first match wins. */
export function decideFinish(subject: ReviewSubject, words: PlainWords): Finish {
  const verdict = review(subject, words);
  if (verdict === null) return { do: "accept", text: subject.candidate };
  if (isSpent(subject.refusals, verdict.code)) return endOf(subject, verdict, words);
  if (subject.stepsLeft <= 0 && subject.endsUnforced === true) return endOf(subject, verdict, words);
  if (subject.stepsLeft <= 0) return { do: "force", code: "REVIEW_NO_STEP", verdict };
  return { do: "refuse", round: refusedInAll(subject.refusals) + 1, verdict };
}

function refusedInAll(refusals: Readonly<Record<string, number>>): number {
  return Object.values(refusals).reduce((sum, count) => sum + count, 0);
}

/** No correction is possible: the candidate is delivered as partial, with what its plan leaves open. */
function endOf({ candidate, plan }: ReviewSubject, verdict: ReviewVerdict, words: PlainWords): Finish {
  const { code } = verdict;
  const text = candidate.trim();
  const open = plan
    .filter((item) => isOpen(item) && !words.namesAsOpen(item, candidate))
    .map((item) => item.text);
  const more = open.length === 0 ? "" : `\n\nNot done: ${open.join("; ")}.`;
  return {
    do: "end",
    code: "REVIEW_CAP",
    verdict,
    reason: `review:${code}`,
    text: text === "" ? null : `${text}${more}`,
  };
}

/** Returns the review's view of a run and its entries. `answer`: the candidate answer. */
export function reviewSubject(
  run: LiveRun,
  entries: readonly Entry[],
  answer: string,
  words: PlainWords,
  cite: Cite | null = null,
): ReviewSubject {
  const calls = reviewCallsOf(run.run, entries);
  const candidate = candidateOf(answer, heldBy(run, entries), calls);
  const rule = cite === null ? null : citationRuleOf(run, entries);
  return {
    ...(rule === null || cite === null ? {} : { citations: citedBy(candidate, rule, cite) }),
    request: requestOf(run, entries),
    candidate,
    profile: run.profile,
    work: run.work,
    deliver: deliverOf(entries),
    channel: run.request.origin?.channel ?? null,
    calls,
    deliveries: deliveriesOf(run, calls, requestOf(run, entries), words),
    plan: planOf(run, entries)?.items ?? [],
    refusals: run.loop.refusals,
    // The last step is reserved for the forced answer, where one is wanted.
    ...(run.request.onExhausted === "fail"
      ? { stepsLeft: run.limits.steps - run.step, endsUnforced: true }
      : { stepsLeft: run.limits.steps - 1 - run.step }),
  };
}

function deliverOf(entries: readonly Entry[]): "reply" | "tool" {
  const queued = entries.find((entry) => entry.kind === "run_queued");
  return queued?.body.spec.deliver ?? "reply";
}

/** Returns the messages sent, each with its text and the results before it. */
function deliveriesOf(
  run: LiveRun,
  calls: readonly ReviewCall[],
  request: string,
  words: PlainWords,
): ReviewDelivery[] {
  const { origin } = run.request;
  const here = [ORIGIN, ...(origin === undefined ? [] : [addressName(origin)])];
  return calls.flatMap(({ tool, status, input, seq }) => {
    if (tool !== SEND_MESSAGE || !isObject(input) || !["ok", "unknown", "reused"].includes(status)) return [];
    const { text, to } = input;
    if (typeof text !== "string" || typeof to !== "string") return [];
    const before = calls.filter((call) => isWork(call) && call.status === "ok" && call.seq < seq);
    const quality = words.qualityOf(text, { request, results: before.map((call) => call.result) });
    return [{ seq, quality, toOrigin: here.includes(to) }];
  });
}

/** All that the person has asked of a run. */
export function requestOf(run: LiveRun, entries: readonly Entry[]): string {
  return entries
    .flatMap((entry) => {
      if (entry.kind === "human_answered" && !entry.body.expired && entry.body.message === null)
        return [String(entry.body.value)];
      if (entry.kind !== "user_message" || !run.input.all.includes(entry.seq)) return [];
      return entry.body.parts.map((part) => (part.type === "text" ? part.text : ""));
    })
    .join("\n");
}

function heldBy(
  run: LiveRun,
  entries: readonly Entry[],
): { readonly seq: number; readonly text: string } | null {
  const entry = entries.find((entry) => entry.seq === run.output.latestText);
  if (entry?.kind !== "model_replied") return null;
  const text = entry.body.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { seq: entry.seq, text: readMarker(text).shown.trim() };
}
