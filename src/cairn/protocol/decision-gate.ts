/**
 * The rule for input that decides something (an approval, a question, a budget), on every surface: a key or a press that began
 * before the card had been on the screen, unchanged, for 400 ms was meant for something else, and decides nothing. Pure: times
 * come in as milliseconds of any clock that does not go back.
 */

/** longer than a double click or a key repeat needs, and than a person needs to react to anything */
export const SEEN_MS = 400;

export interface Gate {
  /** all that the person could be deciding on, as one text; null: it is not on the screen */
  readonly content: string | null;
  /** when it came on the screen like this */
  readonly since: number;
}

export const NOTHING_SHOWN: Gate = { content: null, since: 0 };

/** The gate once `content` is what is on the screen. Its time begins anew with every change. */
export const showAt = (gate: Gate, content: string | null, now: number): Gate =>
  content === gate.content ? gate : { content, since: now };

/** True if input that began at this time may decide. */
export const mayDecide = ({ content, since }: Gate, beganAt: number): boolean =>
  content !== null && beganAt - since >= SEEN_MS;

/** A rectangle on the screen, as `getBoundingClientRect` gives it. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The button by which the last decision was made. */
export interface LastPress {
  /** the card that it decided */
  readonly card: string;
  readonly area: Area;
  readonly at: number;
}

/** so long the place of a button that decided belongs to the hand that pressed it */
export const SAME_PLACE_MS = 1_500;

export const contains = ({ left, right, top, bottom }: Area, x: number, y: number): boolean =>
  x >= left && x <= right && y >= top && y <= bottom;

/** True if a press on a card is the echo of a press that decided another card at the same place. */
export const isEcho = (
  last: LastPress | null,
  press: { readonly card: string; readonly x: number; readonly y: number; readonly at: number },
): boolean =>
  last !== null &&
  last.card !== press.card &&
  press.at - last.at < SAME_PLACE_MS &&
  contains(last.area, press.x, press.y);

/** The same rule for a page without a script, as a style: the buttons are not there before. */
export const SEEN_STYLE = `.buttons{animation:seen ${SEEN_MS}ms step-end}@keyframes seen{from{visibility:hidden}}`;
