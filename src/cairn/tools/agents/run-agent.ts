import * as z from "zod";
import { RUN_AGENT } from "../../core/family/ask.ts";
import {
  REQUESTED_ACTIVE_MS_MAX,
  REQUESTED_STEPS_MAX,
  CHILD_OBJECTIVE_CHARS_MAX,
} from "../../core/limits.ts";
import { AGENT_NAME } from "../../core/log/names.ts";
import { readOutputSchema } from "../../protocol/run-spec/output-schema.ts";
import { defineTool, ToolError } from "../define.ts";

const objective = z
  .string()
  .trim()
  .min(1)
  .max(CHILD_OBJECTIVE_CHARS_MAX)
  .describe("All that it is told: what to do, what it needs to know, and what to answer");

const wait = z
  .boolean()
  .default(true)
  .describe("false: go on at once; its report comes later, before you answer");

/** Input of a tool for one agent. */
export const agentInput = z.strictObject({ objective, wait });

/** Checked here, so that the model reads what is wrong in the same step, before a session is made for it. */
const output = z.record(z.string(), z.json()).superRefine((schema, context) => {
  const read = readOutputSchema(schema);
  if (!read.ok)
    context.addIssue({ code: "custom", message: `This is not a usable JSON Schema: ${read.why}` });
});

const input = z.strictObject({
  objective,
  agent: z.string().regex(AGENT_NAME).optional().describe("Name of an agent; without it, one like you"),
  instructions: z.string().max(CHILD_OBJECTIVE_CHARS_MAX).optional(),
  tools: z
    .array(z.string().min(1).max(100))
    .max(128)
    .optional()
    .describe("Of your own tools, those it may use"),
  temperature: z.number().min(0).max(2).optional(),
  max_iterations: z.int().min(1).max(REQUESTED_STEPS_MAX).optional(),
  timeout_ms: z.int().min(1_000).max(REQUESTED_ACTIVE_MS_MAX).optional(),
  budget: z
    .strictObject({
      tokens: z.int().min(1).optional(),
      cost_usd: z.number().min(0).optional(),
      tool_calls: z.int().min(0).optional(),
      messages: z.int().min(0).optional(),
    })
    .optional()
    .describe("Less than its share, which is what is left of yours, in equal parts"),
  output: output
    .optional()
    .describe(
      'JSON Schema of the value that it must answer with, such as {"type":"object","properties":{"title":{"type":"string"}}}',
    ),
  wait,
});

/** Starts a run in another session. The engine does it (session/engine/family); the tool itself never runs. */
export const runAgent = defineTool<unknown, typeof input, never>({
  name: RUN_AGENT,
  version: 1,
  title: "Delegate to an agent",
  description:
    "Hands a part of the work to another run, which has no memory of this one. Its report is the result. Several in one reply work side by side.",
  input,
  effect: "keyed",
  tier: "open",
  reads: "none",
  run: () => Promise.reject(new ToolError("internal", "started_ran", "The session starts this run itself.")),
});
