import type { NavOp } from "./nav-plan.ts";
import { findItem } from "./nav-tree.ts";
import type { NavNode, NavTarget, StoredNavItem } from "../model/types.ts";

/** The navigation in words, as a person decides by it. */

/** What one operation does, in words, with ids. */
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

export function targetName(target: NavTarget): string {
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
