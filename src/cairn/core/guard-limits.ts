/** Numbers of the guards, with their units: read through limits.ts. */

// The loop detector, reuse, bans and caps.

/** characters of the JSON of a run's guard memory; ASCII, so bytes too */
export const GUARD_MEMORY_CHARS_MAX = 32_768;
/** what it is cut to when it would be larger, so that it is not cut at every call */
export const GUARD_MEMORY_CHARS_CUT = 28_672;
/** what is left of the seen digests, of the calls and of the bans when the memory would be larger */
export const SEEN_STORED_MIN = 200;
export const CALLS_STORED_MIN = 24;
export const BANS_STORED_MIN = 20;
export const POLLS_STORED = 16;
/** tools that are counted; past that the least called is forgotten */
export const TOOLS_COUNTED_MAX = 48;
export const BLOCKS_STORED = 16;
/** ids of one result that are taken into account */
export const IDS_PER_RESULT_MAX = 50;
/** words of a query that are stored: those with the smallest digests, so that two sketches of one set are equal */
export const QUERY_WORDS_STORED = 24;
export const GUARD_HINT_CHARS_MAX = 300;
/** notes in one request */
export const NOTES_PER_STEP_MAX = 3;

/** counts from which the rules fire */
export const SAME_RESULT_MIN = 3;
export const SAME_ERROR_MIN = 2;
export const ERROR_STREAK_MIN = 4;
export const ERROR_STREAK_TURNS_MIN = 2;
export const CYCLE_PERIODS = [2, 3, 4] as const;
export const MONOLOGUE_MIN = 2;
export const SAME_THOUGHT_MIN = 3;
export const NEAR_QUERY_MIN = 3;
export const NEAR_QUERY_LIKENESS_MIN = 0.9;
export const NEAR_QUERY_KNOWN_MIN = 0.8;
/** searches of a tool in a row, in whatever words, that find nothing new */
export const BARREN_SEARCHES_MIN = 6;
export const DRIFT_MIN = 4;
/** calls side by side in one reply cannot have learned from one another */
export const DRIFT_TURNS_MIN = 2;
export const THRASH_RETURNS_MIN = 2;
export const BLOCK_ECHO_MIN = 2;
export const AFTER_COMPACTION_MIN = 2;
export const BOOKKEEPING_MIN = 5;
export const NO_PROGRESS_MIN = 6;
export const NO_PROGRESS_RESEARCH_MIN = 10;
/** further such turns before `no_progress` and `bookkeeping` fire again */
export const FIRE_AGAIN_TURNS = 2;

/** turns with progress in a row that lower the ladder by one */
export const GOOD_TURNS = 3;
/** steps for which the tools in the evidence of a warning are blocked */
export const TOOL_BLOCK_STEPS = 2;

/** milliseconds for which an equal ok read is reused */
export const FRESH_MS = 600_000;

/** share of the declared interval from which a poll counts as spaced: results do not arrive on the tick */
export const POLL_SPACING_MIN = 0.8;

/** an equal call after a passing failure waits this long, or this many steps */
export const TRANSIENT_BAN_MS = 60_000;
export const TRANSIENT_BAN_STEPS = 2;
/** failed results in a row that set a tool aside, and for how many steps */
export const TOOL_FAILURES_MAX = 3;
export const TOOL_COOLDOWN_STEPS = 3;

/** executed calls of one tool from which their use is looked at, by class of run; the cap is CAP_FACTOR times that */
export const OVERUSE_CALLS = 5;
export const OVERUSE_CALLS_LONG = 15;
export const OVERUSE_CAP_FACTOR = 3;
/** share of fresh results below which it is overuse */
export const OVERUSE_FRESH_MIN = 0.5;

// Requests that leave.
/** characters of a URL; above, browsers and servers differ, and no person reads it */
export const URL_CHARS_MAX = 4_096;
/** redirects that are followed */
export const REDIRECTS_MAX = 5;

