import type { PlainWords } from "../../cairn/core/guards/words.ts";
import { hiddenFailures } from "./failures.ts";
import { namesAsOpen } from "./plan-items.ts";
import { promisesLater } from "./promises.ts";
import { isQuestion, qualityOf } from "./quality.ts";
import { cuesOf } from "./requests.ts";
import { givesAnswer } from "./short-answers.ts";
import { hidesNoChange, unbackedClaims } from "./unbacked.ts";

/** Answers by the lists in `data`: English, German, French and Spanish, and a few words of other languages. */
export const WORDS: PlainWords = {
  qualityOf,
  isQuestion,
  promisesLater,
  hiddenFailures,
  unbackedClaims,
  hidesNoChange,
  namesAsOpen,
  cuesOf,
  givesAnswer,
};
