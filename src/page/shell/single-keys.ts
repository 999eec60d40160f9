import { useSyncExternalStore } from "react";

/**
 * True if single letters act from anywhere. Off by default: dictation or a slip would trigger unintended actions.
 * Inside a card its letters always act.
 */

const KEY = "cairn:single-keys";
const heard = new Set<() => void>();

export const singleKeys = (): boolean => localStorage.getItem(KEY) === "on";

export function switchSingleKeys(on: boolean): void {
  localStorage.setItem(KEY, on ? "on" : "off");
  for (const each of heard) each();
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore((hear) => {
    heard.add(hear);
    return () => heard.delete(hear);
  }, singleKeys);
}
