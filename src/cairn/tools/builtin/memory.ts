import * as z from "zod";
import { FACT_BYTES_MAX, FACT_KEY_CHARS_MAX } from "../../core/limits.ts";
import { RETRIEVE_MEMORY, STORE_MEMORY } from "../../core/loop/internal-tools.ts";
import { defineTool, ToolError } from "../define.ts";

/** Tools for session facts. The loop settles both itself (core/loop/internal-tools.ts); they never run. */

const QUERY_CHARS_MAX = 200;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
const key = z.string().trim().min(1).max(FACT_KEY_CHARS_MAX);

const neverRun = (): Promise<never> =>
  Promise.reject(new ToolError("internal", "pure_ran", "The loop settles this call itself."));

export const storeMemory = defineTool<unknown, z.ZodType, never>({
  name: STORE_MEMORY,
  lean: true,
  version: 1,
  title: "Remember",
  description:
    "Keeps a short text under a key for this session: a wish, a decision, a fact that later runs will need. The same key replaces it; an empty value forgets it. What your tools touch is kept without this.",
  input: z.strictObject({
    key: key.describe("Such as `tone of voice`"),
    value: z
      .string()
      .max(FACT_BYTES_MAX)
      .refine((text) => bytesOf(text) <= FACT_BYTES_MAX, `At most ${FACT_BYTES_MAX} bytes in UTF-8.`),
  }),
  effect: "keyed",
  kind: "bookkeeping",

  verbs: ["save", "delete"],
  tier: "open",
  reads: "none",
  run: neverRun,
});

export const retrieveMemory = defineTool<unknown, z.ZodType, never>({
  name: RETRIEVE_MEMORY,
  lean: true,
  version: 1,
  title: "Recall",
  description:
    "Brings what store_memory kept in this session: one text by its key, those that fit the words of a query, or without both the list of keys.",
  input: z.strictObject({
    key: key.optional(),
    query: z.string().trim().min(1).max(QUERY_CHARS_MAX).optional().describe("Words to look for"),
  }),
  effect: "read",
  kind: "bookkeeping",
  tier: "open",
  reads: "private",
  run: neverRun,
});
