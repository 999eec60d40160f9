import { offered, type Plugin } from "../../cairn/plugin.ts";
import type { CmsBindings } from "../../tools/cms/model/types.ts";
import { cmsPack, imagesPack } from "../../tools/cms/pack.ts";
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
});
