import { expect, test } from "vitest";
import { runJobs } from "../../src/cairn/jobs.ts";
import { PluginFaults } from "../../src/cairn/plugin-faults.ts";
import type { JobContext, StartedPlugin } from "../../src/cairn/plugin.ts";

const place = {} as JobContext;

test("a job that fails, even before its first await, and a plugin that cannot list its jobs, stop no other", async () => {
  const done: string[] = [];
  const plugins: StartedPlugin[] = [
    {
      name: "shop",
      scheduled: () => ({
        first: () => {
          throw new Error("misconfigured");
        },
        second: async () => void done.push("second"),
      }),
    },
    { name: "quiet" },
    {
      name: "broken",
      scheduled: () => {
        throw new Error("no settings");
      },
    },
    {
      name: "posts",
      scheduled: () => ({
        first: () => Promise.reject(new Error("no database")),
        second: async () => void done.push("fourth"),
      }),
    },
  ];
  const redact = <Value>(value: Value): Value => value;
  const faults = new PluginFaults(redact);
  await expect(runJobs(plugins, place, { redact, faults })).rejects.toThrow(
    "These jobs failed: shop: first, broken, posts: first.",
  );
  expect(done).toEqual(["second", "fourth"]);
  expect(faults.problems).toEqual([
    { about: "plugin shop", message: 'Its job "first" failed: misconfigured.', plugin: "shop" },
    { about: "plugin broken", message: "Its list of jobs failed: no settings.", plugin: "broken" },
    { about: "plugin posts", message: 'Its job "first" failed: no database.', plugin: "posts" },
  ]);

  // A job that works again is no problem any more.
  const mended: StartedPlugin = { name: "shop", scheduled: () => ({ first: () => Promise.resolve() }) };
  await runJobs([mended], place, { redact, faults });
  expect(faults.problems.map(({ plugin }) => plugin)).toEqual(["broken", "posts"]);
});
