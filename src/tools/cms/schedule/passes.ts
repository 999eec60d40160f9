import { complaintOf, createRedactor } from "../../../core/text/redact.ts";
import { complain } from "../../../operator-log.ts";

/** Parts of one cron run by their names, which the operator's log shows. */
export type Passes = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Runs every pass, whatever becomes of the others. Throws after all have ended if any failed, with the names of those that
 * did, so that the platform counts the cron run as failed.
 */
export async function runPasses(passes: Passes): Promise<void> {
  const names = Object.keys(passes);
  // Also what a pass throws before its first await is its own failure.
  const ended = await Promise.allSettled(Object.values(passes).map(async (pass) => pass()));
  const failed = ended.flatMap((one, at) => {
    if (one.status === "fulfilled") return [];
    complain(
      "a pass of the cron trigger failed",
      names[at] ?? "",
      complaintOf(one.reason, createRedactor([])),
    );
    return [names[at] ?? ""];
  });
  if (failed.length > 0) throw new Error(`These passes failed: ${failed.join(", ")}.`);
}
