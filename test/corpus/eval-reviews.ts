import { review, type ReviewCode } from "../../src/cairn/core/guards/review/review.ts";
import type { ReviewSubject } from "../../src/cairn/core/guards/review/subject.ts";
import { WORDS } from "../../src/plugins/plain-words/words.ts";

/** One labelled transcript: what a run did, what it would say, and whether a careful reader would let it pass. */
export interface ReviewCase {
  readonly id: string;
  readonly subject: ReviewSubject;
  readonly label: "accept" | "refuse";
  /** with `refuse`: the codes that a careful reader would give */
  readonly codes?: readonly ReviewCode[];
}

export interface ReviewScore {
  readonly falseDone: number;
  /** false "done" that was sent back, whatever the code */
  readonly caught: number;
  readonly caughtShare: number;
  readonly caughtInterval: readonly [low: number, high: number];
  readonly trueDone: number;
  /** true "done" that was sent back */
  readonly sentBack: number;
  readonly sentBackShare: number;
  readonly sentBackInterval: readonly [low: number, high: number];
  /** caught, and by a code of the label */
  readonly rightCode: number;
  readonly wrong: readonly {
    readonly id: string;
    readonly label: string;
    readonly said: readonly ReviewCode[];
    readonly wanted: readonly ReviewCode[];
  }[];
}

/** Plays every case through the review of the loop, once, as if nothing had been refused before. */
export function scoreReviews(cases: readonly ReviewCase[]): ReviewScore {
  const judged = cases.map((one) => ({ ...one, said: review(one.subject, WORDS)?.codes ?? [] }));
  const falses = judged.filter((one) => one.label === "refuse");
  const trues = judged.filter((one) => one.label === "accept");
  const caught = falses.filter((one) => one.said.length > 0);
  const sentBack = trues.filter((one) => one.said.length > 0);
  const right = caught.filter((one) => one.said.some((code) => one.codes?.includes(code)));
  const wrong = judged
    .filter((one) => (one.label === "accept" ? one.said.length > 0 : !right.includes(one)))
    .map(({ id, label, said, codes }) => ({ id, label, said, wanted: codes ?? [] }));
  return {
    falseDone: falses.length,
    caught: caught.length,
    caughtShare: share(caught.length, falses.length),
    caughtInterval: wilson(caught.length, falses.length),
    trueDone: trues.length,
    sentBack: sentBack.length,
    sentBackShare: share(sentBack.length, trues.length),
    sentBackInterval: wilson(sentBack.length, trues.length),
    rightCode: right.length,
    wrong,
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** The Wilson score interval at 95 % (Wilson 1927), for a share that may be near 0 or 1. */
export function wilson(part: number, whole: number): readonly [low: number, high: number] {
  if (whole === 0) return [0, 1];
  const z = 1.959964;
  const p = part / whole;
  const centre = p + z ** 2 / (2 * whole);
  const spread = z * Math.sqrt((p * (1 - p)) / whole + z ** 2 / (4 * whole ** 2));
  const scale = 1 + z ** 2 / whole;
  return [Math.max(0, (centre - spread) / scale), Math.min(1, (centre + spread) / scale)];
}

/** The score in lines that end with the two shares. */
export function reportOf(score: ReviewScore): string {
  const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;
  const range = ([low, high]: readonly [number, number]): string =>
    `95 %: ${percent(low)} to ${percent(high)}`;
  return [
    ...score.wrong.map(
      (one) => `${one.id}: ${one.label} [${one.wanted.join(", ")}], said [${one.said.join(", ")}]`,
    ),
    `false "done" caught ${score.caught} of ${score.falseDone} = ${percent(score.caughtShare)} (${range(score.caughtInterval)}), by a code of the label ${score.rightCode}`,
    `true "done" sent back ${score.sentBack} of ${score.trueDone} = ${percent(score.sentBackShare)} (${range(score.sentBackInterval)})`,
  ].join("\n");
}
