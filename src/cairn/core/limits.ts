/** Every number of the loop, with its unit. Starting values: each may change when it is measured. */

export * from "./guard-limits.ts";

// A run.
/** limits of class `standard`; the other classes are in core/guards/budget/profiles.ts */
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
/** reserved for the forced answer, at most a fifth of the limit */
export const ANSWER_RESERVE_MS = 60_000;
/** a silence longer than this counts as this much active time */
export const ACTIVE_GAP_MS_MAX = 15 * 60_000;

/** of a run specification */
export const RUN_BODY_BYTES = 65_536;
/** a caller that starts a run waits so long for its end */
export const RUN_WAIT_MS = 25_000;
/** of the objective and of the answer of the run that one goes on from */
export const PREVIOUS_CHARS_MAX = 8_192;

// The queue of runs, and the state of ended ones.
export const QUEUE_MAX = 20;
export const ENDED_RUNS_SHOWN = 6;

/** entries between two snapshots of the state: a load folds at most so many */
export const SNAPSHOT_ENTRIES = 40;

// One wake.
export const INSTANT_ACTS_MAX = 64;
/** time of the tools in one wake, after which the next effect gets an alarm of its own */
export const SLICE_MS = 10_000;
export const RECOVERY_MS = 1_500;
export const RECOVERY_MS_MAX = 60_000;
/** a recovery alarm that fires early by at most this share of its delay is kept: setting one costs a row */
export const RECOVERY_EARLY_SHARE = 2 / 3;
/** an alarm that is late by more than this was lost by the platform */
export const OVERDUE_MS = 2_000;
/** longest time of one wake, below the 15 minutes that the platform gives an alarm */
export const WAKE_MS_MAX = 14 * 60_000;
/** an alarm that is stored for later than this from now did not fire */
export const EARLY_ALARM_MS = 1_000;

// Recovery: interruptions of one effect after which it is not begun again.
export const INTERRUPTIONS_MAX = { step: 5, final: 3, preview: 3, read: 3, keyed: 5, once: 1 } as const;
/** claims that the next model is granted at least when one was interrupted too often */
export const FALLBACK_CLAIMS_MIN = 2;
export const INTERRUPTIONS_PER_RUN_MAX = 20;

/** the longest wait for a deployment that can make a claim, or call a model */
export const CLAIM_RETRY_MS_MAX = 60 * 60_000;

// Retries of failures.
export const TRIES_PER_EFFECT_MAX = 6;
export const RETRIES_PER_RUN_MAX = 20;
export const RETRY_BASE_MS = 1_000;
export const RETRY_MS_MAX = 60_000;
export const RETRY_AFTER_MS_MAX = 15 * 60_000;

// The model call.
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

// Tools.
export const TOOL_TIMEOUT_MS = 30_000;
export const OBSERVATION_CHARS_MAX = 8_192;
/** of all results of one reply together */
export const OBSERVATIONS_PER_REPLY_CHARS_MAX = 24_576;
/** what one result may always show */
export const OBSERVATION_ERROR_CHARS_MIN = 2_000;
/** characters of a whole output that are stored; the rest is cut, with a note */
export const BLOB_CHARS_MAX = 8_388_608;
/** characters of one row of a stored output: at most three bytes each, below 1 MB */
export const BLOB_ROW_CHARS = 327_680;
export const READS_AT_ONCE = 4;

// Children.
/** levels below the run that a person started */
export const CHILD_DEPTH_MAX = 3;
export const CHILDREN_PER_RUN_MAX = 10;
/** of one tree, its root included */
export const TREE_SESSIONS_MAX = 50;
/** of what a run has left, the most that one child is given */
export const CHILD_SHARE_MAX = 0.8;
/** what a request may ask of a run at most, and a call that starts one */
export const REQUESTED_STEPS_MAX = 200;
export const REQUESTED_ACTIVE_MS_MAX = 86_400_000;
/** share of the remaining budget that a run with several attempts reserves for the answer */
export const ROLLOUT_RESERVE = 0.1;
/** added to the temperature of the run, for each attempt in turn */
export const ROLLOUT_TEMPERATURES = [0, 0.2, -0.2, 0.4, -0.4, 0.1, 0.3, -0.3] as const;
/** characters of an answer that can be compared with another, word by word */
export const SHORT_ANSWER_CHARS = 200;
/** a child that has not reported is asked after this, then ever later, up to the second */
export const CHILD_POLL_MS = 60_000;
export const CHILD_POLL_MS_MAX = 60 * 60_000;
/** tries to reach a relative, after which it is taken as lost */
export const FAMILY_TRIES_MAX = 8;
/** milliseconds to the second try, then four times as long each time */
export const FAMILY_RETRY_MS = 2_000;
/** between two tries to stop a child that does not answer */
export const STOP_RETRY_MS_MAX = 6 * 60 * 60_000;
/** of a child's answer in its report, and of what the model is shown of it */
export const CHILD_ANSWER_CHARS_MAX = 100_000;
export const CHILD_SHOWN_CHARS_MAX = 16_384;
/** of the pages that a report cites, which come with it */
export const CHILD_PAGES_CHARS_MAX = 2_000_000;
/** of what a child is asked to do */
export const CHILD_OBJECTIVE_CHARS_MAX = 20_000;

