import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from "react";

/** So near to the end one follows it. */
const NEAR_PX = 60;

/**
 * `begun`: there is something to follow; the placeholder of an empty list is read from its top. Keeps a growing list
 * scrolled to its end, unless the person has scrolled up. `away`: they have, and there may be new content.
 */
export function useStickToEnd(begun: boolean): {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly away: boolean;
  readonly toEnd: () => void;
} {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [away, setAway] = useState(false);
  const grows = useRef(begun);
  grows.current = begun;
  const toEnd = useCallback(() => {
    follows.current = true;
    setAway(false);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, []);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null || content.current === null) return;
    let top = box.scrollTop;
    const seen = (): void => {
      const near = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
      // Only a person goes up; that the end is far also happens when much comes at once.
      if (near || box.scrollTop < top) follows.current = near;
      top = box.scrollTop;
      setAway(!follows.current);
    };
    // Growth of the content and a box that gets smaller (a keyboard) both move the end.
    const grown = new ResizeObserver(() => {
      if (follows.current && grows.current) box.scrollTop = box.scrollHeight;
    });
    grown.observe(content.current);
    grown.observe(box);
    box.addEventListener("scroll", seen, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener("scroll", seen);
    };
  }, []);
  return { scroller, content, away, toEnd };
}
