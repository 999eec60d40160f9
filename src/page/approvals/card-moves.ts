import { useEffect, type RefObject } from "react";
import { isWriting } from "../parts/keys.ts";
import { singleKeys } from "../shell/single-keys.ts";
import { withoutInputMethod } from "../parts/input-method.ts";

/**
 * `j` and `k` move through the elements of a list that match: from inside the list, and with single letters enabled
 * from anywhere but a text field. `go` moves the focus. It and the selector stay the same.
 */
export function useCardMoves(
  list: RefObject<HTMLElement | null>,
  selector = ".approval",
  go: (item: HTMLElement) => void = focusOn,
): void {
  useEffect(() => {
    const onKey = withoutInputMethod((event: KeyboardEvent): void => {
      const by = { j: 1, k: -1 }[event.key];
      const own = list.current;
      if (by === undefined || own === null || event.defaultPrevented || isWriting(event.target)) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (!singleKeys() && !(event.target instanceof Node && own.contains(event.target))) return;
      event.preventDefault();
      const items = [...own.querySelectorAll<HTMLElement>(selector)];
      const at = items.findIndex((item) => item.contains(document.activeElement));
      const next = items[at === -1 ? (by === 1 ? 0 : items.length - 1) : at + by];
      if (next !== undefined) go(next);
    });
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [list, selector, go]);
}

function focusOn(item: HTMLElement): void {
  item.focus();
  item.scrollIntoView({ block: "nearest" });
}
