import * as z from "zod";
import type { ShownChange } from "../../../cairn/core/log/approval.ts";
import type { EntityRef } from "../../../cairn/core/log/tool.ts";
import { defineTool } from "../../../cairn/tools/define.ts";
import { refInput } from "../edit/plan.ts";
import { isoTime, LIST_DEFAULT, LIST_MAX } from "../edit/read-shape.ts";
import { resolveCollection, resolveEntry, resolvePage, resolveSection } from "../edit/refs.ts";
import { idsIn, shownChanges } from "../edit/shown-changes.ts";
import { fail } from "../model/errors.ts";
import { cursorAfter, positionOf } from "../model/ids.ts";
import type { Change, CmsContext, CmsServices } from "../model/types.ts";
import { loadNames } from "../storage/load.ts";
import { rowsOf } from "../storage/rows.ts";
import { text } from "../model/columns.ts";
import {
  listOperations,
  loadBriefs,
  loadRevisions,
  momentOf,
  publicName,
  resolveOperation,
  revisionsOf,
  type Filter,
  type StoredOperation,
} from "./operations.ts";
import { changeOf, type Thing } from "./rows.ts";
import { changesBetween, stateOf, type Root, type When } from "./states.ts";
import { resolveRoot, rootInput } from "./target.ts";
import { kindOf, seenBy, type Viewer } from "./viewer.ts";

/** History of the site: changes, their authors and runs; and the difference between two states. */

const targetInput = z.strictObject({
  type: z.enum(["page", "entry", "section", "setting", "nav_item", "collection", "locale"]),
  ref: refInput.describe("id or slug; of a setting its key, of a locale its code"),
});

/** A date, and how far its clock is from UTC. */
const DAY = /^(\d{4}-\d{2}-\d{2})([+-]\d{2}:\d{2})?$/;

/** The first millisecond of a day; NaN for an invalid date. */
function dayBegins(day: string): number {
  const [, date = "", offset = "Z"] = DAY.exec(day) ?? [];
  // Date takes the 30th of February for the 2nd of March.
  return z.iso.date().safeParse(date).success ? Date.parse(`${date}T00:00:00${offset}`) : Number.NaN;
}

export const historyInput = z.strictObject({
  target: targetInput.optional(),
  session: z.literal("current").optional(),
  run: refInput.describe("id of a run").optional(),
  day: z
    .string()
    .regex(DAY)
    .refine((day) => !Number.isNaN(dayBegins(day)))
    .describe("2026-11-24 (UTC), or 2026-11-24-08:00")
    .optional(),
  operation: refInput.describe("key: this one, with what it changed field by field").optional(),
  limit: z.int().min(1).max(LIST_MAX).default(LIST_DEFAULT),
  cursor: z.string().max(500).optional(),
});

export type HistoryInput = z.output<typeof historyInput>;

/** An operation as people and the model read it. */
export interface HistoryItem {
  readonly operation: string;
  readonly tool: string;
  readonly summary: string;
  /** `agent:<session>`, `user:<subject>`, `system:…` */
  readonly actor: string;
  readonly session: string | null;
  readonly run: string | null;
  readonly at: string;
  readonly undoable: boolean;
  /** what it took back */
  readonly undoes?: string;
  readonly undoneBy?: string;
  /** it is a taking back: to undo it is to redo */
  readonly isUndo?: true;
  /** of the target, as it was after this */
  readonly revision?: string;
  readonly changes?: readonly ShownChange[];
}

export interface History {
  readonly items: readonly HistoryItem[];
  readonly nextCursor?: string;
  readonly target?: EntityRef;
}

export function itemOf(operation: StoredOperation): HistoryItem {
  const { key, tool, summary, actor, session, run, at, undoable, undoes, undoneBy, isUndo } = operation;
  return {
    operation: key,
    tool,
    summary,
    actor,
    session,
    run,
    at: isoTime(at),
    undoable,
    ...(undoes === null ? {} : { undoes }),
    ...(undoneBy === null ? {} : { undoneBy }),
    ...(isUndo ? { isUndo } : {}),
  };
}

/** Operations as this viewer reads them. The key of an operation of a run names its session, so others get another name for it. */
async function itemsFor(
  services: CmsServices,
  operations: readonly StoredOperation[],
  viewer: Viewer,
): Promise<HistoryItem[]> {
  if (viewer.isAdmin) return operations.map(itemOf);
  const named = await loadBriefs(
    services,
    operations.flatMap(({ undoes, undoneBy }) => [undoes, undoneBy]).filter((key) => key !== null),
  );
  const isSeen = await seenBy(services, viewer, [...operations, ...named.values()]);
  const nameOf = (key: string | null): string | null => {
    const brief = key === null ? undefined : named.get(key);
    return brief === undefined || isSeen(brief) ? key : publicName(brief);
  };
  return operations.map((one) => {
    const { undoes, undoneBy } = one;
    const linked = { ...one, undoes: nameOf(undoes), undoneBy: nameOf(undoneBy) };
    if (isSeen(one)) return itemOf(linked);
    return itemOf({
      ...linked,
      key: publicName(one),
      actor: kindOf(one.actor),
      session: null,
      run: null,
    });
  });
}

export const history = defineTool({
  name: "history",
  version: 1,
  title: "View history",
  description:
    "Lists what was changed on the site, newest first: by whom, in which run, and whether it can be undone. Filters combine with AND.",
  input: historyInput,
  effect: "read",
  tier: "open",
  reads: "private",
  // A change made a moment ago must be listed.
  freshMs: 0,
  run: (input, { services, facts }: CmsContext) => readHistory(services, input, { ...facts, isAdmin: false }),
  entities: (_, { target }) => (target === undefined ? [] : [target]),
});

