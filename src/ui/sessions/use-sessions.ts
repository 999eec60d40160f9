import { useEffect, useState } from "react";
import useSWR, { mutate } from "swr";
import type { SessionDetail, SessionView } from "../../wire/session-view.ts";
import { ask, useAnswer, type ApiError } from "../api.ts";
import { refreshSeconds, withSession, type Listed } from "./list.ts";

const PAGE = 50;

export interface Wanted {
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
export function useSessions({ q, archived, pages }: Wanted) {
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

/** The open session stands in the list as it is known here, whenever `change`, what of it is seen there, is another one. */
export function useKnown(open: SessionDetail | null, change: string): void {
  useEffect(() => {
    if (open !== null) void putSession(open);
    // `change` says when: a detail that was asked for again is another object.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [change]);
}

/** The list is a copy that a session writes when something changed, and that comes a moment later. */
const LAG_MS = 2_500;

/**
 * What the server said of a session holds at once, in every list that it belongs in and in no other; once the copies must be
 * there they are asked for again.
 */
export async function putSession(session: SessionView): Promise<void> {
  const places = [true, false].flatMap((archived) => [true, false].map((search) => ({ archived, search })));
  await Promise.all([
    ...places.map((place) =>
      mutate<SessionList>(
        (key) => isList(key) && key[2] === place.archived && (key[1] !== "") === place.search,
        (list) => list && { ...list, items: withSession(list.items, session, place) },
        { revalidate: false },
      ),
    ),
    mutate<SessionDetail>(detailPath(session.id), (detail) => detail && { ...detail, ...session }, {
      revalidate: false,
    }),
  ]);
  setTimeout(() => void mutate(isList), LAG_MS);
}

/** It was deleted. */
export async function dropSession(id: string): Promise<void> {
  await mutate<SessionList>(
    isList,
    (list) => list && { ...list, items: list.items.filter((each) => each.id !== id) },
    { revalidate: false },
  );
  await mutate(detailPath(id), undefined, { revalidate: false });
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
