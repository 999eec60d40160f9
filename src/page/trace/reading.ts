import type { Json } from "../../cairn/core/log/json.ts";
import type { Event } from "../../cairn/protocol/views.ts";
import type { Item } from "./items/item.ts";

/** Open items while entries are read, by name. */
export interface Reading {
  readonly items: Item[];
  /** index of the item by what it is about: a call, an approval, a question, `model` */
  readonly open: Map<string, number>;
  /** what was proposed, by call; a person may have changed the input since */
  readonly calls: Map<string, { readonly title: string; readonly input: Json }>;
  /** since when the model is asked again, after an attempt that came to nothing */
  again: number | null;
}

/** Puts an entry to the item that is open under this name, with what changes; false when there is none. */
export function add(reading: Reading, name: string, entry: Event, change: Partial<Item>): boolean {
  const index = reading.open.get(name);
  const item = index === undefined ? undefined : reading.items[index];
  if (index === undefined || item === undefined) return false;
  reading.items[index] = { ...item, entries: [...item.entries, entry], ...change };
  return true;
}

export function begin(reading: Reading, name: string, item: Item): void {
  reading.open.set(name, reading.items.length);
  reading.items.push(item);
}
