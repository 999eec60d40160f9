import { readFileSync } from "node:fs";
import path from "node:path";
import { candidateOf, REVIEW_CODES } from "../../src/cairn/core/guards/review/review.ts";
import type { ReviewCall, ReviewSubject } from "../../src/cairn/core/guards/review/subject.ts";
import { WORDS } from "../../src/plugins/plain-words/words.ts";
import type { ErrorClass } from "../../src/cairn/core/log/tool.ts";
import type { ReviewCase } from "./eval-reviews.ts";
import { reviewTranscript, type ReviewTranscript } from "./review-format.ts";

/** The labelled transcripts as the review of the loop is handed them. Calls are settled at seq 10, 20, 30, …. */
export function loadReviews(): ReviewCase[] {
  const text = readFileSync(path.join(import.meta.dirname, "reviews.jsonl"), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => reviewTranscript.parse(JSON.parse(line)))
    .flatMap((one) => {
      const codes = REVIEW_CODES.filter((code) => one.codes.includes(code));
      // Lines whose only reason is judged no more are not scored.
      if (one.label === "refuse" && codes.length === 0) return [];
      return [{ id: one.id, label: one.label, codes, subject: subjectOf(one) }];
    });
}

const READS: ReadonlySet<string> = new Set(["read", "search", "test"]);

function subjectOf(one: ReviewTranscript): ReviewSubject {
  const { request, opened, plan, held } = one;
  const items = new Map((plan ?? []).flatMap((item) => item.calls.map((call) => [call, item.id])));
  const calls = one.calls.map((call, index): ReviewCall => ({
    id: call.id,
    seq: (index + 1) * 10,
    tool: call.tool,
    title: call.tool,
    effect: call.effect,
    kind: call.kind,
    status: call.status,
    error: call.error as ErrorClass | null,
    target: call.target,
    fresh: call.fresh,
    verbs: READS.has(call.verb) ? [] : [call.verb],
    input: call.args,
    replaced: null,
    things: [],
    failure: call.status === "ok" ? null : call.result,
    result: call.status === "ok" ? call.result : "",
    item: items.get(call.id) ?? null,
    opensLater: false,
  }));
  const results = calls.filter((call) => call.status === "ok").map((call) => call.result);
  const seqAfter = (count: number): number => count * 10 + 5;
  return {
    request,
    candidate: candidateOf(
      one.candidate,
      held === null ? null : { seq: seqAfter(held.after), text: held.text },
      calls,
    ),
    profile: one.profile,
    work: one.work,
    deliver: one.deliver,
    channel: null,
    calls: opened.length === 0 ? calls : withOpened(calls),
    deliveries: one.deliveries.map(({ after, text }) => ({
      seq: seqAfter(after),
      toOrigin: true,
      quality: WORDS.qualityOf(text, { request, results }),
    })),
    plan: (plan ?? []).map(({ id, text, kind, status }) => ({ id, text, kind, status })),
    refusals: {},
    stepsLeft: 5,
  };
}

/** Adds a successful schedule_task call, which stands for work opened for later. */
function withOpened(calls: readonly ReviewCall[]): readonly ReviewCall[] {
  const last = calls.at(-1);
  const opening: ReviewCall = {
    id: "opened",
    seq: (last?.seq ?? 0) + 1,
    tool: "schedule_task",
    title: "Schedule",
    effect: "keyed",
    kind: "bookkeeping",
    status: "ok",
    error: null,
    target: null,
    fresh: true,
    verbs: ["schedule"],
    input: {},
    replaced: null,
    things: [],
    failure: null,
    result: "",
    item: null,
    opensLater: true,
  };
  return [...calls, opening];
}
