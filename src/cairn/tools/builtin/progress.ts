import * as z from "zod";
import { PROGRESS_CHARS_MAX } from "../../core/text/progress.ts";
import { LOG_PROGRESS } from "../../core/loop/internal-tools.ts";
import { defineTool, ToolError } from "../define.ts";

/** Reports the progress of the run. The loop settles it itself (core/loop/internal-tools.ts); it never runs. */
export const logProgress = defineTool<unknown, z.ZodType, never>({
  name: LOG_PROGRESS,
  version: 1,
  title: "Progress",
  description:
    "Shows the person how far you are, in one short sentence, while a long piece of work goes on. It is no answer.",
  input: z.strictObject({
    message: z.string().trim().min(1).max(PROGRESS_CHARS_MAX).describe("In the person's language"),
    percent: z.number().min(0).max(100).optional().describe("Only if you can say"),
  }),
  effect: "read",
  kind: "bookkeeping",
  freshMs: 0,
  tier: "open",
  reads: "none",
  run: () => Promise.reject(new ToolError("internal", "pure_ran", "The loop settles this call itself.")),
});
