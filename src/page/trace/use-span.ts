import { useCallback, useState } from "react";
import { beginSpan, fitSpan, type Span } from "./span.ts";

/** The part of a list that is on the page. Another `key` is another list, which begins anew, around `at` where there is one. */
export function useSpan(
  key: string,
  count: number,
  at: number | null,
  follows: boolean,
): readonly [span: Span, move: (to: (span: Span) => Span) => void] {
  const [state, setState] = useState(() => ({ key, span: beginSpan(count, at) }));
  const span = fitSpan(state.key === key ? state.span : beginSpan(count, at), count, follows);
  if (state.key !== key || span.first !== state.span.first || span.last !== state.span.last)
    setState({ key, span });
  const move = useCallback((to: (span: Span) => Span) => {
    setState((before) => ({ ...before, span: to(before.span) }));
  }, []);
  return [span, move];
}
