import * as z from "zod";

/** What the doors of the site answer. */

const time = z.iso.datetime();

export const undoneAnswer = () =>
  z.object({
    /** key of the undo: undo that to redo */
    operation: z.string(),
    restored: z.array(
      z.object({
        op: z.enum(["touch", "create", "delete"]),
        ...{ type: z.string(), id: z.string(), name: z.string() },
      }),
    ),
    publicNow: z.boolean(),
    notes: z.array(z.string()),
  });

export const siteAnswers = <Change extends z.ZodType>(change: Change) => ({
  SiteOutline: z.object({
    pages: z.array(z.object({ name: z.string(), slug: z.string(), status: z.string() })),
    /** of the home page; null where it has none */
    heroTitle: z.string().nullable(),
  }),
  SiteHistory: z.object({
    items: z.array(
      z.object({
        ...{ operation: z.string(), tool: z.string(), summary: z.string(), actor: z.string(), at: time },
        ...{ session: z.string().nullable(), run: z.string().nullable() },
        undoable: z.boolean(),
        /** it is a taking back: to undo it is to redo */
        isUndo: z.boolean(),
        /** keys of the operation that it took back, and of the one that took it back */
        ...{ undoes: z.string().nullable(), undoneBy: z.string().nullable() },
        /** of the page or entry that was asked for, as it was after this; else null */
        revision: z.string().nullable(),
        /** null unless one operation was asked for */
        changes: z.array(change).nullable(),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
  Undone: undoneAnswer(),
  Uploaded: z.object({
    imageId: z.string(),
    url: z.string(),
    /** pixels, as it is shown */
    ...{ width: z.number().nullable(), height: z.number().nullable() },
    /** the library had these bytes already */
    deduped: z.boolean(),
  }),
  Image: z.object({
    ...{ id: z.string(), filename: z.string(), url: z.string(), mediaType: z.string() },
    ...{ byteSize: z.number(), width: z.number().nullable(), height: z.number().nullable() },
    ...{ alt: z.string(), altSource: z.enum(["none", "filename", "model", "stock", "human"]) },
    ...{ caption: z.string(), tags: z.array(z.string()) },
    origin: z.enum(["seed", "chat", "api", "stock", "url"]),
    /** who took it and under which licence; null where nobody said */
    attribution: z.record(z.string(), z.string()).nullable(),
    ...{ version: z.number(), createdAt: time },
    /** what a model found out; `skipped` where there is none to ask */
    metadata: z.object({
      status: z.enum(["pending", "done", "failed", "skipped"]),
      description: z.string(),
      error: z.string().nullable(),
    }),
    usages: z.array(
      z.object({
        ...{ ownerType: z.string(), ownerId: z.string(), ownerName: z.string() },
        ...{ field: z.string(), locale: z.string(), state: z.enum(["draft", "published", "live"]) },
      }),
    ),
  }),
});
