/** Every number of the guards, with its unit; the specification says where each comes from. */

// Requests that leave (loop 10.5).
/** characters of a URL; browsers and servers differ above, and nobody reads it any more */
export const URL_CHARS_MAX = 4_096;
/** redirects that are followed */
export const REDIRECTS_MAX = 5;

// Text from outside (loop 10.4).
/** characters of one fenced text, without its tags */
export const FENCED_CHARS_MAX = 65_536;
/** combining marks in a row that are kept: no script needs more, and a stack of them hides what is below */
export const MARKS_IN_ROW_MAX = 4;

// Who may do what (guards 6.3).
/** refusals for lack of a right or an address after which a run ends */
export const DENIALS_MAX = 2;
