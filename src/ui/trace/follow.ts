import { useEffect, useLayoutEffect, useRef, type RefObject } from "react";

const NEAR_PX = 80;

/** Keeps the end of a list that grows in view while its run is live, unless the person has scrolled away from it. */
export function useFollow(list: RefObject<HTMLElement | null>, live: boolean, length: number): void {
  const near = useRef(live);
  useEffect(() => {
    const box = list.current?.closest<HTMLElement>(".beside");
    if (box == null) return;
    const seen = (): void => {
      near.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    };
    box.addEventListener("scroll", seen, { passive: true });
    return () => box.removeEventListener("scroll", seen);
  }, [list]);
  useLayoutEffect(() => {
    const box = list.current?.closest<HTMLElement>(".beside");
    if (live && near.current && box != null) box.scrollTop = box.scrollHeight;
  }, [list, live, length]);
}
