import type { Environments, LoadOutline, MintPreviewLink, RoutePlugin } from "../../../src/http/kit/deps.ts";
import { mountEnvironments } from "../../../src/http/routes/environments.ts";
import { mountOutline, mountPreviewLink } from "../../../src/http/routes/preview-link.ts";
import { mountChangeSets } from "../../../src/http/site/change-sets.ts";
import { mountHistory } from "../../../src/http/site/history.ts";
import { mountPortable } from "../../../src/http/site/portable.ts";
import { mountPosts } from "../../../src/http/site/posts.ts";
import type { SiteChanges } from "../../../src/http/site/site-changes.ts";
import type { SiteHistory } from "../../../src/http/site/site-history.ts";
import type { SitePortable } from "../../../src/http/site/site-portable.ts";
import type { SitePosts } from "../../../src/http/site/site-posts.ts";
import { mountImages } from "../../../src/plugins/cms/images.ts";
import type { Seed } from "../../../src/plugins/cms/sent-image.ts";

/** Parts of the site's API, each of which a test may replace. */
export interface SiteRoutes {
  readonly previewLink: MintPreviewLink;
  readonly outline: LoadOutline;
  readonly environments: Environments;
  readonly history: SiteHistory;
  readonly changeSets: SiteChanges;
  readonly images: Seed;
  readonly portable: SitePortable;
  readonly posts: SitePosts;
}

/** A plugin with the routes of these parts, in the order of the plugin `cms`. */
export const siteRoutes = (parts: Partial<SiteRoutes>): readonly RoutePlugin[] => [
  {
    name: "site",
    routes: ({ api }, deps) => {
      const { previewLink, outline, environments, history, changeSets, images, portable, posts } = parts;
      if (previewLink !== undefined) mountPreviewLink(api, previewLink, deps);
      if (environments !== undefined) mountEnvironments(api, environments, deps);
      if (history !== undefined) mountHistory(api, history, deps);
      if (changeSets !== undefined) mountChangeSets(api, changeSets, deps);
      if (images !== undefined) mountImages(api, images, deps);
      if (portable !== undefined) mountPortable(api, portable, deps);
      if (posts !== undefined) mountPosts(api, posts, deps);
      if (outline !== undefined) mountOutline(api, outline, deps);
    },
  },
];
