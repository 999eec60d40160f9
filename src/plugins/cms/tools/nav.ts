import * as z from "zod";
import { canonicalJson } from "../../../cairn/core/log/json.ts";
import { defineKeyedTool, NONE } from "../edit/keyed.ts";
import { applyNavOp, type NavOp, opInput, opLine, treeLine } from "../edit/nav-plan.ts";
import { keysOf, navTree } from "../edit/nav-tree.ts";
import { counted, localeInput, pickLocale } from "../edit/plan.ts";
import { resolveTargets } from "../edit/refs.ts";
import { fail } from "../model/errors.ts";
import { minter } from "../model/ids.ts";
import { LINK_FORMS, parseLink, type IdOf, type Wanted } from "../model/links.ts";
import type {
  Change,
  CmsContext,
  CmsServices,
  NavLocation,
  NavNode,
  NavTarget,
  AnyPlan,
  StoredNavItem,
} from "../model/types.ts";
import { loadEnvironment, loadNav } from "../storage/load.ts";
import { projectNav } from "../storage/projections.ts";
import { rowsOf } from "../storage/rows.ts";
import { text } from "../model/columns.ts";
import { siteRoot } from "../model/environment.ts";
import { shownNavItem } from "./overview.ts";

export interface NavBrief {
  readonly id: string;
  readonly label: string;
  readonly location: NavLocation;
  readonly version: number;
}

const input = z.strictObject({ ops: z.array(opInput).min(1).max(20), locale: localeInput });

export const navEdit = defineKeyedTool({
  name: "nav_edit",
  version: 1,
  title: "Edit the navigation",
  description:
    "Adds, changes, moves or removes navigation items, all or none. The navigation is public at once.",
  input,
  verbs: ["add", "remove", "move", "rename", "update"],
  tier: "write",
  plan,
  policy: (_, { impact }) =>
    impact.public ? { need: "human", reason: "The navigation of the public site changes." } : NONE,
  entities: (_, { created, changed, removed }) => [
    ...created.map((one) => entity("create", one)),
    ...changed.map((one) => entity("touch", one)),
    ...removed.map((one) => entity("delete", one)),
  ],
});

function entity(op: "create" | "touch" | "delete", { id, label }: NavBrief) {
  return { op, type: "nav_item", id, name: label };
}

async function plan(given: z.output<typeof input>, context: CmsContext) {
  const { services } = context;
  const [environment, before] = await Promise.all([loadEnvironment(services), loadNav(services)]);
  const locale = pickLocale(environment, given.locale);
  const idOf = await resolveTargets(services, wantedTargets(given.ops));
  const mint = minter(context.key);
  const edit = { locale, defaultLocale: environment.defaultLocale, at: context.at, usedKeys: keysOf(before) };
  let items: StoredNavItem[] = before;
  const lines: string[] = [];
  for (const [i, one] of given.ops.entries()) {
    const at = `ops[${i}]`;
    const op = resolvedOp(one, idOf, mint);
    lines.push(opLine(op, items, at));
    items = applyNavOp(items, op, edit, at);
  }
  const changes = navChanges(before, items, context.at);
  const isPublic = !(await addsHiddenOnly(given.ops, changes, services));
  const [old, tree] = [navTree(before), navTree(items)];
  const result = navResult(context.key, changes, tree, isPublic, context.services.env);
  return {
    result,
    changes,
    guards: before.map(({ id, version }) => ({ table: "nav_items" as const, id, version })),
    projection: projectNav(changes.flatMap((one) => (one.type === "nav_item" ? [one.after] : []))),
    impact: {
      title: `Change the navigation: ${counted(given.ops.length, "edit")}`,
      summary: summary(result, isPublic),
      lines: [
        ...lines,
        ...(["header", "footer"] as const)
          .filter((one) => treeLine(old[one]) !== treeLine(tree[one]))
          .flatMap((one) => [
            `The ${one} before: ${treeLine(old[one])}`,
            `The ${one} after: ${treeLine(tree[one])}`,
          ]),
      ],
      changes: (["header", "footer"] as const)
        .map((one) => ({ what: `Order of the ${one}`, before: orderOf(old[one]), after: orderOf(tree[one]) }))
        .filter((one) => one.before !== one.after),
      public: isPublic,
    },
  } satisfies AnyPlan;
}

/** The labels of a tree in their order: `Home, Blog [Packing light]`. */
function orderOf(nodes: readonly NavNode[]): string | null {
  const labels = nodes.map(({ label, children }) =>
    children.length === 0 ? label : `${label} [${orderOf(children) ?? ""}]`,
  );
  return labels.length === 0 ? null : labels.join(", ");
}

