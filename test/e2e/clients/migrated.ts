import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { applyMigrations } from "../../../src/cli/start/dev-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** a directory for `--persist-to` whose database has its tables: every server of the tests begins with a copy */
    migrated: string;
  }
}

/** Migrates a database once for all files of a run. Vitest calls it before the first and what it returns after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(path.join(tmpdir(), "cairn-migrated-"));
  await applyMigrations(directory);
  project.provide("migrated", directory);
  return () => rm(directory, { recursive: true });
}
