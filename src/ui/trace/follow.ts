import { useEffect, useLayoutEffect, type RefObject } from "react";

const NEAR_PX = 80;

/** Keeps the end of a list that grows in view for as long as this is wanted; whoever scrolls away from it wants it no more. */
export function useFollow(
  list: RefObject<HTMLElement | null>,
  follows: boolean,
  length: number,
  leave: () => void,
): void {
  useLayoutEffect(() => {
    const box = list.current?.closest<HTMLElement>(".beside");
    if (follows && box != null) box.scrollTop = box.scrollHeight;
  }, [list, follows, length]);
  useEffect(() => {
    const box = list.current?.closest<HTMLElement>(".beside");
    if (box == null || !follows) return;
    let last = box.scrollTop;
    const seen = (): void => {
      const isUp = box.scrollTop < last;
      last = box.scrollTop;
      // Rows that come into view get their real height, and with it the end moves.
      if (!isUp) box.scrollTop = box.scrollHeight;
      else if (box.scrollHeight - box.scrollTop - box.clientHeight > NEAR_PX) leave();
    };
    box.addEventListener("scroll", seen, { passive: true });
    return () => box.removeEventListener("scroll", seen);
  }, [list, follows, leave]);
}
