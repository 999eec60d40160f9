import { useSyncExternalStore } from "react";
import { hrefOf, parseRoute, sharedToken, type Route } from "./address.ts";
export { hrefOf, PANELS, parseRoute, type Panel, type Route } from "./address.ts";

export function goTo(route: Route): void {
  location.hash = hrefOf(route);
}

const onChange = (listener: () => void): (() => void) => {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
};

const useHash = (): string => useSyncExternalStore(onChange, () => location.hash);

export const useRoute = (): Route => parseRoute(useHash());
export const useSharedToken = (): string | null => sharedToken(useHash());

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** An unused session ID: `ses_` and 20 of a-z and 0-9. The first message creates the session. */
export function newSessionId(): string {
  const dice = crypto.getRandomValues(new Uint8Array(20));
  return `ses_${Array.from(dice, (value) => LETTERS[value % LETTERS.length]).join("")}`;
}

export const openNewSession = (): void => goTo({ at: "session", session: newSessionId(), panel: null });
