import type { Measure, Row } from "../measure.ts";
import { median, percentile } from "../numbers.ts";
import { onLargeSite } from "../scale/large-site.ts";
import type { CallCost } from "../scale/worker.ts";

/** The site that is promised to be quick, and how quick. */
const P95_MS_MAX = 50;
const ROUNDS = 20;
/** not counted: the first ones compile */
const WARM_UP_ROUNDS = 2;

/** Every call on a large site: its time, and the rows that the database bills. */
export const scale: Measure = {
  id: "scale",
  title: "A large site",
  alone: true,
  how:
    "Every tool of the CMS, the public site, its API and the clock on 10,000 pages with 100,000 sections, 5,000 images, three collections of 2,000 entries, " +
    "10,000 operations of 500 sessions and a page with 1,000 revisions, in a local D1. A write is its preview and its commit. `set:` is the same inside an open change set. " +
    `Each call is made ${ROUNDS} times on other things; times are milliseconds in the worker, rows are medians of what D1 counts. ` +
    "What still grows with the site: a filter of a list without an index walks to 10,000 rows, and a name that is unknown is compared with 2,000.",
  missed: `In bold: over ${P95_MS_MAX} ms at p95, single slow ones of ${ROUNDS} calls.`,
  run: (say) =>
    onLargeSite(say, async (order) => {
      const costs: CallCost[] = [];
      for (let n = 1; n <= WARM_UP_ROUNDS + ROUNDS; n++) {
        const round = await order<CallCost[]>({ do: "round", n });
        if (n > WARM_UP_ROUNDS) costs.push(...round);
      }
      return rowsOf(costs);
    }),
};

function rowsOf(costs: readonly CallCost[]): Row[] {
  const names = [...new Set(costs.map((one) => one.name))];
  return names.map((name): Row => {
    const own = costs.filter((one) => one.name === name);
    const times = own.map((one) => Math.round(one.ms * 10) / 10);
    return {
      ...{
        what: name,
        unit: "ms",
        target: { says: `p95 ≤ ${P95_MS_MAX}`, met: percentile(times, 0.95) <= P95_MS_MAX },
      },
      cells: { cairn: times },
      billed: { read: median(own.map((one) => one.read)), written: median(own.map((one) => one.written)) },
    };
  });
}
