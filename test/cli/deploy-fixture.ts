import type { Project, WranglerConfig } from "../../src/cli/start/project.ts";

/** A project that can be deployed, to be broken in one place by each test. */
export const SOUND: WranglerConfig = {
  name: "cairn",
  compatibility_date: "2026-08-15",
  compatibility_flags: ["nodejs_compat"],
  base_dir: "build/modules",
  find_additional_modules: true,
  vars: { MODEL: "workers-ai:@cf/meta/llama-3.3-70b-instruct-fp8-fast" },
  durable_objects: { bindings: [{ name: "SESSION", class_name: "Session" }] },
  migrations: [{ tag: "v1", new_sqlite_classes: ["Session"] }],
  d1_databases: [{ binding: "DB", database_name: "cairn", migrations_dir: "migrations" }],
  r2_buckets: [{ binding: "MEDIA", bucket_name: "cairn-media" }],
  ai: { binding: "AI" },
};

export const project = (config: Partial<WranglerConfig> = {}, others: Partial<Project> = {}): Project => ({
  node: "24.21.0",
  newestDate: "2026-08-15",
  config: { kind: "config", config: { ...SOUND, ...config } },
  devVars: null,
  migrations: [
    { name: "0001_kernel.sql", digest: "a" },
    { name: "0002_site.sql", digest: "b" },
  ],
  applied: {},
  usesPackage: false,
  ...others,
});
