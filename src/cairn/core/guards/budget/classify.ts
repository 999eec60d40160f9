import { type RequestedLimits, outcomeClass, type Entry, type Limits } from "../../log/entry.ts";
import { LEVELS, type ClassLabel, type Level, type Profile } from "../../log/verdict.ts";
import type { EndedRun, QueuedRun, State } from "../../state/state.ts";
import { limitsOf, entryOf } from "./amounts.ts";
import { limitsFor, PROFILES } from "./profiles.ts";
import type { PlainWords, RequestCues } from "../words.ts";

/** How much work an input asks for: rules over the form of its whole text and its cues (words.ts), first match wins. */

/** How sure a model must be to make a run smaller than its words do. */
const SURE = 0.8;

const SHORT_CHARS_MAX = 5;
const LONG_CHARS = 400;
const RESUME_CHARS_MAX = 80;

export interface ClassifyInput {
  /** text of the person's messages */
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
  /** minimum level, by its content */
  readonly floor: Level;
  /** work was asked for, so a bare acknowledgement is no end of it */
  readonly work: boolean;
}

export function classify(input: ClassifyInput, words: PlainWords): Classified {
  const { text } = input;
  const cues = words.cuesOf(text);
  const score = scoreOf(text, cues);
  const floor: Level = input.attachments > 0 || hasUrl(text) || hasFence(text) ? "standard" : "trivial";
  const [rule, profile] = firstRule(input, cues, score, floor);
  const isWork = LEVELS.indexOf("standard") <= rank(profile) || cues.changes > 0 || cues.research;
  return { profile, rule, score, floor, work: isWork };
}

/**
 * True if a model may label the class: not if the request names it, if the run continues another, or if the message is
 * only a courtesy.
 */
export const isOpenToLabel = ({ rule }: Pick<Classified, "rule">): boolean => rule > 4;

/**
 * Returns the class after a model's label: a higher label applies; a lower one applies by one step, if the model is
 * sure and the text has few other signs.
 */
export function withLabel(found: Classified, label: ClassLabel | null, canResearch: boolean): Classified {
  if (label === null || !isOpenToLabel(found)) return found;
  const [own, named] = [rank(found.profile), LEVELS.indexOf(label.level)];
  if (label.level === "research" && !canResearch) return found;
  const isLower = named < own && label.confidence >= SURE && found.score <= 1;
  const level = named > own ? named : isLower ? Math.max(own - 1, LEVELS.indexOf(found.floor)) : own;
  const profile = LEVELS[level] ?? found.profile;
  return { ...found, profile, work: found.work || level >= LEVELS.indexOf("standard") };
}

function firstRule(
  { text, explicit, resumed, open, canResearch }: ClassifyInput,
  cues: RequestCues,
  score: number,
  floor: Level,
): [Classified["rule"], Profile] {
  if (explicit !== null) return [1, explicit];
  if (resumed !== null) return [2, atLeast(levelOf(resumed), "standard")];
  if (open !== null && cues.goAhead) return [3, atLeast(levelOf(open), "standard")];
  if (floor === "trivial" && isTrivial(text, cues)) return [4, "trivial"];
  if (score === 0 && cues.remembers) return [5, atLeast("simple", floor)];
  if (canResearch && cues.research && (score >= 1 || cues.output)) return [6, "research"];
  return [7, atLeast(score >= 3 ? "complex" : score >= 1 ? "standard" : "simple", floor)];
}

/** `/lean`, `/fast`, `[LEAN]` or `[FAST]` at the start, in any case, is taken off before anything else reads the text. */
export function readMode(text: string): { readonly profile: "lean" | null; readonly text: string } {
  const match = /^\s*(?:\/(?:lean|fast)(?!\S)|\[(?:lean|fast)\])\s*/i.exec(text);
  return match === null ? { profile: null, text } : { profile: "lean", text: text.slice(match[0].length) };
}

