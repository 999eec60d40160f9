import type { ChannelName } from "../../address.ts";
import type { Json } from "../../log/json.ts";
import type { CallRecord } from "../../log/mark.ts";
import type { EntityRef } from "../../log/tool.ts";
import type { Profile } from "../../log/verdict.ts";
import { lowerCaseWords } from "../../text/sentences.ts";
import type { CitedCandidate } from "./citations.ts";

/** Input of the review of "done": the actions of the run, and its candidate answer. */

/** A settled call of the run, with the texts that the review looks into. */
export interface ReviewCall extends Pick<
  CallRecord,
  "id" | "seq" | "tool" | "effect" | "kind" | "error" | "target" | "fresh"
> {
  /** `denied`: by a person, or by expiry. `skipped`: refused or stopped before it ran */
  readonly status: "ok" | "error" | "unknown" | "denied" | "skipped" | "reused";
  /** for people, such as `Publish or unpublish` */
  readonly title: string;
  /** effects that the tool declares; null if it declares none */
  readonly verbs: readonly string[] | null;
  /** its arguments: those of the reply, or of the person who edited them */
  readonly input: Json;
  /** the arguments of the reply, where a person put others in their place; else null */
  readonly replaced: Json;
  /** what its result touched, in the result's order */
  readonly things: readonly EntityRef[];
  /** message of its failure */
  readonly failure: string | null;
  /** the observation of an ok call, else empty */
  readonly result: string;
  /** plan item that it works on */
  readonly item: string | null;
  /** it opened a schedule, a child run or an approval that goes on after the run */
  readonly opensLater: boolean;
}

/** ack: announces work. substantive: reports a finding. neutral: neither. */
export type Quality = "ack" | "neutral" | "substantive";

/** The request, and the texts of the run's ok work results, newest last. */
export interface Background {
  readonly request: string;
  readonly results: readonly string[];
}

/** A message with a receipt, or with an unknown outcome; a failed send is none. */
export interface ReviewDelivery {
  readonly seq: number;
  readonly toOrigin: boolean;
  readonly quality: Quality;
}

export interface ReviewSubject {
  /** text of all the person's messages in this run */
  readonly request: string;
  /** the text that would be the answer, after `candidateOf` */
  readonly candidate: string;
  readonly profile: Profile;
  /** the request asks for work */
  readonly work: boolean;
  readonly deliver: "reply" | "tool";
  /** channel on which the answer is delivered; null: the page, or the API caller */
  readonly channel: ChannelName | null;
  /** in the order in which they were settled */
  readonly calls: readonly ReviewCall[];
  readonly deliveries: readonly ReviewDelivery[];
  readonly plan: readonly ReviewItem[];
  /** earlier refusals of this run, by code */
  readonly refusals: Readonly<Record<string, number>>;
  /** ordinary steps left after this one */
  readonly stepsLeft: number;
  /** no forced answer follows the last step; absent where one does */
  readonly endsUnforced?: true;
  /** absent where its citations are not checked */
  readonly citations?: CitedCandidate;
}

/** A fresh read result, or an ok effect. */
export function isNews(call: Pick<ReviewCall, "fresh" | "effect" | "status">): boolean {
  return call.status === "ok" && (call.effect !== "read" || call.fresh);
}

export const isWork = (call: ReviewCall): boolean => call.kind === "work";
export const isRun = (call: ReviewCall): boolean =>
  ["ok", "error", "unknown", "reused"].includes(call.status);
export const isFreshRead = (call: ReviewCall): boolean =>
  isWork(call) && call.effect === "read" && call.status === "ok" && call.fresh;
export const isOkEffect = (call: ReviewCall): boolean =>
  call.kind !== "send" && call.effect !== "read" && call.status === "ok";

/** A plan item, as the review and the closing report look at it. */
export interface ReviewItem {
  readonly id: string;
  readonly text: string;
  readonly kind: "look" | "do" | "check" | "deliver";
  readonly status: "open" | "doing" | "done" | "failed" | "dropped";
}

/** True for an item that must be done, or named as not done: a delivery is done by the answer itself. */
export function isOpen(item: ReviewItem): boolean {
  return item.kind !== "deliver" && ["open", "doing", "failed"].includes(item.status);
}

/** Finds sentences that name an item: by its id, or by a third of the words of its text, which is read once. */
export function itemMatcher({ id, text }: Pick<ReviewItem, "id" | "text">): (sentence: string) => boolean {
  const words = stemsOf(text);
  const needed = Math.max(1, Math.ceil(words.size / 3));
  return (sentence) => {
    const shared = [...stemsOf(sentence)].filter((stem) => words.has(stem)).length;
    return shared >= needed || lowerCaseWords(sentence).includes(id);
  };
}

/** Words of at least four characters, by their first five. */
function stemsOf(text: string): ReadonlySet<string> {
  return new Set(
    lowerCaseWords(text)
      .filter((word) => word.length >= 4 || /^\d+$/u.test(word))
      .map((word) => word.slice(0, 5)),
  );
}
