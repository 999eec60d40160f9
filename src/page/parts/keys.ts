/** Whether there is likely to be a keyboard that covers nothing. */
export const hasKeys = (): boolean => matchMedia("(pointer: fine)").matches;

/** Whether keys make text there, or choose something. */
export function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select, dialog *"))
  );
}
