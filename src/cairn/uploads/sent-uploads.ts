import type { PromptPart } from "../core/log/model.ts";
import { filesOf, findFile, idIn, pathOf } from "./store.ts";

export interface SentUploads {
  /** The parts, with what the bucket knows of those that name a file by its `/uploads/` path. */
  identify(parts: readonly PromptPart[], failed?: () => void): Promise<readonly PromptPart[]>;
  /** The files of the session as parts, the oldest first. */
  waiting(most: number, failed?: () => void): Promise<readonly PromptPart[]>;
}

/** The files that people sent for reading: those of this session alone. */
export function sentUploads(
  {
    bucket,
    session,
    createdAt,
  }: {
    readonly bucket: R2Bucket | null;
    readonly session: string;
    /** of the session as it is now; null while it does not exist */
    readonly createdAt?: () => number | null;
  },
  report: (error: unknown) => void,
): SentUploads {
  const identify = async (part: PromptPart): Promise<PromptPart> => {
    const id = part.type === "file" ? idIn(part.url) : null;
    const file = id === null || bucket === null ? null : await findFile(bucket, session, id, createdAt?.());
    if (file === null || part.type !== "file") return part;
    const { name, mediaType, bytes } = file;
    return { ...part, mediaType, file: { id: file.id, name, bytes } };
  };
  return {
    identify: async (parts, failed) => {
      try {
        return await Promise.all(parts.map(identify));
      } catch (error) {
        report(error);
        failed?.();
        return parts;
      }
    },
    waiting: async (most, failed) => {
      if (bucket === null) return [];
      try {
        const files = await filesOf(bucket, session, createdAt?.());
        return files.slice(0, most).map(({ id, name, mediaType, bytes }): PromptPart => ({
          type: "file",
          mediaType,
          url: pathOf(id),
          file: { id, name, bytes },
        }));
      } catch (error) {
        report(error);
        failed?.();
        return [];
      }
    },
  };
}
