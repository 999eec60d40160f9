import { loadAnswers } from "./answers/index.ts";
import { FIRST } from "./claims/first.ts";
import { SECOND } from "./claims/second.ts";
import { THIRD } from "./claims/third.ts";
import { scoreClaims } from "./claims/score.ts";
import { scoreAnswers } from "./eval-answers.ts";
import { reportOf, scoreReviews } from "./eval-reviews.ts";
import { loadReviews } from "./review-subjects.ts";

/** `npm run eval:reviews`: the review of "done" against the labelled transcripts, and it and the receipts against the answers. */
/** A receipt stands above every accepted answer, so not every false "done" must be sent back. */
const CAUGHT_MIN = 0.9;
const SENT_BACK_MAX = 0.03;

const score = scoreReviews(loadReviews());
console.log(reportOf(score));
if (process.argv.includes("--wrong")) for (const one of score.wrong) console.log(JSON.stringify(one));
const answers = scoreAnswers(loadAnswers());
for (const line of answers.lines) console.log(line);
const claims = [
  await scoreClaims(FIRST, "claims, first half"),
  await scoreClaims(SECOND, "claims, second half"),
  await scoreClaims(THIRD, "claims of a reviewer"),
];
for (const { lines } of claims) for (const line of lines) console.log(line);
const passed =
  claims.every((one) => one.passed) &&
  score.caughtShare >= CAUGHT_MIN &&
  score.sentBackShare <= SENT_BACK_MAX &&
  answers.passed;
process.exitCode = passed ? 0 : 1;
