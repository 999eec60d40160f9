import type { Measure, Row } from "../measure.ts";
import { median } from "../numbers.ts";
import { onLargeSite } from "../scale/large-site.ts";
import type { CallCost } from "../scale/worker.ts";

const ROUNDS = 20;
/** not counted: the first ones compile */
const WARM_UP_ROUNDS = 2;

/** Every call on a large site: its time, and the rows that the database bills. */
export const scale: Measure = {
  id: "scale",
  title: "A large site",
  alone: true,
  how:
    "Every CMS tool, the public site, its API and scheduled jobs on 10,000 pages with 100,000 sections, 5,000 images, three collections of 2,000 entries, " +
    "10,000 operations of 500 sessions and a page with 1,000 revisions, in a local D1. A write includes its preview. `set:` is the same in an open change set. " +
    `${ROUNDS} calls each; milliseconds in the worker, and median rows that D1 counts. ` +
    "Only filters without an index (up to 10,000 rows) and unknown names (2,000) grow with the site.",
  missed: "Bold: over the target of 50 ms at p95.",
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
      what: name,
      unit: "ms",
      cells: { cairn: times },
      billed: { read: median(own.map((one) => one.read)), written: median(own.map((one) => one.written)) },
    };
  });
}
