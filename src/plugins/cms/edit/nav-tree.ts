import { fail } from "../model/errors.ts";
import { normalised } from "../../../cairn/core/text/nearest.ts";
import { nearest } from "../model/nearest.ts";
import type { NavLocation, NavNode, NavTarget, StoredNavItem } from "../model/types.ts";
import { NAV_DEPTH_MAX } from "../model/types.ts";

/** Queries of the navigation as a tree, and its invariants. */

/** The items as trees, one per location, siblings in order. An item without its parent is at the top level. */
export function navTree(items: readonly StoredNavItem[]): Record<NavLocation, readonly NavNode[]> {
  const live = items.filter((one) => one.deletedAt === null);
  const known = new Set(live.map((one) => one.id));
  const under = (location: NavLocation, parent: string | null): NavNode[] =>
    live
      .filter((one) => one.location === location)
      .filter((one) => (one.parentId !== null && known.has(one.parentId) ? one.parentId : null) === parent)
      .sort((a, b) => (a.sortKey < b.sortKey ? -1 : a.sortKey > b.sortKey ? 1 : 0))
      .map((one) => ({ ...one, children: under(location, one.id) }));
  return { header: under("header", null), footer: under("footer", null) };
}

/**
 * An item by id, or by a label that one item alone has (in one location, if given). Refuses `not_found` with the nearest
 * and `ambiguous_reference` with the ids: a label never picks one of several.
 */
export function findItem(
  items: readonly StoredNavItem[],
  ref: string,
  at: string,
  location?: NavLocation,
): StoredNavItem {
  const byId = items.find((one) => one.id === ref);
  if (byId !== undefined) return byId;
  const named = items.filter(
    (one) =>
      normalised(one.label) === normalised(ref) && (location === undefined || one.location === location),
  );
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  const label = (one: StoredNavItem) => `${one.label} (${one.location})`;
  if (named.length > 1) {
    throw fail("ambiguous_reference", `${named.length} navigation items are labelled “${ref}”.`, {
      at,
      hint: "Name the item by its id.",
      suggestions: named.map((one) => ({ label: label(one), ref: one.id })),
    });
  }
  throw fail("not_found", `There is no navigation item “${ref}”.`, {
    at,
    hint: "site_overview lists the navigation with ids.",
    suggestions: nearest(
      ref,
      items.map((one) => ({ label: label(one), ref: one.id, names: [one.label] })),
    ),
  });
}

/** The keys of the items as stored. */
export function keysOf(items: readonly StoredNavItem[]): ReadonlySet<string> {
  return new Set(items.map((one) => one.sortKey));
}

/** The items under one parent, in order. */
export function siblings(
  items: readonly StoredNavItem[],
  location: NavLocation,
  parentId: string | null,
): StoredNavItem[] {
  return items
    .filter((one) => one.location === location && one.parentId === parentId)
    .sort((a, b) => (a.sortKey < b.sortKey ? -1 : a.sortKey > b.sortKey ? 1 : 0));
}

/** The ids of everything below an item. */
export function descendants(items: readonly StoredNavItem[], id: string): Set<string> {
  const found = new Set<string>();
  const from = [id];
  for (let above = from.pop(); above !== undefined; above = from.pop()) {
    for (const one of items) {
      if (one.parentId !== above || found.has(one.id)) continue;
      found.add(one.id);
      from.push(one.id);
    }
  }
  return found;
}

function sameTarget(a: NavTarget, b: NavTarget): boolean {
  if (a.type === "url" && b.type === "url") return a.url === b.url;
  return "id" in a && "id" in b && a.type === b.type && a.id === b.id;
}

/** Refuses `already_exists` when a sibling leads to the same place. */
export function checkUnique(items: readonly StoredNavItem[], item: StoredNavItem, at: string): void {
  const twin = siblings(items, item.location, item.parentId).find(
    (one) => one.id !== item.id && sameTarget(one.target, item.target),
  );
  if (twin === undefined) return;
  throw fail("already_exists", `“${twin.label}” in the ${twin.location} leads there already.`, {
    at,
    hint: "Update or move that item instead.",
    suggestions: [{ label: twin.label, ref: twin.id }],
  });
}

/** Refuses `nav_depth` when the subtree of an item reaches below the third level. */
export function checkDepth(items: readonly StoredNavItem[], item: StoredNavItem, at: string): void {
  const parentOf = new Map(items.map((one) => [one.id, one.parentId]));
  const depth = (id: string | null): number => (id === null ? 0 : 1 + depth(parentOf.get(id) ?? null));
  const deepest = Math.max(...[item.id, ...descendants(items, item.id)].map(depth));
  if (deepest <= NAV_DEPTH_MAX) return;
  throw fail("nav_depth", `The navigation would be ${deepest} levels deep; ${NAV_DEPTH_MAX} is the limit.`, {
    at,
    hint: "Choose a parent nearer to the top.",
  });
}
