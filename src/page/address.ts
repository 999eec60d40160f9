/** The current view is after the `#`, so that reloads, bookmarks and the back button restore it. */

export const PANELS = ["site", "trace", "memory", "settings"] as const;
export type Panel = (typeof PANELS)[number];

export type Route =
  | { readonly at: "start" }
  | { readonly at: "inbox" }
  | { readonly at: "new-run" }
  | { readonly at: "preferences" }
  | {
      readonly at: "session";
      readonly session: string;
      readonly panel: Panel | null;
      /** where to look in the trace: a run (`r1`) or a step (`r1s2`) */
      readonly step?: string;
    };

const SESSION = /^#\/s\/([A-Za-z0-9_-]{1,64})(?:\/([a-z]+))?$/;
const STEP = /^#\/s\/([A-Za-z0-9_-]{1,64})\/trace\/(r[1-9]\d{0,8}(?:s[1-9]\d{0,8})?)$/;

/** `#/approvals`, `#/new-run`, `#/preferences`, `#/s/ID`, `#/s/ID/trace`, `#/s/ID/trace/r1s2`; whatever is not known is the start. */
export function parseRoute(hash: string): Route {
  if (hash === "#/approvals") return { at: "inbox" };
  if (hash === "#/new-run") return { at: "new-run" };
  if (hash === "#/preferences") return { at: "preferences" };
  const step = STEP.exec(hash);
  if (step?.[1] !== undefined && step[2] !== undefined)
    return { at: "session", session: step[1], panel: "trace", step: step[2] };
  const found = SESSION.exec(hash);
  if (found?.[1] === undefined) return { at: "start" };
  return { at: "session", session: found[1], panel: PANELS.find((panel) => panel === found[2]) ?? null };
}

/** The `href` of a route. */
export function hrefOf(route: Route): string {
  if (route.at === "start") return "#/";
  if (route.at === "inbox") return "#/approvals";
  if (route.at === "new-run") return "#/new-run";
  if (route.at === "preferences") return "#/preferences";
  const { session, panel, step } = route;
  const place = panel === "trace" && step !== undefined ? `/${step}` : "";
  return `#/s/${session}${panel === null ? "" : `/${panel}`}${place}`;
}

/** The token of `#/shared/TOKEN`, a read-only link that needs no sign-in; null for any other place. */
export const sharedToken = (hash: string): string | null =>
  /^#\/shared\/([\w-]+\.[\w-]+)$/.exec(hash)?.[1] ?? null;
