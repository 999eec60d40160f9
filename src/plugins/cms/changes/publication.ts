import { type Schemas } from "../model/types.ts";
import { counted } from "../edit/plan.ts";
import { checksOf, publicationChanges } from "../edit/status-plan.ts";
import { entryTarget, pageTarget, type Goal, type Target } from "../edit/status-targets.ts";
import { changeOf, loadNow, keyOf, type Thing } from "../history/rows.ts";
import { planRestore, type RestorePlan, type Wanted } from "../history/plan-restore.ts";
import { checkSlugs, checkStanding, deadLinks } from "../history/undo.ts";
import { fail } from "../model/errors.ts";
import type { Batch } from "../../../cairn/core/log/approval.ts";
import type { Change, Check, CmsServices, Environment, Projection } from "../model/types.ts";
import { inSet, type ChangeSet } from "../storage/change-sets.ts";
import { entityId, sideOf } from "../storage/changes.ts";
import { loadHolders, lostKeys, withoutFields } from "../storage/collections.ts";
import { loadEntries, loadPages, loadPublished, loadSite } from "../storage/load.ts";
import { mergeProjections } from "../storage/projections.ts";
import { batchOfSet } from "./outlook.ts";
import { rebase, type Rebased, type RootGoal } from "./rebase.ts";

/**
 * The effect of publishing a set: its changes on the current site, and every page and entry in it as visitors see it
 * from then on. Computed from the site and the set alone; the preview and the write use this one result.
 */

export interface Publication {
  readonly changes: readonly Change[];
  readonly projection: Projection;
  readonly batch: Batch;
  /** whether visitors see a difference at once */
  readonly isPublic: boolean;
  readonly blockers: readonly Check[];
  readonly warnings: readonly Check[];
  /** links to what goes away, a line each */
  readonly deadLinks: readonly string[];
  readonly targets: readonly Target[];
  readonly rebased: Rebased;
  readonly environment: Environment;
  readonly schemas: Schemas;
}

/** `services` are those of the site, not of the set. Conflicts are in the answer, and nothing of theirs is in the changes. */
export async function publicationOf(
  services: CmsServices,
  set: ChangeSet,
  overwrite: ReadonlySet<string>,
  at: number,
): Promise<Publication> {
  const withSet = inSet(services, set);
  const [site, rebased] = await Promise.all([loadSite(withSet), rebase(services, set, overwrite)]);
  const { environment, schemas } = site;
  const [gone, emptied] = await Promise.all([
    publishedGone(services, rebased.roots),
    emptiedSince(services, rebased.wanted),
  ]);
  const settled = await planRestore(services, [...rebased.wanted, ...gone, ...emptied], site, at);
  checkStanding(settled.changes, environment);
  const [targets, published] = await Promise.all([
    targetsOf(services, rebased.roots, settled, site, at),
    loadPublished(
      services,
      rebased.roots.map((one) => one.id),
    ),
    checkSlugs(services, settled.changes, site, "set"),
  ]);
  const moving = targets.filter((one) => one.next !== null);
  const changes = joined(settled.changes, publicationChanges(moving, published, at), environment.id);
  const becoming = new Set(
    rebased.roots.filter((one) => one.goal === "published").map((one) => `${one.type}:${one.id}`),
  );
  const shown = moving.filter((one) => one.next?.status === "published");
  const [batch, dead, checks] = await Promise.all([
    batchOfSet(withSet, set, changes),
    deadLinks(services, changes),
    Promise.all(shown.map((target) => checksOf(target, { services: withSet, ...site }, becoming))),
  ]);
  return {
    changes,
    targets,
    rebased,
    environment,
    schemas,
    projection: mergeProjections(
      withoutPublished(settled.projection, new Set(moving.map((one) => one.id))),
      ...moving.flatMap((one) => (one.next === null ? [] : [one.next.projection])),
    ),
    batch,
    isPublic: settled.isPublic || changes.some((one) => one.type === "published"),
    blockers: checks.flatMap((one) => one.blockers),
    warnings: checks.flatMap((one) => one.warnings),
    deadLinks: dead,
  };
}

/** The published documents of what the set deletes: they go with it. */
async function publishedGone(services: CmsServices, roots: readonly RootGoal[]): Promise<Wanted[]> {
  const things = roots
    .filter((one) => one.goal === "gone")
    .map(({ id }): Thing => ({ type: "published", id }));
  const now = await loadNow(services, things);
  return things.flatMap((thing): Wanted[] => {
    const side = now.get(keyOf(thing)) ?? null;
    return side === null ? [] : [{ ...thing, now: side, then: null }];
  });
}

