import * as z from "zod";
import type { EntityRef } from "../../../cairn/core/log/tool.ts";
import type { SessionFacts } from "../../../cairn/tools/define.ts";
import { defineKeyedTool, NONE } from "../edit/keyed.ts";
import { counted, refInput, sectionHeading } from "../edit/plan.ts";
import { entryPath, pagePath } from "../edit/publish.ts";
import { sectionEntity } from "../model/entity.ts";
import { fail } from "../model/errors.ts";
import { ANSWER_THINGS_MAX } from "../model/limits.ts";
import type {
  Change,
  CmsContext,
  CmsServices,
  Environment,
  Plan,
  StateGuard,
  Written,
} from "../model/types.ts";
import type { Schemas } from "../model/types.ts";
import { takeableCode, takeablePageSlug } from "../storage/slugs.ts";
import { siteAfter, type Site } from "../storage/structure.ts";
import { loadInbound, loadSite } from "../storage/load.ts";
import { rowsOf } from "../storage/rows.ts";
import { text } from "../model/columns.ts";
import { entityId } from "../storage/changes.ts";
import { inverseOf } from "./inverse.ts";
import {
  listOperations,
  momentOf,
  publicName,
  resolveOperation,
  type StoredOperation,
} from "./operations.ts";
import { planRestore, type RestorePlan, type Wanted } from "./plan-restore.ts";
import { restorationOf, type Root, type When } from "./states.ts";
import { resolveRoot, rootInput } from "./target.ts";
import { kindOf } from "./viewer.ts";

export const undoInput = z.strictObject({
  operation: refInput.describe("key of an operation (history, or op of a write)").optional(),
  target: rootInput
    .describe("instead of an operation: put this draft back, with one of the next three")
    .optional(),
  revision: refInput.describe("as it was after this revision (history of the target)").optional(),
  to: z.literal("published").describe("as visitors see it").optional(),
  time: z.iso.datetime({ offset: true }).describe("as it was at this time").optional(),
});

export type UndoInput = z.output<typeof undoInput>;

export interface UndoOutput extends Written {
  /** what was taken back */
  readonly undone?: { readonly operation: string; readonly summary: string };
  readonly restored: readonly EntityRef[];
  /** things that the list leaves out */
  readonly moreRestored?: number;
}

export const undo = defineKeyedTool<typeof undoInput, UndoOutput>({
  name: "undo",
  version: 1,
  title: "Undo",
  description:
    "Takes back one operation, whatever it was; without arguments the last one of this session. Later changes of other fields stay. Undo an undo to redo. With a target, puts the draft of a page or entry back as it was.",
  input: undoInput,
  verbs: ["restore", "update", "create", "delete", "publish", "unpublish", "move", "rename", "remove", "add"],
  tier: "write",
  plan: planUndo,
  policy: (_, plan) => needOf(plan),
  entities: (_, { restored }) => restored,
});

/** A person is asked where the inverse is seen at once, or deletes. */
export function needOf({ changes, impact }: Plan<UndoOutput>) {
  if (impact.public) return { need: "human" as const, reason: "It changes what visitors see." };
  return changes.some(isDeletion) ? { need: "human" as const, reason: "It deletes." } : NONE;
}

const isDeletion = ({ before, after }: Change): boolean =>
  before !== null &&
  "deletedAt" in before &&
  before.deletedAt === null &&
  (after === null || isDeleted(after));

const isDeleted = (side: object): boolean => "deletedAt" in side && side.deletedAt !== null;

