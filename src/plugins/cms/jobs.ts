import type { JobContext, Jobs } from "../../cairn/plugin.ts";
import { createLook } from "../../cairn/models/look.ts";
import { createLazyModel } from "../../cairn/models/lazy-model.ts";
import type { Embedder } from "./embedding/embedder.ts";
import { publishDueSets } from "./changes/due-sets.ts";
import { maintainEmbeddings } from "./maintenance/embeddings.ts";
import { maintainImages, type Vision } from "./maintenance/images.ts";
import type { CmsBindings } from "./model/types.ts";
import { dropAbandoned } from "./portable/settle-import.ts";
import { publishDue } from "./schedule/due.ts";
import { deliverNotices } from "./schedule/notices.ts";

/** A deployment may have each of these, and need not. */
type Bindings = CmsBindings & { readonly IMAGES?: ImagesBinding };

/** Made once of the variables. */
export interface CmsParts {
  /** keeps its last answers; null: the site is searched by words alone */
  readonly embedder: Embedder | null;
  /** signs links to drafts; null: one that the database stores */
  readonly previewSecret: string | null;
}

/** Scheduled publishing, image and text maintenance, abandoned imports, and messages about what failed. */
export function cmsJobs(target: JobContext, { embedder }: CmsParts): Jobs {
  const { env, at: now, notify } = target;
  const { IMAGES: images, MEDIA: media }: Bindings = env;
  return {
    "publish pages and entries": () => publishDue(env.DB, now),
    "publish change sets": () => publishDueSets(env.DB, now),
    "drop abandoned imports": () => dropAbandoned(env.DB, media ?? null, now),
    "describe images": () =>
      maintainImages(
        { db: env.DB, media: media ?? null, images: images ?? null, see: visionOf(target) },
        now,
        Date.now,
      ),
    "embed texts": () => embedDocuments(target, embedder),
    "deliver notices": () => deliverNotices(env.DB, ({ session, ...notice }) => notify(session, notice), now),
  };
}

/** The first of VISION_MODELS; null without one. */
function visionOf({ providers, config: { visionModels } }: JobContext): Vision | null {
  const [name] = visionModels;
  if (providers === null || name === undefined) return null;
  const model = createLazyModel({ providers });
  return { model: name, look: createLook(model, name) };
}

/** Without an embedding model the site is searched by words alone. */
async function embedDocuments({ env, at }: JobContext, embedder: Embedder | null): Promise<void> {
  const { VECTORIZE: index }: Bindings = env;
  if (embedder !== null) await maintainEmbeddings({ db: env.DB, embedder, index: index ?? null }, at);
}
