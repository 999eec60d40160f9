import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { applyMigrations } from "../../../src/cli/start/dev-server.ts";
import { buildWorker } from "./built.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** a directory for `--persist-to` whose database has its tables: every server of the tests begins with a copy */
    migrated: string;
    /** the wrangler.toml of the finished worker: every server of the tests but those of a worker of their own serves it */
    built: string;
  }
}

/** Migrates a database and builds the worker once for all files of a run. Vitest calls it before the first and what it returns after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(path.join(tmpdir(), "cairn-prepared-"));
  const migrated = path.join(directory, "state");
  await applyMigrations(migrated);
  project.provide("migrated", migrated);
  project.provide("built", buildWorker(path.join(directory, "worker")));
  return () => rm(directory, { recursive: true });
}
