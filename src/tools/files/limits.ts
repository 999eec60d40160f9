/** Bounds of the files that people send. */
export const FILE_BYTES_MAX = 20 * 1024 * 1024;
/** of a file that is text, which are read */
export const TEXT_BYTES_MAX = 8 * 1024 * 1024;
export const PDF_PAGES_MAX = 500;
/** what an office file may be once it is unpacked, as far as it is read */
export const UNPACKED_BYTES_MAX = 32 * 1024 * 1024;
export const ARCHIVE_ENTRIES_MAX = 5_000;
/** what one stream of a PDF may be once it is unpacked, and all together; pictures are not unpacked */
export const STREAM_BYTES_MAX = 48 * 1024 * 1024;
export const STREAMS_BYTES_MAX = 192 * 1024 * 1024;
/** streams of a PDF that are measured; a page has a few */
export const STREAMS_MAX = 20_000;
/** files that one person sends into one session in an hour, and all that it keeps */
export const FILES_PER_HOUR_MAX = 20;
export const FILES_PER_SESSION_MAX = 200;
export const NAME_CHARS_MAX = 100;
