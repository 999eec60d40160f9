import { useSyncExternalStore } from "react";

/**
 * True if single letters act from anywhere. Off by default: dictation or a slip would trigger unintended actions.
 * Inside a card its letters always act.
 */

const KEY = "cairn:single-keys";
const listeners = new Set<() => void>();

export const singleKeys = (): boolean => localStorage.getItem(KEY) === "on";

export function switchSingleKeys(on: boolean): void {
  localStorage.setItem(KEY, on ? "on" : "off");
  for (const each of listeners) each();
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, singleKeys);
}
