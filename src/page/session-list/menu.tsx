import { ownValue } from "../../cairn/core/log/json.ts";
import { useEffect, useRef, type KeyboardEvent } from "react";
import { withoutInputMethod } from "../parts/input-method.ts";

/** A menu of a button: it opens next to it, supports the arrow keys, and returns the focus. */

export interface MenuItem {
  readonly label: string;
  readonly bad?: boolean;
  /** either what it does, or the file that it downloads */
  readonly act?: () => void;
  readonly file?: string;
}

const EDGE_PX = 8;

interface MenuProps {
  /** the button that opened it */
  readonly anchor: HTMLElement;
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly close: () => void;
}

export function Menu({ anchor, label, items, close }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = menu.current;
    if (element === null) return;
    element.showPopover();
    const { bottom, top, left } = anchor.getBoundingClientRect();
    const { offsetHeight: height, offsetWidth: width } = element;
    const below = bottom + height + EDGE_PX < innerHeight;
    element.style.top = `${below ? bottom : Math.max(EDGE_PX, top - height)}px`;
    element.style.left = `${Math.max(EDGE_PX, Math.min(left, innerWidth - width - EDGE_PX))}px`;
    focusAt(element, 0);
  }, [anchor]);
  useEffect(() => {
    // A click on its button is the button's: it closes, and must not open it once more.
    const elsewhere = ({ target }: Event): void => {
      if (target instanceof Node && !menu.current?.contains(target) && !anchor.contains(target)) close();
    };
    // The menu has moved away from its button. The focus goes back without scrolling the button into view.
    const moved = (): void => {
      const hasFocus = menu.current?.contains(document.activeElement) === true;
      close();
      if (hasFocus) anchor.focus({ preventScroll: true });
    };
    // Elsewhere something may scroll all the time, as a chat that is being written.
    const scrolled = ({ target }: Event): void => {
      if (target instanceof Node && target.contains(anchor)) moved();
    };
    document.addEventListener("pointerdown", elsewhere);
    document.addEventListener("scroll", scrolled, { capture: true });
    addEventListener("resize", moved);
    return () => {
      document.removeEventListener("pointerdown", elsewhere);
      document.removeEventListener("scroll", scrolled, { capture: true });
      removeEventListener("resize", moved);
    };
  }, [anchor, close]);

  const choose = (item: MenuItem): void => {
    close();
    anchor.focus();
    item.act?.();
  };
  const onKey = withoutInputMethod((event: KeyboardEvent<HTMLDivElement>): void => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const all = itemsOf(event.currentTarget);
    const at = all.findIndex((item) => item === document.activeElement);
    const by = ownValue(steps, event.key);
    if (by !== undefined) focusAt(event.currentTarget, (at + by + all.length) % all.length);
    else if (event.key === "Home") focusAt(event.currentTarget, 0);
    else if (event.key === "End") focusAt(event.currentTarget, all.length - 1);
    else if (event.key === "Escape" || event.key === "Tab") {
      close();
      anchor.focus();
    } else if (event.key.length > 1 || event.key === " ") return;
    event.preventDefault();
  });
  return (
    <div ref={menu} className="menu" popover="manual" role="menu" aria-label={label} onKeyDown={onKey}>
      {items.map((item) =>
        item.file === undefined ? (
          <button
            key={item.label}
            role="menuitem"
            tabIndex={-1}
            data-bad={item.bad === true}
            onClick={() => choose(item)}
          >
            {item.label}
          </button>
        ) : (
          <a
            key={item.label}
            role="menuitem"
            tabIndex={-1}
            href={item.file}
            download
            onClick={() => choose(item)}
          >
            {item.label}
          </a>
        ),
      )}
    </div>
  );
}

const itemsOf = (menu: HTMLElement): HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role="menuitem"]'),
];

function focusAt(menu: HTMLElement, index: number): void {
  itemsOf(menu)[index]?.focus();
}
