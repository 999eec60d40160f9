import { offered, type Plugin } from "../../cairn/plugin.ts";
import type { CmsBindings } from "./model/types.ts";
import { cmsPack, imagesPack } from "./pack.ts";
import { ensureSeeded } from "./seed/index.ts";
import { createPictures } from "./http/sent-image.ts";
import { readPicture } from "./media/picture.ts";
import { sentFiles } from "./media/sent-files.ts";
import { cmsSettings } from "./settings.ts";
import { findTarget } from "./storage/environments.ts";
import { cmsJobs } from "./jobs.ts";
import { cmsRoutes } from "./routes.ts";

/** A website: its pages, posts, images and navigation, and what is published of them when. */
export const cms = (): Plugin => ({
  name: "cms",
  panels: ["site"],
  settings: (env, problem) => cmsSettings({ ...env }, problem),
  tools: ({ env, environment, embedder }) => {
    const bindings: CmsBindings = {
      ...env,
      ...(environment === null ? {} : { environment }),
      ...(embedder === null ? {} : { embedder }),
    };
    return [offered(cmsPack, bindings), offered(imagesPack, bindings)];
  },
  scheduled: cmsJobs,
  routes: cmsRoutes,
  shared: (env) => {
    const { DB: db, MEDIA: media }: CmsBindings = env;
    // Without a database there is no site.
    if (db === undefined) return {};
    return {
      pictures: { ...sentFiles(db), read: (imageId) => readPicture({ db, media: media ?? null }, imageId) },
      findSite: (target) => findTarget(db, target),
    };
  },
  pictures: createPictures(ensureSeeded),
});
