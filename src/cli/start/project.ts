import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { parseEnv } from "node:util";
import { experimental_readRawConfig } from "wrangler";
import * as z from "zod";

/** Everything on this disk that a deployment is made of, read once. Judges nothing: `preflight.ts` does. */
export interface Project {
  /** of the Node that runs this, such as `24.21.0` */
  readonly node: string;
  /** the newest compatibility date that the installed runtime knows, such as `2026-08-15` */
  readonly newestDate: string;
  readonly config: ProjectConfig;
  /** .dev.vars, null when there is none */
  readonly devVars: Readonly<Record<string, string>> | null;
  /** migrations/*.sql by name, in the order in which they are applied */
  readonly migrations: readonly Migration[];
  /** name → digest of those that a deployment of this project has run (migrations/applied.json); none of those of the package */
  readonly applied: Readonly<Record<string, string>>;
  /** true if Cairn is an installed package, which has the migrations */
  readonly usesPackage: boolean;
}

/** wrangler.toml, unparsed; `problem` if it cannot be read at all. */
export type ProjectConfig =
  | { readonly kind: "config"; readonly config: WranglerConfig }
  | { readonly kind: "problem"; readonly problem: string };

export interface Migration {
  readonly name: string;
  /** SHA-256 of its text, in hex; line ends of Windows count as ours */
  readonly digest: string;
}

const APPLIED = "migrations/applied.json";

const names = z.array(z.string()).optional();
/** The part of wrangler.toml that is looked at; `wrangler deploy --dry-run` judges the rest. */
const wranglerConfig = z.looseObject({
  name: z.string().optional(),
  main: z.string().optional(),
  account_id: z.string().optional(),
  compatibility_date: z.string().optional(),
  compatibility_flags: names,
  base_dir: z.string().optional(),
  find_additional_modules: z.boolean().optional(),
  vars: z.record(z.string(), z.unknown()).optional(),
  durable_objects: z
    .looseObject({
      bindings: z.array(z.looseObject({ name: z.string(), class_name: z.string() })).optional(),
    })
    .optional(),
  migrations: z
    .array(
      z.looseObject({
        tag: z.string(),
        new_sqlite_classes: names,
        new_classes: names,
        deleted_classes: names,
        renamed_classes: z.array(z.unknown()).optional(),
      }),
    )
    .optional(),
  d1_databases: z
    .array(
      z.looseObject({
        binding: z.string(),
        database_name: z.string().optional(),
        database_id: z.string().optional(),
        migrations_dir: z.string().optional(),
      }),
    )
    .optional(),
  r2_buckets: z.array(z.looseObject({ binding: z.string(), bucket_name: z.string().optional() })).optional(),
  vectorize: z.array(z.looseObject({ binding: z.string() })).optional(),
  ai: z.looseObject({ binding: z.string() }).optional(),
  env: z.record(z.string(), z.unknown()).optional(),
});
export type WranglerConfig = z.infer<typeof wranglerConfig>;

/** Reads the project in a directory. A file that cannot be read as what it should be is a problem, not a throw. */
export function readProject(directory: string): Project {
  const require = createRequire(import.meta.url);
  const runtime = z.object({ compatibilityDate: z.string() }).parse(require("workerd"));
  const config = readConfig(path.join(directory, "wrangler.toml"));
  const migrations = migrationsFolder(directory, config);
  const usesPackage = existsSync(path.join(directory, "node_modules/cairn/package.json"));
  return {
    node: process.versions.node,
    newestDate: runtime.compatibilityDate,
    config,
    devVars: readDevVars(path.join(directory, ".dev.vars")),
    migrations: readMigrations(migrations),
    applied: usesPackage ? {} : readApplied(path.join(directory, APPLIED)),
    usesPackage,
  };
}

/** The folder of D1's migrations: that of the binding DB, which may lie in the package of Cairn. */
export function migrationsFolder(directory: string, config: ProjectConfig): string {
  const database =
    config.kind === "config"
      ? config.config.d1_databases?.find(({ binding }) => binding === "DB")
      : undefined;
  return path.resolve(directory, database?.migrations_dir ?? "migrations");
}

/** Keeps which migrations a deployment has run, for the next look at them. */
export function rememberApplied(directory: string, migrations: readonly Migration[]): void {
  const digests = Object.fromEntries(migrations.map(({ name, digest }) => [name, digest]));
  writeFileSync(path.join(directory, APPLIED), `${JSON.stringify(digests, null, 2)}\n`);
}

// wrangler's own types name a package that is not published.
const readRawConfig = experimental_readRawConfig as (from: { readonly config: string }) => {
  readonly rawConfig: unknown;
};

/** Reads wrangler.toml by wrangler's own parser. */
export function readConfig(file: string): ProjectConfig {
  try {
    const parsed = wranglerConfig.safeParse(readRawConfig({ config: file }).rawConfig);
    if (parsed.success) return { kind: "config", config: parsed.data };
    const [issue] = parsed.error.issues;
    return {
      kind: "problem",
      problem: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not readable"}`,
    };
  } catch (error) {
    return { kind: "problem", problem: error instanceof Error ? error.message : String(error) };
  }
}

function readDevVars(file: string): Record<string, string> | null {
  const text = readText(file);
  if (text === null) return null;
  return Object.fromEntries(
    Object.entries(parseEnv(text)).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

function readMigrations(folder: string): Migration[] {
  const found = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith(".sql"));
  return found.sort().map((name) => {
    const text = readFileSync(path.join(folder, name), "utf8").replaceAll("\r\n", "\n");
    return { name, digest: createHash("sha256").update(text).digest("hex") };
  });
}

function readApplied(file: string): Record<string, string> {
  const text = readText(file);
  return text === null ? {} : z.record(z.string(), z.string()).parse(JSON.parse(text));
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
