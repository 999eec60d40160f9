import { answerCase, type AnswerCase } from "../answer-format.ts";
import { GERMAN_FALSE } from "./de-false.ts";
import { GERMAN_TRUE } from "./de-true.ts";
import { ENGLISH_FALSE } from "./en-false.ts";
import { ENGLISH_TRUE } from "./en-true.ts";
import { SPANISH } from "./es.ts";
import { FRENCH } from "./fr.ts";
import { ITALIAN } from "./it.ts";
import { JAPANESE } from "./ja.ts";
import { DUTCH } from "./nl.ts";
import { POLISH } from "./pl.ts";
import { PORTUGUESE } from "./pt.ts";
import { RUSSIAN } from "./ru.ts";
import { CHINESE } from "./zh.ts";

/** Every case, held against its format. Throws on one that does not fit. */
export function loadAnswers(): AnswerCase[] {
  const written = [
    ENGLISH_FALSE,
    ENGLISH_TRUE,
    GERMAN_FALSE,
    GERMAN_TRUE,
    FRENCH,
    SPANISH,
    ITALIAN,
    PORTUGUESE,
    DUTCH,
    POLISH,
    RUSSIAN,
    CHINESE,
    JAPANESE,
  ];
  return written.flat().map((one) => answerCase.parse(one));
}
