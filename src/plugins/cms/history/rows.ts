import * as z from "zod";
import type { JsonObject } from "../../../cairn/core/log/json.ts";
import type { Change, CmsServices, Section } from "../model/types.ts";
import { sideOf, TABLES } from "../storage/changes.ts";
import { batchOf } from "../storage/rows.ts";
import { contentsByOwner, text, type Row } from "../model/columns.ts";
import { columnsOf, record } from "../model/tables.ts";
import type { Side } from "./merge.ts";

/** Rows of every kind, deleted ones too, as revisions hold them. */

export type ThingType = Change["type"];

/** The entity of a revision. The ID of a setting is `env_id/key`, of a language `env_id/code`. */
export interface Thing {
  readonly type: ThingType;
  readonly id: string;
}

export const keyOf = ({ type, id }: Thing): string => `${type}:${id}`;

export const isThingType = (type: string): type is ThingType => type in TABLES;

/** The current rows of these things, by `type:id`, with their texts. Missing ones are absent. */
export async function loadNow(
  services: CmsServices,
  things: readonly Thing[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const types = [...new Set(things.map((one) => one.type))];
  if (types.length === 0) return new Map();
  const prefix = `${services.env}/`;
  const stored = (id: string): string => (id.startsWith(prefix) ? id.slice(prefix.length) : id);
  const queries = types.flatMap((type) => {
    const { table, id, contents } = TABLES[type];
    // Ids are looked up by themselves; a setting and a redirect by their environment and their name.
    const own = id === "id" || type === "published" ? "+" : "";
    const ids = JSON.stringify(things.filter((one) => one.type === type).map((one) => stored(one.id)));
    const ofType = type === "published" ? "owner_type IN ('page','entry') AND" : "";
    const rows = `SELECT * FROM ${table} WHERE ${ofType} ${own}env_id=?1 AND ${id} IN (SELECT value FROM json_each(?2))`;
    const texts = `SELECT * FROM contents WHERE owner_type=?1 AND owner_id IN (SELECT value FROM json_each(?2))`;
    return [
      [rows, services.env, ids] as const,
      [texts, contents?.owner ?? "", contents === undefined ? "[]" : ids] as const,
    ];
  });
  const answers = await batchOf(services, queries);
  return new Map(
    types.flatMap((type, i) => sidesIn(type, prefix, answers[2 * i] ?? [], answers[2 * i + 1] ?? [])),
  );
}

/** The rows of a kind with their texts, by `type:id`. */
function sidesIn(
  type: ThingType,
  prefix: string,
  rows: readonly Row[],
  contentRows: readonly Row[],
): [string, JsonObject][] {
  const { columns, id, contents, scoped } = TABLES[type];
  const texts = contentsByOwner(contentRows);
  return rows.flatMap((row): [string, JsonObject][] => {
    const own = text(row, id);
    const texted =
      contents === undefined ? {} : { [contents.property]: texts.get(`${contents.owner}:${own}`) ?? {} };
    const side = sideOf({ ...record(columns, row), ...texted });
    return side === null ? [] : [[keyOf({ type, id: scoped === true ? prefix + own : own }), side]];
  });
}

/** The sections of these pages, with their texts. */
export async function loadStanding(services: CmsServices, pageIds: readonly string[]): Promise<Section[]> {
  if (pageIds.length === 0) return [];
  const standing =
    "FROM sections WHERE env_id=?1 AND deleted_at IS NULL AND page_id IN (SELECT value FROM json_each(?2))";
  const values = [services.env, JSON.stringify(pageIds)] as const;
  const [rows = [], texts = []] = await batchOf(services, [
    [`SELECT * ${standing}`, ...values],
    [`SELECT * FROM contents WHERE owner_type='section' AND owner_id IN (SELECT id ${standing})`, ...values],
  ]);
  return sidesIn("section", "", rows, texts).flatMap(([, side]) => {
    const change = changeOf("section", side, side);
    return change.type === "section" ? [change.after] : [];
  });
}

const textsSchema = z.record(z.string(), z.record(z.string(), z.json()));

/** The change between two sides. Throws at one that is no row of its kind. */
export function changeOf(type: ThingType, before: Side, after: Side): Change {
  return { type, before: recordIn(type, before), after: recordIn(type, after) } as Change;
}

function recordIn(type: ThingType, side: Side): object | null {
  if (side === null) return null;
  const { columns, json = [], contents } = TABLES[type];
  const row: Row = Object.fromEntries(
    Object.entries(columnsOf(columns, side)).map(([column, value]) => [
      column,
      json.includes(column) ? JSON.stringify(value) : value,
    ]),
  );
  const texts =
    contents === undefined ? {} : { [contents.property]: textsSchema.parse(side[contents.property] ?? {}) };
  return { ...record(columns, row), ...texts };
}