export async function planUndo(given: UndoInput, context: CmsContext): Promise<Plan<UndoOutput>> {
  const { services, at } = context;
  const [site, request] = await Promise.all([loadSite(services), requestOf(given, context)]);
  const { environment, schemas } = site;
  const settled = await planRestore(services, request.rows, site, at);
  const isSo = settled.changes.length === 0;
  if (isSo && request.operation === null)
    throw fail("nothing_to_do", `${request.title}: it is like that already.`, {
      hint: "diff compares two states; history lists the revisions.",
    });
  checkStanding(settled.changes, environment);
  const [warnings] = await Promise.all([
    deadLinks(services, settled.changes),
    checkSlugs(services, settled.changes, siteAfter(site, settled.changes)),
    checkUnused(services, settled),
  ]);
  const { operation } = request;
  const restored = restoredBy(settled, request.rows[0]?.id ?? null, environment, schemas);
  const path = previewPath(settled.changes, environment, schemas);
  const notes = [
    ...(isSo ? ["Everything was like that already; nothing changed."] : []),
    ...(operation === null ? ["The draft is put back. What is published changes with set_status."] : []),
    // The same call again in a run is answered with this result, and takes nothing back.
    ...(request.before === null
      ? []
      : [
          `The one before it is “${request.before.summary}” To take it back too, name operation "${request.before.key}": undo without arguments is this same call.`,
        ]),
  ];
  return {
    result: {
      ok: true,
      op: context.key,
      ...(operation === null ? {} : { undone: { operation: operation.key, summary: operation.summary } }),
      restored: restored.slice(0, ANSWER_THINGS_MAX),
      ...(restored.length <= ANSWER_THINGS_MAX ? {} : { moreRestored: restored.length - ANSWER_THINGS_MAX }),
      publicNow: settled.isPublic,
      ...(path === null ? {} : { preview: { path } }),
      ...(notes.length === 0 ? {} : { notes }),
    },
    changes: settled.changes,
    ...(operation === null ? {} : { undoes: operation.key, stateGuards: [notUndone(operation)] }),
    projection: settled.projection,
    impact: {
      title: request.title,
      summary: request.summary,
      lines: linesOf(settled.changes, environment),
      warnings,
      public: settled.isPublic,
    },
  };
}

interface UndoRequest {
  readonly rows: readonly Wanted[];
  readonly title: string;
  readonly summary: string;
  /** null where a draft is put back */
  readonly operation: StoredOperation | null;
  /** what the session did before it, where the last one was asked for and there is one */
  readonly before: Pick<StoredOperation, "key" | "summary"> | null;
}

async function requestOf(given: UndoInput, { services, at, facts }: CmsContext): Promise<UndoRequest> {
  if (given.target !== undefined) {
    const root = await resolveRoot(services, given.target);
    const { when, words } = await whenOf(given, root, services);
    const rows = await restorationOf(services, root, when, at);
    const title = `Put back the ${root.type} “${root.name}”`;
    const summary = `Put the draft of “${root.name}” back ${words}.`;
    return { rows, title, summary, operation: null, before: null };
  }
  if ([given.revision, given.to, given.time].some((one) => one !== undefined))
    throw fail("invalid_input", "revision, to and time need a target.", { at: "target" });
  const { operation, before } =
    given.operation === undefined
      ? await lastOf(services, facts)
      : { operation: await standing(services, given.operation, facts), before: null };
  const rows = await inverseOf(services, operation, at);
  const summary = operation.summary.replace(/^(Undo|Redo): /, "");
  const verb = operation.isUndo ? "Redo" : "Undo";
  return { rows, title: verb, summary: `${verb}: ${summary}`, operation, before };
}

async function whenOf(
  { operation, revision, to, time }: UndoInput,
  root: Root,
  services: CmsServices,
): Promise<{ readonly when: Exclude<When, "current">; readonly words: string }> {
  const given = [revision, to, time].filter((one) => one !== undefined);
  if (operation !== undefined || given.length !== 1)
    throw fail("invalid_input", "With a target goes one of revision, to and time, and no operation.", {
      at: "target",
    });
  if (revision !== undefined)
    return { when: await momentOf(services, revision, root), words: `as it was after ${revision}` };
  if (time === undefined) return { when: "published", words: "as it is published" };
  return {
    when: { at: Date.parse(time), row: Number.MAX_SAFE_INTEGER },
    words: `as it was at ${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`,
  };
}

const LOOKED_AT_MAX = 200;
/** An image that a person uploaded is not the session's change. */
const UPLOAD = "upload";

async function lastOf(
  services: CmsServices,
  { session, createdAt = 0 }: SessionFacts,
): Promise<{ readonly operation: StoredOperation; readonly before: UndoRequest["before"] }> {
  const operations = await listOperations(services, { session, from: createdAt }, { limit: LOOKED_AT_MAX });
  const [last, before = null] = operations.filter(
    (one) => one.undoable && !one.isUndo && one.tool !== UPLOAD,
  );
  if (last !== undefined) return { operation: last, before };
  throw fail("nothing_to_undo", "This session has changed nothing that could be taken back.", {
    hint: "history lists the operations of all sessions with their keys.",
  });
}

