import { complaintOf, type Redact } from "../core/text/redact.ts";
import { complain } from "../operator-log.ts";
import type { JobPlace, Plugin } from "./plugin.ts";

/**
 * Runs every job of every plugin, even where others fail. Throws after all have ended if any failed, with the names of
 * those that did, so that the platform counts the cron run as failed.
 */
export async function runJobs(plugins: readonly Plugin[], place: JobPlace, redact: Redact): Promise<void> {
  const jobs = plugins.flatMap((plugin) => jobsOf(plugin, place));
  const ended = await Promise.allSettled(jobs.map(async ([, job]) => job()));
  const failed = ended.flatMap((one, at) => {
    if (one.status === "fulfilled") return [];
    const [name = ""] = jobs[at] ?? [];
    complain("a job of the cron trigger failed", name, complaintOf(one.reason, redact));
    return [name];
  });
  if (failed.length > 0) throw new Error(`These jobs failed: ${failed.join(", ")}.`);
}

/** A plugin that throws where it should list its jobs has one job, which fails. */
function jobsOf({ name, scheduled }: Plugin, place: JobPlace): [name: string, job: () => Promise<unknown>][] {
  if (scheduled === undefined) return [];
  try {
    return Object.entries(scheduled(place)).map(([job, run]) => [`${name}: ${job}`, run]);
  } catch (error) {
    const fail = (): never => {
      throw error;
    };
    return [[name, async () => fail()]];
  }
}
