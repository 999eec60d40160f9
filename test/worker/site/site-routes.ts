import type { RoutePlugin } from "../../../src/cairn/http/deps.ts";
import { mountEnvironments, type Environments } from "../../../src/plugins/cms/http/environments.ts";
import {
  mountOutline,
  mountPreviewLink,
  type LoadOutline,
  type MintPreviewLink,
} from "../../../src/plugins/cms/http/preview-link.ts";
import { mountChangeSets } from "../../../src/plugins/cms/http/change-sets.ts";
import { mountHistory } from "../../../src/plugins/cms/http/history.ts";
import { mountPortable } from "../../../src/plugins/cms/http/portable.ts";
import { mountPosts } from "../../../src/plugins/cms/http/posts.ts";
import type { SiteChanges } from "../../../src/plugins/cms/http/site-changes.ts";
import type { SiteHistory } from "../../../src/plugins/cms/http/site-history.ts";
import type { SitePortable } from "../../../src/plugins/cms/http/site-portable.ts";
import type { SitePosts } from "../../../src/plugins/cms/http/site-posts.ts";
import { mountImages } from "../../../src/plugins/cms/http/images.ts";
import type { Seed } from "../../../src/plugins/cms/http/sent-image.ts";

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
