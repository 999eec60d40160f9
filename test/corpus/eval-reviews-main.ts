import { reportOf, scoreReviews } from "./eval-reviews.ts";
import { loadReviews } from "./review-subjects.ts";

/** `npm run eval:reviews`: the review of "done" against the labelled transcripts; fails below what guards asks for. */
const CAUGHT_MIN = 0.95;
const SENT_BACK_MAX = 0.03;

const score = scoreReviews(loadReviews());
console.log(reportOf(score));
if (process.argv.includes("--wrong")) for (const one of score.wrong) console.log(JSON.stringify(one));
process.exitCode = score.caughtShare >= CAUGHT_MIN && score.sentBackShare <= SENT_BACK_MAX ? 0 : 1;