/** The operation of this key; one that was taken back and done again, as it was done last. Refuses `already_undone`. */
async function standing(
  services: CmsServices,
  key: string,
  { session, subject }: SessionFacts,
): Promise<StoredOperation> {
  const requested = await resolveOperation(services, key);
  let now = requested;
  while (now.undoneBy !== null) now = await resolveOperation(services, now.undoneBy);
  const isOwn = now.actor === `user:${subject}` || (session !== "" && now.session === session);
  const operation = isOwn ? now.key : publicName(now);
  if (now.isUndo !== requested.isUndo)
    throw fail("already_undone", `“${requested.summary}” was taken back already.`, {
      at: "operation",
      hint: "Undo that undo to do it again.",
      suggestions: [{ label: now.summary, value: { operation } }],
      details: { operation, by: isOwn ? now.actor : kindOf(now.actor), at: new Date(now.at).toISOString() },
    });
  if (now.undoable) return now;
  throw fail("nothing_to_undo", `“${now.summary}” has changed nothing that could be taken back.`, {
    at: "operation",
    hint: "history says which operations can be undone.",
  });
}

const notUndone = ({ key }: StoredOperation): StateGuard => ({
  sql: "SELECT count(*) FROM operations WHERE key=?1->>0 AND undone_by IS NULL",
  json: JSON.stringify([key]),
  equals: 1,
});

/** Refuses `protected_page` where the layout or the home page would go from the public site. */
export function checkStanding(changes: readonly Change[], { homePageId }: Environment): void {
  for (const change of changes) {
    if (change.type !== "page" || change.before === null) continue;
    const { before, after } = change;
    if (after.id !== homePageId && after.kind !== "layout") continue;
    if (before.status !== "published" || (after.status === "published" && after.deletedAt === null)) continue;
    throw fail("protected_page", `“${after.name}” holds the site together and stays public.`, {
      hint: "Set another home first.",
    });
  }
}

/** Refuses `slug_taken` where something else has an address that would be needed again. `site` is the one that follows. */
export async function checkSlugs(
  services: CmsServices,
  changes: readonly Change[],
  { environment, schemas }: Site,
  at = "operation",
): Promise<void> {
  const leaving = new Set(
    changes.flatMap(({ type, before, after }) =>
      (type === "page" || type === "entry") &&
      before !== null &&
      (isDeleted(after) || before.slug !== after.slug)
        ? [before.id]
        : [],
    ),
  );
  for (const { type, before, after } of changes) {
    if (type === "locale" && before === null && after !== null) await takeableCode(services, after.code, at);
    if ((type !== "page" && type !== "entry" && type !== "collection") || isDeleted(after)) continue;
    if (type === "entry" && !schemas.collections.has(after.collectionId))
      throw fail("undo_conflict", `The collection of “${after.title}” was taken away.`, {
        at,
        hint: "Bring the collection back first: undo what took it away.",
      });
    if (before !== null && !isDeleted(before) && before.slug === after.slug) continue;
    if (type !== "entry") {
      if (type === "collection" || after.kind === "page")
        await takeablePageSlug(services, environment, after.slug, after.id, at, leaving);
      continue;
    }
    const [holder] = await rowsOf(
      services,
      "SELECT id, title FROM entries WHERE collection_id=?1 AND slug=?2 AND deleted_at IS NULL AND id<>?3",
      after.collectionId,
      after.slug,
      after.id,
    );
    if (holder === undefined || leaving.has(text(holder, "id"))) continue;
    throw fail("slug_taken", `The slug “${after.slug}” belongs to “${text(holder, "title")}” now.`, {
      at,
      hint: "Give that entry another slug first.",
    });
  }
}

/** Refuses `in_use` where an image would go that something else still shows. */
async function checkUnused(services: CmsServices, { changes, pages }: RestorePlan): Promise<void> {
  const gone = changes.flatMap((one) => (one.type === "image" && isDeletion(one) ? [one.after] : []));
  const roots = new Set([
    ...pages.map((one) => one.page.id),
    ...changes.map((one) => entityId(one, services.env)),
  ]);
  const uses = await loadInbound(
    services,
    gone.map((one) => one.id),
  );
  const use = uses.find((one) => !roots.has(one.rootId));
  if (use === undefined) return;
  throw fail("in_use", `“${use.rootName}” shows the image that would go.`, {
    at: "operation",
    hint: "Take that back first, or delete it with image_delete, which can detach it or put another one in.",
  });
}