/** The earlier run that an input takes up: its local name where it is named, `last` for the newest, null for none. */
export function resumedRun(text: string, words: PlainWords): string | null {
  const named = /(?:^|[\s.(#])(r[1-9]\d{0,6})(?=$|[\s.,;:!?)])/.exec(text)?.[1];
  if (named !== undefined) return named;
  return text.trim().length <= RESUME_CHARS_MAX && words.cuesOf(text).resumes ? "last" : null;
}

const rank = (profile: Profile): number => LEVELS.indexOf(levelOf(profile));

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
  LEVELS.indexOf(level) < LEVELS.indexOf(least) ? least : level;

function isTrivial(text: string, { courtesy }: RequestCues): boolean {
  const trimmed = text.trim();
  if (/[\p{N}?？]/u.test(trimmed)) return false;
  // Five characters of Chinese are a sentence.
  const isShort =
    [...trimmed].length <= SHORT_CHARS_MAX &&
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/u.test(trimmed);
  return isShort || courtesy;
}

function scoreOf(text: string, { joiners, changes }: RequestCues): number {
  return [
    text.split(/(?<![.!?])[.!?]+(?=\s|$)|[。！？]+|\n+/).filter((part) => /\p{L}/u.test(part)).length >= 3,
    joiners >= 3,
    (text.match(/[?？]/g)?.length ?? 0) >= 2,
    (text.match(/^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+\S/gm)?.length ?? 0) >= 2,
    hasFence(text) || /`[^`\n]+`/.test(text) || hasJson(text) || capitalsIn(text) >= 2,
    hasUrl(text),
    changes >= 2,
    [...text].length > LONG_CHARS,
  ].filter(Boolean).length;
}

const hasUrl = (text: string): boolean => /\bhttps?:\/\/\S|\bwww\.\S+\.\S/i.test(text);
const hasFence = (text: string): boolean => /^[ \t]*(?:```|~~~)/m.test(text);
const hasJson = (text: string): boolean =>
  /\{\s*"[^"\n]{1,200}"\s*:|\[\s*(?:\{|"[^"\n]{0,200}"\s*[,\]])/.test(text);
const capitalsIn = (text: string): number =>
  text.match(/(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu)?.length ?? 0;

/**
 * Returns the class and limits of a run that begins now: requested limits replace those of the class. `said` is its
 * input, `answer` the last run's answer; `canResearch`: a tool reads from outside; `label`: a model's label.
 */
export function classOf(
  state: State,
  queued: QueuedRun,
  { message, answer }: { readonly message: Entry | null; readonly answer: Entry | null },
  { canResearch, words }: { readonly canResearch: boolean; readonly words: PlainWords },
  label: ClassLabel | null,
): { readonly classified: Classified; readonly limits: Limits } {
  const parts = message?.kind === "user_message" ? message.body.parts : [];
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const found = classify(
    {
      text,
      attachments: parts.filter((part) => part.type !== "text").length,
      explicit: queued.request.profile ?? null,
      resumed: resumedClass(state, text, words),
      open: openClass(state.ended.at(-1), answer),
      canResearch,
    },
    words,
  );
  const classified = withLabel(found, label, canResearch);
  return { classified, limits: limitsUnder(classified.profile, queued.request) };
}

/** Returns the enforced limits of a run of this class. */
function limitsUnder(profile: Profile, { limits, caps }: RequestedLimits): Limits {
  const found = limitsFor(profile, entryOf(limits), caps === undefined ? {} : { caps: entryOf(caps) });
  // Impossible limits were refused at acceptance, and a class's own row is always possible.
  return limitsOf(found.ok ? found.limits : PROFILES[profile]);
}

/** A run that is named and no longer remembered was one of work. */
function resumedClass(state: State, text: string, words: PlainWords): Profile | null {
  const name = resumedRun(text, words);
  if (name === null) return null;
  const earlier = name === "last" ? state.ended.at(-1) : state.ended.find((run) => run.run === name);
  if (earlier !== undefined) return earlier.profile;
  return name !== "last" && Number(name.slice(1)) < state.runs ? "standard" : null;
}

/** A run that ended in a question, or with work left, is still open for a yes. */
function openClass(last: EndedRun | undefined, answer: Entry | null): Profile | null {
  if (last === undefined) return null;
  const asks = answer?.kind === "answer" && /[?？]\s*$/u.test(answer.body.text);
  return asks || outcomeClass(last.outcome) === "partial" ? last.profile : null;
}
