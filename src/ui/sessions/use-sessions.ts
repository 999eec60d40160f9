import { useEffect, useState } from "react";
import useSWR, { mutate } from "swr";
import type { SessionDetail, SessionView } from "../../wire/session-view.ts";
import { ask, useAnswer, type ApiError } from "../api.ts";
import { refreshSeconds, type Listed } from "./list.ts";

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
}

/** The sessions that this person sees, the last changed first, asked for again every so often and when one comes back. */
export function useSessions({ q, archived, pages }: Wanted) {
  return useSWR<SessionList, ApiError>([LIST, q, archived, pages], fetchPages, {
    keepPreviousData: true,
    refreshInterval: (list) => refreshSeconds(list?.items ?? []) * 1_000,
    shouldRetryOnError: ({ status }: ApiError) => status === 0 || status >= 500,
  });
}

type Key = readonly [list: string, q: string, archived: boolean, pages: number];
const LIST = "sessions";
const isList = (key: unknown): boolean => Array.isArray(key) && key[0] === LIST;

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
  return { items: [...items.values()], more: cursor !== null };
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

/** The list is a copy that a session writes when something changed, and that comes a moment later. */
const LAG_MS = 2_500;

/** Asks for the list again whenever `change` is another one, now and once the copy must be there. Empty: nothing is known yet. */
export function useFresh(change: string): void {
  useEffect(() => {
    if (change === "") return;
    void mutate(isList);
    const timer = setTimeout(() => void mutate(isList), LAG_MS);
    return () => clearTimeout(timer);
  }, [change]);
}

/** A session was changed here: what the server answered holds everywhere at once. */
export async function putSession(session: SessionView): Promise<void> {
  await Promise.all([
    mutate<SessionList>(
      isList,
      (list) =>
        list && { ...list, items: list.items.map((each) => (each.id === session.id ? session : each)) },
      { revalidate: false },
    ),
    mutate<SessionDetail>(detailPath(session.id), (detail) => detail && { ...detail, ...session }, {
      revalidate: false,
    }),
  ]);
}

/** It is not on this list any more: deleted, archived, or taken out of the archive. */
export async function dropSession(id: string): Promise<void> {
  await mutate<SessionList>(
    isList,
    (list) => list && { ...list, items: list.items.filter((each) => each.id !== id) },
    { revalidate: false },
  );
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
