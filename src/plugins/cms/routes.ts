import { loadSitePages } from "../../../build/modules/site-pages.ts";
import type { Deps, RouteMounts } from "../../cairn/http/deps.ts";
import type { CmsParts } from "./jobs.ts";
import { mountEnvironments } from "./http/environments.ts";
import { mountOutline, mountPreviewLink } from "./http/preview-link.ts";
import { mountChangeSets } from "./http/change-sets.ts";
import { mountHistory } from "./http/history.ts";
import { mountPortable } from "./http/portable.ts";
import { mountPosts } from "./http/posts.ts";
import { createChangeSets } from "./renderer/api/change-sets.ts";
import { createEnvironments } from "./renderer/api/environments.ts";
import { createHistory } from "./renderer/api/history.ts";
import { createOutline } from "./renderer/api/outline.ts";
import { createPosts } from "./renderer/api/posts.ts";
import { createPreviewLinks } from "./renderer/api/preview-link.ts";
import { createExport } from "./renderer/api/site-export.ts";
import { createImport } from "./renderer/api/site-import.ts";
import { createSite, type Render } from "./renderer/routes.ts";
import { mountImages } from "./http/images.ts";
import { ensureSeeded as seed } from "./seed/index.ts";

/** The templates, loaded with the first page. */
const loadedPages: Render = {
  page: async (...args) => (await loadSitePages()).rendering.page(...args),
  list: async (...args) => (await loadSitePages()).rendering.list(...args),
  entry: async (...args) => (await loadSitePages()).rendering.entry(...args),
  notFound: async (...args) => (await loadSitePages()).rendering.notFound(...args),
  themeCss: async (...args) => (await loadSitePages()).rendering.themeCss(...args),
};

/** The API of the site below /api, and the public site itself. */
export function cmsRoutes(
  { api, pages }: RouteMounts,
  deps: Deps,
  { previewSecret }: Pick<CmsParts, "previewSecret">,
): void {
  mountPreviewLink(api, createPreviewLinks(previewSecret, seed), deps);
  mountEnvironments(api, createEnvironments(seed), deps);
  mountHistory(api, createHistory(seed), deps);
  mountChangeSets(api, createChangeSets(seed), deps);
  mountImages(api, seed, deps);
  mountPortable(api, { export: createExport(seed), ...createImport(seed) }, deps);
  mountPosts(api, createPosts(seed), deps);
  mountOutline(api, createOutline(seed), deps);
  const { now, report, build, version } = deps;
  pages.route(
    "/",
    createSite({ render: loadedPages, previewSecret, version: build ?? version, now, seed, report }),
  );
}