export async function readHistory(
  services: CmsServices,
  input: HistoryInput,
  viewer: Viewer,
  /** the session that `input.session` means */
  session = viewer.session ?? "",
): Promise<History> {
  const { createdAt = 0 } = viewer;
  if (input.operation !== undefined) {
    const operation = await resolveOperation(services, input.operation);
    const [item] = await itemsFor(services, [operation], viewer);
    return { items: item === undefined ? [] : [{ ...item, changes: await changesOf(services, operation) }] };
  }
  const target = input.target === undefined ? null : await resolveThing(services, input.target);
  const after = positionOf("history", input.cursor);
  const position = after === null ? null : { at: Number(after.sort), row: Number(after.id) };
  const filter: Filter = {
    ...(target === null ? {} : { thing: target.thing }),
    ...(input.session === undefined ? {} : { session }),
    ...(input.run === undefined ? {} : { run: input.run }),
    ...withinSession(dayOf(input.day), input.session === undefined ? 0 : createdAt),
  };
  const listed = await listOperations(services, filter, { limit: input.limit + 1, after: position });
  // A filter must not reveal which changes another's session or run has made.
  const isSeen =
    filter.session === undefined && filter.run === undefined
      ? () => true
      : await seenBy(services, viewer, listed);
  const found = listed.filter(isSeen);
  const shown = found.slice(0, input.limit);
  const last = shown.at(-1);
  const revisions = target === null ? null : await revisionsOf(services, target.thing, shown);
  const items = await itemsFor(services, shown, viewer);
  return {
    items: items.map((item, index) => {
      const revision = revisions?.get(shown[index]?.key ?? "");
      return { ...item, ...(revision === undefined ? {} : { revision }) };
    }),
    ...(found.length > input.limit && last !== undefined
      ? { nextCursor: cursorAfter("history", { sort: last.at, id: String(last.row) }) }
      : {}),
    ...(target?.entity === undefined ? {} : { target: target.entity }),
  };
}

/** The time of a filter, from the session's beginning on: what is older belongs to a deleted session of its name. */
const withinSession = (time: Pick<Filter, "from" | "to">, createdAt: number): Pick<Filter, "from" | "to"> =>
  createdAt === 0 ? time : { ...time, from: Math.max(time.from ?? 0, createdAt) };

const DAY_MS = 86_400_000;

function dayOf(day: string | undefined): Pick<Filter, "from" | "to"> {
  if (day === undefined) return {};
  const from = dayBegins(day);
  return { from, to: from + DAY_MS };
}

async function changesOf(services: CmsServices, operation: StoredOperation): Promise<ShownChange[]> {
  const revisions = await loadRevisions(services, operation);
  return inWords(
    services,
    revisions.map((one) => changeOf(one.type, one.before, one.after)),
  );
}

async function inWords(services: CmsServices, changes: readonly Change[]): Promise<ShownChange[]> {
  const names = await loadNames(services, idsIn(changes));
  return shownChanges(changes, [], (id) => names.get(id) ?? id);
}

/** The entity that a target names; deleted ones by their ID. Refuses `not_found` with the nearest. */
async function resolveThing(
  services: CmsServices,
  { type, ref }: z.output<typeof targetInput>,
): Promise<{ readonly thing: Thing; readonly entity?: EntityRef }> {
  if (type === "setting" || type === "locale") return { thing: { type, id: `${services.env}/${ref}` } };
  const [known] = await rowsOf(
    services,
    "SELECT entity_id FROM revisions WHERE entity_type=?1 AND entity_id=?2 AND env_id=?3 LIMIT 1",
    type,
    ref,
    services.env,
  );
  if (known !== undefined) return { thing: { type, id: text(known, "entity_id") } };
  switch (type) {
    case "page": {
      const { id, name, slug } = (await resolvePage(services, ref, "target.ref")).page;
      return { thing: { type, id }, entity: { op: "touch", type, id, name, slug } };
    }
    case "entry": {
      const { id, title, slug } = await resolveEntry(services, ref, "target.ref");
      return { thing: { type, id }, entity: { op: "touch", type, id, name: title, slug } };
    }
    case "collection": {
      const { id, name, slug } = await resolveCollection(services, ref, "target.ref");
      return { thing: { type, id }, entity: { op: "touch", type, id, name, slug } };
    }
    case "section":
      return { thing: { type, id: (await resolveSection(services, ref, "target.ref")).section.id } };
    case "nav_item":
      throw fail("not_found", `There is no navigation item “${ref}”.`, {
        at: "target.ref",
        hint: "site_overview lists the navigation with ids.",
      });
  }
}

const stateInput = (words: string) => refInput.describe(words);
const diffInput = z.strictObject({
  target: rootInput,
  from: stateInput("published, or a revision (history of the target)").default("published"),
  to: stateInput("current, published, or a revision").default("current"),
});

export const diff = defineTool({
  name: "diff",
  version: 1,
  title: "Compare two states",
  description:
    "Says field by field what differs between two states of a page or entry: a revision, what is published, the draft.",
  input: diffInput,
  effect: "read",
  tier: "open",
  reads: "private",
  freshMs: 0,
  run: async ({ target, from, to }, { services }: CmsContext) => {
    const root = await resolveRoot(services, target);
    const [old, next] = await Promise.all(
      [from, to].map(async (one) => stateOf(services, root, await whenOf(services, root, one))),
    );
    const changes = old === undefined || next === undefined ? [] : changesBetween(root, old, next);
    const { type, id, name } = root;
    return { target: { type, id, name }, from, to, changes: await inWords(services, changes) };
  },
  entities: (_, { target }) => [{ op: "touch", ...target }],
});

async function whenOf(services: CmsServices, root: Root, named: string): Promise<When> {
  return named === "current" || named === "published" ? named : momentOf(services, named, root);
}
