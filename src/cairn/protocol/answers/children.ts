import * as z from "zod";

const time = z.iso.datetime();
const count = z.number().int().min(0);
const face = z.enum(["answered", "partial", "failed", "cancelled"]);

/** A run that a run has started, as the one above it knows it. */
export const childRunAnswer = z.object({
  /** the run in the child's session */
  runId: z.string(),
  sessionId: z.string(),
  /** the call that started it */
  call: z.string(),
  /** working: its report has not come; stopped: none is awaited any more */
  state: z.enum(["working", "reported", "stopped"]),
  /** whether its report is the result of the call */
  wait: z.boolean(),
  outcome: face.nullable(),
  reason: z.string().nullable(),
  /** of it and all below it, once it has reported */
  costUsd: z.number().nullable(),
  tokens: count.nullable(),
});

/** A run and all below it, each with the one above it before it. */
export const runTreeAnswer = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      sessionId: z.string(),
      /** null for the requested run, if it has no parent */
      parentRunId: z.string().nullable(),
      /** the call of the run above it */
      call: z.string().nullable(),
      /** levels below the run that was asked for */
      depth: count,
      status: z.enum(["queued", "running", "paused", "completed", "failed", "cancelled"]),
      outcome: face.nullable(),
      reason: z.string().nullable(),
      agent: z.string(),
      objective: z.string(),
      waitingFor: z
        .object({ kind: z.string(), id: z.string().nullable(), until: time.nullable() })
        .nullable(),
      steps: count,
      /** of this run alone */
      tokens: count,
      costUsd: z.number(),
      createdAt: time,
      startedAt: time.nullable(),
      endedAt: time.nullable(),
    }),
  ),
  /** runs that are gone: their sessions were deleted */
  missing: z.array(z.string()),
  total: z.object({ runs: count, live: count, waiting: count, tokens: count, costUsd: z.number() }),
});
