import * as z from "zod";
import { batchAnswer, shownChange } from "../../../cairn/protocol/answers/batch.ts";
import type { Frozen } from "../../../cairn/protocol/api.ts";

/** The answers of the routes of the site, for the OpenAPI document and for the page. */

const time = z.iso.datetime();

export const undoneAnswer = () =>
  z.object({
    /** key of the undo: undo that to redo */
    operation: z.string(),
    restored: z.array(
      z.object({
        op: z.enum(["touch", "create", "delete"]),
        type: z.string(),
        id: z.string(),
        name: z.string(),
      }),
    ),
    publicNow: z.boolean(),
    notes: z.array(z.string()),
  });

/** A change set, without what is in it. */
const changeSet = () =>
  z.object({
    id: z.string(),
    name: z.string(),
    session: z.string(),
    state: z.enum(["open", "published", "discarded"]),
    /** one more with each write into it */
    version: z.int(),
    /** `agent:<session>`, `user:<subject>` */
    by: z.string(),
    createdAt: time,
    /** the time that was approved for it */
    publishAt: time.nullable(),
    /** why it was not published at its time */
    publishFailure: z.string().nullable(),
  });

const check = () =>
  z.object({
    code: z.string(),
    owner: z.object({ type: z.string(), id: z.string(), name: z.string() }),
    field: z.string().nullable(),
    message: z.string(),
    fix: z.string(),
  });

const environment = () =>
  z.object({
    siteId: z.string(),
    environmentId: z.string(),
    name: z.string(),
    /** it is the one that the public site shows */
    isOwn: z.boolean(),
    /** root path of its published pages */
    path: z.string(),
    /** subjects next to the admins, or `*`; null for a person who is no admin */
    members: z.array(z.string()).nullable(),
  });

const makeAnswers = () => ({
  SiteOutline: z.object({
    pages: z.array(z.object({ name: z.string(), slug: z.string(), status: z.string() })),
    /** of the home page; null where it has none */
    heroTitle: z.string().nullable(),
  }),
  SiteHistory: z.object({
    items: z.array(
      z.object({
        operation: z.string(),
        tool: z.string(),
        summary: z.string(),
        actor: z.string(),
        at: time,
        session: z.string().nullable(),
        run: z.string().nullable(),
        undoable: z.boolean(),
        /** it is a taking back: to undo it is to redo */
        isUndo: z.boolean(),
        /** keys of the operation that it took back, and of the one that took it back */
        undoes: z.string().nullable(),
        undoneBy: z.string().nullable(),
        /** of the page or entry that was asked for, as it was after this; else null */
        revision: z.string().nullable(),
        /** null unless one operation was asked for */
        changes: z.array(shownChange()).nullable(),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
  Undone: undoneAnswer(),
  ChangeSets: z.object({ items: z.array(changeSet()) }),
  ChangeSetBrief: changeSet(),
  /** a set as one difference; nothing is in one that is not open */
  ChangeSet: changeSet().extend({
    /** of this content, for the decision about it; empty for a set that is not open */
    digest: z.string(),
    items: batchAnswer(shownChange()).shape.items,
    blockers: z.array(check()),
    warnings: z.array(check()),
    deadLinks: z.array(z.string()),
    /** fields that others have changed since */
    conflicts: z.array(
      z.object({
        type: z.string(),
        id: z.string(),
        name: z.string(),
        field: z.string(),
        summary: z.string().nullable(),
        by: z.string().nullable(),
      }),
    ),
  }),
  ChangeSetSettled: z.object({
    /** key of the operation: undo takes a published set back as a whole */
    operation: z.string(),
    set: z.object({ id: z.string(), name: z.string(), state: z.string() }),
    publishAt: time.nullable(),
    publicNow: z.boolean(),
  }),
  /** A site that comes in as a file: how far it is. */
  SiteImport: z.object({
    id: z.string(),
    state: z.enum(["receiving", "writing", "done", "refused"]),
    environment: z.object({ id: z.string(), name: z.string(), path: z.string() }),
    /** how many the file has, how many are there, how many are written */
    members: z.int(),
    received: z.int(),
    written: z.int(),
    /** numbers that are not there, as ranges: the first 100 */
    missing: z.array(z.tuple([z.int(), z.int()])),
    /** why it was refused */
    reason: z.string().nullable(),
  }),
  /** A post that comes in: checked only, made, or made before. */
  PostIn: z.object({
    became: z.enum(["checked", "created", "there"]),
    /** of the entry, where it was made */
    id: z.string().nullable(),
    url: z.string().nullable(),
    status: z.enum(["draft", "published"]).nullable(),
  }),
  ImageIn: z.object({ imageId: z.string().nullable(), deduped: z.boolean() }),
  SiteImportPart: z.object({ n: z.int(), name: z.string(), size: z.int(), replayed: z.boolean() }),
  Image: z.object({
    id: z.string(),
    filename: z.string(),
    url: z.string(),
    mediaType: z.string(),
    byteSize: z.number(),
    width: z.number().nullable(),
    height: z.number().nullable(),
    alt: z.string(),
    altSource: z.enum(["none", "filename", "model", "stock", "human"]),
    caption: z.string(),
    tags: z.array(z.string()),
    origin: z.enum(["seed", "chat", "api", "stock", "url"]),
    /** photographer and license; null if unknown */
    attribution: z.record(z.string(), z.string()).nullable(),
    version: z.number(),
    createdAt: time,
    /** what a model found out; `skipped` where there is none to ask */
    metadata: z.object({
      status: z.enum(["pending", "done", "failed", "skipped"]),
      description: z.string(),
      error: z.string().nullable(),
    }),
    usages: z.array(
      z.object({
        ownerType: z.string(),
        ownerId: z.string(),
        ownerName: z.string(),
        field: z.string(),
        locale: z.string(),
        state: z.enum(["draft", "published", "live"]),
      }),
    ),
  }),
  Environment: environment(),
  Environments: z.object({ items: z.array(environment()) }),
  PreviewLink: z.object({ url: z.string(), expiresAt: time }),
});

let made: ReturnType<typeof makeAnswers> | null = null;

/** Made when first asked for, as those of the kernel. */
export function siteAnswers(): ReturnType<typeof makeAnswers> {
  return (made ??= makeAnswers());
}

export type SiteAnswerName = keyof ReturnType<typeof makeAnswers>;

/** The answer of a route of the site, as a type. */
export type SiteAnswer<Name extends SiteAnswerName> = Frozen<z.output<ReturnType<typeof makeAnswers>[Name]>>;

/** An answer as a route documents it. */
export const siteAnswer = (name: SiteAnswerName) => ({ name, schema: () => siteAnswers()[name] });
