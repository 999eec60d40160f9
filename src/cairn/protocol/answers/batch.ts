import * as z from "zod";

/** One line of what a call changes. */
export const shownChange = () =>
  z.object({ what: z.string(), before: z.string().nullable(), after: z.string().nullable() });

/** Many changes that are decided as one. */
export const batchAnswer = <Change extends z.ZodType>(change: Change) =>
  z.object({
    id: z.string(),
    name: z.string(),
    items: z.array(
      z.object({
        what: z.string(),
        becomes: z.enum(["created", "changed", "deleted"]),
        changes: z.array(change),
        draft: z.object({ type: z.enum(["page", "entry"]), id: z.string() }).nullable(),
      }),
    ),
  });
