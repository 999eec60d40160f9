import { isObject, type JsonObject, ownValue } from "../../../cairn/core/log/json.ts";
import { fail } from "../model/errors.ts";
import type { PublishedDocument } from "../model/document.ts";
import { keysBetween } from "../model/order.ts";
import type { Change, CmsServices } from "../model/types.ts";
import { loadEnvironment, loadPublished } from "../storage/load.ts";
import { text } from "../model/columns.ts";
import { hasSameFields, type Side } from "./merge.ts";
import { loadPast, sectionsEver, type Moment } from "./operations.ts";
import { changeOf, keyOf, loadNow, type Thing } from "./rows.ts";
import type { Wanted } from "./plan-restore.ts";

/** A page or an entry with its sections as it is, as it was at a moment, or as it is published. */

/** An entity that can be compared and restored. */
export interface Root extends Thing {
  readonly type: "page" | "entry";
  readonly name: string;
}

export type When = "current" | "published" | Moment;

/** Live rows only; the root is null where there was none. */
export interface State {
  readonly root: Side;
  readonly sections: ReadonlyMap<string, JsonObject>;
}

const isLive = (side: Side): side is JsonObject => side !== null && (side["deletedAt"] ?? null) === null;

/** Refuses `diff_unavailable` where this state is not known. */
export async function stateOf(services: CmsServices, root: Root, when: When): Promise<State> {
  const ever = root.type === "page" ? await sectionsEver(services, root.id) : [];
  const now = await loadNow(services, [root, ...ever]);
  if (when === "published") return publishedState(services, root, now);
  const past = when === "current" ? null : await loadPast(services, [root, ...ever], when);
  const at = (thing: Thing): Side => {
    const was = past?.get(keyOf(thing));
    return was === undefined ? (now.get(keyOf(thing)) ?? null) : was;
  };
  const sections = ever.flatMap((one): [string, JsonObject][] => {
    const side = at(one);
    return isLive(side) && side["pageId"] === root.id ? [[one.id, side]] : [];
  });
  const side = at(root);
  return { root: isLive(side) ? side : null, sections: new Map(sections) };
}

async function publishedState(
  services: CmsServices,
  root: Root,
  now: ReadonlyMap<string, JsonObject>,
): Promise<State> {
  const document = (await loadPublished(services, [root.id])).get(root.id)?.document;
  const side = now.get(keyOf(root));
  if (document === undefined || side === undefined)
    throw fail("diff_unavailable", `“${root.name}” is not published.`, {
      at: "to",
      hint: "history lists its revisions.",
    });
  if (document.type === "entry") {
    const { defaultLocale } = await loadEnvironment(services);
    return { root: { ...side, ...entryFields(document, side, defaultLocale) }, sections: new Map() };
  }
  const rows = document.sections.map((one) => {
    const row = now.get(keyOf({ type: "section", id: one.id }));
    if (row !== undefined) return { one, row };
    throw fail("diff_unavailable", `A section of what is published of “${root.name}” is not kept any more.`);
  });
  const keys = rows.map(({ row }) => text(row, "sortKey"));
  const inOrder = keys.every((key, i) => i === 0 || (keys[i - 1] ?? "") < key);
  const fresh = inOrder ? keys : keysBetween(null, null, keys.length);
  const shown = rows.map(({ one: { id, variant, hidden, content }, row }, i): [string, JsonObject] => [
    id,
    { ...row, pageId: root.id, variant, hidden, content, deletedAt: null, sortKey: fresh[i] ?? "" },
  ]);
  // Hidden sections are not in the published version, so they are no difference to it.
  const hidden = [...now].flatMap(([key, row]): [string, JsonObject][] =>
    key.startsWith("section:") && isLive(row) && row["pageId"] === root.id && row["hidden"] === true
      ? [[text(row, "id"), row]]
      : [],
  );
  const { name, slug, indexing, meta } = document;
  return { root: { ...side, name, slug, indexing, meta }, sections: new Map([...hidden, ...shown]) };
}

/** The document of an entry holds the title of the default locale among its texts, the row does not. */
function entryFields(
  document: Extract<PublishedDocument, { type: "entry" }>,
  now: JsonObject,
  defaultLocale: string,
): JsonObject {
  const { slug, category, author, cover, indexing } = document;
  const { title = "", ...own } = ownValue(document.content, defaultLocale) ?? {};
  const known = isObject(now["content"]) && defaultLocale in now["content"];
  const { [defaultLocale]: _, ...others } = document.content;
  const content =
    known || Object.keys(own).length > 0 ? { ...document.content, [defaultLocale]: own } : others;
  return { slug, category, author, cover, indexing, content, title };
}

/** The changes from one state to another. */
export function changesBetween({ type }: Root, from: State, to: State): Change[] {
  const root =
    from.root === null || to.root === null || hasSameFields(from.root, to.root)
      ? []
      : [changeOf(type, from.root, to.root)];
  const sections = [...new Set([...from.sections.keys(), ...to.sections.keys()])].flatMap((id): Change[] => {
    const [before, after] = [from.sections.get(id) ?? null, to.sections.get(id) ?? null];
    if (hasSameFields(before, after)) return [];
    return [changeOf("section", before, after ?? { ...before, deletedAt: 0 })];
  });
  return [...root, ...sections];
}

/** The restored part of a state: texts, images and sections. Address, status and indexing stay as they are. */
const RESTORED = {
  page: ["name", "meta"],
  entry: ["title", "category", "author", "cover", "content"],
} as const;

/** The rows that make the working copy what it was. Refuses `not_found` for a time at which there was nothing. */
export async function restorationOf(
  services: CmsServices,
  root: Root,
  when: Exclude<When, "current">,
  at: number,
): Promise<readonly Wanted[]> {
  const [then, current] = await Promise.all([
    stateOf(services, root, when),
    stateOf(services, root, "current"),
  ]);
  const { root: wanted } = then;
  if (wanted === null)
    throw fail("not_found", `There was no “${root.name}” then.`, { hint: "history says when it was made." });
  const things = [...then.sections.keys()].map((id): Thing => ({ type: "section", id }));
  // A section of the past state may be on another page now, or deleted.
  const rows = await loadNow(services, things);
  const restored = Object.fromEntries(RESTORED[root.type].map((key) => [key, wanted[key] ?? null]));
  return [
    { type: root.type, id: root.id, now: current.root, then: { ...current.root, ...restored } },
    ...[...then.sections].map(([id, side]): Wanted => ({
      type: "section",
      id,
      now: rows.get(`section:${id}`) ?? null,
      then: side,
    })),
    ...[...current.sections]
      .filter(([id]) => !then.sections.has(id))
      .map(([id, side]): Wanted => ({ type: "section", id, now: side, then: { ...side, deletedAt: at } })),
  ];
}
