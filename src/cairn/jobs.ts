import { complaintOf, type Redact } from "./core/text/redact.ts";
import { logError } from "./operator-log.ts";
import type { PluginFaults } from "./plugin-faults.ts";
import type { JobContext, StartedPlugin } from "./plugin.ts";

/**
 * Runs every job of every plugin, even where others fail. Throws after all have ended if any failed, with the names of
 * those that did, so that the platform counts the cron run as failed.
 */
export async function runJobs(
  plugins: readonly StartedPlugin[],
  context: JobContext,
  { redact, faults }: { readonly redact: Redact; readonly faults: Pick<PluginFaults, "note" | "clear"> },
): Promise<void> {
  const jobs = plugins.flatMap((plugin) => jobsOf(plugin, context));
  const ended = await Promise.all(
    jobs.map(async ({ plugin, name, run }) => {
      const part = name === "" ? "list of jobs" : `job "${name}"`;
      const full = name === "" ? plugin : `${plugin}: ${name}`;
      try {
        await run();
        faults.clear(plugin, part);
        return [];
      } catch (error) {
        logError("a job of the cron trigger failed", full, complaintOf(error, redact));
        faults.note(plugin, part, error);
        return [full];
      }
    }),
  );
  const failed = ended.flat();
  if (failed.length > 0) throw new Error(`These jobs failed: ${failed.join(", ")}.`);
}

/** A plugin that throws where it should list its jobs has one job, which fails. */
function jobsOf(plugin: StartedPlugin, context: JobContext): readonly Job[] {
  const { name } = plugin;
  try {
    const jobs = plugin.scheduled?.(context) ?? {};
    return Object.entries(jobs).map(([job, run]) => ({ plugin: name, name: job, run }));
  } catch (error) {
    const fail = (): never => {
      throw error;
    };
    return [{ plugin: name, name: "", run: async () => fail() }];
  }
}

interface Job {
  readonly plugin: string;
  /** empty where the plugin could not list its jobs */
  readonly name: string;
  readonly run: () => Promise<unknown>;
}