// People.
export const APPROVAL_MS = 24 * 60 * 60_000;
export const APPROVAL_MS_MAX = 30 * 24 * 60 * 60_000;
/** UTF-8 bytes of JSON of what an approval shows, arguments included: a row of storage has at most 2 MB */
export const APPROVAL_BYTES_MAX = 1_500_000;
/** named by one tool, and people who must agree */
export const APPROVERS_MAX = 32;
/** a decision is remembered so long at most */
export const POLICY_SECONDS_MAX = 86_400;
/** remembered decisions of a session; the oldest are dropped first */
export const POLICIES_MAX = 64;
/** after a no, for its reason: milliseconds */
export const EXPLAIN_MS = 10 * 60_000;
/** a question waits so long for its answer */
export const QUESTION_MS = 7 * 24 * 60 * 60_000;

// Client tools.
/** of one run */
export const CLIENT_TOOLS_MAX = 32;
/** characters of the names, descriptions and schemas of one run's client tools together, as JSON */
export const CLIENT_TOOLS_CHARS_MAX = 32_768;
export const CLIENT_DESCRIPTION_CHARS_MAX = 2_000;
/** a call of a client tool waits so long for the client */
export const CLIENT_ANSWER_MS = 10 * 60_000;
/** UTF-8 bytes of JSON of one output */
export const CLIENT_OUTPUT_BYTES_MAX = 65_536;
export const CLIENT_ERROR_CHARS_MAX = 1_000;

// Webhooks that go out.
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
/** bytes of an answer in a notice, in UTF-8 */
export const NOTICE_ANSWER_BYTES_MAX = 4_096;

// Schedules.
export const SCHEDULES_MAX = 20;
export const AGENT_TTL_MS = 5_000; // an isolate takes a stored agent for so long as it has read it
export const TARGET_TTL_MS = 5_000; // for so long a session uses what it has read of who may use a target
export const SCHEDULE_EVERY_MS_MIN = 60_000;
/** what falls due later than this is none that is awaited */
export const SCHEDULE_AHEAD_MS_MAX = 3_653 * 24 * 3_600_000;
/** later than this a time has been missed */
export const SCHEDULE_LATE_MS = 60_000;
/** a single time that found the queue of runs full is tried again after this */
export const SCHEDULE_RETRY_MS = 60_000;
/** Waits before what due work needs is loaded again after a failure: the first, doubled each time, and the longest. */
export const DUE_LOAD_RETRY_MS = 2_000;
export const DUE_LOAD_RETRY_MS_MAX = 5 * 60_000;

// The heartbeat of a session.
export const HEARTBEAT_EVERY_MS = 15 * 60_000;
export const HEARTBEAT_EVERY_MS_MIN = 5 * 60_000;
export const HEARTBEAT_EVERY_MS_MAX = 24 * 60 * 60_000;
/** a person who wrote this recently counts as present */
export const HEARTBEAT_USER_MS = 90_000;
/** minimum time between two looks, with priority over all other settings */
export const HEARTBEAT_APART_MS = 60_000;
/** looks that come to nothing lie ever further apart, up to so many times */
export const HEARTBEAT_BACKOFF_MAX = 8;
/** a failure is a reason to look for so long */
export const HEARTBEAT_LEAD_MS = 6 * 60 * 60_000;
/** a person who has not written for so long may have forgotten something */
export const HEARTBEAT_QUIET_MS_MIN = 45 * 60_000;
/** milliseconds from one message of its looks to a place to the next one there */
export const HEARTBEAT_SEND_MS = 4 * 60 * 60_000;

// A lean run.
/** messages of earlier runs that its prompt shows */
export const LEAN_MESSAGES = 4;
/** of what is known, and of what was stored */
export const LEAN_MEMORY = 5;

