/** Every number of the guards, with its unit. The sections are those of the specification of the guards. */

// Budgets (2.3, 2.4, 2.5).
/** of the estimate of a request that is reserved for it */
export const RESERVE_SHARE = 1.15;
/** an answer's output shrinks to no less than this many tokens */
export const OUTPUT_TOKENS_MIN = 512;
/** tokens that results may add between a request and the forced answer after it */
export const FINAL_GROWTH_TOKENS = 6_500;
export const FINAL_OUTPUT_TOKENS_MAX = 2_048;
/** active time that a model call needs before the time that is kept for the answer */
export const CALL_MS_MIN = 10_000;
/** share of any amount at which the model is told to come to an end */
export const WRAP_UP_SHARE = 0.8;
/** of a time capsule: this share of its time before its end, but at least so long */
export const CAPSULE_WRAP_UP_SHARE = 0.05;
export const CAPSULE_WRAP_UP_MS_MIN = 2 * 60_000;
/** turns among which one with progress is enough for an extension */
export const EXTENSION_TURNS = 3;
/** share of every other amount that must be left for an extension */
export const EXTENSION_LEFT_SHARE = 0.2;
/** share of the steps after which a small run with progress becomes a larger one */
export const PROMOTION_SHARE = 0.6;
/** of a day, for a session and for a tenant (2.1): millionths of a US dollar, and tokens */
export const DAY_COST_MAX = 50_000_000;
export const DAY_TOKENS_MAX = 50_000_000;

// Estimates (10.1).
export const CHARS_PER_ASCII_TOKEN = 4;
export const CHARS_PER_NARROW_TOKEN = 2;
export const MESSAGE_TOKENS = 4;
/** one file in a prompt: its bytes say nothing about its tokens */
export const FILE_TOKENS = 1_000;
export const FACTOR_MIN = 0.7;
export const FACTOR_MAX = 1.5;
/** what the newest call weighs in the moving average */
export const FACTOR_WEIGHT = 0.2;
/** models whose factor a session remembers */
export const FACTORS_KEPT = 8;

// Compaction (10.4, 10.5).
/** steps of a run after which its middle is summed up the first time */
export const COMPACT_STEPS = 10;
/** and after so many new ones every other time */
export const COMPACT_STEPS_MORE = 10;
/** of what a request may have, above which it is compacted whatever its steps */
export const COMPACT_SHARE = 0.7;
/** new steps that a compaction for want of room waits for, while the request still fits: each one breaks the provider's cache */
export const COMPACT_STEPS_MIN = 2;
/** of the window, to which a request is compacted that a provider called too large (12) */
export const OVERFLOW_SHARE = 0.5;
/** of the window, above which one input is shown shortened (10.3) */
export const INPUT_SHARE = 0.25;
export const STEPS_KEPT_FIRST = 2;
export const STEPS_KEPT_LAST = 5;
export const STEPS_KEPT_LAST_LESS = 3;
export const OBSERVATION_CHARS_LESS = 1_000;
/** failed steps of a summed-up middle that stay as they are, the newest of each tool */
export const FAILED_STEPS_KEPT = 3;
export const SUMMARY_CHARS_MAX = 8_000;
export const SUMMARY_TOKENS_MAX = 2_000;
export const SUMMARY_FAILURE_CHARS = 90;
export const SUMMARY_TEXT_CHARS = 200;
/** things that one line of a summary names */
export const SUMMARY_ENTITIES = 8;
export const LISTED_CALLS = 12;
export const LISTED_CHARS_MAX = 2_400;

// The plan (3).
export const PLAN_ITEMS_MAX = 12;
export const PLAN_GOAL_CHARS_MAX = 400;
export const PLAN_TEXT_CHARS_MAX = 200;
export const PLAN_SHOWN_CHARS_MAX = 1_200;
/** the first plan and three that replace it */
export const PLAN_REVISIONS_MAX = 4;
/** failed results on one item until it has failed */
export const PLAN_FAILURES = 2;
/** replies without a plan after which the core writes one */
export const PLAN_REPLIES = 2;
/** results that an item names as its evidence */
export const PLAN_EVIDENCE = 5;