function summary({ created, changed, removed }: ReturnType<typeof navResult>, isPublic: boolean): string {
  const parts = [
    ...(created.length > 0 ? [`add ${names(created)}`] : []),
    ...(changed.length > 0 ? [`change ${names(changed)}`] : []),
    ...(removed.length > 0 ? [`remove ${names(removed)}`] : []),
  ];
  const what = parts.length === 0 ? "Nothing changes" : parts.join(", ");
  const when = isPublic ? "on the public site at once" : "; visitors see it once its target is published";
  return `${what.slice(0, 1).toUpperCase()}${what.slice(1)}${isPublic ? " " : ""}${when}.`;
}

function names(items: readonly NavBrief[]): string {
  return items.map((one) => `“${one.label}”`).join(", ");
}

/** A parsed target of an operation, or `none`. Refuses forms that the navigation does not hold. */
function parseTarget(given: string, at: string) {
  if (given === "none") return null;
  const link = parseLink(given);
  if (
    link === null ||
    (link.kind === "stored" && link.link.kind !== "url") ||
    (link.kind === "ref" && link.anchor !== undefined)
  ) {
    throw fail("invalid_input", `“${given}” is no target of a navigation item.`, {
      at,
      hint: `Use none, or ${LINK_FORMS} without anchors.`,
    });
  }
  return link;
}

function wantedTargets(ops: z.output<typeof input>["ops"]): Wanted[] {
  return ops.flatMap((one, i) => {
    if (!("target" in one) || one.target === undefined) return [];
    const at = `ops[${i}].target`;
    const link = parseTarget(one.target, at);
    return link?.kind === "ref" ? [{ type: link.type, ref: link.ref, at }] : [];
  });
}

function navTargetFor(given: string, idOf: IdOf): NavTarget {
  const link = parseTarget(given, "target");
  if (link === null) return { type: "none" };
  if (link.kind === "ref") return { type: link.type, id: idOf(link.type, link.ref) };
  return { type: "url", url: given };
}

function resolvedOp(one: z.output<typeof opInput>, idOf: IdOf, mint: ReturnType<typeof minter>): NavOp {
  if (one.op === "add") return { ...one, id: mint("nv"), target: navTargetFor(one.target, idOf) };
  if (one.op === "update")
    return { ...one, target: one.target === undefined ? undefined : navTargetFor(one.target, idOf) };
  return one;
}

/** The rows that differ between two states of the navigation; removed items are deleted softly. */
export function navChanges(
  before: readonly StoredNavItem[],
  after: readonly StoredNavItem[],
  at: number,
): Change[] {
  const remaining = new Map(after.map((one) => [one.id, one]));
  const known = new Map(before.map((one) => [one.id, one]));
  const old = before.flatMap((one): Change[] => {
    const now = remaining.get(one.id) ?? { ...one, deletedAt: at };
    if (canonicalJson(now) === canonicalJson(one)) return [];
    return [{ type: "nav_item", before: one, after: { ...now, version: one.version + 1, updatedAt: at } }];
  });
  const added = after.filter((one) => !known.has(one.id));
  return [...old, ...added.map((one): Change => ({ type: "nav_item", before: null, after: one }))];
}

function navResult(
  key: string,
  changes: readonly Change[],
  tree: Record<NavLocation, readonly NavNode[]>,
  isPublic: boolean,
  environment: string,
) {
  const items = changes.flatMap((one) => (one.type === "nav_item" ? [one] : []));
  const brief = ({ after: { id, label, location, version } }: (typeof items)[number]): NavBrief => ({
    id,
    label,
    location,
    version,
  });
  return {
    ok: true as const,
    op: key,
    nav: { header: tree.header.map(shownNavItem), footer: tree.footer.map(shownNavItem) },
    created: items.filter((one) => one.before === null).map(brief),
    changed: items.filter((one) => one.before !== null && one.after.deletedAt === null).map(brief),
    removed: items.filter((one) => one.after.deletedAt !== null).map(brief),
    publicNow: isPublic,
    preview: { path: siteRoot(environment) },
  };
}

/** True if every operation adds an item that is not rendered, because its target is not public. */
async function addsHiddenOnly(
  ops: z.output<typeof input>["ops"],
  changes: readonly Change[],
  services: CmsServices,
): Promise<boolean> {
  if (ops.some((one) => one.op !== "add")) return false;
  const targets = changes.flatMap((one) => (one.type === "nav_item" ? [one.after.target] : []));
  if (targets.some((one) => one.type !== "page" && one.type !== "entry")) return false;
  const rows = await rowsOf(
    services,
    `SELECT id FROM pages WHERE status='published' AND id IN (SELECT value FROM json_each(?1))
     UNION ALL SELECT id FROM entries WHERE status='published' AND id IN (SELECT value FROM json_each(?1))`,
    JSON.stringify(targets.flatMap((one) => ("id" in one ? [one.id] : []))),
  );
  return rows.map((row) => text(row, "id")).length === 0;
}
