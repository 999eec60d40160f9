import type { Json } from "../../cairn/core/log/json.ts";
import type { Event } from "../../cairn/protocol/views.ts";
import { KINDS, type Group, type Item, type Kind } from "./items/item.ts";

/** The visible part of a timeline. */
export interface Filter {
  /** empty: all kinds */
  readonly kinds: ReadonlySet<Kind>;
  readonly trouble: boolean;
  /** words that are all in the item or its entries, in any case */
  readonly text: string;
}

export const NO_FILTER: Filter = { kinds: new Set(), trouble: false, text: "" };

export const isFiltering = ({ kinds, trouble, text }: Filter): boolean =>
  kinds.size > 0 || trouble || text.trim() !== "";

/** The groups with the items that fit; groups without any are left out. */
export function applyFilter(groups: readonly Group[], filter: Filter): readonly Group[] {
  if (!isFiltering(filter)) return groups;
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const fits = (item: Item): boolean =>
    (filter.kinds.size === 0 || filter.kinds.has(item.kind)) &&
    (!filter.trouble || item.tone === "bad") &&
    (words.length === 0 || hasAll(item, words));
  return groups.flatMap((group) => {
    const items = group.items.filter(fits);
    return items.length === 0 ? [] : [{ ...group, items }];
  });
}

/** How many items there are of each kind, and how many of trouble. */
export function countKinds(groups: readonly Group[]): {
  readonly kinds: ReadonlyMap<Kind, number>;
  readonly trouble: number;
} {
  const kinds = new Map<Kind, number>(KINDS.map((kind) => [kind, 0]));
  let trouble = 0;
  for (const { kind, tone } of groups.flatMap((group) => group.items)) {
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (tone === "bad") trouble += 1;
  }
  return { kinds, trouble };
}

/** The text of an entry or of arguments is made once: neither changes. */
const texts = new WeakMap<object, string>();

function textOf(value: Event | Json): string {
  if (typeof value !== "object" || value === null) return String(value ?? "").toLowerCase();
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value).toLowerCase();
  texts.set(value, text);
  return text;
}

function hasAll({ title, note, input, entries }: Item, words: readonly string[]): boolean {
  const shown = `${title}\n${note ?? ""}`.toLowerCase();
  const parts = [input, ...entries];
  return words.every((word) => shown.includes(word) || parts.some((part) => textOf(part).includes(word)));
}
