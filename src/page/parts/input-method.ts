/** The fields of a key event, native or React's, that show for whom the key was pressed. */
interface KeyPress {
  readonly key: string;
  readonly keyCode: number;
  readonly isComposing?: boolean;
  readonly nativeEvent?: { readonly isComposing: boolean };
}

/** The code of every key that an input method has taken: https://www.w3.org/TR/uievents/#determine-keydown-keyup-keyCode */
const TAKEN = 229;

/**
 * True for a key that an input method has taken, such as the Enter that ends a word, the arrows that choose another one, and
 * the Escape that takes it back. Chrome and Firefox mark it as composing. Safari ends the composition first, so that only the
 * code is left (https://bugs.webkit.org/show_bug.cgi?id=165004). Forms that a browser sends by itself need no check: it sends
 * them by the `keypress` that such a key does not make.
 */
export const isInputMethodKey = (event: KeyPress): boolean =>
  event.isComposing === true ||
  event.nativeEvent?.isComposing === true ||
  event.keyCode === TAKEN ||
  event.key === "Process";

/** A listener for keys that receives none of an input method's. Every listener for keys on this page is made by it. */
export const withoutInputMethod =
  <Event extends KeyPress>(listener: (event: Event) => void) =>
  (event: Event): void => {
    if (!isInputMethodKey(event)) listener(event);
  };
