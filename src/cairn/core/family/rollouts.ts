import { normalize } from "../log/normalize.ts";
import type { PlainWords } from "../guards/words.ts";
import { accountOf, amountsOf, leftOf, limitsOf } from "../guards/budget/amounts.ts";
import {
  REQUESTED_ACTIVE_MS_MAX,
  REQUESTED_STEPS_MAX,
  ROLLOUT_RESERVE,
  ROLLOUT_TEMPERATURES,
  SHORT_ANSWER_CHARS,
} from "../limits.ts";
import type { ChildReport } from "../log/child.ts";
import { asKind, outcomeClass, type Entry, type EntryDraft } from "../log/entry.ts";
import { canonicalJson, type Json, type JsonObject } from "../log/json.ts";
import { NO_USAGE, type ModelReply, type StepPatch, type Usage } from "../log/model.ts";
import { stepName } from "../log/names.ts";
import type { RunSpec } from "../log/run-spec.ts";
import { specOf } from "../entries/grant.ts";
import type { NoteText } from "../prompt-note.ts";
import type { LiveRun, State } from "../state/state.ts";
import { RUN_AGENT } from "./ask.ts";

/**
 * A run that is worked several times side by side: n attempts, each a child with another approach, and one step that makes
 * an answer of their reports. The first step asks no model: its calls are made here.
 */

export const rolloutsOf = ({ rollouts = 1 }: Pick<RunSpec, "rollouts">): number => rollouts;

export interface Attempt {
  readonly input: JsonObject;
}

/**
 * Returns the task of each attempt: the same request with another approach and temperature, the same result form, and
 * an equal part of the budget that is not reserved for the answer.
 */
export function attemptsOf(
  state: State,
  run: LiveRun,
  {
    objective,
    count,
    output,
  }: { readonly objective: string; readonly count: number; readonly output: JsonObject | null },
  at: number,
  noteText: NoteText,
): readonly Attempt[] {
  const left = leftOf(accountOf(state, run, at));
  const part = amountsOf((name) => Math.floor((Math.max(0, left[name]) * (1 - ROLLOUT_RESERVE)) / count));
  const { steps, activeMs, tokens, cost, toolCalls, messages } = limitsOf({ ...part, outputTokens: 0 });
  const base = run.request.temperature;
  const approaches = noteText("approaches").split("\n");
  return approaches.slice(0, count).map((approach, index) => ({
    input: {
      objective,
      instructions: noteText("attempt", { count, approach }),
      ...(base === null ? {} : { temperature: spread(base, index) }),
      ...(output === null ? {} : { output }),
      max_iterations: Math.min(REQUESTED_STEPS_MAX, Math.max(1, steps)),
      timeout_ms: Math.min(REQUESTED_ACTIVE_MS_MAX, Math.max(1_000, activeMs)),
      budget: {
        tokens: Math.max(1, tokens),
        cost_usd: Math.max(1, cost) / 1_000_000,
        tool_calls: Math.max(1, toolCalls),
        messages: Math.max(1, messages),
      },
    },
  }));
}

/** Around what the run wants. Where it wants none, none is sent: some models take no temperature. */
const spread = (base: number, index: number): number =>
  Math.round(
    Math.min(2, Math.max(0, base + (ROLLOUT_TEMPERATURES[index % ROLLOUT_TEMPERATURES.length] ?? 0))) * 100,
  ) / 100;

/** The reply that asks for the attempts. No model was asked. */
export function attemptsReply(attempts: readonly Attempt[]): ModelReply<Usage> {
  return {
    parts: attempts.map(({ input }) => ({
      type: "call",
      tool: RUN_AGENT,
      input,
    })),
    finish: "tool-calls",
    usage: { ...NO_USAGE, cost: 0 },
    model: "",
    ms: 0,
    firstTokenMs: null,
  };
}

/** The step behind the attempts has no tools: it answers from what they report. */
export const synthesis = (noteText: NoteText): StepPatch => ({
  toolChoice: "none",
  instructions: noteText("synthesis"),
});

