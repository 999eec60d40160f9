import { definePack, type Pack } from "../../cairn/tools/define.ts";
import { accessOf } from "../../cairn/outbound/access.ts";
import { OWN_ENVIRONMENT } from "./model/environment.ts";
import { changesBegin, changesDiscard } from "./changes/collect.ts";
import { changesPublish } from "./changes/publish.ts";
import { changesShow } from "./changes/show.ts";
import { withinSet } from "./changes/within.ts";
import { diff, history } from "./history/history.ts";
import { undo } from "./history/undo.ts";
import type { CmsBindings, CmsServices } from "./model/types.ts";
import { collectionSave } from "./collections/collection-save.ts";
import { entryCreate } from "./entries/entry-create.ts";
import { entryDelete } from "./entries/entry-delete.ts";
import { entryUpdate } from "./entries/entry-update.ts";
import { imageDelete } from "./media/image-delete.ts";
import { imageImport } from "./media/image-import.ts";
import { createPexels } from "./media/stock.ts";
import { imageReplace } from "./media/image-replace.ts";
import { imageUpdate } from "./media/image-update.ts";
import { ensureReady } from "./seed/index.ts";
import { settingsUpdate } from "./settings/settings-update.ts";
import { entryGet, entryList } from "./tools/entries.ts";
import { find } from "./tools/find.ts";
import { imageAttach } from "./tools/image-attach.ts";
import { imageSearch } from "./media/image-search.ts";
import { navEdit } from "./tools/nav.ts";
import { siteCheck } from "./tools/site-check.ts";
import { siteOverview } from "./tools/overview.ts";
import { pageCreate } from "./tools/page-create.ts";
import { pageDelete } from "./tools/page-delete.ts";
import { pageUpdate } from "./tools/pages.ts";
import { pageGet, pageList } from "./tools/read-pages.ts";
import { schemaList } from "./tools/schema.ts";
import { sectionDelete } from "./tools/section-delete.ts";
import { sectionAdd, sectionMove, sectionUpdate } from "./tools/sections.ts";
import { setStatus } from "./tools/status.ts";

export const cmsPack: Pack<CmsBindings, CmsServices> = definePack({
  name: "cms",
  tools: [
    ...[
      siteOverview,
      pageList,
      pageGet,
      schemaList,
      entryList,
      entryGet,
      find,
      siteCheck,
      pageCreate,
      pageUpdate,
      pageDelete,
      sectionAdd,
      sectionUpdate,
      sectionMove,
      sectionDelete,
      entryCreate,
      entryUpdate,
      entryDelete,
      setStatus,
      navEdit,
      settingsUpdate,
      collectionSave,
      history,
      diff,
      undo,
    ].map(withinSet),
    changesBegin,
    changesShow,
    changesPublish,
    changesDiscard,
  ],
  prompts: [
    "cms-pages",
    { name: "cms-posts", tools: ["entry_create", "entry_update", "entry_delete", "collection_save"] },
    { name: "cms-navigation", tools: ["nav_edit"] },
    { name: "cms-settings", tools: ["settings_update"] },
    { name: "cms-history", tools: ["history", "diff", "undo"] },
    {
      name: "cms-changes",
      tools: ["changes_begin", "changes_show", "changes_publish", "changes_discard"],
    },
  ],
  // Enough to look at the site and to make, change and publish a page.
  shortList: [
    "site_overview",
    "page_get",
    "schema_list",
    "page_create",
    "section_add",
    "section_update",
    "set_status",
  ],
  services: (bindings) => servicesOf(bindings) ?? { unavailable: "The CMS needs the binding DB (D1)." },
  ready: ensureReady,
});

/** Tools for images, if there is a bucket. */
export const imagesPack: Pack<CmsBindings, CmsServices> = definePack({
  name: "images",
  tools: [
    ...[imageSearch, imageAttach, imageUpdate, imageReplace, imageDelete].map(withinSet),
    // Image bytes go into the library, which is in no set.
    imageImport,
  ],
  prompts: [
    {
      name: "cms-images",
      tools: [
        "image_search",
        "image_attach",
        "image_update",
        "image_replace",
        "image_delete",
        "image_import",
      ],
    },
  ],
  shortList: [],
  services: (bindings) => {
    const services = servicesOf(bindings);
    return services === null || services.media === null
      ? {
          unavailable:
            "Images need a bucket: bind MEDIA under [[r2_buckets]] in wrangler.toml (docs/deploy.md of Cairn).",
        }
      : services;
  },
  ready: ensureReady,
});

/** Services of the CMS; null in a deployment without a database. */
export function servicesOf(bindings: CmsBindings): CmsServices | null {
  const { DB, MEDIA, environment, IMAGE_HOSTS: hosts, PEXELS_API_KEY: key, PEXELS_BASE_URL: base } = bindings;
  const { embedder, VECTORIZE: index = null } = bindings;
  if (DB === undefined) return null;
  const web = accessOf(bindings);
  const isSet = (value: unknown): value is string => typeof value === "string" && value !== "";
  return {
    db: DB,
    media: MEDIA ?? null,
    env: environment ?? OWN_ENVIRONMENT,
    web,
    imageHosts: isSet(hosts) ? hosts.split(",").map((one) => one.trim().toLowerCase()) : [],
    ...(embedder === undefined ? {} : { meaning: { embedder, index } }),
    stock: isSet(key) ? createPexels(web, key, ...(isSet(base) ? [base] : [])) : null,
  };
}
