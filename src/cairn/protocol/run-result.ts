import * as z from "zod";
import type { BodyOf } from "../core/log/entry.ts";
import { json } from "./json.ts";

/** Requested and returned result of a run: the same in views, webhooks and streams. */

type Queued = BodyOf<"run_queued">;

/** Result of a run, by name. */
export const resultSchema = z.record(
  z.string(),
  z.object({
    /** words; the value, where the run was asked for one and gave it */
    answer: json,
    /** from 0 to 1, by the model; null if it gives none */
    confidence: z.number().nullable(),
    summary: z.string().nullable(),
  }),
);

/** The result of a run that has ended with this answer. */
export function resultOf(
  queued: Queued,
  { text, value, confidence, summary }: Pick<BodyOf<"answer">, "text" | "value" | "confidence" | "summary">,
): z.output<typeof resultSchema> {
  return { [queued.spec.resultKey]: { answer: value ?? text, confidence, summary } };
}
