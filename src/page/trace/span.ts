/**
 * Which of many steps are on the page: some at first, and more when one comes to their end, so that a run of thousands of
 * rows is as quick as a short one.
 */
export interface Span {
  /** index of the first step that is there */
  readonly first: number;
  /** index behind the last one */
  readonly last: number;
}

export const SPAN_STEPS = 60;
/** steps before the one that was asked for */
const BEFORE = 5;

/** Shows the first of `count` steps, or those around `at`. */
export function beginSpan(count: number, at: number | null): Span {
  const first = Math.max(0, (at ?? 0) - BEFORE);
  return { first, last: Math.min(count, first + SPAN_STEPS) };
}

/** The last ones. */
export const endSpan = (count: number): Span => ({ first: Math.max(0, count - SPAN_STEPS), last: count });

/** The same steps when there are `count`; with `follows` always the newest among them. */
export function fitSpan({ first, last }: Span, count: number, follows: boolean): Span {
  if (!follows)
    return { first: Math.min(first, count), last: Math.min(count, Math.max(last, first + SPAN_STEPS)) };
  const end = endSpan(count);
  return first > end.first || count - first > 2 * SPAN_STEPS ? end : { first, last: count };
}

export const earlier = ({ first, last }: Span): Span => ({ first: Math.max(0, first - SPAN_STEPS), last });
export const later = ({ first, last }: Span): Span => ({ first, last: last + SPAN_STEPS });
