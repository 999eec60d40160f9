import { classOf, isOpenToLabel } from "../guards/budget/classify.ts";
import { dayOf, type DayCaps } from "../guards/budget/admit.ts";
import type { Charging } from "../guards/budget/reserve.ts";
import type { PlainWords } from "../guards/words.ts";
import type { EntryDraft } from "../log/entry.ts";
import { readValue } from "../dialects/read-value.ts";
import { isObject } from "../log/json.ts";
import {
  isRulesName,
  type ModelOutcome,
  type ModelReply,
  type ModelRequest,
  type Usage,
} from "../log/model.ts";
import { LEVELS, type ClassLabel } from "../log/verdict.ts";
import { costOf, type Price } from "../model-tables.ts";
import { separateCall, separateCallChars } from "../prompt/separate-call.ts";
import { modelKey, openUntil } from "../state/breakers.ts";
import type { QueuedRun, State } from "../state/state.ts";
import type { ToolCard } from "../log/tool.ts";
import { canResearch } from "./start-run.ts";

/**
 * How much work an input asks for, in the words of a model: one small call before the run begins. It is made once, and
 * whatever becomes of it, the run begins.
 */

const WORDS_MAX = 400;
const OUTPUT_TOKENS = 64;
const TIMEOUT_MS = 5_000;

/** Maximum share of the run's budget that a label may cost. */
const SHARE_MAX = 1 / 20;

/** Name of a run's label call among the effects of its session. */
export const labelEffect = (run: string): string => `${run}.label`;

/**
 * The call to make before this run begins; null where the class is no question any more, where it was asked for already, or
 * where it may not be paid.
 */
export function labelCall(
  state: State,
  queued: QueuedRun,
  messages: Parameters<typeof classOf>[2],
  cards: readonly ToolCard[],
  {
    instructions,
    price,
    day,
    at,
    words,
  }: {
    /** constant: a text of the prompts */
    readonly instructions: string;
    readonly price: Price;
    readonly day: DayCaps;
    readonly at: number;
    readonly words: PlainWords;
  },
): {
  readonly entry: EntryDraft<"label_asked">;
  readonly request: Omit<ModelRequest, "session">;
  readonly charge: Charging;
} | null {
  const { model } = queued.request;
  if (state.label?.run === queued.run || isRulesName(model)) return null;
  if (openUntil(state.breakers, modelKey(model), at) !== null) return null;
  const { classified, limits } = classOf(
    state,
    queued,
    messages,
    { canResearch: canResearch(cards), words },
    null,
  );
  if (!isOpenToLabel(classified)) return null;
  const { session: _session, ...request } = separateCall({
    model,
    session: "",
    step: labelEffect(queued.run),
    instructions,
    material: [{ source: "request", text: messageWords(messages.message).slice(0, WORDS_MAX) }],
    maxOutputTokens: OUTPUT_TOKENS,
    temperature: 0,
    timeoutMs: TIMEOUT_MS,
  });
  const input = Math.ceil(separateCallChars(request) / 3);
  const reserved = { tokens: input + OUTPUT_TOKENS, cost: costOf(price, { input, output: OUTPUT_TOKENS }) };
  const { used, limit } = dayOf(state, at, day);
  const fits = (["tokens", "cost"] as const).every(
    (what) => reserved[what] <= limits[what] * SHARE_MAX && used[what] + reserved[what] <= limit[what],
  );
  if (!fits) return null;
  const body = { model, reservedTokens: reserved.tokens, reservedCost: reserved.cost };
  return {
    entry: { kind: "label_asked", run: queued.run, step: null, body },
    charge: { estimate: input, price, reserved },
    request,
  };
}

const messageWords = (message: Parameters<typeof classOf>[2]["message"]): string =>
  message?.kind === "user_message"
    ? message.body.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")
    : "";

/** Records the label and its charge. `null`: outcome unknown, because the wake crashed. */
export function labelEntry(
  { queue }: State,
  run: string,
  outcome: ModelOutcome | null,
  usage: Usage,
): EntryDraft<"run_labelled"> {
  const label = outcome?.kind === "replied" ? readLabel(outcome.reply) : null;
  const why = label === null ? WHY[outcome?.kind ?? "lost"] : "labelled";
  // A run that was taken back meanwhile has no class; what the call has cost counts for the day all the same.
  return {
    kind: "run_labelled",
    run: queue[0]?.run === run ? run : null,
    step: null,
    body: { label, why, usage },
  };
}

const WHY = { lost: "interrupted", replied: "unreadable", failed: "failed", aborted: "failed" } as const;

/** The class that a reply names, and how sure it is; null where it cannot be read. */
export function readLabel({ parts }: Pick<ModelReply, "parts">): ClassLabel | null {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const found = readValue(text, Math.max(0, text.indexOf("{")));
  if (!found.ok || !isObject(found.value)) return null;
  const { label, confidence } = found.value;
  const level = LEVELS.find((one) => one === label);
  if (level === undefined || typeof confidence !== "number" || confidence < 0 || confidence > 1) return null;
  return { level, confidence };
}
