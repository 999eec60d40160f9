/** Bounds of what comes into the library. */
export const IMAGE_BYTES_MAX = 10 * 1024 * 1024;
export const IMAGE_PIXELS_MAX = 40_000_000;
/** new images that one person puts into one session in an hour */
export const UPLOADS_PER_HOUR_MAX = 20;
export const HOUR_MS = 3_600_000;
export const FILENAME_CHARS_MAX = 100;
export const CAPTION_CHARS_MAX = 500;
export const TAGS_MAX = 10;
export const TAG_CHARS_MAX = 40;
