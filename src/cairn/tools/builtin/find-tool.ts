import * as z from "zod";
import { FIND_QUERY_CHARS_MAX } from "../../core/limits.ts";
import { FIND_TOOL } from "../../core/log/names.ts";
import { defineTool, ToolError } from "../define.ts";

/**
 * Finds the tools that a run was not offered at once. The loop settles it itself (core/loop/internal-tools.ts); it is never run.
 * The description ends with their names (core/loop/find-tools.ts).
 */
export const findTool = defineTool<unknown, z.ZodType, never>({
  name: FIND_TOOL,
  version: 1,
  title: "Find a tool",
  description: "Offers more tools from the next step on. Call it when a tool that you need is missing.",
  input: z.strictObject({
    query: z.string().trim().min(1).max(FIND_QUERY_CHARS_MAX).describe("Names of tools, or words"),
  }),
  effect: "read",
  kind: "bookkeeping",
  freshMs: 0,
  tier: "open",
  reads: "none",
  run: () => Promise.reject(new ToolError("internal", "pure_ran", "The loop settles this call itself.")),
});
