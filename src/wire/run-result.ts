import * as z from "zod";
import type { BodyOf } from "../core/log/entry.ts";
import type { SpecWarning } from "../core/log/run-spec.ts";

/** What a run was asked to give back, and what it gave: the same in views, webhooks and streams. */

type Queued = BodyOf<"run_queued">;

/** Under which name the result of a run stands. */
export const resultKeyOf = (_asked: Queued): string => "result";

/** The agent that works a run. */
export const agentOf = (_asked: Queued): string => "default";

/** What was taken otherwise than it was asked. */
export const warningsOf = (_asked: Queued): readonly SpecWarning[] => [];

/** What a run came to, under one name. */
export const resultSchema = z.record(
  z.string(),
  z.object({
    answer: z.string(),
    /** from 0 to 1, as the model says; null where it says nothing */
    confidence: z.number().nullable(),
    summary: z.string().nullable(),
  }),
);

/** The result of a run that has ended with this answer. */
export function resultOf(
  asked: Queued,
  { text, confidence, summary }: Pick<BodyOf<"answer">, "text" | "confidence" | "summary">,
): z.output<typeof resultSchema> {
  return { [resultKeyOf(asked)]: { answer: text, confidence, summary } };
}
