import type { Json } from "../../../cairn/core/log/json.ts";
import type { Field } from "../model/document.ts";
import type { CmsServices, Entry, StateGuard } from "../model/types.ts";
import { holdersGuard, loadHolders, withoutFields } from "../storage/collections.ts";
import { rowsOf } from "../storage/rows.ts";
import { number } from "../model/columns.ts";
import { narrowings, staysAs } from "./field-definitions.ts";

/** The effect of changed fields on the values of existing entries. */

/** A field before and after; null after where it goes. */
export interface FieldChange {
  readonly before: Field;
  readonly after: Field | null;
}

export interface Affected {
  /** entries whose draft loses a value, before and after but for their version */
  readonly emptied: readonly { readonly before: Entry; readonly after: Entry }[];
  /** what a person must not miss, a line each: values that go, that fit no more, or that are missing from now on */
  readonly warnings: readonly string[];
  /** the values have not changed since */
  readonly guards: readonly StateGuard[];
}

interface Held {
  readonly entry: Entry;
  readonly locale: string;
  readonly value: Json;
}

const heldIn = (entries: readonly Entry[], key: string): Held[] =>
  entries.flatMap((entry) =>
    Object.entries(entry.content).flatMap(([locale, content]): Held[] => {
      const value = content[key];
      return value === undefined ? [] : [{ entry, locale, value }];
    }),
  );

export async function loadAffected(
  services: CmsServices,
  collection: { readonly id: string },
  changes: readonly FieldChange[],
  defaultLocale: string,
): Promise<Affected> {
  const watched = changes.filter(
    ({ before, after }) => after === null || narrowings(before, after).length > 0,
  );
  const keys = watched.map((one) => one.before.key);
  const holders = await loadHolders(services, collection.id, keys);
  const cleared = new Map<string, Set<string>>();
  const warnings: string[] = [];
  for (const { before, after } of watched) {
    const held = heldIn(holders, before.key);
    if (held.length === 0) continue;
    const gone = held.filter((one) => after === null || !staysAs(before, after, one.value));
    for (const { entry } of gone) cleared.set(entry.id, (cleared.get(entry.id) ?? new Set()).add(before.key));
    warnings.push(...lines(before, after, held, gone));
  }
  const needing = changes.flatMap(({ before, after }) =>
    after?.required === true && before.required !== true ? [after] : [],
  );
  for (const field of needing) {
    const lacking = await countLacking(services, collection.id, field.key, defaultLocale);
    if (lacking > 0)
      warnings.push(
        `“${field.label}” becomes required: ${lacking === 1 ? "1 entry has" : `${lacking} entries have`} no value in it and cannot be published until it has one`,
      );
  }
  return {
    emptied: holders.flatMap((before) => {
      const own = cleared.get(before.id);
      return own === undefined ? [] : [{ before, after: withoutFields(before, own) }];
    }),
    warnings,
    guards: keys.length === 0 ? [] : [holdersGuard(collection.id, keys, holders.length)],
  };
}

function lines(before: Field, after: Field | null, held: readonly Held[], gone: readonly Held[]): string[] {
  if (after === null)
    return [`“${before.label}” goes, with its value in ${entriesOf(held)}: ${samplesOf(held)}`];
  const why = narrowings(before, after).join("; ");
  if (gone.length > 0)
    return [`“${before.label}”: ${why}. The value in ${entriesOf(gone)} is taken away: ${samplesOf(gone)}`];
  return [
    `“${before.label}”: ${why}. ${upper(entriesOf(held))} ${held.length === 1 ? "has" : "have"} a value in it, which stays until it is written again: ${samplesOf(held)}`,
  ];
}

const upper = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

function entriesOf(held: readonly Held[]): string {
  const count = new Set(held.map((one) => one.entry.id)).size;
  return count === 1 ? "1 entry" : `${count} entries`;
}

/** The values, each with its entry: all of them, because a person approves that they go. */
const samplesOf = (held: readonly Held[]): string =>
  held.map(({ entry, value }) => `${quoted(value)} (${entry.title})`).join(", ");

const quoted = (value: Json): string => `“${typeof value === "string" ? value : JSON.stringify(value)}”`;

async function countLacking(
  services: CmsServices,
  collection: string,
  key: string,
  locale: string,
): Promise<number> {
  const [row] = await rowsOf(
    services,
    `SELECT count(*) AS n FROM entries e WHERE e.env_id=?1 AND e.collection_id=?2 AND e.deleted_at IS NULL
       AND NOT EXISTS(SELECT 1 FROM contents c JOIN json_each(c.data) v
         WHERE c.owner_type='entry' AND c.owner_id=e.id AND c.locale=?4 AND v.key=?3)`,
    services.env,
    collection,
    key,
    locale,
  );
  return row === undefined ? 0 : number(row, "n");
}

/** How many entries of a collection visitors can read. */
export async function countPublished(services: CmsServices, collection: string): Promise<number> {
  const [row] = await rowsOf(
    services,
    `SELECT count(*) AS n FROM entries WHERE env_id=?1 AND collection_id=?2 AND deleted_at IS NULL AND status='published'`,
    services.env,
    collection,
  );
  return row === undefined ? 0 : number(row, "n");
}
