import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import type { SiteClient } from "../site/client.ts";

/** A run that was started, and its end. */

const POLL_MS = { first: 200, growth: 1.5, most: 5_000 };

export const runSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  status: z.string(),
  outcome: z.enum(["answered", "partial", "failed", "cancelled"]).nullable(),
  reason: z.string().nullable(),
  answer: z.string().nullable(),
  result: z.record(z.string(), z.object({ answer: z.unknown() })).nullish(),
  firstSeq: z.number(),
  lastSeq: z.number(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
});
export type Run = z.output<typeof runSchema>;

/** Waits for the end of a run. Stops it after `most` milliseconds, and when the signal fires, whose reason is thrown. */
export async function endedRun(
  client: SiteClient,
  began: Run,
  most: number,
  signal: AbortSignal,
): Promise<{ readonly run: Run; readonly isLate: boolean }> {
  const until = Date.now() + most;
  let isLate = false;
  let run = began;
  for (
    let pause = POLL_MS.first;
    run.outcome === null;
    pause = Math.min(POLL_MS.most, pause * POLL_MS.growth)
  ) {
    if (!isLate && Date.now() >= until) {
      isLate = true;
      await stop(client, run);
    }
    try {
      await wait(pause, null, { signal });
    } catch (error) {
      await stop(client, run);
      throw error;
    }
    run = await client.ask(`/api/runs/${run.id}`, runSchema);
  }
  return { run, isLate };
}

const stop = async (client: SiteClient, { id }: Run): Promise<void> => {
  const response = await client.open(`/api/runs/${id}`, { method: "DELETE" });
  await response.body?.cancel();
};