// Working memory.
export const ENTITIES_MAX = 40;
/** characters of an entity's name that are stored */
export const ENTITY_NAME_CHARS_MAX = 120;
/** of an id or a slug in the prompt: an address fits, a token of a thousand characters does not */
export const ENTITY_ID_CHARS_MAX = 200;
/** facts that a session can store */
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

// Answers that need no model.
export const MECHANICAL_ANSWER_CHARS_MAX = 1_200;

/** characters per token when nothing better is known */
export const CHARS_PER_TOKEN = 4;

/** Every number of the guards, with its unit; the specification has their sources. */

// Budgets.
/** of the estimate of a request that is reserved for it */
export const RESERVE_SHARE = 1.15;
/** an answer's output shrinks to no less than this many tokens */
export const OUTPUT_TOKENS_MIN = 512;
/** tokens that results may add between a request and the forced answer after it */
export const FINAL_GROWTH_TOKENS = 6_500;
export const FINAL_OUTPUT_TOKENS_MAX = 2_048;
/** active time that a model call needs before the reserve of the answer */
export const CALL_MS_MIN = 10_000;
/** share of any amount at which the model is told to finish */
export const WRAP_UP_SHARE = 0.8;
/** of a time capsule: this share of its time before its end, but at least so long */
export const CAPSULE_WRAP_UP_SHARE = 0.05;
export const CAPSULE_WRAP_UP_MS_MIN = 2 * 60_000;
/** turns among which one with progress is enough for an extension */
export const EXTENSION_TURNS = 3;
/** share of every other amount that must be left for an extension */
export const EXTENSION_LEFT_SHARE = 0.2;
/** share of the calls after which a run is given more, and share of them that must have been new work until then */
export const MORE_CALLS_SHARE = 0.8;
export const NEW_WORK_SHARE_MIN = 0.9;
/** share of the steps after which a small run with progress becomes a larger one */
export const PROMOTION_SHARE = 0.6;
/** of a day, for a session and for a tenant: millionths of a US dollar, and tokens */
export const DAY_COST_MAX = 50_000_000;
export const DAY_TOKENS_MAX = 50_000_000;

// Windows.
/** tokens of a model's window if none is configured */
export const WINDOW_TOKENS = 128_000;

// Estimates.
export const CHARS_PER_ASCII_TOKEN = 4;
export const CHARS_PER_NARROW_TOKEN = 2;
export const MESSAGE_TOKENS = 4;
/** one file in a prompt: its size does not predict its tokens */
export const FILE_TOKENS = 1_000;
export const FACTOR_MIN = 0.7;
export const FACTOR_MAX = 1.5;
/** what the newest call weighs in the moving average */
export const FACTOR_WEIGHT = 0.2;
/** models whose factor a session remembers */
export const FACTORS_STORED = 8;

// Compaction.
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
/** of the window, above which one input is shown shortened */
export const INPUT_SHARE = 0.25;
/** of the window, for all inputs of a run together: above it each has an equal part of this */
export const INPUTS_SHARE = 0.4;
/** of an input that is shortened */
export const INPUT_CHARS_MIN = 500;
/** of the window, for messages of earlier runs */
export const EARLIER_SHARE = 0.3;
export const STEPS_VERBATIM_FIRST = 2;
export const STEPS_VERBATIM_LAST = 5;
export const STEPS_VERBATIM_LAST_LESS = 3;
/** where a request would not fit the window otherwise: the others are summed up, the first ones too */
export const STEPS_VERBATIM_AT_LEAST = 1;
export const OBSERVATION_CHARS_LESS = 1_000;
/** failed steps of a summed-up middle that stay as they are, the newest of each tool */
export const FAILED_STEPS_VERBATIM = 3;
/** steps of it whose results stay whole, the newest */
export const WHOLE_STEPS_VERBATIM = 5;
export const SUMMARY_CHARS_MAX = 8_000;
/** a longer request contains a task, whatever its words */
export const RECAP_CHARS_MAX = 160;
export const SUMMARY_FAILURE_CHARS = 90;
export const SUMMARY_TEXT_CHARS = 200;
/** things that one line of a summary names */
export const SUMMARY_ENTITIES = 8;
/** characters for the pages read and their passages; names are always complete */
export const SOURCES_CHARS = 8_000;
/** of one passage, the most that fits */
export const SOURCES_QUOTE_CHARS = [160, 80, 40] as const;
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

/** characters of the query of find_tool */
export const FIND_QUERY_CHARS_MAX = 300;
/** tools that one call of find_tool finds, characters of their descriptions and schemas, and of a description in its result */
export const FOUND_TOOLS_MAX = 8;
export const FOUND_CHARS_MAX = 12_000;
export const FOUND_DESCRIPTION_CHARS_MAX = 200;
