import { useEffect, type RefObject } from "react";
import { isWriting } from "../parts/keys.ts";
import { singleKeys } from "../shell/single-keys.ts";

/**
 * `j` and `k` move the focus from card to card of a list: from inside of it, and from anywhere but a box that one writes in
 * where single letters were switched on.
 */
export function useCardMoves(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const heard = (event: KeyboardEvent): void => {
      const by = { j: 1, k: -1 }[event.key];
      const own = list.current;
      if (by === undefined || own === null || event.defaultPrevented || isWriting(event.target)) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (!singleKeys() && !(event.target instanceof Node && own.contains(event.target))) return;
      event.preventDefault();
      const cards = [...own.querySelectorAll<HTMLElement>(".approval")];
      const at = cards.findIndex((card) => card.contains(document.activeElement));
      const next = cards[at === -1 ? (by === 1 ? 0 : cards.length - 1) : at + by];
      next?.focus();
      next?.scrollIntoView({ block: "nearest" });
    };
    addEventListener("keydown", heard);
    return () => removeEventListener("keydown", heard);
  }, [list]);
}
