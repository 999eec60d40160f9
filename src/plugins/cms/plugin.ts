import { offered, type Plugin, type SessionPart } from "../../cairn/plugin.ts";
import { environmentIn, SITE_TARGET } from "./model/target.ts";
import type { CmsBindings } from "./model/types.ts";
import { cmsPack, imagesPack } from "./pack.ts";
import { ensureSeeded } from "./seed/index.ts";
import { createEmbedder } from "./embedding/embedder.ts";
import { ENVIRONMENTS_LISTED } from "./http/refusals.ts";
import { createPictures } from "./http/sent-image.ts";
import { readPicture } from "./media/picture.ts";
import { sentFiles } from "./media/sent-files.ts";
import { CMS_SECRETS, cmsSettings } from "./settings.ts";
import { findTarget } from "./storage/environments.ts";
import { cmsJobs, type CmsParts } from "./jobs.ts";
import { cmsPrompts } from "./prompts.ts";
import { cmsRoutes } from "./routes.ts";

/** A website: its pages, posts, images and navigation, and what is published of them when. */
export const cms = (): Plugin<SessionPart, CmsParts> => ({
  name: "cms",
  panels: ["site"],
  secrets: CMS_SECRETS,
  prompts: cmsPrompts,
  settings: (env, problem) => {
    const { AI: ai }: { readonly AI?: Ai } = env;
    const { embedding, previewSecret } = cmsSettings({ ...env }, problem);
    return {
      embedder: embedding === null ? null : createEmbedder({ ...embedding, ai: ai ?? null }),
      previewSecret,
    };
  },
  tools: ({ env, targets }, _part, { embedder }) => {
    const environment = environmentIn(targets);
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
      targets: { [SITE_TARGET]: { hint: ENVIRONMENTS_LISTED, find: (value) => findTarget(db, value) } },
    };
  },
  pictures: createPictures(ensureSeeded),
});
