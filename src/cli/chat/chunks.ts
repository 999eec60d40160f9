import * as z from "zod";
import { json } from "../../cairn/protocol/json.ts";
import { receiptSchema } from "../../cairn/protocol/receipt.ts";
import type { RawChunk } from "./frames.ts";

/** The chunks of a run's message that a terminal shows. */

const change = z.object({ what: z.string(), before: z.string().nullable(), after: z.string().nullable() });
const item = z.object({
  what: z.string(),
  becomes: z.enum(["created", "changed", "deleted"]),
  changes: z.array(change),
});
export const approvalChunk = z.object({
  id: z.string(),
  callId: z.string(),
  tool: z.string(),
  title: z.string(),
  summary: z.string(),
  impact: z.array(z.string()),
  warnings: z.array(z.string()).nullish(),
  changes: z.array(change).nullish(),
  batch: z.object({ name: z.string().default(""), items: z.array(item) }).nullish(),
  args: json,
  askedArgs: json.optional(),
  effect: z.string().nullish(),
  tainted: z.boolean().nullish(),
  digest: z.string(),
  state: z.enum(["pending", "approved", "denied", "expired", "cancelled"]),
  needed: z.number().nullish(),
  votes: z
    .array(z.object({ subject: z.string(), decision: z.string(), via: z.string().nullish() }))
    .nullish(),
  escalated: z.boolean().nullish(),
  remember: z.array(z.string()).nullish(),
  expiresAt: z.string().nullish(),
  result: z.object({ by: z.string().nullish(), reason: z.string().nullish() }).nullish(),
});
export type Approval = z.infer<typeof approvalChunk>;

/** An approval of the inbox; null where it is none that a terminal can show. */
export const parseApproval = (item: unknown): Approval | null => approvalChunk.safeParse(item).data ?? null;

const question = z.object({
  questionId: z.string(),
  question: z.string(),
  options: z.array(z.string()),
  expiresAt: z.string().nullish(),
  default: z.string().nullish(),
  context: z.string().nullish(),
  state: z.string(),
  by: z.string().nullish(),
});
export type Question = z.infer<typeof question>;

const plan = z.object({
  rev: z.number(),
  goal: z.string(),
  items: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      status: z.enum(["open", "doing", "done", "failed", "dropped"]),
      reason: z.string().nullish(),
    }),
  ),
});
export type PlanShown = z.infer<typeof plan>;

const BUDGETS = ["steps", "tokens", "costUsd", "activeMs", "toolCalls", "messages"] as const;
const budgetQuestion = z.object({
  id: z.string(),
  what: z.enum(BUDGETS),
  used: z.number(),
  limit: z.number(),
  adds: z.record(z.string(), z.number()),
  costUsd: z.object({ used: z.number(), limit: z.number() }),
  state: z.enum(["open", "extended", "finished", "ended"]),
  by: z.string().nullable(),
  askedAt: z.string(),
});
export type BudgetShown = z.infer<typeof budgetQuestion>;

const citation = z.object({
  id: z.string(),
  url: z.string(),
  title: z.string(),
  quote: z.string(),
  fetchedAt: z.string().nullish(),
});
export type Citation = z.infer<typeof citation>;

const step = z.object({
  phase: z.string(),
  attempt: z.number().nullish(),
  until: z.union([z.string(), z.number()]).nullish(),
  note: z.string().nullish(),
  percent: z.number().nullish(),
});
export type StepShown = z.infer<typeof step>;

// A server of another version may have another receipt; the end of its run is an end all the same.
const messageMetadata = z.object({ receipt: receiptSchema.nullish() }).nullish().catch(null);

const toolCallId = z.string();
const chunk = z.discriminatedUnion("type", [
  z.object({ type: z.literal("start"), messageId: z.string().nullish() }),
  z.object({ type: z.literal("start-step") }),
  z.object({ type: z.literal("reset-step") }),
  z.object({ type: z.literal("finish-step") }),
  z.object({ type: z.literal("reasoning-delta"), delta: z.string() }),
  z.object({ type: z.literal("reasoning-end") }),
  z.object({ type: z.literal("text-delta"), delta: z.string() }),
  z.object({ type: z.literal("text-end") }),
  z.object({
    type: z.literal("tool-input-available"),
    toolCallId,
    toolName: z.string(),
    input: z.unknown(),
    title: z.string().nullish(),
  }),
  z.object({ type: z.literal("tool-output-available"), toolCallId, output: z.unknown() }),
  z.object({ type: z.literal("tool-output-error"), toolCallId, errorText: z.string() }),
  z.object({ type: z.literal("tool-input-error"), toolCallId, errorText: z.string() }),
  z.object({ type: z.literal("tool-output-denied"), toolCallId }),
  z.object({ type: z.literal("data-approval"), data: approvalChunk }),
  z.object({ type: z.literal("data-citations"), data: z.object({ items: z.array(citation) }) }),
  z.object({ type: z.literal("data-plan"), data: plan }),
  z.object({ type: z.literal("data-question"), data: question }),
  z.object({ type: z.literal("data-client-call"), data: z.object({ tool: z.string(), state: z.string() }) }),
  z.object({ type: z.literal("data-budget-question"), data: budgetQuestion }),
  z.object({ type: z.literal("data-step"), data: step, transient: z.boolean().nullish() }),
  z.object({
    type: z.literal("data-verdict"),
    data: z.object({
      source: z.string().nullish(),
      level: z.string().nullish(),
      accepted: z.boolean().nullish(),
      codes: z.array(z.string()).nullish(),
    }),
  }),
  z.object({ type: z.literal("message-metadata"), messageMetadata }),
  z.object({ type: z.literal("finish"), finishReason: z.string().nullish(), messageMetadata }),
  z.object({ type: z.literal("abort"), reason: z.string().nullish() }),
  z.object({ type: z.literal("error"), errorText: z.string() }),
]);
export type Chunk = z.infer<typeof chunk>;

/** A chunk that can be shown, or null for kinds that a terminal leaves out. */
export function parseChunk(raw: RawChunk): Chunk | null {
  const parsed = chunk.safeParse(raw);
  return parsed.success ? parsed.data : null;
}

/** True for the last chunk of a run. `finish` with `tool-calls` only ends a segment, because a person is asked. */
export function isLast(chunk: Chunk): boolean {
  if (chunk.type === "finish") return chunk.finishReason !== "tool-calls";
  return chunk.type === "abort" || chunk.type === "error";
}
