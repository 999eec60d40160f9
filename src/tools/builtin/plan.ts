import * as z from "zod";
import { PLAN_GOAL_CHARS_MAX, PLAN_ITEMS_MAX, PLAN_TEXT_CHARS_MAX } from "../../core/limits.ts";
import { UPDATE_PLAN } from "../../core/state/plan.ts";
import { defineTool, ToolError } from "../define.ts";

const words = z.string().max(PLAN_TEXT_CHARS_MAX).optional();

/** Sets the whole plan. The loop settles it itself (core/entries/plan.ts); it is never run. */
export const planTool = defineTool<unknown, z.ZodType, never>({
  name: UPDATE_PLAN,
  version: 1,
  title: "Plan",
  description:
    "Sets your plan of this run, the whole list each time. An item is doing before you do it, done once a result shows it, or dropped with a reason. Say which item calls are for as [p2] in your text.",
  input: z.strictObject({
    goal: z
      .string()
      .trim()
      .min(1)
      .max(PLAN_GOAL_CHARS_MAX)
      .describe("What the person wants, in one sentence"),
    items: z
      .array(
        z.strictObject({
          id: z.string().regex(/^p\d{1,3}$/, "Such as p1"),
          text: z.string().trim().min(3).max(PLAN_TEXT_CHARS_MAX),
          kind: z.enum(["look", "do", "check", "deliver"]),
          tool: z.string().max(64).optional().describe("The tool that does it"),
          fallback: words.describe("What to do if it fails"),
          doneWhen: words,
          status: z.enum(["open", "doing", "done", "failed", "dropped"]),
          reason: words.describe("Why it is dropped or failed"),
        }),
      )
      .min(1)
      .max(PLAN_ITEMS_MAX),
  }),
  effect: "keyed",
  kind: "bookkeeping",
  tier: "open",
  reads: "none",
  run: () => Promise.reject(new ToolError("internal", "pure_ran", "The loop settles this call itself.")),
});
