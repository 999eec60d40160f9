import type { Progress } from "../log/tool.ts";
import { startOf } from "./cut.ts";

/** characters of a note of progress */
export const PROGRESS_CHARS_MAX = 500;

/** A note of progress as it is stored and shown. A percentage that is not a number is none. */
export function boundedProgress(text: string, percent?: number): Progress {
  const known = percent !== undefined && Number.isFinite(percent);
  return {
    text: startOf(text, PROGRESS_CHARS_MAX).toWellFormed(),
    percent: known ? Math.round(Math.min(100, Math.max(0, percent))) : null,
  };
}