/** Entries that have got values since in a field which the set removes. */
async function emptiedSince(services: CmsServices, wanted: readonly Wanted[]): Promise<Wanted[]> {
  const own = new Set(wanted.map((one) => one.id));
  const emptied: Wanted[] = [];
  for (const { type, id, now, then } of wanted) {
    if (type !== "collection" || now === null || then === null) continue;
    const change = changeOf(type, now, then);
    if (change.type !== "collection" || change.before === null) continue;
    const keys = lostKeys(change.before.fields, change.after.fields);
    for (const entry of await loadHolders(services, id, keys)) {
      if (own.has(entry.id)) continue;
      const [side, rest] = [sideOf(entry), sideOf(withoutFields(entry, new Set(keys)))];
      emptied.push({ type: "entry", id: entry.id, now: side, then: rest });
    }
  }
  return emptied;
}

/** A newly published document brings its own references. */
const withoutPublished = (projection: Projection, roots: ReadonlySet<string>): Projection => ({
  ...projection,
  refs: projection.refs.filter((one) => one.state !== "published" || !roots.has(one.rootId)),
});

async function targetsOf(
  services: CmsServices,
  roots: readonly RootGoal[],
  settled: RestorePlan,
  { environment, schemas }: { readonly environment: Environment; readonly schemas: Schemas },
  at: number,
): Promise<Target[]> {
  const settledEntries = settled.changes.flatMap((one) => (one.type === "entry" ? [one.after] : []));
  const known = new Set([...settled.pages.map((one) => one.page.id), ...settledEntries.map((one) => one.id)]);
  const missing = (type: RootGoal["type"]) =>
    roots.filter((one) => one.type === type && !known.has(one.id)).map((one) => one.id);
  const [pages, entries] = await Promise.all([
    missing("page").length === 0 ? [] : loadPages(services, missing("page")),
    missing("entry").length === 0 ? [] : loadEntries(services, missing("entry")),
  ]);
  const goals = new Map(roots.map((one) => [one.id, one.goal]));
  const goalOf = (id: string): Goal | null => {
    const goal = goals.get(id);
    return goal === "published" || goal === "unpublished" || goal === "archived" ? goal : null;
  };
  return [
    ...[...settled.pages, ...pages].flatMap((one) => {
      const goal = one.page.deletedAt === null ? goalOf(one.page.id) : null;
      return goal === null ? [] : [pageTarget(one, goal, environment, schemas, at)];
    }),
    ...[...settledEntries, ...entries].flatMap((one) => {
      const goal = one.deletedAt === null ? goalOf(one.id) : null;
      return goal === null ? [] : [entryTarget(one, goal, environment, schemas, at)];
    }),
  ];
}

/** Two writes as one: each thing from what it was before the first to what it is after the last. */
function joined(first: readonly Change[], then: readonly Change[], env: string): Change[] {
  const byThing = new Map<string, Change>();
  for (const change of [...first, ...then]) {
    const key = `${change.type}:${entityId(change, env)}`;
    const known = byThing.get(key);
    byThing.set(key, known === undefined ? change : ({ ...change, before: known.before } as Change));
  }
  return [...byThing.values()].filter((one) => one.before !== null || one.after !== null);
}

/** Refuses `publish_blocked` with every blocker and its fix. */
export function refuseBlocked(set: ChangeSet, blockers: readonly Check[]): void {
  if (blockers.length === 0) return;
  const checkLabel = ({ owner, field }: Check) =>
    field === undefined ? owner.name : `${owner.name}, ${field}`;
  throw fail(
    "publish_blocked",
    `“${set.name}” cannot be published yet: ${blockers.map((one) => one.message).join(" ")}`,
    {
      hint: "Fix each of them in the set, then publish it.",
      suggestions: blockers.map((one) => ({ label: `${checkLabel(one)}: ${one.fix}`, ref: one.owner.id })),
      details: { blockers: blockers.map((one) => ({ ...one })) },
    },
  );
}

/** `3 pages, 1 entry and the navigation` */
export function reachOf({ items }: Batch): string {
  const pages = items.filter((one) => one.draft?.type === "page").length;
  const entries = items.filter((one) => one.draft?.type === "entry").length;
  const others = items
    .filter((one) => one.draft === undefined)
    .map(({ what }) => `the ${what.slice(0, 1).toLowerCase()}${what.slice(1)}`);
  const parts = [
    ...(pages === 0 ? [] : [counted(pages, "page")]),
    ...(entries === 0 ? [] : [entries === 1 ? "1 entry" : `${entries} entries`]),
    ...others,
  ];
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}