/** The result for each thing: deleted, restored, or changed. */
export function restoredBy(
  { changes }: Pick<RestorePlan, "changes">,
  first: string | null,
  environment: Environment,
  { templates }: Schemas,
): EntityRef[] {
  // The first of its type is what is spoken of from now on.
  const order = ["page", "collection", "entry", "section", "nav_item", "site", "locale", "image"];
  const sortOrder = ({ type, id }: EntityRef): number => 2 * order.indexOf(type) + (id === first ? 0 : 1);
  const refs = changes.flatMap((change): EntityRef[] => {
    const { before, after } = change;
    const op =
      after !== null && isDeleted(after)
        ? "delete"
        : before === null || isDeleted(before)
          ? "create"
          : "touch";
    switch (change.type) {
      case "page":
      case "collection": {
        const { id, name, slug } = change.after;
        return [{ op, type: change.type, id, name, slug }];
      }
      case "locale": {
        const { code, name } = change.after ?? change.before ?? { code: "", name: "" };
        return [{ op: after === null ? "delete" : op, type: "locale", id: code, name }];
      }
      case "entry": {
        const { id, title, slug, collectionId } = change.after;
        return [
          { op, type: "entry", id, name: title, slug, parent: { type: "collection", id: collectionId } },
        ];
      }
      case "section": {
        const { id, template, pageId } = change.after;
        const heading = sectionHeading(change.after, templates, environment);
        return [sectionEntity(op, { id, template, heading }, pageId)];
      }
      case "nav_item":
        return [{ op, type: "nav_item", id: change.after.id, name: change.after.label }];
      case "setting":
        return [{ op: "touch", type: "site", id: environment.siteId, name: environment.siteName }];
      case "image":
        return [{ op, type: "image", id: change.after.id, name: change.after.filename }];
      case "published":
      case "redirect":
        return [];
    }
  });
  return refs.toSorted((one, other) => sortOrder(one) - sortOrder(other));
}

function previewPath(
  changes: readonly Change[],
  environment: Environment,
  { collections }: Schemas,
): string | null {
  for (const change of changes) {
    if (change.type === "page" && change.after.deletedAt === null) return pagePath(change.after, environment);
    if (change.type === "entry" && change.after.deletedAt === null) {
      const collection = collections.get(change.after.collectionId);
      if (collection !== undefined) return entryPath(change.after, collection.slug, environment);
    }
  }
  return null;
}

/** Visible effects and deletions, one line each. */
function linesOf(changes: readonly Change[], environment: Environment): string[] {
  const urls = changes.flatMap((change): string[] => {
    if (change.type !== "published") return [];
    const document = (change.after ?? change.before)?.document;
    if (document === undefined) return [];
    const url = document.type === "page" ? pagePath(document, environment) : `The entry /${document.slug}`;
    if (change.after === null) return [`${url} will answer 404`];
    return [change.before === null ? `${url} is public again` : `${url} shows what it showed before`];
  });
  const gone = (["page", "collection", "entry", "section", "nav_item"] as const).flatMap((type) => {
    const count = changes.filter((one) => one.type === type && isDeletion(one)).length;
    const noun = type === "nav_item" ? "navigation item" : type;
    return count === 0 ? [] : [`${counted(count, noun)} ${count === 1 ? "is" : "are"} deleted`];
  });
  return [...urls, ...gone];
}

export async function deadLinks(services: CmsServices, changes: readonly Change[]): Promise<string[]> {
  const gone = changes.flatMap((one) =>
    (one.type === "page" || one.type === "entry" || one.type === "collection") && isDeletion(one)
      ? [one.after.id]
      : [],
  );
  if (gone.length === 0) return [];
  const own = new Set(
    changes.flatMap((one) => (one.type === "nav_item" && isDeletion(one) ? [one.after.id] : [])),
  );
  const inbound = (await loadInbound(services, gone)).filter(
    (one) => !own.has(one.ownerId) && !gone.includes(one.rootId),
  );
  return [...new Set(inbound.map((one) => one.rootName))].map(
    (name) => `Links to it on “${name}” lead nowhere then`,
  );
}
