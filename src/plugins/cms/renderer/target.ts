import { entryPath, pagePath } from "../edit/publish.ts";
import type { PreviewGrant } from "./preview.ts";
import { siteRoot } from "../model/environment.ts";
import type { Collection } from "../model/types.ts";
import { collectionPath, inLocale, localAddress, type Address } from "./address.ts";
import type { Frame, LinkTarget } from "./html/frame.ts";

/** The target of a path. Pure. */

export type Target =
  | { readonly kind: "page"; readonly id: string; readonly path: string }
  | { readonly kind: "entry"; readonly id: string; readonly collection: Collection; readonly path: string }
  | { readonly kind: "list"; readonly collection: Collection; readonly path: string }
  | { readonly kind: "moved"; readonly path: string }
  | { readonly kind: "nothing" };

export interface Found {
  readonly locale: string;
  readonly target: Target;
}

/** True if a preview token allows to see the draft of a page or entry. */
export function covers(grant: PreviewGrant | null, kind: "page" | "entry", id: string): boolean {
  if (grant === null) return false;
  return grant.scope === "site" || (grant.scope === kind && grant.id === id);
}

/** True if the response may reveal that the page or entry exists. */
export function isVisible(target: LinkTarget, grant: PreviewGrant | null): boolean {
  return target.isPublic || covers(grant, target.kind, target.id);
}

/** The path of a page or entry in the default locale. Null when its collection is gone. */
export function pathOfTarget(target: LinkTarget, frame: Frame): string | null {
  if (target.kind === "page") return pagePath(target, frame.environment);
  const collection = frame.collections.get(target.collectionId ?? "");
  return collection === undefined ? null : entryPath(target, collection.slug, frame.environment);
}

/**
 * Finds the target of an address. Every other spelling of a path (an extra slash, the home page's slug) is redirected
 * to it.
 */
export function findTarget(
  frame: Frame,
  address: Address,
  pathname: string,
  grant: PreviewGrant | null,
): Found {
  const { locale, segments, exists } = localAddress(address, frame.environment);
  if (!exists) return { locale, target: { kind: "nothing" } };
  const target = targetOf(frame, segments, grant);
  if (target.kind === "nothing") return { locale, target };
  const path = inLocale(target.path, locale, frame.environment);
  return { locale, target: path === pathname ? { ...target, path } : { kind: "moved", path } };
}

function targetOf(frame: Frame, segments: readonly string[], grant: PreviewGrant | null): Target {
  const { places, environment } = frame;
  const [first, second, third] = segments;
  const visible = places.filter((one) => isVisible(one, grant));
  const collection = [...frame.collections.values()].find((one) => one.slug === first);
  if (second === undefined) {
    const page = visible.find((one) =>
      first === undefined ? one.id === environment.homePageId : one.kind === "page" && one.slug === first,
    );
    if (page !== undefined) return { kind: "page", id: page.id, path: pagePath(page, environment) };
    if (collection !== undefined)
      return { kind: "list", collection, path: collectionPath(collection.slug, environment) };
  } else if (third === undefined && collection !== undefined) {
    const entry = visible.find((one) => one.collectionId === collection.id && one.slug === second);
    if (entry !== undefined)
      return {
        kind: "entry",
        id: entry.id,
        collection,
        path: entryPath(entry, collection.slug, environment),
      };
  }
  return movedTarget(frame, segments, visible);
}

function movedTarget(frame: Frame, segments: readonly string[], visible: readonly LinkTarget[]): Target {
  const from = siteRoot(frame.environment.id) + segments.join("/");
  const redirect = frame.redirects.find((one) => one.fromPath === from);
  const target = visible.find((one) => one.kind === redirect?.targetType && one.id === redirect.targetId);
  const path = target === undefined ? null : pathOfTarget(target, frame);
  return path === null ? { kind: "nothing" } : { kind: "moved", path };
}
