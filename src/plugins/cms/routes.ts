import type { Deps, RoutePlaces } from "../../http/kit/deps.ts";
import { mountEnvironments } from "../../http/routes/environments.ts";
import { mountOutline, mountPreviewLink } from "../../http/routes/preview-link.ts";
import { mountChangeSets } from "../../http/site/change-sets.ts";
import { mountHistory } from "../../http/site/history.ts";
import { mountPortable } from "../../http/site/portable.ts";
import { mountPosts } from "../../http/site/posts.ts";
import { createChangeSets } from "../../site/doors/change-sets.ts";
import { createEnvironments } from "../../site/doors/environments.ts";
import { createHistory } from "../../site/doors/history.ts";
import { createOutline } from "../../site/doors/outline.ts";
import { createPosts } from "../../site/doors/posts.ts";
import { createPreviewLinks } from "../../site/doors/preview-link.ts";
import { createExport } from "../../site/doors/site-export.ts";
import { createImport } from "../../site/doors/site-import.ts";
import { rendering } from "../../site/rendering.ts";
import { createSite } from "../../site/routes.ts";
import { mountImages } from "./images.ts";
import { ensureSeeded as seed } from "../../tools/cms/seed/index.ts";

/** The API of the site below /api, and the public site itself. */
export function cmsRoutes({ api, pages }: RoutePlaces, deps: Deps): void {
  const { previewSecret } = deps.config;
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
    createSite({ render: rendering, previewSecret, version: build ?? version, now, seed, report }),
  );
}
