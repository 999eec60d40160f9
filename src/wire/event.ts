import type { Entry, EntryKind } from "../core/log/entry.ts";

/** An entry as the events list, its stream and the socket show it (interface 3.2): the row, its time as ISO 8601. */
export type Event<Kind extends EntryKind = EntryKind> = {
  [K in Kind]: Omit<Entry<K>, "at"> & { readonly at: string };
}[Kind];

export function eventOf(entry: Entry): Event {
  return { ...entry, at: new Date(entry.at).toISOString() };
}
