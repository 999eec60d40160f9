import * as z from "zod";
import { parseJson } from "../../cairn/protocol/json.ts";

/**
 * Frames that the server sends on a native connection, as far as a terminal reads them. Tolerant on purpose: unknown
 * fields and frames of a newer server are ignored.
 */

const fault = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().nullish(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

const hello = z.object({
  type: z.literal("cairn:hello"),
  sessionId: z.string(),
  subject: z.string().nullish(),
  scopes: z.array(z.string()).nullish(),
  lastSeq: z.number(),
  activeRunId: z.string().nullish(),
});
const ack = z.object({
  type: z.literal("cairn:ack"),
  eventId: z.string(),
  ok: z.boolean(),
  result: z.unknown().optional(),
  error: fault.nullish(),
});
const chunk = z.object({
  type: z.literal("cairn:chunk"),
  runId: z.string(),
  /** absent on transient chunks */
  pos: z.number().nullish(),
  chunk: z.looseObject({ type: z.string() }),
});
const caughtUp = z.object({ type: z.literal("cairn:caught-up"), runId: z.string() });
const event = z.object({
  type: z.literal("cairn:event"),
  event: z.looseObject({
    seq: z.number(),
    run: z.string().nullish(),
    kind: z.string(),
    body: z.looseObject({}),
  }),
});
/** the session woke from a stop, and its log ends here */
const head = z.object({ type: z.literal("cairn:head"), lastSeq: z.number() });
const failed = z.object({ type: z.literal("cairn:error"), about: z.string().nullish(), error: fault });

const frame = z.discriminatedUnion("type", [hello, ack, chunk, caughtUp, event, head, failed]);

export type ServerFrame = z.infer<typeof frame>;
export type Hello = z.infer<typeof hello>;
export type Fault = z.infer<typeof fault>;
export type Logged = z.infer<typeof event>["event"];
export type RawChunk = z.infer<typeof chunk>["chunk"];

/** A text frame, or null for one that is not ours to read (`pong`, `cf_agent_*`, kinds of a newer server). */
export function parseServerFrame(text: string): ServerFrame | null {
  return frame.safeParse(parseJson(text)).data ?? null;
}

/** Response to `cairn:send`. */
export const sendResponse = z.object({ runId: z.string(), queued: z.number().nullish() });

/** `run_ended` of the log. */
export const runEnded = z.object({
  outcome: z.string(),
  class: z.enum(["answered", "partial", "failed", "cancelled"]),
  reason: z.string().nullish(),
  steps: z.number(),
  activeMs: z.number(),
  usage: z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    estimated: z.boolean().nullish(),
    /** millionths of a US dollar; absent where the price is not known */
    cost: z.number().nullish(),
  }),
});
export type RunEnded = z.infer<typeof runEnded>;
