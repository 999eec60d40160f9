import { NO_WORDS } from "./core/guards/no-words.ts";
import type { PlainWords } from "./core/guards/words.ts";
import { onDemand, type OnDemand } from "./core/on-demand.ts";

/** The words of a plugin, loaded when a session first works. Throws are reported, and NO_WORDS then gives the answer. */
export const wordsOnDemand = (
  load: () => Promise<PlainWords>,
  report: (error: unknown) => void,
): OnDemand<PlainWords> =>
  onDemand(async () => {
    try {
      return containWords(await load(), report);
    } catch (error) {
      report(error);
      return NO_WORDS;
    }
  });

function containWords(words: PlainWords, report: (error: unknown) => void): PlainWords {
  const answer = <Answer>(ask: (words: PlainWords) => Answer): Answer => {
    try {
      return ask(words);
    } catch (error) {
      report(error);
      return ask(NO_WORDS);
    }
  };
  return {
    qualityOf: (text, background) => answer((by) => by.qualityOf(text, background)),
    isQuestion: (request) => answer((by) => by.isQuestion(request)),
    promisesLater: (text) => answer((by) => by.promisesLater(text)),
    hiddenFailures: (subject, failed) => answer((by) => by.hiddenFailures(subject, failed)),
    unbackedClaims: (subject) => answer((by) => by.unbackedClaims(subject)),
    hidesNoChange: (subject, tried) => answer((by) => by.hidesNoChange(subject, tried)),
    namesAsOpen: (item, text) => answer((by) => by.namesAsOpen(item, text)),
    cuesOf: (request) => answer((by) => by.cuesOf(request)),
    givesAnswer: (text, isField) => answer((by) => by.givesAnswer(text, isField)),
  };
}
