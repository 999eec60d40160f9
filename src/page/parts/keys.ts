/** True if there is probably a keyboard that does not cover the screen. */
export const hasKeys = (): boolean => matchMedia("(pointer: fine)").matches;

/** True for an element in which keys type text or choose an option. */
export function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select, dialog *"))
  );
}
