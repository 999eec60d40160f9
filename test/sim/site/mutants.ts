import type { Mutant } from "../mutants.ts";
import { SITE_INVARIANTS, type SiteFault } from "./watch.ts";

/** Known faults of change sets and of undo, each to be found by a random day of the site. */

const COMMIT = "src/plugins/cms/storage/commit.ts";
const SETS = "src/plugins/cms/storage/change-sets.ts";
const SET_ROWS = "src/plugins/cms/storage/set-rows.ts";
const REBASE = "src/plugins/cms/changes/rebase.ts";
const PUBLICATION = "src/plugins/cms/changes/publication.ts";
const MERGE = "src/plugins/cms/history/merge.ts";

/** `shown`: the invariant that must find it, with the seed of the first day that shows it where that is not an early one */
function fault(
  name: string,
  shown: SiteFault | readonly [SiteFault, day: number],
  ...edits: Mutant["edits"]
): Mutant {
  const [caught, day] = typeof shown === "string" ? [shown] : shown;
  return { name, edits, site: true, caught: SITE_INVARIANTS[caught], ...(day === undefined ? {} : { day }) };
}

export const SITE_MUTANTS: readonly Mutant[] = [
  fault("a write into a set goes to the site", "unseen", [
    COMMIT,
    "...(changeSet === undefined\n      ? [",
    "...(changeSet !== null\n      ? [",
  ]),
  fault("a published set leaves its rows behind", "settled", [
    SETS,
    "    ...emptiedStatements(db, edit.id),",
    "",
  ]),
  fault("a write goes into a set that is settled meanwhile", "settled", [
    SETS,
    "WHERE id=?1 AND state='open')=1)\n          WHERE key=?2",
    "WHERE id=?1)=1)\n          WHERE key=?2",
  ]),
  fault(
    "what a thing was is read anew at each write into the set",
    ["free", 11],
    [
      SET_ROWS,
      "ON CONFLICT DO NOTHING`,\n    things,",
      "ON CONFLICT DO UPDATE SET base=excluded.base`,\n    things,",
    ],
  ),
  fault(
    "a conflict of a set is overwritten unasked",
    ["kept", 124],
    [REBASE, "const wins = overwrite.has(thing.id);", "const wins = true;"],
  ),
  fault(
    "the set wins whole where one field of a thing differs",
    ["kept", 64],
    [
      REBASE,
      "const { side, conflicts } = takeBack(after, base, now);",
      "const { side, conflicts } = { side: after, conflicts: [] as FieldPath[] };",
    ],
  ),
  fault(
    "publishing forgets what stood on the site before it",
    ["free", 11],
    [PUBLICATION, "({ ...change, before: known.before } as Change)", "change"],
  ),
  fault(
    "an undo within a set marks the operation of the site",
    ["apart", 12],
    [
      COMMIT,
      "UPDATE operations SET undone_by=?1 WHERE key=?2 AND env_id=?3",
      "UPDATE operations SET undone_by=?1 WHERE key=?2 AND ?3=?3",
    ],
  ),
  fault("the history of the site takes the writes of a set for its own", "apart", [
    COMMIT,
    "plan.changes, key, at, scope)",
    "plan.changes, key, at, env)",
  ]),
  fault(
    "an undo leaves what nobody has changed since",
    ["undone", 47],
    [
      MERGE,
      "if (hasSameFields(now, after)) return { side: before, conflicts: [] };",
      "if (hasSameFields(now, after)) return { side: now, conflicts: [] };",
    ],
  ),
  fault(
    "what was changed again later is taken back with the rest",
    ["kept", 124],
    [MERGE, "if (!isSame(is, became)) {", "if (isSame(is, undefined) && !isSame(is, became)) {"],
  ),
  fault("a set keeps the first write to a thing, and not the last", "shown", [
    SET_ROWS,
    "ON CONFLICT DO UPDATE SET rows=excluded.rows`;",
    "ON CONFLICT DO NOTHING`;",
  ]),
];
