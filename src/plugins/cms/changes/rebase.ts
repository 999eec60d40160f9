import { isObject, type JsonObject, ownValue } from "../../../cairn/core/log/json.ts";
import { fieldName, namesOf, type Conflict } from "../history/inverse.ts";
import { differingFields, takeBack, withFields, type FieldPath, type Side } from "../history/merge.ts";
import { changeOf, isThingType, keyOf, loadNow, type Thing } from "../history/rows.ts";
import type { Wanted } from "../history/plan-restore.ts";
import { fail } from "../model/errors.ts";
import type { CmsServices } from "../model/types.ts";
import { inSet, loadTouched, type ChangeSet } from "../storage/change-sets.ts";
import { differingKeys } from "../storage/collections.ts";
import { rowsOf } from "../storage/rows.ts";
import { text, type Row } from "../model/columns.ts";

/**
 * Applies the changes of a set to the current site. Each field that the set has changed is compared with its value
 * when the set first changed that thing: if another has changed it too, that is a conflict.
 */

/** The public state of a page or an entry once its set is published. */
export type PublicGoal = "published" | "unpublished" | "archived" | "as it is" | "gone";

export interface RootGoal {
  readonly type: "page" | "entry";
  readonly id: string;
  readonly goal: PublicGoal;
}

export interface Rebased {
  /** what each row is to be; published documents are not among them */
  readonly wanted: readonly Wanted[];
  readonly roots: readonly RootGoal[];
  readonly conflicts: readonly Conflict[];
  /** the conflicts that the caller decided for the set */
  readonly overwritten: readonly Conflict[];
}

/** Fields that follow from publishing, and are never merged. */
const PUBLICATION = [
  "status",
  "publishAt",
  "publishVersion",
  "publishFailure",
  "publishedVersion",
  "publishedAt",
];
const NEVER_PUBLIC: JsonObject = {
  status: "draft",
  publishAt: null,
  publishVersion: null,
  publishFailure: null,
  publishedVersion: null,
  publishedAt: null,
};

/** `overwrite`: ids of things in which the set wins. */
export async function rebase(
  services: CmsServices,
  set: ChangeSet,
  overwrite: ReadonlySet<string>,
): Promise<Rebased> {
  const touched = await loadTouched(services, set.id);
  const bases = new Map<string, Side>();
  const things = touched.flatMap(({ type, id, base }): Thing[] => {
    if (!isThingType(type)) return [];
    bases.set(keyOf({ type, id }), base);
    return [{ type, id }];
  });
  const [now, after] = await Promise.all([loadNow(services, things), loadNow(inSet(services, set), things)]);
  const follows = followersOf(things, bases, after);
  const conflicts: Conflict[] = [];
  const overwritten: Conflict[] = [];
  const roots: RootGoal[] = [];
  const wanted = things.flatMap((thing): Wanted[] => {
    if (thing.type === "published") return [];
    const key = keyOf(thing);
    const sides = { base: bases.get(key) ?? null, after: after.get(key) ?? null, now: now.get(key) ?? null };
    if (thing.type === "page" || thing.type === "entry")
      roots.push({
        type: thing.type,
        id: thing.id,
        goal: follows(thing.type, sides) ? "as it is" : goalOf(thing.type, sides),
      });
    const merged = merge(apartFromPublication(thing, sides));
    const named = merged.conflicts.map((field): Conflict => ({ thing, field }));
    const wins = overwrite.has(thing.id);
    (wins ? overwritten : conflicts).push(...named);
    return [{ ...thing, now: sides.now, then: wins ? merged.ours : merged.side }];
  });
  return { wanted: withoutVanished(wanted, set), roots, conflicts, overwritten };
}

/** Entries that the set has not edited: fields of theirs were taken away, or became of another type, and their values went. */
function followersOf(
  things: readonly Thing[],
  bases: ReadonlyMap<string, Side>,
  after: ReadonlyMap<string, JsonObject>,
): (type: "page" | "entry", sides: Sides) => boolean {
  const lost = new Set<string>();
  for (const thing of things) {
    const key = keyOf(thing);
    if (thing.type !== "collection") continue;
    const change = changeOf(thing.type, bases.get(key) ?? null, after.get(key) ?? null);
    if (change.type !== "collection" || change.before === null) continue;
    for (const one of differingKeys(change.before.fields, change.after.fields)) lost.add(one);
  }
  return (type, { base, after: made }) => {
    if (type === "page" || base === null || lost.size === 0) return false;
    const fields = differingFields(base, made);
    const content = made?.["content"];
    const hasGone = ([top, locale = "", key]: FieldPath): boolean => {
      if (top !== "content") return false;
      const own = isObject(content) ? ownValue(content, locale) : undefined;
      return key === undefined || (lost.has(key) && (!isObject(own) || ownValue(own, key) === undefined));
    };
    return fields.length > 0 && fields.every(hasGone);
  };
}

/** Sections of a page that was created and deleted within the set have no page. */
function withoutVanished(wanted: readonly Wanted[], set: ChangeSet): Wanted[] {
  const vanished = new Set(
    wanted.flatMap(({ type, id, now, then }) =>
      type === "page" && now === null && then === null ? [id] : [],
    ),
  );
  return wanted.map((one) => {
    const { type, now, then } = one;
    const pageId = then?.["pageId"];
    if (type !== "section" || typeof pageId !== "string" || !vanished.has(pageId)) return one;
    const kept = now === null ? null : { ...now, deletedAt: now["deletedAt"] ?? set.updatedAt };
    return { ...one, then: kept };
  });
}

