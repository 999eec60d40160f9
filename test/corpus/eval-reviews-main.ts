import { loadAnswers } from "./answers/index.ts";
import { scoreAnswers } from "./eval-answers.ts";
import { reportOf, scoreReviews } from "./eval-reviews.ts";
import { loadReviews } from "./review-subjects.ts";

/** `npm run eval:reviews`: the review of "done" against the labelled transcripts, and it and the receipts against the answers. */
const CAUGHT_MIN = 0.95;
const SENT_BACK_MAX = 0.03;

const score = scoreReviews(loadReviews());
console.log(reportOf(score));
if (process.argv.includes("--wrong")) for (const one of score.wrong) console.log(JSON.stringify(one));
const answers = scoreAnswers(loadAnswers());
for (const line of answers.lines) console.log(line);
const passed = score.caughtShare >= CAUGHT_MIN && score.sentBackShare <= SENT_BACK_MAX && answers.passed;
process.exitCode = passed ? 0 : 1;
