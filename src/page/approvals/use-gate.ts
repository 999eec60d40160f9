import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { isEcho, mayDecide, NOTHING_SHOWN, showAt, type Gate } from "../../cairn/protocol/decision-gate.ts";
import { lastDecision, pressNow, rememberDecision } from "./press.ts";

/** Between looks at where a card is. A press looks by itself, so nothing that has moved is decided between them. */
const LOOK_MS = 100;
/** what moves less stays where it is, for a hand */
const MOVED_PX = 8;

export interface CardGate {
  /** Input that begins now decides. */
  readonly ready: boolean;
  /** Input came too early, and the person should read that it decided nothing. */
  readonly early: boolean;
  /** True if the current press or key may decide this card. Call it once, in the handler of the event. */
  readonly admits: () => boolean;
}

/** Read where a press came too early. */
export const EARLY_WORDS =
  "That came before this had been on the screen for a moment, so it decided nothing. Once more, if you mean it.";

/**
 * The gate of one card (src/cairn/protocol/decision-gate.ts): open once it has been on the screen for 400 ms with the
 * same content, at the same position, in a visible tab. `name` distinguishes it from other cards; `content` is all
 * that is decided on, null for nothing.
 */
export function useGate(card: RefObject<HTMLElement | null>, name: string, content: string | null): CardGate {
  const [ready, setReady] = useState(false);
  const [early, setEarly] = useState(false);
  const gate = useRef<Gate>(NOTHING_SHOWN);
  const position = useRef<CardPosition>({ top: 0, bottom: 0, left: 0, moves: 0 });

  const look = useCallback(
    (now: number): void => {
      position.current = moveTo(position.current, card.current);
      const shown = content !== null && isOnScreen(card.current);
      gate.current = showAt(gate.current, shown ? `${position.current.moves} ${content}` : null, now);
    },
    [card, content],
  );

  // Before the change is painted: nothing that was ready stays so for a moment.
  useLayoutEffect(() => {
    setEarly(false);
    if (content === null) {
      gate.current = NOTHING_SHOWN;
      setReady(false);
      return;
    }
    const watch = (): void => {
      const now = performance.now();
      look(now);
      setReady(mayDecide(gate.current, now));
    };
    watch();
    const timer = setInterval(watch, LOOK_MS);
    document.addEventListener("visibilitychange", watch);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", watch);
    };
  }, [content, look]);

  const admits = useCallback((): boolean => {
    const now = performance.now();
    look(now);
    const press = pressNow(now);
    const { pointer } = press;
    const echo =
      pointer !== null && isEcho(lastDecision(), { card: name, x: pointer.x, y: pointer.y, at: now });
    const admitted = !echo && mayDecide(gate.current, press.at);
    setEarly(!admitted);
    if (admitted) rememberDecision(name, press, now);
    return admitted;
  }, [look, name]);

  return { ready, early, admits };
}

interface CardPosition {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  /** how often it has moved */
  readonly moves: number;
}

/** Scrolling, which brings a card into view, is no move. */
function moveTo(before: CardPosition, card: HTMLElement | null): CardPosition {
  if (card === null) return before;
  let [x, y] = [0, 0];
  for (let box = card.parentElement; box !== null; box = box.parentElement)
    [x, y] = [x + box.scrollLeft, y + box.scrollTop];
  const area = card.getBoundingClientRect();
  const [top, bottom, left] = [area.top + y, area.bottom + y, area.left + x];
  const by = Math.max(
    Math.abs(top - before.top),
    Math.abs(bottom - before.bottom),
    Math.abs(left - before.left),
  );
  return by <= MOVED_PX ? before : { top, bottom, left, moves: before.moves + 1 };
}

function isOnScreen(element: HTMLElement | null): boolean {
  if (element === null || document.visibilityState !== "visible") return false;
  const { top, bottom, left, right, height } = element.getBoundingClientRect();
  return height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}
