import { tool } from "ai";
import * as z from "zod";
import { journalOf } from "../worker/journal.ts";

/** The bench's tool, as the AI SDK has tools. */
export const put = tool({
  description: "Puts a number.",
  inputSchema: z.strictObject({ turn: z.string(), n: z.number() }),
  execute: async ({ turn }) => {
    journalOf(turn).ranTool();
    return { ok: true };
  },
});

/** More than any turn of the bench takes. */
export const STEPS_MAX = 20;
