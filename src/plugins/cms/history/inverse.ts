import { fail } from "../model/errors.ts";
import type { CmsServices } from "../model/types.ts";
import { loadNames, loadTemplates } from "../storage/load.ts";
import { batchOf, rowsOf } from "../storage/rows.ts";
import { text, type Row } from "../model/columns.ts";
import { takeBack, type FieldPath, type Side } from "./merge.ts";
import { laterChanges, loadRevisions, type Revision, type StoredOperation } from "./operations.ts";
import { changeOf, isThingType, keyOf, loadNow, type Thing } from "./rows.ts";
import { loadHolders, lostKeys } from "../storage/collections.ts";
import { TABLES } from "../storage/changes.ts";
import type { Wanted } from "./plan-restore.ts";

/** Rows that undo an operation: each row without its change. Refuses `undo_conflict` if a later change depends on it. */
export async function inverseOf(
  services: CmsServices,
  operation: StoredOperation,
  at: number,
): Promise<readonly Wanted[]> {
  const revisions = await loadRevisions(services, operation);
  const rows = await loadNow(services, revisions);
  const conflicts: Conflict[] = [];
  const wanted = revisions.map(({ type, id, before, after }): Wanted => {
    const now = rows.get(keyOf({ type, id })) ?? null;
    const { side, conflicts: fields } = taken({ type, before, after }, now, at);
    conflicts.push(...fields.map((field) => ({ thing: { type, id }, field })));
    return { type, id, now, then: side };
  });
  conflicts.push(
    ...(await addedSince(services, revisions, wanted)),
    ...(await writtenSince(services, wanted)),
  );
  if (conflicts.length > 0) throw await conflict(services, operation, conflicts);
  return wanted;
}

export interface Conflict {
  readonly thing: Thing;
  readonly field: FieldPath;
}

/** A row without a change. A row that the change created is deleted, softly if possible. */
function taken(
  { type, before, after }: Pick<Revision, "type" | "before" | "after">,
  now: Side,
  at: number,
): { readonly side: Side; readonly conflicts: readonly FieldPath[] } {
  const isSoft = after !== null && "deletedAt" in after;
  const isGone = now === null || (now["deletedAt"] ?? null) !== null;
  if (before === null && after !== null && isGone) return { side: now, conflicts: [] };
  if (isSoft && isGone && after["deletedAt"] === null) return { side: now, conflicts: [["deletedAt"]] };
  // Metadata found since does not block removing the image from the library.
  if (type === "image" && before === null) return { side: { ...now, deletedAt: at }, conflicts: [] };
  const result = takeBack(before, after, now);
  if (before !== null || result.conflicts.length > 0) return result;
  return { side: isSoft && now !== null ? { ...now, deletedAt: at } : null, conflicts: [] };
}

/** Sections that were put on a page which goes away again: they would go with it. */
async function addedSince(
  services: CmsServices,
  revisions: readonly Revision[],
  wanted: readonly Wanted[],
): Promise<Conflict[]> {
  const pages = revisions.filter((one) => one.type === "page" && one.before === null).map((one) => one.id);
  if (pages.length === 0) return [];
  const own = wanted.filter((one) => one.type === "section").map((one) => one.id);
  const rows = await rowsOf(
    services,
    `SELECT id FROM sections WHERE page_id IN (SELECT value FROM json_each(?1)) AND deleted_at IS NULL
       AND id NOT IN (SELECT value FROM json_each(?2))`,
    JSON.stringify(pages),
    JSON.stringify(own),
  );
  return rows.map((row) => ({ thing: { type: "section", id: text(row, "id") }, field: ["content"] }));
}

const CONFLICTS_NAMED_MAX = 5;

/** Content written since into a collection, field or language that the undo would remove: it would be lost. */
async function writtenSince(services: CmsServices, wanted: readonly Wanted[]): Promise<Conflict[]> {
  const own = new Set(wanted.map((one) => one.id));
  const conflicts: Conflict[] = [];
  for (const { type, id, now, then } of wanted) {
    if (type === "locale" && now !== null && then === null)
      conflicts.push(...(await writtenIn(services, text(now, "code"), own)));
    if (type !== "collection" || now === null || then === null) continue;
    if ((then["deletedAt"] ?? null) !== null) {
      const rows = await rowsOf(
        services,
        "SELECT id FROM entries WHERE collection_id=?1 AND deleted_at IS NULL ORDER BY id",
        id,
      );
      conflicts.push(...rows.map((row) => inEntry(text(row, "id"), [])));
      continue;
    }
    const change = changeOf("collection", now, then);
    if (change.type !== "collection" || change.before === null) continue;
    const lost = lostKeys(change.before.fields, change.after.fields);
    for (const entry of await loadHolders(services, id, lost))
      for (const [locale, content] of Object.entries(entry.content))
        for (const key of lost) if (key in content) conflicts.push(inEntry(entry.id, [locale, key]));
  }
  return conflicts.filter((one) => !own.has(one.thing.id));
}

const inEntry = (id: string, path: FieldPath): Conflict => ({
  thing: { type: "entry", id },
  field: ["content", ...path],
});

