import { offered, type Plugin } from "../../cairn/plugin.ts";
import type { CmsBindings } from "../../tools/cms/model/types.ts";
import { cmsPack, imagesPack } from "../../tools/cms/pack.ts";
import { ensureSeeded } from "../../tools/cms/seed/index.ts";
import { createPictures } from "./sent-image.ts";
import { readPicture } from "../../tools/cms/media/picture.ts";
import { sentFiles } from "../../tools/cms/media/sent-files.ts";
import { findTarget } from "../../tools/cms/storage/environments.ts";
import { cmsJobs } from "./jobs.ts";
import { cmsRoutes } from "./routes.ts";

/** A website: its pages, posts, images and navigation, and what is published of them when. */
export const cms = (): Plugin => ({
  name: "cms",
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
