import { useEffect, useMemo } from "react";
import { useAnswer } from "../api.ts";
import type { Answer } from "../../cairn/protocol/api.ts";
import type { Event } from "../../cairn/protocol/views.ts";
import { useNow } from "../parts/time.tsx";
import { useChats } from "../parts/chats.ts";
import { sentOf, type Sent } from "./sent.ts";
import type { Delivery } from "./state.ts";

/** the newest of them; what is older is of the past */
const PAGE = 100;
/** Interval for reloading messages in flight. */
const LOOK_MS = 5_000;
const MINUTE_MS = 60_000;

/** Entries that may send a notification. */
const NOTIFIED_KINDS: ReadonlySet<string> = new Set([
  "run_ended",
  "human_asked",
  "approval_requested",
  "call_settled",
  "note",
]);
const isOnItsWay = ({ state }: Delivery): boolean => state === "pending";

type Page = Answer<"Deliveries">;

export const sentPath = (id: string): string => `/api/sessions/${id}/deliveries?limit=${PAGE}`;

export interface Messages {
  /** null while it is not known */
  readonly items: readonly Sent[] | null;
  readonly error: unknown;
  readonly again: () => void;
}

/** Messages that the session sent to people outside, newest first. `id`: null requests nothing. */
export function useSent(id: string | null, events: readonly Event[]): Messages {
  const places = useChats();
  const now = useNow(MINUTE_MS);
  // Recent decisions may have sent notifications.
  const newest = events.findLast(({ kind }) => NOTIFIED_KINDS.has(kind))?.seq ?? 0;
  const { data, error, mutate } = useAnswer<Page>(id === null ? null : sentPath(id), {
    refreshInterval: (page) => (page?.items.some(isOnItsWay) === true ? LOOK_MS : 0),
  });
  useEffect(() => {
    if (newest > 0) void mutate();
  }, [newest, mutate]);
  const items = data?.items;
  const sent = useMemo(
    () => (items === undefined ? null : sentOf(items, events, places, now)),
    [items, events, places, now],
  );
  return { items: sent, error: data === undefined ? error : undefined, again: () => void mutate() };
}
