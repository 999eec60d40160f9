/** Bounds of the files that people send. */
export const FILE_BYTES_MAX = 20 * 1024 * 1024;
/** of a file that is text, which are read */
export const TEXT_BYTES_MAX = 8 * 1024 * 1024;
export const PDF_PAGES_MAX = 500;
/** what an office file may be once it is unpacked, as far as it is read */
export const UNPACKED_BYTES_MAX = 32 * 1024 * 1024;
export const ARCHIVE_ENTRIES_MAX = 5_000;
/**
 * Steps that the reader of a PDF takes for one document, and how many more for each character of its text: a dense page
 * takes 8,000 for 3,000 characters. Unpacked bytes count too, 32 for a step (src/cli/start/build-pdf-reader.ts).
 */
export const PDF_STEPS_MAX = 1_000_000;
export const PDF_STEPS_PER_CHAR = 6;
/** files per person, session and hour, and per session in total */
export const FILES_PER_HOUR_MAX = 20;
export const FILES_PER_SESSION_MAX = 200;
export const NAME_CHARS_MAX = 100;
