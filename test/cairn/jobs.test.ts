import { expect, test } from "vitest";
import { runJobs } from "../../src/cairn/jobs.ts";
import type { JobPlace, Plugin } from "../../src/cairn/plugin.ts";

const place = {} as JobPlace;

test("a job that fails, even before its first await, and a plugin that cannot list its jobs, stop no other", async () => {
  const done: string[] = [];
  const plugins: Plugin[] = [
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
  await expect(runJobs(plugins, place, (text) => text)).rejects.toThrow(
    "These jobs failed: shop: first, broken, posts: first.",
  );
  expect(done).toEqual(["second", "fourth"]);
});
