import type { ErrorClass } from "../../cairn/core/log/tool.ts";
import type { ModelErrorClass } from "../../cairn/core/log/model.ts";
import { SPENT } from "../../cairn/core/text/cause-words.ts";
import type { BodyOf } from "../../cairn/core/log/entry.ts";
import { isObject, type Json, ownValue } from "../../cairn/core/log/json.ts";
import { oneLine } from "../parts/one-line.ts";

/** Texts for the codes of the log. A test checks the lists against the codes that core can write. */

/** Codes of `verdict`, of skipped calls and of refused answers. */
export const GUARD_WORDS: Readonly<Record<string, string>> = {
  // budgets
  BUDGET_STEPS: upperFirst(SPENT.steps),
  BUDGET_TOKENS: upperFirst(SPENT.tokens),
  BUDGET_COST: upperFirst(SPENT.cost),
  BUDGET_WALL: upperFirst(SPENT.wall),
  BUDGET_CALLS: upperFirst(SPENT.calls),
  BUDGET_CALLS_SPENT: upperFirst(SPENT.calls),
  BUDGET_MESSAGES: `${upperFirst(SPENT.messages)}, and the last one is kept for the answer`,
  BUDGET_DAY: upperFirst(SPENT.day),
  BUDGET_DAY_FINAL: `${upperFirst(SPENT.day)} but for one answer`,
  FINAL_UNPAID: "Not enough is left for an answer of the model",
  LAST_STEP: "This is its last step with tools",
  WRAP_UP: "A limit is nearly reached, so it was asked to finish the essentials",
  EXTENDED: "It made progress, so it got more steps",
  EXTENDED_BY_PERSON: "A person gave it more",
  MORE_CALLS: "Its calls were new work, so it may make more of them",
  PROMOTED: "It is more work than it seemed, so it got the limits of a larger run",
  // capsules
  GOAL_GOES_ON: "The message was answered, so work on the goal continues",
  ANSWER_FIRST: "A new message is answered before work on the goal continues",
  DEADLINE: "Its time is up, so it reports what it has",
  // loops
  LOOP_HINT: "It kept repeating itself and got a hint",
  LOOP_WARN: "It kept repeating itself, so these calls are blocked for now",
  LOOP_BLOCK: "It repeated a call after a warning",
  STUCK: "It kept repeating itself",
  // permissions
  NOT_GRANTED: "This run was not given this tool",
  ADMIN_ONLY: "Only an admin may request this",
  POLICY_DENY: "It is not permitted here",
  CHANNEL_DENY: "The address or channel is not known here",
  AUTONOMY_DENY: "It is not done in a run that no person watches",
  DENIED_AGAIN: "It kept requesting what is not allowed",
  NEEDS_APPROVAL: "A person has to be asked first",
  // calls
  ALREADY_DONE: "The same change was made before, so it was not made again",
  REUSED_RESULT: "The same read was made before, so its result was used again",
  SIG_BANNED: "The same call failed before and would fail again",
  TOOL_BANNED: "This tool was refused before and would be refused again",
  TOOL_CAP: "This tool was called as often as it may be",
  TOOL_COOLDOWN: "This tool was called a moment ago, so the next call has to wait",
  TOOL_OVERUSE: "This tool was called often and brought little that is new",
  POLL_TOO_SOON: "It is too soon to look again",
  CIRCUIT_OPEN: "This tool failed repeatedly, so it is paused for a while",
  CLARIFY_REPEAT: "The same question was asked before",
  PLACEHOLDER_NOTE: "The arguments look like a placeholder",
  SEND_DUPLICATE: "The same words were sent there before",
  SEND_SIMILAR: "Nearly the same was sent before",
  SEND_ONE_PER_STEP: "A message was sent in this step already",
  SEND_COOLDOWN: "Nothing had been done since the last message",
  PLACEHOLDER: "The message still contained a placeholder, so it was not sent",
  CALLS_DROPPED: "The closing answer may not use tools, so its calls were not run",
  RETRY_LATER: "The tool failed for a while, so it is tried again",
  RATE_HINT: "The service asks for a longer pause than this run can wait",
  // replies of the model
  REPLY_CUT: "The reply was cut off by its length limit, so the model was asked again",
  REPLY_CUT_AGAIN: "The replies were cut off by their length limit twice",
  EMPTY: "The reply was empty, so the model was asked again",
  FILTERED: "The provider's filter blocked the reply, so the model was asked again",
  UNUSABLE: "The reply could not be read, so nothing was run",
  TEXT_CALL: "The reply was a call written as text, so nothing was run",
  ANSWER_BEFORE_RESULTS: "The reply had an answer and calls that may change it",
  OUTPUT_INVALID: "Its result did not have the requested form",
  INVALID_OUTPUT: "The model's replies were unusable several times",
  MODEL_DOWN: "The model fails for everybody at the moment, so it is not called for a while",
  MODEL_PROBE: "The first model is tried again",
  // plan and news
  PLAN_WANTED: "A plan was requested",
  NO_PLAN: "It did not write the required plan",
  PLAN_CLAIM: "An item of the plan was marked done without evidence",
  PLAN_FAILED: "An item of the plan cannot be changed like that",
  REPLAN: "An item of the plan failed twice, so a new plan was requested",
  NUDGE_SOFT: "The person has had no message for a while",
  NUDGE_HARD: "The person has had no message for a long while",
  // the answer
  WORK_PENDING: "A sub-run is still running, or its report was not read",
  INPUT_PENDING: "A new message must be read first",
  REVIEW_NO_STEP: "The review found something, and no step is left to correct it",
  REVIEW_CAP: "The review sent the answer back too often",
  NO_SEND: "nothing was sent to the person",
  ACK_ONLY: "it only announces the work",
  EMPTY_PROMISE: "it promises work that nothing would do",
  UNSENT_RESULTS: "it leaves out the findings",
  NO_SUBSTANTIVE: "it says nothing of substance",
  ERROR_UNRESOLVED: "it does not mention a failure",
  PLAN_ITEMS_OPEN: "it does not mention open items of the plan",
  CLAIM_UNBACKED: "it claims an action that never happened",
  NOTHING_CHANGED: "it does not say that nothing changed",
  BAD_CITATION: "a citation has no source",
  NO_CITATION: "it has no citations",
  // the rest
  STOP_WHEN: "A rule of its agent stopped it",
  HOOK_HINT: "Its agent gave it a hint",
  GUARD_ERROR: "A check of the runtime failed",
  RECOVERY_EXHAUSTED: "It was interrupted too often",
};

