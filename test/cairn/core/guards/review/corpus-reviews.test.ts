import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { LABEL_CODES, reviewTranscript, type ReviewTranscript } from "../../../../corpus/review-format.ts";

const reviews = readFileSync(path.join(import.meta.dirname, "../../../../corpus/reviews.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => reviewTranscript.parse(JSON.parse(line)));

/** Contradictions inside a transcript, or between its label and its facts. */
function faultsOf(review: ReviewTranscript): string[] {
  const { codes, calls, deliveries, plan, held, candidate } = review;
  const faults: string[] = [];
  if ((review.label === "refuse") !== codes.length > 0)
    faults.push("a refusal has codes, an acceptance none");
  if (codes.join() !== LABEL_CODES.filter((code) => codes.includes(code)).join())
    faults.push("order of codes");
  if (calls.some((call, n) => call.id !== `c${n}`)) faults.push("calls are numbered");
  const seen = new Set<string>();
  for (const { id, status, error, effect, result, fresh } of calls) {
    if ((status === "error" || status === "unknown") !== (error !== null && status !== "denied"))
      faults.push(`${id}: a failure has a class`);
    if (status === "unknown" && effect !== "once") faults.push(`${id}: only once calls end unknown`);
    if (fresh && (status !== "ok" || result === "" || seen.has(result))) faults.push(`${id} is not fresh`);
    if (status === "ok") seen.add(result);
  }
  for (const { after } of [...deliveries, ...(held === null ? [] : [held])])
    if (after > calls.length) faults.push("said after calls that were not made");
  for (const item of plan ?? [])
    for (const id of item.calls) if (!calls.some((call) => call.id === id)) faults.push(`no call ${id}`);
  for (const item of plan ?? [])
    if (item.status === "done" && item.kind !== "deliver" && item.calls.length === 0)
      faults.push(`${item.id} is done without evidence`);
  // Codes that follow from the facts alone, whatever the wording.
  const failed = calls.some((call) => call.status === "error" || call.status === "unknown");
  const open = (plan ?? []).some(
    ({ kind, status }) => kind !== "deliver" && ["open", "doing", "failed"].includes(status),
  );
  const has = (code: ReviewTranscript["codes"][number]): boolean => codes.includes(code);
  if (has("ERROR_UNRESOLVED") && !failed) faults.push("an error is needed for ERROR_UNRESOLVED");
  if (has("PLAN_ITEMS_OPEN") && !open) faults.push("an open item is needed for PLAN_ITEMS_OPEN");
  if (has("NO_SUBSTANTIVE")) {
    if (!calls.some((call) => call.effect === "read" && call.fresh)) faults.push("no fresh read");
    if (calls.some((call) => call.effect !== "read" && call.status === "ok")) faults.push("an ok effect");
  }
  const last = deliveries.at(-1)?.after ?? 0;
  const newer = calls
    .slice(last)
    .some((call) => call.status === "ok" && (call.fresh || call.effect !== "read"));
  const said = candidate === "" ? held !== null && held.after >= calls.length : review.deliver === "reply";
  if (has("UNSENT_RESULTS") !== (newer && !said)) faults.push("UNSENT_RESULTS follows from the order alone");
  if (has("NO_SEND") !== (deliveries.length === 0 && !said))
    faults.push("NO_SEND follows from the order alone");
  if (review.profile === "trivial" && codes.some((code) => code !== "NO_SEND" && code !== "CLAIM_UNBACKED"))
    faults.push("a trivial run is refused for two codes only");
  return faults;
}

describe("the corpus of reviews", () => {
  test("holds sound transcripts only, each with its own id", () => {
    expect(reviews.flatMap((review) => faultsOf(review).map((fault) => `${review.id}: ${fault}`))).toEqual(
      [],
    );
    expect(new Set(reviews.map((review) => review.id)).size).toBe(reviews.length);
    const bodies = reviews.map(({ request, calls, candidate }) =>
      JSON.stringify([request, calls, candidate]),
    );
    expect(new Set(bodies).size).toBe(bodies.length);
  });

  test("has the sizes that its measurements need", () => {
    const share = (keep: (review: ReviewTranscript) => boolean): number =>
      reviews.filter(keep).length / reviews.length;
    expect(reviews.length).toBeGreaterThanOrEqual(120);
    expect(share((review) => review.label === "accept")).toBeGreaterThan(0.42);
    expect(share((review) => review.label === "accept")).toBeLessThan(0.58);
    expect(share((review) => review.split === "held")).toBeGreaterThan(0.27);
    expect(share((review) => review.split === "held")).toBeLessThan(0.33);
    const times = (code: string): number =>
      reviews.filter((review) => (review.codes as readonly string[]).includes(code)).length;
    // Rare codes: the multilingual answers measure the wording that no rule can read, and citation marks are looked up,
    // not weighed.
    expect(LABEL_CODES.filter((code) => times(code) < 5)).toEqual([
      "NOTHING_CHANGED",
      "BAD_CITATION",
      "NO_CITATION",
    ]);
    for (const label of ["accept", "refuse"])
      for (const lang of ["en", "de", "fr"])
        expect(
          reviews.filter((review) => review.label === label && review.lang === lang).length,
        ).toBeGreaterThanOrEqual(4);
  });
});
