import { normalize } from "../log/normalize.ts";
import { languageOf, readerFor, tellsFailure } from "../guards/review/phrases.ts";
import { fold, LETTERS } from "../text/sentences.ts";
import { accountOf, amountsOf, leftOf, limitsOf } from "../guards/budget/amounts.ts";
import {
  ASKED_ACTIVE_MS_MAX,
  ASKED_STEPS_MAX,
  ROLLOUT_KEPT,
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
 * The task of each attempt: the same one by another approach and temperature, in the form that the run must answer in, with
 * an equal part of what is left but for what the answer keeps.
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
  const part = amountsOf((name) => Math.floor((Math.max(0, left[name]) * (1 - ROLLOUT_KEPT)) / count));
  const { steps, activeMs, tokens, cost, toolCalls, messages } = limitsOf({ ...part, outputTokens: 0 });
  const base = run.request.temperature;
  const approaches = noteText("approaches").split("\n");
  return approaches.slice(0, count).map((approach, index) => ({
    input: {
      objective,
      instructions: noteText("attempt", { count, approach }),
      ...(base === null ? {} : { temperature: spread(base, index) }),
      ...(output === null ? {} : { output }),
      max_iterations: Math.min(ASKED_STEPS_MAX, Math.max(1, steps)),
      timeout_ms: Math.min(ASKED_ACTIVE_MS_MAX, Math.max(1_000, activeMs)),
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

/** The children that need not go on: all that are at work once two of the first three reports say the same. */
export function agreed(run: LiveRun, entries: readonly Entry[]): EntryDraft<"child_stopped">[] {
  const open = run.children?.open ?? [];
  if (rolloutsOf(specOf(entries)) < 2 || open.length === 0) return [];
  const reports = entries.flatMap((entry) => asKind(entry, "child_reported")?.body ?? []).slice(0, FIRST);
  const answers = reports.flatMap((report) => shortAnswer(report) ?? []);
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
 * attempts are stopped by it. Signs, operators, units and negations stay as they are: only emphasis around a whole line, marks
 * of evidence, spaces and the stop at the end of a sentence mean nothing. The headings above an answer are left out; all that
 * follows is part of it, because a first line may only announce it. It must hold a number, a name, or be yes or no: no list of
 * words knows all the ways to give no answer.
 */
export function shortAnswer({
  outcome,
  value,
  answer,
}: Pick<ChildReport, "outcome" | "value" | "answer">): string | null {
  if (outcomeClass(outcome) !== "answered") return null;
  if (value !== undefined) return isAnswerValue(value) ? canonicalJson(value) : null;
  const all = answer.split("\n", LINES_MAX).map((line) => line.trim());
  const at = all.findIndex((line, index) => line !== "" && !isHeading(line, all[index + 1] ?? ""));
  const written = at === -1 ? [] : all.slice(at).filter((line) => line !== "");
  if (!isPlain(written[0] ?? "") || all.length >= LINES_MAX) return null;
  const text = normalize(written.map(meaningOf).join("\n").trim(), "NFC");
  if (text.length > SHORT_ANSWER_CHARS || !holdsAnswer(text, isYesOrNo(text) || holdsName(text))) return null;
  return text.replace(/^\p{Lu}(?=\p{Ll}{2,}(?![\p{L}\p{N}]))/u, (first) => first.toLowerCase());
}

/** of an answer that can be short */
const LINES_MAX = SHORT_ANSWER_CHARS;

/** A line without the signs that mean nothing. */
const meaningOf = (line: string): string =>
  withoutEmphasis(withoutMarks(line))
    .replaceAll("\u2212", "-")
    .replaceAll(/\s+/gu, " ")
    .replace(/(?<!\.)\.$/u, "");

/** True for a text that holds a number, or what `isNamed` says, and neither asks something nor says that there is no answer. */
const holdsAnswer = (text: string, isNamed: boolean): boolean =>
  (isNamed || /\p{N}/u.test(text)) && !/[?\uFF1F\u061F]/u.test(text) && !saysNoAnswer(text);

const isYesOrNo = (text: string): boolean => readerFor(text).is(text, "yesNo");

/** True for a capital within a sentence. German writes every noun with one, and a first word has one whatever it is. */
const holdsName = (text: string): boolean =>
  languageOf(text) !== "de" && /[\p{L}\p{N},;:] [“"„«(]?\p{Lu}\p{L}/u.test(text);

/**
 * True for a text that gives no answer, such as “I could not find it” or “unknown”. Attempts that found nothing do not agree
 * on an answer, so the others go on. In doubt true: a text that tells a failure stops nobody. “No” alone is an answer.
 */
function saysNoAnswer(text: string): boolean {
  return !isYesOrNo(text) && (tellsFailure(text) || NO_ANSWER.test(fold(text)));
}

/** Phrases that `tellsFailure` does not know, in the listed languages and without accents. */
const NO_ANSWER = new RegExp(
  `(?<![${LETTERS}])(?:${[
    "unknown|unclear|undetermined|uncertain|unspecified|undisclosed|inconclusive|n/a|none found",
    "(?:not?|nothing) (?:\\w+ ){0,3}(?:found|find|know|known|stated|given|mentioned|specified|disclosed|published|reported|listed|say|sure|certain|clear)",
    "no (?:\\w+ ){0,3}(?:answer|information|info|data|results?|evidence|mention|sources?|records?|idea|trace|figures?)",
    "nichts (?:\\w+ ){0,3}(?:gefunden|finden|bekannt)|unbekannt|unklar|k\\. ?a\\.",
    "introuvable|inconnue?s?|je ne sais pas|aucune? (?:\\w+ ){0,2}(?:reponse|information|donnee|resultat|source|trace)",
    "desconocid[oa]s?|no (?:\\w+ ){0,2}(?:se|encontre|encontrado|encuentro|sabe|consta|hay)|sin (?:datos|respuesta|resultados|informacion)",
  ].join("|")})(?![${LETTERS}])`,
  "u",
);

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
function isAnswerValue(value: Json): boolean {
  if (value === null) return false;
  // In a field no sentence begins, so a capital is that of a name.
  if (typeof value === "string")
    return holdsAnswer(value, isYesOrNo(value) || /^\p{Lu}| \p{Lu}/u.test(value));
  if (typeof value !== "object") return true;
  const parts: readonly Json[] = Object.values(value);
  return parts.length > 0 && parts.every(isAnswerValue);
}