/** Stops the children that became redundant: all live ones once two of the first three reports agree. */
export function stopAgreedRollouts(
  run: LiveRun,
  entries: readonly Entry[],
  words: PlainWords,
): EntryDraft<"child_stopped">[] {
  const open = run.children?.open ?? [];
  if (rolloutsOf(specOf(entries)) < 2 || open.length === 0) return [];
  const reports = entries.flatMap((entry) => asKind(entry, "child_reported")?.body ?? []).slice(0, FIRST);
  const answers = reports.flatMap((report) => shortAnswer(report, words) ?? []);
  if (answers.every((answer, index) => answers.indexOf(answer) === index)) return [];
  const step = run.step === 0 ? null : stepName(run.run, run.step);
  return open.flatMap(({ call, child, stopped }): EntryDraft<"child_stopped">[] =>
    child === null || stopped === true
      ? []
      : [{ kind: "child_stopped", run: run.run, step, body: { call, child } }],
  );
}

const FIRST = 3;

/**
 * An attempt's answer, in a form that is the same for two that mean the same; null where that is doubtful, because the other
 * attempts are stopped by it. It must give an answer, such as a number or a name.
 */
export function shortAnswer(
  { outcome, value, answer }: Pick<ChildReport, "outcome" | "value" | "answer">,
  words: PlainWords,
): string | null {
  if (outcomeClass(outcome) !== "answered") return null;
  if (value !== undefined) return isAnswerValue(value, words) ? canonicalJson(value) : null;
  const text = shortForm(answer);
  if (text === null || !words.givesAnswer(text, false)) return null;
  return text.replace(/^\p{Lu}(?=\p{Ll}{2,}(?![\p{L}\p{N}]))/u, (first) => first.toLowerCase());
}

/**
 * A short answer without what means nothing: emphasis around a whole line, marks of evidence, spaces, the stop at the end of a
 * sentence, and the headings above it. Signs, operators, units and negations stay as they are, and so does all that follows the
 * first line, because that may only announce the answer. Null for a long text, and for a list, a quote, a table or code.
 */
export function shortForm(answer: string): string | null {
  const all = answer.split("\n", LINES_MAX).map((line) => line.trim());
  const at = all.findIndex((line, index) => line !== "" && !isHeading(line, all[index + 1] ?? ""));
  const written = at === -1 ? [] : all.slice(at).filter((line) => line !== "");
  if (!isPlain(written[0] ?? "") || all.length >= LINES_MAX) return null;
  const text = normalize(written.map(meaningOf).join("\n").trim(), "NFC");
  return text.length > SHORT_ANSWER_CHARS ? null : text;
}

/** of an answer that can be short */
const LINES_MAX = SHORT_ANSWER_CHARS;

/** A line without the signs that mean nothing. */
const meaningOf = (line: string): string =>
  withoutEmphasis(withoutMarks(line))
    .replaceAll("\u2212", "-")
    .replaceAll(/\s+/gu, " ")
    .replace(/(?<!\.)\.$/u, "");

/** `# Answer`, `Answer` over a line of `---`, `Answer:`, or a line that only divides. */
function isHeading(line: string, next: string): boolean {
  return (
    /^#{1,6}(?:\s|$)/u.test(line) ||
    /^(?:=+|-{2,}|[*_](?:\s?[*_]){2,})$/u.test(next) ||
    /:[*_]*$/u.test(line) ||
    /^(?:=+|-{2,}|[*_](?:\s?[*_]){2,})$/u.test(line)
  );
}

/** False of an item of a list, a quote, a table, code, and of what is struck out: a part is no answer. */
const isPlain = (line: string): boolean =>
  line !== "" &&
  !/^(?:[-*+>|]\s|[>|]|\d{1,3}[.)]\s|```|~~~)/u.test(line) &&
  !/~~|<\/?[a-z!]|\|.*\|/iu.test(line);

/** A mark between two digits stays: without it they would be one number. */
const withoutMarks = (line: string): string =>
  line.replaceAll(/ ?\[e\d+(?:[,;] ?e\d+)*\](?![\p{L}\p{N}])/gu, "").trim();

/** Without the signs of emphasis around the whole line: within it they may be operators, as in `2**3`, or a name. */
const withoutEmphasis = (line: string): string =>
  line.replace(/^(\*{1,3}|`)(?=\S)([^*`]+)(?<=\S)\1(\.?)$/u, "$2$3");

/** False of a value that is empty, or holds an empty text or one that gives no answer. */
function isAnswerValue(value: Json, words: PlainWords): boolean {
  if (value === null) return false;
  if (typeof value === "string") return words.givesAnswer(value, true);
  if (typeof value !== "object") return true;
  const parts: readonly Json[] = Object.values(value);
  return parts.length > 0 && parts.every((part) => isAnswerValue(part, words));
}
