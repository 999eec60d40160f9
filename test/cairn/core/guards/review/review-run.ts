import type {
  Quality,
  ReviewItem,
  ReviewCall,
  ReviewDelivery,
  ReviewSubject,
} from "../../../../../src/cairn/core/guards/review/subject.ts";

/** Runs in few words, for the tests of the review. */

let seq = 0;

function call(tool: string, args: string, more: Partial<ReviewCall>): ReviewCall {
  const id = `r1s1c${++seq}`;
  return {
    id,
    seq,
    tool,
    title: tool,
    effect: "read",
    kind: "work",
    status: "ok",
    error: null,
    target: null,
    fresh: false,
    verbs: [],
    input: args,
    replaced: null,
    things: [],
    failure: null,
    result: "",
    item: null,
    opensLater: false,
    ...more,
  };
}

/** An ok read with a result that is new. */
export const read = (tool: string, result: string, args = "", more: Partial<ReviewCall> = {}): ReviewCall =>
  call(tool, args, { result, fresh: true, ...more });

/** An ok effect of a tool that declares the verbs. */
export const effect = (
  tool: string,
  verbs: string | null,
  target: string | null = null,
  more: Partial<ReviewCall> = {},
): ReviewCall =>
  call(tool, target ?? "", {
    effect: "keyed",
    verbs: verbs === null ? null : verbs.split(" "),
    target,
    result: '{"ok":true}',
    fresh: true,
    ...more,
  });

export const failed = (
  tool: string,
  error: ReviewCall["error"],
  args = "",
  more: Partial<ReviewCall> = {},
): ReviewCall => call(tool, args, { status: error === null ? "unknown" : "error", error, ...more });

export const item = (
  id: string,
  text: string,
  status: ReviewItem["status"],
  kind: ReviewItem["kind"] = "do",
): ReviewItem => ({ id, text, status, kind });

export const sent = (quality: Quality, toOrigin = true): ReviewDelivery => ({
  seq: ++seq,
  toOrigin,
  quality,
});

export function run(
  request: string,
  calls: readonly ReviewCall[],
  candidate: string,
  more: Partial<ReviewSubject> = {},
): ReviewSubject {
  return {
    request,
    calls,
    candidate,
    profile: "standard",
    work: true,
    deliver: "reply",
    channel: null,
    deliveries: [],
    plan: [],
    refusals: {},
    stepsLeft: 5,
    ...more,
  };
}
