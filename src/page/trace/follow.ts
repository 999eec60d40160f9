import { useLayoutEffect, type RefObject } from "react";

const NEAR_PX = 80;

/** Keeps the end of a growing list in view while following is on; scrolling away turns it off. */
export function useFollow(list: RefObject<HTMLElement | null>, follows: boolean, leave: () => void): void {
  useLayoutEffect(() => {
    const own = list.current;
    const box = own?.closest<HTMLElement>(".beside");
    if (!follows || own === null || box == null) return;
    let top = 0;
    let left = false;
    // The list grows by new rows, and by rows that get their real height when they come into view.
    const grown = new ResizeObserver(() => {
      if (left) return;
      box.scrollTop = box.scrollHeight;
      top = box.scrollTop;
    });
    const scrolled = (): void => {
      const isAway = box.scrollHeight - box.scrollTop - box.clientHeight > NEAR_PX;
      if (box.scrollTop >= top || !isAway) return;
      left = true;
      leave();
    };
    grown.observe(own);
    grown.observe(box);
    box.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener("scroll", scrolled);
    };
  }, [list, follows, leave]);
}