// Text from outside.
/** characters of one fenced text, without its tags */
export const FENCED_CHARS_MAX = 65_536;
/** consecutive combining marks that are stored: no script needs more, and a stack of them hides other text */
export const MARKS_IN_ROW_MAX = 4;

// Permissions
/** refusals for lack of a right or an address after which a run ends */
export const DENIALS_MAX = 2;

// Guards that throw.
/** faults after which a run ends */
export const GUARD_FAULTS_MAX = 3;
/** characters of a thrown value that are stored */
export const FAULT_CHARS_MAX = 120;

// Placeholders in what is written.
/** characters of a name between the brackets */
export const PLACEHOLDER_CHARS_MAX = 40;
/** placeholders of one call that are named, and calls of a reply that are listed */
export const PLACEHOLDERS_NAMED_MAX = 3;

// The review of "done".
/** longer than this is no mere acknowledgement */
export const ACK_CHARS_MAX = 280;
/** letters besides the acknowledgement, below which a text has no other content */
export const ACK_LEFT_CHARS_MAX = 40;
export const SUBSTANTIVE_CHARS_MIN = 20;
/** a text of this length is substantive, whatever it shares with the results */
export const SUBSTANTIVE_LONG_CHARS_MIN = 200;
/** the same where answer and results are of two languages and can share no words */
export const FOREIGN_CHARS_MIN = 60;
/** share of equal words in the arguments from which two calls without a target are one try */
export const ARGS_OVERLAP_MIN = 0.5;
/** a candidate up to this length that claims "done" claims it of the whole request */
export const BARE_DONE_CHARS_MAX = 120;
/** times that one reason sends a candidate back */
export const REFUSALS_PER_CODE_MAX = 1;
export const REFUSALS_PER_RUN_MAX = 3;
/** characters of a hint for the model */
export const HINT_CHARS_MAX = 300;
/** titles of results in the answer that needs no model */
export const FOUND_TITLES_MAX = 5;

// Breakers.
/** failures in a row within the window open one for openMs, doubling to openMsMax */
export const BREAKER = {
  fails: 3,
  windowMs: 10 * 60_000,
  openMs: 30_000,
  openMsMax: 5 * 60_000,
} as const;
export const BREAKERS_STORED = 16;
/** a run that has left its first model asks it again after so long */
export const MODEL_PROBE_MS = 10 * 60_000;

// Questions.
/** of a run, and of a small one */
export const QUESTIONS_MAX = 3;
export const QUESTIONS_MAX_SMALL = 1;
/** share of equal words, in the longer of two questions, from which they are one */
export const QUESTION_LIKENESS_MIN = 0.65;
/** earlier questions that a new one is compared with */
export const QUESTIONS_COMPARED = 6;

// Nudges.
export const NUDGE_STEPS = { soft: 3, hard: 5 } as const;
/** in complex runs and in research */
export const NUDGE_STEPS_LONG = { soft: 2, hard: 4 } as const;
/** milliseconds and steps without any message after which one is due */
export const NUDGE_FIRST = { ms: 25_000, steps: 5 } as const;
/** the same since the last message */
export const NUDGE_NEXT = { ms: 45_000, steps: 10 } as const;

// Messages that a run sends.

/** longer texts are compared only whole */
export const MESSAGE_COMPARED_CHARS_MAX = 600;
/** milliseconds in which a message to the same place is compared with what was sent there before, and how many of them */
export const SENDS_WINDOW_MS = 300_000;
export const SENDS_STORED = 10;
/** share of their words from which two messages are alike: of the last five to that place, and of the last eight of the run */
export const SENDS_ALIKE = { share: 0.7, last: 5, chars: 20 } as const;
export const SENDS_ALIKE_IN_RUN = { share: 0.88, last: 8, chars: 16 } as const;
/** steps after which a word may be sent although nothing was done since the last */
export const SEND_COOLDOWN_STEPS = 15;
/** milliseconds from one word of progress of a time capsule to the next */
export const CAPSULE_PROGRESS_MS = 900_000;