interface Sides {
  readonly base: Side;
  readonly after: Side;
  readonly now: Side;
}

const isGone = (side: Side): boolean => side === null || (side["deletedAt"] ?? null) !== null;

function goalOf(type: "page" | "entry", { base, after }: Sides): PublicGoal {
  if (isGone(after)) return "gone";
  const [was, is] = [base?.["status"] ?? "draft", after?.["status"]];
  if (is !== was) {
    if (is === "archived") return "archived";
    return is === "unpublished" || is === "draft" ? "unpublished" : "published";
  }
  // A page that was taken off the site stays off while its draft is edited.
  return is === "unpublished" || (type === "entry" && is === "archived") ? "as it is" : "published";
}

/** Status and times as they are now on all three sides. */
function apartFromPublication({ type }: Thing, { base, after, now }: Sides): Sides {
  if (type !== "page" && type !== "entry") return { base, after, now };
  const same: JsonObject =
    now === null ? NEVER_PUBLIC : Object.fromEntries(PUBLICATION.map((field) => [field, now[field] ?? null]));
  const alike = (side: Side): Side => (side === null ? null : { ...side, ...same });
  return { base: alike(base), after: alike(after), now };
}

/** The current rows with the changes of the set. `ours` has the set's values where others changed the same fields. */
function merge({ base, after, now }: Sides): {
  readonly side: Side;
  readonly ours: Side;
  readonly conflicts: readonly FieldPath[];
} {
  // Made and deleted again within the set: the site has never had it.
  if (base === null && now === null && isGone(after)) return { side: null, ours: null, conflicts: [] };
  const gone = isGone(now) && !isGone(base) && !isGone(after);
  if (gone) return { side: now, ours: after, conflicts: [["deletedAt"]] };
  // A deletion includes everything: later edits by others would be lost unseen.
  const deletes = isGone(after) && !isGone(base) && !isGone(now);
  const since = deletes ? differingFields(base, now) : [];
  const grew = deletes && since.length === 0 && base?.["version"] !== now?.["version"];
  if (since.length > 0 || grew) return { side: now, ours: after, conflicts: grew ? [["content"]] : since };
  const { side, conflicts } = takeBack(after, base, now);
  return { side, ours: conflicts.length === 0 ? side : withFields(side, after, conflicts), conflicts };
}

/** A conflict in words, with who made it. */
export interface NamedConflict {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly field: string;
  /** the last operation that changed the thing since the set began */
  readonly summary?: string;
  readonly by?: string;
}

export async function nameConflicts(
  services: CmsServices,
  set: ChangeSet,
  conflicts: readonly Conflict[],
): Promise<NamedConflict[]> {
  if (conflicts.length === 0) return [];
  const things = conflicts.map((one) => one.thing);
  const [names, rows] = await Promise.all([
    namesOf(inSet(services, set), things),
    rowsOf(
      services,
      `SELECT r.entity_type, r.entity_id, o.summary, o.actor FROM json_each(?2) j
         JOIN revisions r ON r.entity_type=j.value->>'type' AND r.entity_id=j.value->>'id'
         JOIN operations o ON o.key=r.op_key
        WHERE r.env_id=?1 AND o.env_id=?1 AND o.created_at>=?3 ORDER BY o.created_at, o.rowid`,
      services.env,
      JSON.stringify(things),
      set.createdAt,
    ),
  ]);
  const last = new Map(
    rows.map((row): [string, Row] => [`${text(row, "entity_type")}:${text(row, "entity_id")}`, row]),
  );
  return conflicts.map(({ thing, field }) => {
    const row = last.get(keyOf(thing));
    return {
      type: thing.type,
      id: thing.id,
      name: names.get(thing.id) ?? thing.id,
      field: field[0] === "deletedAt" ? "deletion" : fieldName(field),
      ...(row === undefined ? {} : { summary: text(row, "summary"), by: text(row, "actor") }),
    };
  });
}

const NAMED_MAX = 5;

/** `set_conflict`: changes by others since, field by field. */
export async function conflictFailure(services: CmsServices, set: ChangeSet, conflicts: readonly Conflict[]) {
  const named = await nameConflicts(services, set, conflicts);
  const lines = named.slice(0, NAMED_MAX).map(lineOf);
  const more = named.length > NAMED_MAX ? [`And ${named.length - NAMED_MAX} more.`] : [];
  const ids = [...new Set(named.map((one) => one.id))];
  return fail(
    "set_conflict",
    `“${set.name}” cannot be published as it is: ${[...lines, ...more].join(" ")}`,
    {
      at: "overwrite",
      hint: "Undo that edit in the set (undo with its operation), or let the set win with overwrite.",
      suggestions: [{ label: "publish, and overwrite what was changed since", value: { overwrite: ids } }],
      details: { conflicts: named.map((one) => ({ ...one })) },
    },
  );
}

export function lineOf({ name, field, summary }: NamedConflict): string {
  const what = field === "deletion" ? `${name} was deleted` : `${field} of ${name} was changed`;
  return `${what} since${summary === undefined ? "" : `: ${summary}`}`.replace(/[.]*$/, ".");
}
