/** Every number of the guards, with its unit (specified in guards). */

// The review of "done" (guards 6.2, 7).
/** longer than this is no mere acknowledgement */
export const ACK_CHARS_MAX = 280;
/** letters beside the words of acknowledgement, below which nothing else was said */
export const ACK_LEFT_CHARS_MAX = 40;
export const SUBSTANTIVE_CHARS_MIN = 20;
/** so long a text says something, whatever it shares with the results */
export const SUBSTANTIVE_LONG_CHARS_MIN = 200;
/** the same where answer and results are of two languages and can share no words */
export const FOREIGN_CHARS_MIN = 60;
/** share of equal words in the arguments from which two calls without a target are one try */
export const ARGS_OVERLAP_MIN = 0.5;
/** a candidate up to this length that says "done" claims it of the whole request */
export const BARE_DONE_CHARS_MAX = 120;
/** times that one code sends a candidate back, by default and for one whose words may deceive the rule */
export const REFUSALS_PER_CODE_MAX = 2;
export const REFUSALS_PER_DOUBTFUL_CODE_MAX = 1;
export const REFUSALS_PER_RUN_MAX = 3;
/** characters of a hint for the model */
export const HINT_CHARS_MAX = 300;
/** lines of what is open below an answer, and characters of each */
export const OPEN_LINES_MAX = 8;
export const OPEN_LINE_CHARS_MAX = 150;
/** titles of results in the answer that needs no model */
export const FOUND_TITLES_MAX = 5;

// Nudges (guards 8).
export const NUDGE_STEPS = { soft: 3, hard: 5 } as const;
/** in complex runs and in research */
export const NUDGE_STEPS_LONG = { soft: 2, hard: 4 } as const;
/** nothing was said yet: milliseconds and steps after which a word is due */
export const NUDGE_FIRST = { ms: 25_000, steps: 5 } as const;
/** something was said: the same since then */
export const NUDGE_NEXT = { ms: 45_000, steps: 10 } as const;