export const guardWords = (code: string): string =>
  ownValue(GUARD_WORDS, code) ?? code.toLowerCase().replaceAll("_", " ");

export const MODEL_ERROR_WORDS: Readonly<Record<ModelErrorClass, string>> = {
  rate_limit: "too many requests at the moment",
  overloaded: "the provider is overloaded",
  network: "the provider was not reached",
  timeout: "the model took too long",
  cut_off: "the reply broke off",
  context_overflow: "the conversation is too large for the model",
  content_filter: "the provider's filter",
  auth: "the provider refused the key",
  bad_request: "the provider did not accept the request",
  unknown_model: "the provider does not know the model",
  no_tools: "the model cannot be given tools",
  no_reasoning: "the provider requires earlier reasoning",
  internal: "something went wrong in the call",
};

export const TOOL_ERROR_WORDS: Readonly<Record<ErrorClass, string>> = {
  rate_limit: "too many requests",
  server: "the service failed",
  network: "the service was not reached",
  timeout: "it took too long",
  auth: "the service refused the key",
  permission: "the service does not permit it",
  invalid_args: "the arguments do not fit",
  too_large: "it is too large",
  not_found: "it is not there",
  conflict: "something changed meanwhile",
  policy: "it is not permitted",
  internal: "something went wrong",
};

/** The remedy for a failed model call. */
export const REMEDY_WORDS: Readonly<Record<BodyOf<"model_failed">["then"], string>> = {
  retry: "tried again after a wait",
  fallback: "the next model is asked",
  compact: "sent again with earlier steps summed up",
  dialect: "asked again with its tools in words",
  reasoning: "sent again with a field of thoughts in each answer",
  plain: "sent again without thoughts, files and hidden characters",
  force: "the answer is written from what is known",
  end: "the run ends",
};

/** `rehearsal:` is the rehearsal model. */
export const modelName = (model: string): string =>
  model.startsWith("rehearsal") ? "rehearsal model" : model;

/** How a reply ended; null where it simply came to its end. */
export const FINISH_WORDS: Readonly<Record<BodyOf<"model_replied">["finish"], string | null>> = {
  stop: null,
  "tool-calls": null,
  length: "cut off by its length limit",
  "content-filter": "held back by the provider's filter",
  aborted: "stopped before its end",
  other: "ended for an unknown reason",
};

export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** characters of a quote inside a sentence */
export const QUOTE_CHARS = 160;

/** Without the full stop that a sentence around it would double. */
export const unstopped = (text: string): string => text.trim().replace(/[.\s]+$/u, "");

const OBJECTIVE_CHARS = 100;

/** The objective that a call gives to the run it starts, in one line. */
export const objectiveIn = (input: Json): string => oneLine(textIn(input, "objective"), OBJECTIVE_CHARS);

export function textIn(input: Json, name: string): string {
  const value = isObject(input) ? ownValue(input, name) : null;
  return typeof value === "string" ? value : "";
}

const NAMES_SHOWN = 3;
const NAME_CHARS = 40;

/** The things and facts that an entry put into the memory or took out of it; empty where there are none. */
export function rememberedText(body: Partial<Pick<BodyOf<"memory_changed">, "changes" | "facts">>): string {
  const { changes = [], facts = [] } = body;
  const name = (text: string): string => `“${oneLine(text, NAME_CHARS)}”`;
  const things = changes.map(
    (thing) => `${thing.op === "delete" ? "forgot " : ""}${thing.type} ${name(thing.name)}`,
  );
  const stored = facts.map(({ op, key }) => `${op === "store" ? "stored" : "forgot"} ${name(key)}`);
  const all = [...things, ...stored];
  const more = all.length > NAMES_SHOWN ? ` and ${all.length - NAMES_SHOWN} more` : "";
  return `${all.slice(0, NAMES_SHOWN).join(", ")}${more}`;
}
