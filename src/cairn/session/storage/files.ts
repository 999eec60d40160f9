import type { Bindings } from "../../bindings.ts";
import type { PictureReader } from "../../uploads/picture-reader.ts";
import { sentUploads } from "../../uploads/sent-uploads.ts";
import { dropFiles, dropReservations } from "../../uploads/store.ts";
import type { SentFiles } from "../api/access.ts";

/** Facts about the files that messages of this session name: library images, and files in the bucket. */
export function sessionFiles(
  env: Pick<Bindings, "DB"> & { readonly MEDIA?: R2Bucket },
  pictures: Pick<PictureReader, "identify"> | null,
  session: string,
  createdAt: () => number | null,
  report: (error: unknown) => void,
): SentFiles {
  const bucket = env.MEDIA ?? null;
  const uploads = sentUploads({ bucket, session, createdAt }, report);
  return {
    identify: async (parts, targets, failed) => {
      const known = await pictures?.identify(parts, targets, (error) => {
        report(error);
        failed?.();
      });
      return await uploads.identify(known ?? parts, failed);
    },
    waiting: uploads.waiting,
    drop: async () => {
      if (bucket === null) return;
      await dropFiles(bucket, session);
      await dropReservations(env.DB, session);
    },
  };
}
