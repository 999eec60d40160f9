import { asks, calls, hands, ROOT, says } from "../family/scripts.ts";
import { World } from "../family/world.ts";
import { REPORT } from "../platform/fake-model.ts";
import type { Scenarios } from "./scenario.ts";

/** Scenarios of verdicts on runs with children. */
export const CHILDREN: Scenarios = {
  /** it answers while one that it did not wait for is at work, which is asked something by its own model meanwhile */
  WORK_PENDING: async () => {
    const world = new World(
      {
        name: "an answer before a report",
        says: says({
          [ROOT]: [calls(hands("Look at all.", { wait: false })), { text: REPORT }, { text: REPORT }],
          [`${ROOT}~r1s1c0`]: [calls(["publish", { name: "team" }])],
        }),
        deeds: [asks("m1")],
      },
      new Map(),
      "all",
    );
    await world.play();
    return world.session(ROOT);
  },
};
