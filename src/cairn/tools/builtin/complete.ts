import * as z from "zod";
import type { JsonObject } from "../../core/log/json.ts";
import { defineTool, ToolError } from "../define.ts";

const ANSWER_CHARS_MAX = 100_000;
const SUMMARY_CHARS_MAX = 2_000;

const confidence = z.number().min(0).max(1).optional().describe("How sure you are, only if you can say");
const summary = z
  .string()
  .max(SUMMARY_CHARS_MAX)
  .optional()
  .describe("One or two sentences for other systems");

/**
 * Returns the input schema of `complete` for a run that must return a value of this form (JSON Schema). Throws if the
 * schema is invalid.
 */
export function valueInput(output: JsonObject): z.ZodType {
  const answer = z.string().max(ANSWER_CHARS_MAX).optional().describe("The same in words, for a person");
  return z.strictObject({ value: z.fromJSONSchema(output), answer, confidence, summary });
}

/** Ends the run with an answer. The loop takes it from the reply itself; it is never run. */
export const complete = defineTool<unknown, z.ZodType, never>({
  name: "complete",
  lean: true,
  version: 1,
  title: "Answer",
  description:
    "End the run with your answer to the person, when the work is done or cannot be done. Call it alone. Answering in plain text without a call does the same.",
  input: z.strictObject({
    answer: z.string().min(1).max(ANSWER_CHARS_MAX).describe("What the person reads, in markdown"),
    confidence,
    summary,
  }),
  effect: "read",
  tier: "open",
  reads: "none",
  run: () =>
    Promise.reject(new ToolError("internal", "complete_ran", "complete is taken from the reply itself.")),
});
