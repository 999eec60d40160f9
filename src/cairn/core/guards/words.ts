import type { Background, Quality, ReviewCall, ReviewItem, ReviewSubject } from "./review/subject.ts";

/**
 * Questions about texts that only words answer. The loop decides by the log, the receipt and the form of a text; a plugin may
 * know words (`Plugin.words`), and without one `NO_WORDS` answers. All functions are pure, and none may take longer than in
 * proportion to the text. What they decide is stored in the log, so a replay needs no words.
 */
export interface PlainWords {
  /** How much a text reports about the work. */
  qualityOf(text: string, background: Background): Quality;
  /** True for a request that asks to know something rather than to have something done. */
  isQuestion(request: string): boolean;
  /** True for an answer that ends with a promise of later work, such as "I will get back to you". */
  promisesLater(answer: string): boolean;
  /** Those of the failed calls whose failure the candidate hides. */
  hiddenFailures(
    subject: Pick<ReviewSubject, "candidate" | "request">,
    failed: readonly ReviewCall[],
  ): readonly ReviewCall[];
  /** Verbs of the changes that the candidate claims and that no call of the run made; `done` for all that was asked. */
  unbackedClaims(subject: ReviewSubject): readonly string[];
  /**
   * True for a candidate that hides that the run changed nothing. `tried`: calls that were to change something and did not; where
   * there is none, the request itself must order a change.
   */
  hidesNoChange(subject: ReviewSubject, tried: readonly ReviewCall[]): boolean;
  /** True for an answer that names an item of the plan as not done. */
  namesAsOpen(item: ReviewItem, answer: string): boolean;
  /** The words of a request by which its run gets a class. */
  cuesOf(request: string): RequestCues;
  /**
   * True for a short text that gives an answer: a number, a name, yes or no. `isField`: a separate value, not part of a
   * sentence.
   */
  givesAnswer(text: string, isField: boolean): boolean;
}

export interface RequestCues {
  /** a greeting, thanks or a farewell, and nothing else */
  readonly courtesy: boolean;
  /** a yes to what is open, and nothing else */
  readonly goAhead: boolean;
  /** begins with a word that takes up an earlier run, such as "continue" */
  readonly resumes: boolean;
  /** begins with a word that asks to remember something */
  readonly remembers: boolean;
  /** orders research */
  readonly research: boolean;
  /** names a result of research, such as a report */
  readonly output: boolean;
  /** words that join one order to the next */
  readonly joiners: number;
  /** kinds of change that it orders */
  readonly changes: number;
}
