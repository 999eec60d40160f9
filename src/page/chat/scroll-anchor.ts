import { useCallback, useLayoutEffect, useRef, type RefCallback, type RefObject } from "react";

/** Distance above the visible part at which earlier messages are loaded. */
const NEAR = "600px 0px 0px 0px";

/**
 * Keeps the visible messages where they are when earlier ones are inserted above. A browser's own scroll anchor does
 * not work at the very top, where earlier messages are loaded.
 */
export function useScrollAnchor(content: RefObject<HTMLElement | null>, first: string | undefined): void {
  const was = useRef<{ readonly first: HTMLElement | null; readonly top: number } | null>(null);
  useLayoutEffect(() => {
    const list = content.current;
    const scroller = list?.parentElement;
    if (list == null || scroller == null) return;
    const before = was.current;
    if (before?.first?.isConnected === true && before.first !== articleIn(list)) {
      scroller.scrollTop += before.first.getBoundingClientRect().top - before.top;
    }
    const note = (): void => {
      const article = articleIn(list);
      was.current = { first: article, top: article?.getBoundingClientRect().top ?? 0 };
    };
    note();
    scroller.addEventListener("scroll", note, { passive: true });
    return () => scroller.removeEventListener("scroll", note);
  }, [content, first]);
}

const articleIn = (list: HTMLElement): HTMLElement | null => list.querySelector(":scope > article");

/** Calls when the element that this is the `ref` of comes near the part in sight, from below. */
export function useNearTop(
  scroller: RefObject<HTMLElement | null>,
  act: () => void,
): RefCallback<HTMLElement> {
  const latest = useRef(act);
  latest.current = act;
  return useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return;
      const watching = new IntersectionObserver(
        (seen) => {
          if (seen.some(({ isIntersecting }) => isIntersecting)) latest.current();
        },
        { root: scroller.current, rootMargin: NEAR },
      );
      watching.observe(element);
      return () => watching.disconnect();
    },
    [scroller],
  );
}
