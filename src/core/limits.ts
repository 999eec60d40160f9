/** Every number of the loop, with its unit. Starting values; the specifications say where each comes from. */

// A run (guards 2.1, profile `standard`).
export const STEPS_MAX = 15;
export const ACTIVE_MS_MAX = 30 * 60_000;
export const OUTPUT_TOKENS_MAX = 4_096;
export const TOOL_CALLS_MAX = 60;
export const CALLS_PER_REPLY_MAX = 8;
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
export const LOST_PER_RUN_MAX = 20;

/** the longest wait after a claim that could not be made */
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
export const DRAFT_FLUSH_MS = 1_000;
export const DRAFT_FLUSH_BYTES = 16_384;
/** unusable replies in a row before the answer is forced */
export const FAULTS_IN_ROW_MAX = 3;

// Tools (loop 9).
export const TOOL_TIMEOUT_MS = 30_000;
export const OBSERVATION_CHARS_MAX = 8_192;
export const READS_AT_ONCE = 4;

// People (interface 7.6).
export const APPROVAL_MS = 24 * 60 * 60_000;

// Working memory.
export const ENTITIES_MAX = 40;

// Answers that need no model (loop 1.6).
export const MECHANICAL_ANSWER_CHARS_MAX = 1_200;

/** characters per token when nothing better is known (guards 10.1) */
export const CHARS_PER_TOKEN = 4;
