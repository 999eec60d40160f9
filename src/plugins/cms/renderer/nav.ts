import { ownValue } from "../../../cairn/core/log/json.ts";
import { isSafeUrl } from "../model/links.ts";
import { navTree } from "../edit/nav-tree.ts";
import type { NavLocation, NavNode, NavTarget, StoredNavItem } from "../model/types.ts";
import type { NavLink, SiteContext } from "./context.ts";

/** The navigation as the site shows it. Pure. */

interface NavView {
  /** nearest locale first; the last one is the locale of the stored labels */
  readonly locales: readonly string[];
  readonly pathOf: SiteContext["pathOf"];
  /** the path that is shown */
  readonly currentPath: string | null;
}

/**
 * The links of both locations, in order. A hidden item goes with everything below it; one whose target is not public
 * goes alone, and what is below it takes its place.
 */
export function navLinks(items: readonly StoredNavItem[], view: NavView): Record<NavLocation, NavLink[]> {
  const tree = navTree(items);
  const shown = (nodes: readonly NavNode[]): NavLink[] =>
    nodes
      .filter((one) => one.visible)
      .flatMap((one) => {
        const children = shown(one.children);
        const path = pathTo(one.target, view);
        if (path === null && one.target.type !== "none") return children;
        const current = path !== null && path === view.currentPath;
        return [{ label: labelOf(one, view.locales), path, current, children }];
      });
  return { header: shown(tree.header), footer: shown(tree.footer) };
}

function pathTo(target: NavTarget, { pathOf }: NavView): string | null {
  if (target.type === "none") return null;
  if (target.type === "url") return isSafeUrl(target.url) ? target.url : null;
  return pathOf(target.type, target.id);
}

function labelOf({ label, labels }: StoredNavItem, locales: readonly string[]): string {
  const local = locales
    .slice(0, -1)
    .map((locale) => ownValue(labels, locale)?.label)
    .find((one) => typeof one === "string" && one !== "");
  return typeof local === "string" ? local : label;
}
