import type { PromptPart } from "../../core/log/model.ts";
import { findFile, idIn } from "./store.ts";

/** What the bucket knows of the files that a message names by their `/uploads/` path: those of this session alone. */
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
): (parts: readonly PromptPart[]) => Promise<readonly PromptPart[]> {
  const identify = async (part: PromptPart): Promise<PromptPart> => {
    const id = part.type === "file" ? idIn(part.url) : null;
    const file = id === null || bucket === null ? null : await findFile(bucket, session, id, createdAt?.());
    if (file === null || part.type !== "file") return part;
    const { name, mediaType, bytes } = file;
    return { ...part, mediaType, file: { id: file.id, name, bytes } };
  };
  return async (parts) => {
    try {
      return await Promise.all(parts.map(identify));
    } catch (error) {
      report(error);
      return parts;
    }
  };
}
