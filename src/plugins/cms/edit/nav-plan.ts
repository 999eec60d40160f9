import * as z from "zod";
import { fail } from "../model/errors.ts";
import { indexFor, keyBetween, type Position } from "../model/order.ts";
import {
  type NavLocation,
  type NavTarget,
  type StoredNavItem,
  NAV_ITEMS_MAX,
  type NavNode,
} from "../model/types.ts";
import { lineInput, positionInput, refInput } from "./plan.ts";
import { checkDepth, checkUnique, descendants, findItem, keysOf, siblings } from "./nav-tree.ts";

/** The navigation edited in memory, one operation after the other. Pure: targets are resolved before, ids are given. */

const labelInput = lineInput(80);
const targetInput = z
  .string()
  .trim()
  .min(1)
  .max(2_000)
  .describe("Leads to: page:<ref>, entry:<ref>, collection:<slug>, a URL, or none");
const itemInput = refInput.describe("Navigation item: id, or a label that is unique");
const locationInput = z.enum(["header", "footer"]);

/** An operation as a call gives it. */
export const opInput = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("add"),
    location: locationInput,
    label: labelInput,
    target: targetInput,
    parent: itemInput.optional(),
    position: positionInput.optional(),
  }),
  z.strictObject({
    op: z.literal("update"),
    item: itemInput,
    label: labelInput.optional(),
    target: targetInput.optional(),
    visible: z.boolean().optional(),
  }),
  z.strictObject({
    op: z.literal("move"),
    item: itemInput,
    parent: itemInput.nullable().describe("null: top level").optional(),
    location: locationInput.optional(),
    position: positionInput.optional(),
  }),
  z.strictObject({
    op: z.literal("remove"),
    item: itemInput,
    children: z.enum(["promote", "remove"]).optional(),
  }),
]);
type GivenOp<Name> = Extract<z.output<typeof opInput>, { readonly op: Name }>;

/** An operation with its target found. An absent parent of a move keeps the parent, unless the location changes. */
export type NavOp =
  | (Omit<GivenOp<"add">, "target"> & { readonly id: string; readonly target: NavTarget })
  | (Omit<GivenOp<"update">, "target"> & { readonly target?: NavTarget | undefined })
  | GivenOp<"move" | "remove">;

interface NavEdit {
  /** where labels are written: the default locale's is the item's own */
  readonly locale: string;
  readonly defaultLocale: string;
  /** ms */
  readonly at: number;
  /** every sort key that is stored: none is handed out again in the same write, which may not have freed it yet */
  readonly usedKeys: ReadonlySet<string>;
}

/** The live items after one operation. `at` names the operation in refusals, such as `ops[2]`. */
export function applyNavOp(
  items: readonly StoredNavItem[],
  op: NavOp,
  edit: NavEdit,
  at: string,
): StoredNavItem[] {
  switch (op.op) {
    case "add":
      return add(items, op, edit, at);
    case "update":
      return update(items, op, edit, at);
    case "move":
      return move(items, op, edit, at);
    case "remove":
      return remove(items, findItem(items, op.item, `${at}.item`), op.children ?? "promote", edit.usedKeys);
  }
}

function add(
  items: readonly StoredNavItem[],
  op: Extract<NavOp, { op: "add" }>,
  edit: NavEdit,
  at: string,
): StoredNavItem[] {
  if (items.length >= NAV_ITEMS_MAX) {
    throw fail("limit_exceeded", `The navigation has ${items.length} items; ${NAV_ITEMS_MAX} is the limit.`, {
      at,
    });
  }
  const parent = op.parent === undefined ? null : findItem(items, op.parent, `${at}.parent`, op.location);
  if (parent !== null && parent.location !== op.location) {
    throw fail(
      "invalid_input",
      `“${parent.label}” is in the ${parent.location}, not in the ${op.location}.`,
      { at: `${at}.parent` },
    );
  }
  const item: StoredNavItem = {
    id: op.id,
    location: op.location,
    parentId: parent?.id ?? null,
    sortKey: keyIn(edit.usedKeys, items, op.location, parent?.id ?? null, op.position, at),
    label: op.label,
    target: op.target,
    visible: true,
    version: 1,
    deletedAt: null,
    createdAt: edit.at,
    updatedAt: edit.at,
    labels: edit.locale === edit.defaultLocale ? {} : { [edit.locale]: { label: op.label } },
  };
  const after = [...items, item];
  checkUnique(items, item, at);
  checkDepth(after, item, at);
  return after;
}

function update(
  items: readonly StoredNavItem[],
  op: Extract<NavOp, { op: "update" }>,
  edit: NavEdit,
  at: string,
): StoredNavItem[] {
  const before = findItem(items, op.item, `${at}.item`);
  if (op.label === undefined && op.target === undefined && op.visible === undefined) {
    throw fail("invalid_input", "Nothing to change: pass label, target or visible.", { at });
  }
  const isOwn = edit.locale === edit.defaultLocale;
  const after: StoredNavItem = {
    ...before,
    target: op.target ?? before.target,
    visible: op.visible ?? before.visible,
    label: op.label !== undefined && isOwn ? op.label : before.label,
    labels:
      op.label !== undefined && !isOwn
        ? { ...before.labels, [edit.locale]: { label: op.label } }
        : before.labels,
  };
  if (op.target !== undefined) checkUnique(items, after, at);
  return items.map((one) => (one.id === before.id ? after : one));
}

