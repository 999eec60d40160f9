/** Caps of the content model. */
export const SECTIONS_PER_PAGE_MAX = 40;
export const NAV_ITEMS_MAX = 200;
export const NAV_DEPTH_MAX = 3;
export const CONTENT_BYTES_MAX = 256 * 1024;
export const MARKDOWN_BYTES_MAX = 100 * 1024;
export const DOCUMENT_BYTES_MAX = 512 * 1024;
export const REVISION_BYTES_MAX = 900 * 1024;
export const RESULT_BYTES_MAX = 64 * 1024;
/** changed rows of one operation: of what a change set publishes, of what an undo takes back */
export const OPERATION_CHANGES_MAX = 5_000;
/** JSON before and after of all rows of one operation: several copies of it are in memory while it is written */
export const OPERATION_BYTES_MAX = 12 * 1024 * 1024;
/** things that the answer of an operation names one by one; more are counted */
export const ANSWER_THINGS_MAX = 60;
export const SEARCH_BODY_BYTES_MAX = 8 * 1024;
/** below the 2 MB that one bound value may have */
export const PARAMETER_BYTES_MAX = 1_900_000;
/** changes in the list next to a batch; the batch has all of them */
export const CHANGES_SHOWN_MAX = 60;
/** characters of a changed text beyond which only the part that differs is shown, all of it */
export const CHANGE_CHARS_MAX = 1_200;

/** Rows that a list with a filter is looked for in by one call; what is behind them comes with its cursor. */
export const WALKED_MAX = 10_000;
/** The same where the texts of each are looked into. */
export const READ_MAX = 2_000;
