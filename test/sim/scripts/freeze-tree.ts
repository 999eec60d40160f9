import { asks, calls, hands, ROOT, says } from "../family/scripts.ts";
import { World, type TreeDeed } from "../family/world.ts";
import { writeFrozen } from "./write-frozen.ts";

/**
 * Writes what today's code stores of a tree that waits for a person, as two examples for every later version:
 * `npx node test/sim/scripts/freeze-tree.ts v2-tree` makes `v2-tree` and `v2-child`.
 *
 * The first child has reported to a call that waited for it, the second to a run that went on; the third asks a person for an
 * effect, and the root waits for its report.
 */
const name = process.argv[2] ?? "";
const third = `${ROOT}~r1s2c0`;

const keep: TreeDeed = {
  when: "rest",
  act: (world) => {
    writeFrozen(name, world.session(ROOT));
    writeFrozen(name.replace("tree", "child"), world.session(third));
  },
};
const world = new World(
  {
    name: "a tree that waits",
    says: says({
      [ROOT]: [
        calls(hands("Look at the pages."), hands("Look at the posts.", { wait: false })),
        calls(hands("Publish the page.")),
      ],
      [third]: [calls(["publish", { name: "team" }])],
    }),
    deeds: [asks("m1"), keep],
  },
  new Map(),
  "all",
);
await world.play();