function move(
  items: readonly StoredNavItem[],
  op: Extract<NavOp, { op: "move" }>,
  edit: NavEdit,
  at: string,
): StoredNavItem[] {
  const before = findItem(items, op.item, `${at}.item`);
  const named =
    op.parent === undefined || op.parent === null
      ? null
      : findItem(items, op.parent, `${at}.parent`, op.location);
  const location = op.location ?? named?.location ?? before.location;
  if (named !== null && named.location !== location) {
    throw fail("invalid_input", `“${named.label}” is in the ${named.location}, not in the ${location}.`, {
      at: `${at}.parent`,
    });
  }
  const isHome = op.parent === undefined && location === before.location;
  const parentId = isHome ? before.parentId : (named?.id ?? null);
  const subtree = descendants(items, before.id);
  if (parentId !== null && (parentId === before.id || subtree.has(parentId))) {
    throw fail("nav_cycle", `“${before.label}” cannot be moved under itself.`, {
      at: `${at}.parent`,
      hint: "Move the other item out first.",
    });
  }
  const others = items.filter((one) => one.id !== before.id);
  const sortKey = keyIn(edit.usedKeys, others, location, parentId, op.position, at);
  const group = siblings(items, location, parentId);
  const index = group.findIndex((one) => one.id === before.id);
  // An item that stays between the same neighbors keeps its key.
  const stays =
    index !== -1 &&
    (group[index - 1]?.sortKey ?? "") < sortKey &&
    (index === group.length - 1 || sortKey < (group[index + 1]?.sortKey ?? ""));
  const after: StoredNavItem = { ...before, location, parentId, sortKey: stays ? before.sortKey : sortKey };
  checkUnique(others, after, at);
  const moved = items.map((one) =>
    one.id === before.id ? after : subtree.has(one.id) ? { ...one, location } : one,
  );
  checkDepth(moved, after, at);
  return moved;
}

/** Takes an item out; its children take its place, or go with it. */
export function remove(
  items: readonly StoredNavItem[],
  item: StoredNavItem,
  children: "promote" | "remove",
  usedKeys: ReadonlySet<string>,
): StoredNavItem[] {
  if (children === "remove") {
    const gone = descendants(items, item.id);
    return items.filter((one) => one.id !== item.id && !gone.has(one.id));
  }
  const promoted = siblings(items, item.location, item.id);
  const group = siblings(items, item.location, item.parentId);
  let previous = group[group.findIndex((one) => one.id === item.id) - 1]?.sortKey ?? null;
  const next = group[group.findIndex((one) => one.id === item.id) + 1]?.sortKey ?? null;
  const keys = new Map<string, string>();
  for (const child of promoted) {
    previous = freshKey(usedKeys, items, previous, next);
    keys.set(child.id, previous);
  }
  return items
    .filter((one) => one.id !== item.id)
    .map((one) => {
      const sortKey = keys.get(one.id);
      return sortKey === undefined ? one : { ...one, parentId: item.parentId, sortKey };
    });
}

function keyIn(
  usedKeys: ReadonlySet<string>,
  items: readonly StoredNavItem[],
  location: NavLocation,
  parentId: string | null,
  position: Position | undefined,
  at: string,
): string {
  const group = siblings(items, location, parentId);
  const index = indexFor(
    position,
    group.map((one) => one.id),
  );
  if (index === null) {
    throw fail("not_found", "The item to stand next to is not under the same parent.", {
      at: `${at}.position`,
      suggestions: group.slice(0, 3).map((one) => ({ label: one.label, ref: one.id })),
    });
  }
  return freshKey(usedKeys, items, group[index - 1]?.sortKey ?? null, group[index]?.sortKey ?? null);
}

/** A key between two that no item has, and none had. */
function freshKey(
  usedKeys: ReadonlySet<string>,
  items: readonly StoredNavItem[],
  before: string | null,
  after: string | null,
): string {
  const now = keysOf(items);
  let key = keyBetween(before, after);
  while (usedKeys.has(key) || now.has(key)) key = keyBetween(before, key);
  return key;
}

/** The navigation in words, as a person decides by it. */

/** One operation in words, with IDs. */
export function opLine(op: NavOp, items: readonly StoredNavItem[], at: string): string {
  if (op.op === "add") return `Add “${op.label}” → ${targetName(op.target)} to the ${op.location}`;
  const item = findItem(items, op.item, `${at}.item`);
  const name = `“${item.label}” (${item.id})`;
  if (op.op === "remove") return `Remove ${name} from the ${item.location}`;
  if (op.op === "move") return `Move ${name}`;
  const parts = [
    ...(op.label === undefined ? [] : [`label “${op.label}”`]),
    ...(op.target === undefined ? [] : [`target ${targetName(op.target)}`]),
    ...(op.visible === undefined ? [] : [op.visible ? "shown" : "hidden"]),
  ];
  return `Change ${name}: ${parts.join(", ")}`;
}

function targetName(target: NavTarget): string {
  if (target.type === "none") return "nothing";
  return target.type === "url" ? target.url : `${target.type}:${target.id}`;
}

/** A tree in a line: `Home (nv_1), Blog (nv_2) [Packing light (nv_3)]`. */
export function treeLine(nodes: readonly NavNode[]): string {
  if (nodes.length === 0) return "empty";
  return nodes
    .map((one) => {
      const children = one.children.length === 0 ? "" : ` [${treeLine(one.children)}]`;
      return `${one.label} (${one.id}${one.visible ? "" : ", hidden"})${children}`;
    })
    .join(", ");
}
