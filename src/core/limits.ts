/** Every number of the loop, with its unit. Starting values; the specifications say where each comes from. */

// A run (guards 2.1).
/** what a run of class `standard` may use; the other classes stand in core/guard/profiles.ts */
export const RUN_LIMITS = {
  steps: 15,
  activeMs: 30 * 60_000,
  outputTokens: 4_096,
  toolCalls: 60,
  messages: 10,
  tokens: 500_000,
  cost: 2_500_000,
} as const;
export const CALLS_PER_REPLY_MAX = 8;
/** in a run of class `complex` or `research` */
export const CALLS_PER_REPLY_MAX_LARGE = 16;
/** kept for the forced answer, with a fifth of the limit as its upper bound */
export const ANSWER_RESERVE_MS = 60_000;
/** a silence longer than this counts as this much active time */
export const ACTIVE_GAP_MS_MAX = 15 * 60_000;

// The queue of runs and what is kept of ended ones.
export const QUEUE_MAX = 20;
export const ENDED_RUNS_SHOWN = 6;

// One wake (loop 1.4, 1.5).
export const INSTANT_ACTS_MAX = 64;
export const SLICE_MS = 10_000;
export const DEAD_MAN_MS = 1_500;
export const DEAD_MAN_MS_MAX = 60_000;
export const OVERDUE_MS = 2_000;
export const WAKE_MS_MAX = 14 * 60_000;
/** an alarm stored further ahead than this did not fire: the clock, not it, is the floor for the next */
export const EARLY_ALARM_MS = 1_000;

// Recovery (loop 1.6): claims of one effect before its honest end.
export const CLAIMS_MAX = { step: 5, final: 3, preview: 3, read: 3, keyed: 5, once: 1 } as const;
/** claims that the next model is granted at least when one was interrupted too often */
export const FALLBACK_CLAIMS_MIN = 2;
export const LOST_PER_RUN_MAX = 20;

/** the longest wait for a deployment that can make a claim, or call a model */
export const CLAIM_RETRY_MS_MAX = 60 * 60_000;

// Retries of failures (loop 1.6, guards 12).
export const TRIES_PER_EFFECT_MAX = 6;
export const RETRIES_PER_RUN_MAX = 20;
export const RETRY_BASE_MS = 1_000;
export const RETRY_MS_MAX = 60_000;
export const RETRY_AFTER_MS_MAX = 15 * 60_000;

// The model call (loop 1.4, platform 4.1).
export const FIRST_CHUNK_MS = 60_000;
export const CHUNK_MS = 30_000;
export const MODEL_CALL_MS = 5 * 60_000;
/** of a reply, its calls included: what is larger is no answer, and would not fit into a row */
export const REPLY_CHARS_MAX = 262_144;
export const DRAFT_FLUSH_MS = 1_000;
export const DRAFT_FLUSH_MS_MAX = 60_000;
export const DRAFT_FLUSH_BYTES = 16_384;
/** unusable replies in a row before the answer is forced */
export const FAULTS_IN_ROW_MAX = 3;

// Tools (loop 9).
export const TOOL_TIMEOUT_MS = 30_000;
export const OBSERVATION_CHARS_MAX = 8_192;
/** of all results of one reply together */
export const OBSERVATIONS_PER_REPLY_CHARS_MAX = 24_576;
/** what one result may always show */
export const OBSERVATION_ERROR_CHARS_MIN = 2_000;
/** of a whole output that is kept; the rest is cut off and said to be */
export const KEPT_CHARS_MAX = 8_388_608;
/** of one row of a kept output: at most three bytes each, below 1 MB (guards 9) */
export const KEPT_ROW_CHARS = 327_680;
export const READS_AT_ONCE = 4;

// People (interface 7.6).
export const APPROVAL_MS = 24 * 60 * 60_000;
export const APPROVAL_MS_MAX = 30 * 24 * 60 * 60_000;
/** named by one tool, and people who must agree */
export const APPROVERS_MAX = 32;
/** a decision is remembered so long at most (interface 7.7) */
export const POLICY_SECONDS_MAX = 86_400;
/** remembered decisions that a session keeps; the oldest go first */
export const POLICIES_MAX = 64;
/** a question waits so long for its answer (guards 6.4) */
export const QUESTION_MS = 7 * 24 * 60 * 60_000;

// Webhooks that go out (interface 6.2).
/** after each try that failed in passing; the try after the last of them is the last */
export const DELIVERY_DELAYS_MS = [
  5_000,
  30_000,
  2 * 60_000,
  10 * 60_000,
  3_600_000,
  3 * 3_600_000,
  8 * 3_600_000,
] as const;
export const DELIVERY_RETRY_AFTER_MS_MAX = 24 * 3_600_000;
export const DELIVERY_TIMEOUT_MS = 10_000;
/** a try that has no outcome by then has died with its isolate */
export const DELIVERY_LOST_MS = 15_000;
/** an alarm for deliveries alone is never nearer than this: what is new is sent at once, without one */
export const DELIVERY_ALARM_MS_MIN = 1_000;
export const DELIVERIES_AT_ONCE = 10;
/** of an answer that is told, in UTF-8 */
export const TOLD_ANSWER_BYTES_MAX = 4_096;

// Schedules (README of the specifications, doors beyond).
export const SCHEDULES_MAX = 20;
export const SCHEDULE_EVERY_MS_MIN = 60_000;
/** what falls due later than this is none that is awaited */
export const SCHEDULE_AHEAD_MS_MAX = 3_653 * 24 * 3_600_000;
/** later than this a time has been missed (guards 11) */
export const SCHEDULE_LATE_MS = 60_000;
/** a single time that found the queue of runs full is tried again after this */
export const SCHEDULE_RETRY_MS = 60_000;

// Working memory.
export const ENTITIES_MAX = 40;
/** characters of an entity's name that are kept */
export const ENTITY_NAME_CHARS_MAX = 120;
/** facts that a session keeps (loop 7) */
export const FACTS_MAX = 64;
export const FACT_KEY_CHARS_MAX = 64;
/** bytes of a fact in UTF-8 */
export const FACT_BYTES_MAX = 4_096;
/** the newest facts are in every prompt with the beginning of their value, the others by key alone */
export const FACTS_SHOWN_MAX = 16;
export const FACT_SHOWN_CHARS_MAX = 80;
/** the whole of them in a prompt */
export const FACTS_BLOCK_CHARS_MAX = 2_400;
/** answers of one search among the facts, and characters of each */
export const FACTS_FOUND_MAX = 5;
export const FACT_FOUND_CHARS_MAX = 600;

// The receipt of an answer.
/** things changed, failed and unknown that it names, of each */
export const RECEIPT_ITEMS_MAX = 20;
/** names of things of one item */
export const RECEIPT_TARGETS_MAX = 10;
export const RECEIPT_TARGET_CHARS_MAX = 80;
export const RECEIPT_STATE_CHARS_MAX = 40;
export const RECEIPT_REASON_CHARS_MAX = 150;

// Answers that need no model (loop 1.6).
export const MECHANICAL_ANSWER_CHARS_MAX = 1_200;

/** characters per token when nothing better is known (guards 10.1) */
export const CHARS_PER_TOKEN = 4;
