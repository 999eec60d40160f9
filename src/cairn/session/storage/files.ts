import type { Bindings } from "../../bindings.ts";
import type { PictureReader } from "../../uploads/picture-reader.ts";
import { sentUploads } from "../../uploads/sent-uploads.ts";
import { dropFiles, dropReservations } from "../../uploads/store.ts";
import type { PromptPart } from "../../core/log/model.ts";
import type { Targets } from "../../core/log/targets.ts";

/** Files that a message names by a path of this deployment. */
export interface SentFiles {
  /**
   * Adds the tools' data about each of these files. Never throws: an unknown file is left unchanged, and so is one that
   * could not be looked up, for which `failed` is called.
   */
  identify(
    parts: readonly PromptPart[],
    targets: Targets,
    failed?: () => void,
  ): Promise<readonly PromptPart[]>;
  /** The oldest files that were sent to this session for reading, as parts. Never throws: without the bucket there are none. */
  waiting(most: number, failed?: () => void): Promise<readonly PromptPart[]>;
  /** Those of this session alone go with it. Throws where they cannot be deleted. */
  drop(): Promise<void>;
}

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
