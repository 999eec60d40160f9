import type { Batch, BatchItem, ShownChange } from "../../../cairn/core/log/approval.ts";
import { idsIn, shownChanges } from "../edit/shown-changes.ts";
import type { Change, CmsServices } from "../model/types.ts";
import { loadNames } from "../storage/load.ts";
import type { ChangeSet } from "../storage/change-sets.ts";

/** A set as a person reads it: what becomes of each page and entry, then of the navigation and the settings. */

interface Group {
  readonly type: "page" | "entry" | "collection" | "nav" | "languages" | "settings" | "images";
  readonly id: string;
  readonly changes: Change[];
}

export async function batchOfSet(
  services: CmsServices,
  set: Pick<ChangeSet, "id" | "name">,
  changes: readonly Change[],
): Promise<Batch> {
  const names = await loadNames(services, idsIn(changes));
  const nameOf = (id: string): string => names.get(id) ?? id;
  const items = groupsOf(changes)
    .map((group) => ({ group, what: whatOf(group, nameOf) }))
    .toSorted(
      (a, b) => ORDER.indexOf(a.group.type) - ORDER.indexOf(b.group.type) || (a.what < b.what ? -1 : 1),
    )
    .map(({ group, what }): BatchItem => ({
      what,
      becomes: becomesOf(group),
      changes: shownChanges(group.changes, [], nameOf),
      ...(group.type === "page" || group.type === "entry"
        ? { draft: { type: group.type, id: group.id } }
        : {}),
    }));
  return { id: set.id, name: set.name, items: items.filter(({ changes: own }) => own.length > 0) };
}

const ORDER = ["page", "entry", "collection", "nav", "languages", "settings", "images"];

/** The changes of one item, without its name on each line, for a list below the name. */
export const withinItem = ({ what, changes }: BatchItem): ShownChange[] =>
  changes.map((one) => ({ ...one, what: one.what.replace(`${what} · `, "") }));

function groupsOf(changes: readonly Change[]): Group[] {
  const groups = new Map<string, Group>();
  for (const change of changes) {
    const { type, id } = groupKeyOf(change);
    const key = `${type}:${id}`;
    const group = groups.get(key) ?? { type, id, changes: [] };
    group.changes.push(change);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function groupKeyOf(change: Change): Pick<Group, "type" | "id"> {
  switch (change.type) {
    case "page":
    case "entry":
    case "collection":
      return { type: change.type, id: change.after.id };
    case "section":
      return { type: "page", id: change.after.pageId };
    case "published": {
      const side = change.after ?? change.before;
      return { type: side?.ownerType ?? "page", id: side?.ownerId ?? "" };
    }
    case "redirect": {
      const side = change.after ?? change.before;
      return { type: side?.targetType ?? "page", id: side?.targetId ?? "" };
    }
    case "nav_item":
      return { type: "nav", id: "" };
    case "locale":
      return { type: "languages", id: "" };
    case "setting":
      return { type: "settings", id: "" };
    case "image":
      return { type: "images", id: "" };
  }
}

function whatOf({ type, id, changes }: Group, nameOf: (id: string) => string): string {
  if (type === "nav") return "Navigation";
  if (type === "settings") return "Site settings";
  if (type === "languages") return "Languages";
  if (type === "images") return "Images";
  const own = changes.find((one) => one.type === type);
  if (own?.type === "collection") return `Collection “${(own.before ?? own.after).name}”`;
  const noun = type === "page" ? "Page" : "Entry";
  if (own?.type === "page") return `${noun} “${(own.before ?? own.after).name}”`;
  if (own?.type === "entry") return `${noun} “${(own.before ?? own.after).title}”`;
  return `${noun} “${nameOf(id)}”`;
}

function becomesOf({ type, changes }: Group): BatchItem["becomes"] {
  const own = changes.find((one) => one.type === type);
  if (own?.type !== "page" && own?.type !== "entry" && own?.type !== "collection") return "changed";
  if (own.before === null) return "created";
  return own.after.deletedAt === null ? "changed" : "deleted";
}
