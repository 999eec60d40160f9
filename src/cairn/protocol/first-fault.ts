import * as z from "zod";

/**
 * Lists and records of which the first fault alone is reported: a schema that notes one for each of 800,000 items fills the memory
 * of an isolate.
 */

/** A list of these items. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(z.unknown())
    .superRefine((items, context) => reportFirst(items.entries(), item, context))
    .pipe(z.array(item));

/** A record with these values. */
export const recordOf = <Item extends z.ZodType>(item: Item) =>
  z
    .record(z.string(), z.unknown())
    .superRefine((record, context) => reportFirst(Object.entries(record), item, context))
    .pipe(z.record(z.string(), item));

function reportFirst(
  items: Iterable<readonly [PropertyKey, unknown]>,
  schema: z.ZodType,
  context: z.core.$RefinementCtx,
): void {
  for (const [at, item] of items) {
    const [issue] = schema.safeParse(item).error?.issues ?? [];
    if (issue === undefined) continue;
    context.addIssue({ code: "custom", path: [at, ...issue.path], message: issue.message });
    return;
  }
}
