import {
  BEFORE_VERBS,
  COURTESIES,
  EFFECT_VERBS,
  FINDABLES,
  FINDS,
  GO_AHEADS,
  JOINERS,
  OUTPUTS,
  REMEMBERS,
  RESEARCH_FORMS,
  RESEARCH_VERBS,
  RESUMES,
  YESES,
} from "./wish-words.ts";
import type { Profile } from "../../state/loop-memory.ts";

/** How much work an input asks for: rules over its whole text, first match wins (guards 3). */

/** The classes that rules can choose, from small to large. */
const LADDER = ["trivial", "simple", "standard", "complex", "research"] as const;
export type Level = (typeof LADDER)[number];

const SHORT_CHARS_MAX = 5;
const LONG_CHARS = 400;
const COURTESY_WORDS_MAX = 8;
const GO_AHEAD_WORDS_MAX = 6;
const RESUME_CHARS_MAX = 80;

export interface ClassifyInput {
  /** all that the person said */
  readonly text: string;
  readonly attachments: number;
  /** named by the API, a prefix (`readMode`), a schedule, a capsule or a heartbeat */
  readonly explicit: Profile | null;
  /** class of the earlier run that the input names or takes up again (`resumed`), null when it does neither */
  readonly resumed: Profile | null;
  /** class of the run whose question, plan or approval is open, null when none is */
  readonly open: Profile | null;
  /** a tool is offered that reads from outside: without one there is nothing to research with */
  readonly canResearch: boolean;
}

export interface Classified {
  readonly profile: Profile;
  /** number of the rule that matched */
  readonly rule: 1 | 2 | 3 | 4 | 5 | 6 | 7;
  /** of 8 */
  readonly score: number;
  /** work was asked for, so a bare acknowledgement is no end of it */
  readonly work: boolean;
}

export function classify(input: ClassifyInput): Classified {
  const { text } = input;
  const said = wordsOf(text);
  const score = scoreOf(text, said);
  const floor: Level = input.attachments > 0 || hasUrl(text) || hasFence(text) ? "standard" : "trivial";
  const [rule, profile] = firstRule(input, said, score, floor);
  const isWork =
    LADDER.indexOf("standard") <= rank(profile) || effectsIn(said).length > 0 || asksResearch(text, said);
  return { profile, rule, score, work: isWork };
}

function firstRule(
  { text, explicit, resumed, open, canResearch }: ClassifyInput,
  said: readonly string[],
  score: number,
  floor: Level,
): [Classified["rule"], Profile] {
  if (explicit !== null) return [1, explicit];
  if (resumed !== null) return [2, atLeast(levelOf(resumed), "standard")];
  if (open !== null && isGoAhead(said)) return [3, atLeast(levelOf(open), "standard")];
  if (floor === "trivial" && isTrivial(text, said)) return [4, "trivial"];
  if (score === 0 && REMEMBERS.has(said[0] ?? "")) return [5, atLeast("simple", floor)];
  if (canResearch && asksResearch(text, said) && (score >= 1 || said.some((word) => OUTPUTS.has(word))))
    return [6, "research"];
  return [7, atLeast(score >= 3 ? "complex" : score >= 1 ? "standard" : "simple", floor)];
}

/** `/lean`, `/fast`, `[LEAN]` or `[FAST]` at the start, in any case, is taken off before anything else reads the text. */
export function readMode(text: string): { readonly profile: "lean" | null; readonly text: string } {
  const match = /^\s*(?:\/(?:lean|fast)(?!\S)|\[(?:lean|fast)\])\s*/i.exec(text);
  return match === null ? { profile: null, text } : { profile: "lean", text: text.slice(match[0].length) };
}

/** Which earlier run an input takes up: its local name where it is named, `last` for the newest, null for none. */
export function resumed(text: string): string | null {
  const named = /(?:^|[\s.(#])(r[1-9]\d{0,6})(?=$|[\s.,;:!?)])/.exec(text)?.[1];
  if (named !== undefined) return named;
  return text.trim().length <= RESUME_CHARS_MAX && RESUMES.has(wordsOf(text)[0] ?? "") ? "last" : null;
}

/** A yes to what is open, and nothing more. */
export function isGoAhead(said: readonly string[]): boolean {
  if (said.length === 0 || said.length > GO_AHEAD_WORDS_MAX) return false;
  return said.every((word) => GO_AHEADS.has(word)) && said.some((word) => YESES.has(word));
}

export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize("NFC")
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? []
  );
}

const rank = (profile: Profile): number => LADDER.indexOf(levelOf(profile));

/** The level that a class works at: a run that goes on from a capsule is a complex one, without its time and money. */
function levelOf(profile: Profile): Level {
  switch (profile) {
    case "time_capsule":
      return "complex";
    case "heartbeat":
    case "lean":
      return "simple";
    default:
      return profile;
  }
}

const atLeast = (level: Level, least: Level): Level =>
  LADDER.indexOf(level) < LADDER.indexOf(least) ? least : level;

function isTrivial(text: string, said: readonly string[]): boolean {
  const trimmed = text.trim();
  if (/[\p{N}?？]/u.test(trimmed)) return false;
  // Five characters of Chinese are a sentence.
  const isShort =
    [...trimmed].length <= SHORT_CHARS_MAX &&
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/u.test(trimmed);
  if (isShort) return true;
  return said.length > 0 && said.length <= COURTESY_WORDS_MAX && said.every((word) => COURTESIES.has(word));
}

function asksResearch(text: string, said: readonly string[]): boolean {
  if (said.some((word) => RESEARCH_FORMS.has(word))) return true;
  if (said.some((word) => FINDS.has(word)) && said.some((word) => FINDABLES.has(word))) return true;
  // Clause by clause, because "the research page" orders nothing and "research it" does.
  return text.split(/[.,;:!?\n()"]+/).some((clause) => {
    const clauseWords = wordsOf(clause);
    return clauseWords.some(
      (word, at) => RESEARCH_VERBS.has(word) && (at === 0 || BEFORE_VERBS.has(clauseWords[at - 1] ?? "")),
    );
  });
}

function scoreOf(text: string, said: readonly string[]): number {
  return [
    text.split(/[.!?]+(?=\s|$)|[。！？]+|\n+/).filter((part) => /\p{L}/u.test(part)).length >= 3,
    said.filter((word) => JOINERS.has(word)).length >= 3,
    (text.match(/[?？]/g)?.length ?? 0) >= 2,
    (text.match(/^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+\S/gm)?.length ?? 0) >= 2,
    hasFence(text) || /`[^`\n]+`/.test(text) || hasJson(text) || capitalsIn(text) >= 2,
    hasUrl(text),
    effectsIn(said).length >= 2,
    [...text].length > LONG_CHARS,
  ].filter(Boolean).length;
}

const hasUrl = (text: string): boolean => /\bhttps?:\/\/\S|\bwww\.\S+\.\S/i.test(text);
const hasFence = (text: string): boolean => /^[ \t]*(?:```|~~~)/m.test(text);
const hasJson = (text: string): boolean =>
  /\{\s*"[^"\n]{1,200}"\s*:|\[\s*(?:\{|"[^"\n]{0,200}"\s*[,\]])/.test(text);
const capitalsIn = (text: string): number =>
  text.match(/(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu)?.length ?? 0;

/** Distinct verbs that change something. */
function effectsIn(said: readonly string[]): readonly ReadonlySet<string>[] {
  const all = new Set(said);
  return EFFECT_VERBS.filter((forms) => [...forms].some((form) => all.has(form)));
}
