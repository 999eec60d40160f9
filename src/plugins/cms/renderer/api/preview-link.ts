import type { Bindings } from "../../../../cairn/bindings.ts";
import { err, ok } from "../../../../cairn/core/log/result.ts";
import type { MintPreviewLink, PreviewTarget } from "../../http/preview-link.ts";
import { NOT_FOUND } from "../../../../cairn/http/kit/responses.ts";
import { entryPath, pagePath } from "../../edit/publish.ts";
import { OWN_ENVIRONMENT, siteRoot } from "../../model/environment.ts";
import type { CmsServices } from "../../model/types.ts";
import { servicesOf } from "../../pack.ts";
import { findEnvironment } from "../../storage/environments.ts";
import { loadCollections, loadEntries, loadEnvironment, loadPages } from "../../storage/load.ts";
import { rowsOf } from "../../storage/rows.ts";
import { text } from "../../model/columns.ts";
import { inSet, listSets, type ChangeSet } from "../../storage/change-sets.ts";
import { mintPreviewToken, PREVIEW_DEFAULT_MS, type PreviewGrant } from "../preview.ts";

/** Links that show drafts, for those who are logged in. */

/** The key that tokens are signed with: the configured one, or the one that the seed made. Null when there is neither. */
export async function previewSecret(
  services: CmsServices,
  configured: string | null,
): Promise<string | null> {
  if (configured !== null) return configured;
  const [row] = await rowsOf(services, "SELECT value FROM secrets WHERE name='preview'");
  return row === undefined ? null : text(row, "value");
}

/** Mints links good for an hour. Answers 404 for a page or entry that is not there, and 501 without a key. */
export function createPreviewLinks(
  configured: string | null,
  seed: (env: Bindings, now: number) => Promise<void>,
): MintPreviewLink {
  return async (env, target, visitor, origin, at) => {
    const own = servicesOf(env);
    if (own === null) return err(NOT_CONFIGURED);
    await seed(env, at);
    const secret = await previewSecret(own, configured);
    if (secret === null) return err(NOT_CONFIGURED);
    const environment = await environmentOf(own, target);
    const isOpen =
      environment === OWN_ENVIRONMENT || (await findEnvironment(own.db, environment, visitor)) !== null;
    if (!isOpen) return err(NOT_FOUND);
    const site = { ...own, env: environment };
    const set = target.set === null ? null : await openSetIn(site, target.set);
    if (target.set !== null && set === null) return err(NOT_FOUND);
    const services = set === null ? site : inSet(site, set);
    const location = await draftLocation(services, target);
    if (location === null) return err(NOT_FOUND);
    const exp = at + PREVIEW_DEFAULT_MS;
    const token = mintPreviewToken(secret, {
      ...location.grant,
      env: services.env,
      exp,
      ...(set === null ? {} : { set: set.id }),
    });
    return ok({
      url: `${origin}${location.path}?preview=${token}`,
      expiresAt: new Date(exp).toISOString(),
    });
  };
}

export const NOT_CONFIGURED = {
  status: 501,
  code: "not_configured",
  message: "This deployment has no site to preview.",
  hint: "Run the migrations and the seed, or set PREVIEW_SECRET.",
};

/** A set of this environment that is open; null for any other. */
async function openSetIn(services: CmsServices, id: string): Promise<ChangeSet | null> {
  const open = await listSets(services, "open");
  return open.find((one) => one.id === id) ?? null;
}

/** Finds the environment of an ID: pages and entries have unique IDs, so an approver need not know it. */
async function environmentOf(services: CmsServices, target: PreviewTarget): Promise<string> {
  const { type, id, environment, set } = target;
  if (environment === null && set !== null) {
    const [row] = await rowsOf(services, "SELECT env_id FROM change_sets WHERE id=?1", set);
    return row === undefined ? OWN_ENVIRONMENT : text(row, "env_id");
  }
  if (environment !== null || type === "site" || id === null) return environment ?? OWN_ENVIRONMENT;
  const table = type === "page" ? "pages" : "entries";
  const [row] = await rowsOf(services, `SELECT env_id FROM ${table} WHERE id=?1`, id);
  return row === undefined ? OWN_ENVIRONMENT : text(row, "env_id");
}

interface DraftLocation {
  readonly grant: Pick<PreviewGrant, "scope" | "id">;
  readonly path: string;
}

async function draftLocation(
  services: CmsServices,
  { type, id }: PreviewTarget,
): Promise<DraftLocation | null> {
  const site: DraftLocation = { grant: { scope: "site" }, path: siteRoot(services.env) };
  if (type === "site" || id === null) return site;
  if (type === "page") {
    const [environment, [found]] = await Promise.all([loadEnvironment(services), loadPages(services, [id])]);
    if (found === undefined) return null;
    // the layout is on every page and is none itself
    if (found.page.kind === "layout") return site;
    return { grant: { scope: "page", id: found.page.id }, path: pagePath(found.page, environment) };
  }
  const [collections, [entry]] = await Promise.all([loadCollections(services), loadEntries(services, [id])]);
  const collection = collections.get(entry?.collectionId ?? "");
  if (entry === undefined || collection === undefined) return null;
  return {
    grant: { scope: "entry", id: entry.id },
    path: entryPath(entry, collection.slug, { id: services.env }),
  };
}