/** Live things with texts in a language, and the languages that fall back to it. */
async function writtenIn(services: CmsServices, code: string, own: ReadonlySet<string>): Promise<Conflict[]> {
  const [texts, locales] = await Promise.all([
    rowsOf(
      services,
      "SELECT owner_type, owner_id FROM contents WHERE env_id=?1 AND locale=?2 AND data<>'{}' ORDER BY owner_type, owner_id",
      services.env,
      code,
    ),
    rowsOf(services, "SELECT code FROM locales WHERE env_id=?1 AND fallback=?2", services.env, code),
  ]);
  const things = texts.flatMap((row): Conflict[] => {
    const [owner, id] = [text(row, "owner_type"), text(row, "owner_id")];
    const type = Object.keys(TABLES)
      .filter(isThingType)
      .find((one) => TABLES[one].contents?.owner === owner);
    const property = type === undefined ? undefined : TABLES[type].contents?.property;
    return type === undefined || property === undefined || own.has(id)
      ? []
      : [{ thing: { type, id }, field: [property, code] }];
  });
  const live = await loadNow(
    services,
    things.map((one) => one.thing),
  );
  return [
    ...things.filter(({ thing }) => (live.get(keyOf(thing))?.["deletedAt"] ?? null) === null),
    ...locales.map((row): Conflict => ({
      thing: { type: "locale", id: `${services.env}/${text(row, "code")}` },
      field: ["fallback"],
    })),
  ];
}

/** The refusal, which names each field and the last operation that changed it. */
async function conflict(services: CmsServices, operation: StoredOperation, conflicts: readonly Conflict[]) {
  const [later, names] = await Promise.all([
    laterChanges(
      services,
      operation,
      conflicts.map((one) => one.thing),
    ),
    namesOf(
      services,
      conflicts.map((one) => one.thing),
    ),
  ]);
  const begins = (path: FieldPath, with_: FieldPath): boolean => with_.every((key, i) => path[i] === key);
  const named = conflicts.map(({ thing, field }) => {
    const by = later.find(
      (one) =>
        one.thing === keyOf(thing) && one.fields.some((each) => begins(each, field) || begins(field, each)),
    )?.operation;
    return { thing, name: names.get(thing.id) ?? thing.id, field: fieldName(field), by };
  });
  const lines = named.map(({ name, field, by }) => {
    const who = by === undefined ? "since" : `later: ${by.summary}`;
    const what = field === "deletedAt" ? `${name} was deleted` : `${field} of ${name} was changed`;
    return `${what} ${who}`.replace(/[.]*$/, ".");
  });
  const rest = lines.length - CONFLICTS_NAMED_MAX;
  const more = rest > 0 ? [`And ${rest} more.`] : [];
  const ops = [...new Map(named.flatMap(({ by }) => (by === undefined ? [] : [[by.key, by]]))).values()];
  return fail(
    "undo_conflict",
    `“${operation.summary}” cannot be taken back as it is: ${[...lines.slice(0, CONFLICTS_NAMED_MAX), ...more].join(" ")}`,
    {
      at: "operation",
      hint: "Take the later change back first, or change these fields by hand.",
      suggestions: ops
        .slice(0, 3)
        .map((one) => ({ label: `undo “${one.summary}” first`, value: { operation: one.key } })),
      details: {
        conflicts: named.map(({ thing, name, field, by }) => ({
          type: thing.type,
          id: thing.id,
          name,
          field,
          ...(by === undefined
            ? {}
            : { operation: by.key, summary: by.summary, by: by.actor, at: new Date(by.at).toISOString() }),
        })),
      },
    },
  );
}

/** `["content","en","title"]` as `title (en)`, `["name"]` as `name`. */
export function fieldName(path: FieldPath): string {
  const last = path.at(-1) ?? "";
  const texts = path.findIndex((key) => ["content", "meta", "labels"].includes(key));
  const locale = texts === -1 ? undefined : path[texts + 1];
  return locale === undefined || locale === last ? last : `${last} (${locale})`;
}

/** Display names of these things. */
export async function namesOf(
  services: CmsServices,
  things: readonly Thing[],
): Promise<ReadonlyMap<string, string>> {
  const ids = things.map((one) => one.id);
  const [[sections = [], items = []], templates] = await Promise.all([
    batchOf(services, [
      [
        "SELECT id, page_id, template_key FROM sections WHERE id IN (SELECT value FROM json_each(?1))",
        JSON.stringify(ids),
      ],
      ["SELECT id, label FROM nav_items WHERE id IN (SELECT value FROM json_each(?1))", JSON.stringify(ids)],
    ]),
    loadTemplates(services),
  ]);
  const named = await loadNames(services, [...ids, ...sections.map((row) => text(row, "page_id"))]);
  const sectionName = (row: Row): string => {
    const key = text(row, "template_key");
    const page = named.get(text(row, "page_id")) ?? text(row, "page_id");
    return `the ${templates.get(key)?.name ?? key} section on “${page}”`;
  };
  return new Map([
    ...things.map(({ type, id }) => {
      const noun = type === "setting" ? "setting" : type === "locale" ? "language" : null;
      return [id, noun === null ? id : `the ${noun} “${id.split("/").at(-1) ?? ""}”`] as const;
    }),
    ...[...named].map(([id, name]) => [id, `“${name}”`] as const),
    ...sections.map((row) => [text(row, "id"), sectionName(row)] as const),
    ...items.map((row) => [text(row, "id"), `the navigation item “${text(row, "label")}”`] as const),
  ]);
}
