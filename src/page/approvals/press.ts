import { contains, SAME_PLACE_MS, type Area, type LastPress } from "../../cairn/protocol/decision-gate.ts";
import { withoutInputMethod } from "../parts/input-method.ts";

/** The key or pointer that was pressed last, of the whole window: a click is judged by when its press began. */
interface Press {
  readonly at: number;
  /** null for a key */
  readonly pointer: { readonly x: number; readonly y: number; readonly button: Area | null } | null;
  /** null while it is held */
  endedAt: number | null;
}

/** A click that comes so long after a press was not made by it, but by a program such as a screen reader. */
const CLICK_MS_MAX = 1_000;

let press: Press | null = null;

addEventListener(
  "pointerdown",
  ({ timeStamp, clientX, clientY, target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    const area = button === null ? null : button.getBoundingClientRect();
    press = { at: timeStamp, pointer: { x: clientX, y: clientY, button: area }, endedAt: null };
  },
  true,
);
addEventListener(
  "keydown",
  withoutInputMethod(({ timeStamp, repeat }) => {
    if (!repeat) press = { at: timeStamp, pointer: null, endedAt: null };
  }),
  true,
);
const ends = ({ timeStamp }: Pick<Event, "timeStamp">): void => {
  if (press !== null) press.endedAt ??= timeStamp;
};
addEventListener("pointerup", ends, true);
addEventListener("pointercancel", ends, true);
addEventListener(
  "keyup",
  withoutInputMethod((event: KeyboardEvent) => ends(event)),
  true,
);

/** The press behind the event at work; one that begins now where there is none. */
export function pressNow(now: number): Press {
  const isOver = press === null || (press.endedAt !== null && now - press.endedAt > CLICK_MS_MAX);
  return press === null || isOver ? { at: now, pointer: null, endedAt: now } : press;
}

let last: LastPress | null = null;

export const lastDecision = (): LastPress | null => last;

/** Remembers where a card was decided by a pointer. */
export function rememberDecision(card: string, { pointer }: Press, now: number): void {
  last = pointer === null || pointer.button === null ? null : { card, area: pointer.button, at: now };
}

/**
 * Keeps the height of a card that a pointer decides, so that no other card moves under the pointer: until the pointer
 * leaves that area, or for a moment. Call it before the decision is sent; `done` reports the result.
 */
export function holdHeight(card: HTMLElement | null): { done(decided: boolean): void } {
  const pressed = last;
  if (card === null || pressed === null || press?.pointer == null) return { done: () => {} };
  card.style.minHeight = `${card.getBoundingClientRect().height}px`;
  const release = (): void => {
    removeEventListener("pointermove", moved, true);
    card.style.minHeight = "";
  };
  const moved = ({ clientX, clientY, pointerType }: PointerEvent): void => {
    if (pointerType === "mouse" && !contains(pressed.area, clientX, clientY)) release();
  };
  return {
    done(decided) {
      if (!decided) return release();
      addEventListener("pointermove", moved, true);
      setTimeout(release, SAME_PLACE_MS);
    },
  };
}
