import * as z from "zod";
import { PLAN_EXAMPLE, readPlanInput } from "../../core/entries/plan-input.ts";
import { PLAN_GOAL_CHARS_MAX, PLAN_ITEMS_MAX, PLAN_TEXT_CHARS_MAX } from "../../core/limits.ts";
import { toJson } from "../../core/log/json.ts";
import { UPDATE_PLAN } from "../../core/state/plan.ts";
import { schemaOf } from "../card.ts";
import { defineTool, ToolError } from "../define.ts";

const words = z.string().optional();

/** The shape that is offered. More is read, and longer texts are cut or refused there, see core/entries/plan-input.ts. */
const offered = z.object({
  goal: z.string().max(PLAN_GOAL_CHARS_MAX).describe("What the person wants, in one sentence"),
  items: z
    .array(
      z.object({
        id: words,
        text: z.string().min(1).max(PLAN_TEXT_CHARS_MAX),
        kind: z.enum(["look", "do", "check", "deliver"]).optional(),
        tool: words.describe("The tool that does it"),
        fallback: words,
        doneWhen: words,
        status: z.enum(["open", "doing", "done", "failed", "dropped"]).optional(),
        reason: words,
      }),
    )
    .min(1)
    .max(PLAN_ITEMS_MAX),
});

/** Sets the whole plan. The loop settles it itself (core/entries/plan.ts); it is never run. */
export const planTool = defineTool<unknown, z.ZodType, never>({
  name: UPDATE_PLAN,
  version: 1,
  title: "Plan",
  description: `Sets your plan, the whole list each time: ${PLAN_EXAMPLE}. Done needs a result, dropped a reason. Name the item of a call as [p2].`,
  input: z.unknown().superRefine((input, context) => {
    const read = readPlanInput(toJson(input), null);
    if (!read.ok) context.addIssue({ code: "custom", message: read.message });
  }),
  inputSchema: schemaOf(offered),
  effect: "keyed",
  kind: "bookkeeping",
  tier: "open",
  reads: "none",
  run: () => Promise.reject(new ToolError("internal", "pure_ran", "The loop settles this call itself.")),
});
