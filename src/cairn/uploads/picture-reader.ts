import type { PromptPart } from "../core/log/model.ts";
import type { Targets } from "../core/log/targets.ts";

/** The library of pictures as a session asks it. */
export interface PictureReader {
  /**
   * The parts with what is known of each picture that they name. Where the library could not be asked they stay as they are, and
   * `failed` is called with the reason.
   */
  identify(
    parts: readonly PromptPart[],
    targets: Targets,
    failed: (error: unknown) => void,
  ): Promise<readonly PromptPart[]>;
  /** A picture in a form that models take; null for one that is not there or too large. Throws what the bucket throws. */
  read(imageId: string): Promise<Picture | null>;
}

export interface Picture {
  readonly mediaType: string;
  readonly bytes: ArrayBuffer;
}
