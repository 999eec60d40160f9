import { sentFiles } from "../../tools/cms/media/sent-files.ts";
import type { CmsBindings } from "../../tools/cms/model/types.ts";
import { sentUploads } from "../../uploads/sent-uploads.ts";
import { dropFiles, dropRoom } from "../../uploads/store.ts";
import type { SentFiles } from "../api/access.ts";

/** What is known of the files that messages of this session name: images of the library, and files in the bucket. */
export function sessionFiles(
  env: Pick<Env, "DB"> & CmsBindings,
  session: string,
  createdAt: () => number | null,
  report: (error: unknown) => void,
): SentFiles {
  const bindings: CmsBindings = env;
  const bucket = bindings.MEDIA ?? null;
  const images = sentFiles(env.DB, report);
  const uploads = sentUploads({ bucket, session, createdAt }, report);
  return {
    identify: async (parts, site, failed) =>
      uploads.identify(await images.identify(parts, site, failed), failed),
    waiting: uploads.waiting,
    drop: async () => {
      if (bucket === null) return;
      await dropFiles(bucket, session);
      await dropRoom(env.DB, session);
    },
  };
}
