import { useEffect, useState, type RefObject } from "react";

/**
 * True once every part of an element has been on the screen since `text` last changed, because nobody should approve
 * unseen content. Parts that a scrolling box or the window cuts off are not on the screen. An element that is no
 * taller than the window needs no scrolling: most of it on the screen is enough, because its buttons would push its
 * start out of a small window.
 */
export function useReadThrough(element: RefObject<HTMLElement | null>, text: string): boolean {
  const [read, setRead] = useState<string | null>(null);
  const isRead = read === text;
  useEffect(() => {
    const own = element.current;
    if (isRead || own === null) return;
    let seen: readonly Span[] = [];
    const look = (): void => {
      const { top, bottom, height } = own.getBoundingClientRect();
      const [from, to] = visiblePart(own, top, bottom);
      const share = (y: number): number => (height === 0 ? 1 : (y - top) / height);
      if (height > 0 && to > from) seen = joined(seen, [share(from), share(to)]);
      const slack = height === 0 ? 1 : SLACK_PX / height;
      const [whole] = seen;
      const isAll = whole !== undefined && whole[0] <= slack && whole[1] >= 1 - slack;
      if (isAll || isGlance(height, to - from)) setRead(text);
    };
    // Scroll events of a box do not bubble to the window, so they are captured.
    addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("resize", look);
    const resized = new ResizeObserver(look);
    resized.observe(own);
    // Nothing reports that the content above has grown or shrunk and moved this one.
    const timer = setInterval(look, LOOK_MS);
    look();
    return () => {
      removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
      resized.disconnect();
      clearInterval(timer);
    };
  }, [element, text, isRead]);
  return isRead;
}

/** True if an element of this height can be read at a glance, with so many of its pixels on the screen. */
const isGlance = (height: number, onScreen: number): boolean =>
  height > 0 && height <= innerHeight && onScreen >= height / 2;

/** A part of an element, as shares of its height. */
export type Span = readonly [from: number, to: number];

/** between looks at where the element is */
const LOOK_MS = 100;
/** pixels at an edge that do not matter */
const SLACK_PX = 4;

/** Spans with one more, those that touch as one, in their order. */
export function joined(spans: readonly Span[], more: Span): readonly Span[] {
  const all: Span[] = [];
  for (const [from, to] of [...spans, more].toSorted(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last !== undefined && from <= last[1]) all[all.length - 1] = [last[0], Math.max(last[1], to)];
    else all.push([from, to]);
  }
  return all;
}

function visiblePart(element: HTMLElement, top: number, bottom: number): Span {
  let [from, to] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
  for (let box = element.parentElement; box !== null; box = box.parentElement) {
    if (getComputedStyle(box).overflowY === "visible" || box === document.documentElement) continue;
    const edge = box.getBoundingClientRect();
    [from, to] = [Math.max(from, edge.top), Math.min(to, edge.bottom)];
  }
  return [from, to];
}
