import { useSyncExternalStore } from "react";

/**
 * Whether single letters act from anywhere. Off at first: who speaks to the machine, or slips, would set off what they did
 * not mean. Inside of a card its letters act in any case.
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
