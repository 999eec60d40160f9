import { readTurn, shownOnSite } from "../chat/turn.ts";
import type { SitePage } from "../open-session/site-page.ts";
import type { SessionView } from "../../cairn/protocol/views.ts";

/** The newest call that wrote to the site, and where its change is to be seen (null where no page shows it). */
export interface Change {
  readonly call: string;
  readonly page: SitePage | null;
}

interface ChatMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly unknown[];
}

/** Every write of the site returns `ok` and `op`; most of them name the changed page. */
export function newestChange(messages: readonly ChatMessage[]): Change | null {
  for (const message of messages.toReversed()) {
    if (message.role !== "assistant") continue;
    const calls = readTurn(message.parts).steps.flatMap((step) => step.calls);
    const call = calls.findLast(
      ({ state, output }) => state === "done" && (output as { ok?: unknown } | null)?.ok === true,
    );
    if (call !== undefined) return { call: `${message.id}.${call.id}`, page: shownOnSite(call) };
  }
  return null;
}

/** The address of a place: as visitors see it, or with a token that shows drafts too. */
export function addressOf({ path, section }: SitePage, token: string | null): string {
  const query = token === null ? "" : `?preview=${encodeURIComponent(token)}`;
  return `${path}${query}${section === null ? "" : `#s-${section}`}`;
}

const ELSEWHERE = /^\/site\/~([A-Za-z0-9_-]+)(?:\/|$)/;

/** The environment that a path is of; null: the deployment's own. */
export const environmentOf = (path: string): string | null => ELSEWHERE.exec(path)?.[1] ?? null;

/** The environment of the site that a session works on; null for the deployment's own. */
export function environmentIn(targets: SessionView["targets"]): string | null {
  const environment = targets?.["site"]?.["environmentId"];
  return typeof environment === "string" ? environment : null;
}

/** Where the site of a session begins. */
export const rootOf = (environment: string | null): string =>
  environment === null || environment === OWN ? "/site/" : `/site/~${environment}/`;

/** The ID of the deployment's own environment, which is at /site/ itself. */
const OWN = "env_main";

/** The typed text as a path of the shown site, or null if it is none. */
export function pathOf(typed: string, shown: string): string | null {
  const text = typed.trim();
  const root = rootOf(environmentOf(shown));
  const path = text.startsWith("/site") ? text : root + text.replace(/^\/+/, "");
  return /^\/site(\/[\p{L}\p{N}._~%/-]*)?$/u.test(path) && !path.includes("..") ? path : null;
}
