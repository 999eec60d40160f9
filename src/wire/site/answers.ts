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
});
