import { useEffect, useState, useSyncExternalStore } from "react";
import useSWR, { mutate } from "swr";
import type { SessionDetail, SessionView } from "../../cairn/protocol/views.ts";
import { ask, useAnswer, type ApiError } from "../api.ts";
import { refreshSeconds, type Listed } from "./list.ts";

const PAGE = 50;

export interface RequestedLimits {
  /** words to look for; empty for all */
  readonly q: string;
  readonly archived: boolean;
  /** how many pages */
  readonly pages: number;
}

export interface SessionList {
  readonly items: readonly Listed[];
  readonly more: boolean;
  /** it is the archive: what is shown while another list is fetched may be the wrong one */
  readonly archived: boolean;
}

/** The sessions that this person sees, the last changed first, asked for again every so often and when one comes back. */
export function useSessions({ q, archived, pages }: RequestedLimits) {
  return useSWR<SessionList, ApiError>([LIST, q, archived, pages], fetchPages, {
    keepPreviousData: true,
    refreshInterval: (list) => refreshSeconds(list?.items ?? [], q !== "") * 1_000,
    shouldRetryOnError: ({ status }: ApiError) => status === 0 || status >= 500,
  });
}

type Key = readonly [list: string, q: string, archived: boolean, pages: number];
const LIST = "sessions";
const isList = (key: unknown): key is Key => Array.isArray(key) && key[0] === LIST;

/** Page after page by their cursors, so that what moved from one to another meanwhile is neither lost nor twice there. */
async function fetchPages([, q, archived, pages]: Key): Promise<SessionList> {
  const items = new Map<string, Listed>();
  let cursor: string | null = null;
  for (let page = 0; page < pages; page += 1) {
    const query = new URLSearchParams({ limit: `${PAGE}`, archived: `${archived}` });
    if (q !== "") query.set("q", q);
    if (cursor !== null) query.set("cursor", cursor);
    const found: { items: Listed[]; nextCursor: string | null } = await ask(`/api/sessions?${query}`);
    for (const item of found.items) items.set(item.id, item);
    cursor = found.nextCursor;
    if (cursor === null) break;
  }
  return { items: [...items.values()], more: cursor !== null, archived };
}

export const detailPath = (id: string): string => `/api/sessions/${id}`;

/** The open session as its own page knows it: that asks when there is something to know, and nothing is asked for here. */
export function useOpenDetail(id: string | null): SessionDetail | null {
  const { data = null } = useAnswer<SessionDetail>(id === null ? null : detailPath(id), {
    revalidateOnMount: false,
    revalidateIfStale: false,
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
  });
  return data;
}

/** Local knowledge of sessions, ahead of the lists. */
interface Known {
  readonly changed: readonly SessionView[];
  readonly deleted: readonly string[];
}
let known: Known = { changed: [], deleted: [] };
const listeners = new Set<() => void>();

function know(next: Partial<Known>): void {
  known = { ...known, ...next };
  for (const each of listeners) each();
}

/**
 * Overrides the lists while they lag: once they must be up to date they are loaded again, and count from then on. The
 * fetched data is not modified, because that would discard a response in flight.
 */
export function useKnown(): Known {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => known,
  );
}

/** The list is a copy that a session writes when something changed, and that comes a moment later. */
const LAG_MS = 2_500;

/** Reloads the lists after a person leaves a session: it may have been left before the lists knew it. */
export function useRefreshOnLeaving(open: string | null): void {
  useEffect(
    () => () => {
      void mutate(isList);
      setTimeout(() => void mutate(isList), LAG_MS);
    },
    [open],
  );
}

/** The session page's view of a session overrides the lists until they have caught up. */
export function knowSession(session: SessionView): void {
  know({ changed: [...known.changed.filter(({ id }) => id !== session.id), session] });
  setTimeout(() => {
    void mutate(isList).then(() => know({ changed: known.changed.filter((each) => each !== session) }));
  }, LAG_MS);
}

/** Applies the server's response to a change of a session at once, wherever the session is shown. */
export async function putSession(session: SessionView): Promise<void> {
  knowSession(session);
  await mutate<SessionDetail>(detailPath(session.id), (detail) => detail && { ...detail, ...session }, {
    revalidate: false,
  });
}

/** Removes a deleted session from every list. */
export async function dropSession(gone: string): Promise<void> {
  know({
    changed: known.changed.filter(({ id }) => id !== gone),
    deleted: [...known.deleted, gone],
  });
  void mutate(isList).then(() => know({ deleted: known.deleted.filter((id) => id !== gone) }));
  await mutate(detailPath(gone), undefined, { revalidate: false });
}

/** The value once it has been the same for so long. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
