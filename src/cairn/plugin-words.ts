import { waitAtMost } from "./time-limit.ts";
import { NO_WORDS } from "./core/guards/no-words.ts";
import type { PlainWords } from "./core/guards/words.ts";
import type { Quality } from "./core/guards/review/subject.ts";
import type { OnDemand } from "./core/on-demand.ts";

/** how long a session waits for the words, so that they cannot block its alarm */
const LOAD_MS_MAX = 5_000;
/** after a failure, for so long sessions work without words */
const RETRY_MS = 60_000;

export interface WordReports {
  /** a fault of the words of a plugin. `what`: a function of PlainWords, or `load` */
  failed(what: string, error: unknown): void;
  /** the words are loaded: an earlier failure is over */
  loaded(): void;
}

export interface WordTimes {
  readonly loadMsMax: number;
  readonly retryMs: number;
  readonly now: () => number;
}

const TIMES: WordTimes = { loadMsMax: LOAD_MS_MAX, retryMs: RETRY_MS, now: () => Date.now() };

/**
 * The words of a plugin, loaded when a session first works. `load` never rejects: after a failure, or where it takes too long, it
 * gives NO_WORDS, and the plugin is asked again later. A function that throws, or returns another form, is answered by NO_WORDS.
 */
export function wordsOnDemand(
  load: () => Promise<PlainWords>,
  reports: WordReports,
  { loadMsMax, retryMs, now }: WordTimes = TIMES,
): OnDemand<PlainWords> {
  let words: PlainWords | null = null;
  let retryAt = -Infinity;
  let loading: Promise<PlainWords> | null = null;
  const known = (): PlainWords | null => words ?? (now() < retryAt ? NO_WORDS : null);
  return {
    get loaded() {
      return known();
    },
    load: async () => {
      const there = known();
      if (there !== null) return there;
      loading ??= (async () => load())();
      try {
        // Each session waits by its own timer: the one that began the load may be gone.
        words = containWords(
          await waitAtMost(loadMsMax, loading, `no answer within ${loadMsMax} ms`),
          reports,
        );
        reports.loaded();
        return words;
      } catch (error) {
        retryAt = now() + retryMs;
        reports.failed("load", error);
        return NO_WORDS;
      } finally {
        loading = null;
      }
    },
  };
}

const QUALITIES: readonly unknown[] = ["ack", "neutral", "substantive"] satisfies readonly Quality[];

/** An answer of each function, by whose form the answers of a plugin are checked. */
const FORMS = {
  isQuestion: false,
  promisesLater: false,
  hiddenFailures: [],
  unbackedClaims: [],
  hidesNoChange: false,
  namesAsOpen: false,
  givesAnswer: false,
  cuesOf: NO_WORDS.cuesOf(""),
} as const;

function containWords(words: PlainWords, reports: WordReports): PlainWords {
  const answer = <Answer>(
    name: keyof PlainWords,
    ask: (words: PlainWords) => Answer,
    isSound: (answer: unknown) => boolean,
  ): Answer => {
    try {
      const found = ask(words);
      if (isSound(found)) return found;
      reports.failed(name, new Error("another form of answer"));
    } catch (error) {
      reports.failed(name, error);
    }
    return ask(NO_WORDS);
  };
  const like = <Answer>(name: keyof typeof FORMS, ask: (words: PlainWords) => Answer): Answer =>
    answer(name, ask, (found) => hasForm(found, FORMS[name]));
  return {
    qualityOf: (text, background) =>
      answer(
        "qualityOf",
        (by) => by.qualityOf(text, background),
        (found) => QUALITIES.includes(found),
      ),
    isQuestion: (request) => like("isQuestion", (by) => by.isQuestion(request)),
    promisesLater: (text) => like("promisesLater", (by) => by.promisesLater(text)),
    hiddenFailures: (subject, failed) => like("hiddenFailures", (by) => by.hiddenFailures(subject, failed)),
    unbackedClaims: (subject) => like("unbackedClaims", (by) => by.unbackedClaims(subject)),
    hidesNoChange: (subject, tried) => like("hidesNoChange", (by) => by.hidesNoChange(subject, tried)),
    namesAsOpen: (item, text) => like("namesAsOpen", (by) => by.namesAsOpen(item, text)),
    cuesOf: (request) => like("cuesOf", (by) => by.cuesOf(request)),
    givesAnswer: (text, isField) => like("givesAnswer", (by) => by.givesAnswer(text, isField)),
  };
}

/** The same type; an object has the fields of the form, each with its type. */
function hasForm(value: unknown, form: unknown): boolean {
  if (Array.isArray(form)) return Array.isArray(value);
  if (typeof form !== "object" || form === null) return typeof value === typeof form;
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map(Object.entries(value));
  return Object.entries(form).every(([name, one]) => hasForm(fields.get(name), one));
}
