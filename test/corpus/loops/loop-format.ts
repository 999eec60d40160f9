import * as z from "zod";

/** The format of a trace: one JSON object a line of `loops.jsonl` and `loops-hand.jsonl`. */

const json: z.ZodType = z.json();
const args = z.record(z.string(), json);

/** Traits of a tool in a trace. Paths such as `items[].id` are as in the traces. */
const traits = z.strictObject({
  cls: z.enum(["read", "keyed", "once"]),
  /** name of the argument that is a query in words */
  query: z.string().optional(),
  /** where the ids of a result stand */
  ids: z.string().optional(),
  /** keys, of arguments and results, that mean nothing */
  volatile: z.array(z.string()).optional(),
  polling: z.strictObject({ minIntervalMs: z.int().min(1), maxPolls: z.int().min(1) }).optional(),
  /** arguments that say where in a list one is, besides numbers */
  cursors: z.array(z.string()).optional(),
  /** of an effect: the argument that names what is written to, and the one that is written */
  target: z.string().optional(),
  value: z.string().optional(),
});

const event = z.union([
  z.strictObject({ at: z.int().min(0), t: z.literal("human"), text: z.string() }),
  z.strictObject({
    at: z.int().min(0),
    t: z.literal("reply"),
    text: z.string(),
    calls: z.array(z.strictObject({ id: z.string(), tool: z.string(), args })),
  }),
  z.strictObject({
    at: z.int().min(0),
    t: z.literal("result"),
    call: z.string(),
    ok: z.literal(true),
    output: json,
  }),
  z.strictObject({
    at: z.int().min(0),
    t: z.literal("result"),
    call: z.string(),
    ok: z.literal(false),
    error: z.strictObject({ class: z.string(), code: z.string(), message: z.string() }),
  }),
  // Turns from and to, both counted from 1 and both within.
  z.strictObject({ at: z.int().min(0), t: z.literal("compact"), from: z.int().min(1), to: z.int().min(1) }),
]);

export const LOOP_RULES = [
  "same_result",
  "same_error",
  "error_streak",
  "cycle",
  "monologue",
  "same_thought",
  "near_query",
  "drift",
  "thrash",
  "block_echo",
  "after_compaction",
  "bookkeeping",
  "no_progress",
] as const;
export type LoopRule = (typeof LOOP_RULES)[number];

export const LOOP_FAMILIES = [
  ...LOOP_RULES.filter((rule) => rule !== "cycle"),
  "cycle2",
  "cycle3",
  "cycle4",
  "mixed",
  "paraphrased",
] as const;
export const OK_FAMILIES = [
  "polling",
  "paging",
  "bulk_edit",
  "verify_after_write",
  "retry_after_backoff",
  "reread_after_compaction",
  "fan_out",
  "after_human",
  "empty_text",
  "near_miss",
] as const;
export type LoopFamily = (typeof LOOP_FAMILIES)[number];
export type OkFamily = (typeof OK_FAMILIES)[number];

export const loopTrace = z.strictObject({
  id: z.string().regex(/^[a-z0-9_]+(-[a-z0-9_]+)*-\d{3}$/),
  family: z.enum([...LOOP_FAMILIES, ...OK_FAMILIES]),
  label: z.enum(["loop", "ok"]),
  onset: z.int().min(1).optional(),
  detect_by: z.int().min(1).optional(),
  /** the rules that are complete by `detect_by`, the one of the family first; empty for `ok` */
  rules: z.array(z.enum(LOOP_RULES)),
  split: z.enum(["tune", "held"]),
  by: z.enum(["generator", "hand"]),
  /** what differs from the defaults of `GuardConfig` */
  config: z.strictObject({
    profile: z.enum(["standard", "complex", "research"]).optional(),
    onStuck: z.strictObject({ action: z.literal("force_answer"), iterations: z.int().min(2) }).optional(),
  }),
  tools: z.record(z.string(), traits),
  events: z.array(event).min(3),
});

export type LoopTrace = z.infer<typeof loopTrace>;
export type TraceEvent = LoopTrace["events"][number];
export type ToolTraitsOfTrace = LoopTrace["tools"][string];
