import { useSyncExternalStore } from "react";

/** Where one is on the page stands after the `#`, so that a reload, a bookmark and the back button bring it again. */

export const PANELS = ["site", "trace", "memory", "settings"] as const;
export type Panel = (typeof PANELS)[number];

export type Route =
  | { readonly at: "start" }
  | { readonly at: "inbox" }
  | { readonly at: "session"; readonly session: string; readonly panel: Panel | null };

const SESSION = /^#\/s\/([A-Za-z0-9_-]{1,64})(?:\/([a-z]+))?$/;

/** `#/approvals`, `#/s/ID`, `#/s/ID/trace`; whatever is not known is the start. */
export function parseRoute(hash: string): Route {
  if (hash === "#/approvals") return { at: "inbox" };
  const found = SESSION.exec(hash);
  if (found?.[1] === undefined) return { at: "start" };
  return { at: "session", session: found[1], panel: PANELS.find((panel) => panel === found[2]) ?? null };
}

/** The `href` of a route. */
export function hrefOf(route: Route): string {
  if (route.at === "start") return "#/";
  if (route.at === "inbox") return "#/approvals";
  return `#/s/${route.session}${route.panel === null ? "" : `/${route.panel}`}`;
}

export function goTo(route: Route): void {
  location.hash = hrefOf(route);
}

const onChange = (heard: () => void): (() => void) => {
  addEventListener("hashchange", heard);
  return () => removeEventListener("hashchange", heard);
};

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(onChange, () => location.hash));
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** The id of a session that nobody has yet: `ses_` and 20 of a-z and 0-9. It is made by its first message. */
export function newSessionId(): string {
  const dice = crypto.getRandomValues(new Uint8Array(20));
  return `ses_${Array.from(dice, (value) => LETTERS[value % LETTERS.length]).join("")}`;
}
