import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";
import { PROJECT } from "../../src/cli/places.ts";

/** A bundled worker. */
export interface BuiltWorker {
  readonly name: string;
  readonly code: string;
}

/** A worker that runs in workerd, by its answers. */
export interface LoadedWorker {
  /** what a plugin can add, each as its kind and name: `route /api/mcp`, `tool visit`, `panel site`, `page /mcp` */
  readonly parts: readonly string[];
  /** status and outcome of its first run, or the code of the refusal */
  readonly run: string;
  /** class of a run that begins with thanks, which word lists know; null where no run can begin */
  readonly thanks: string | null;
}

/** The modules that a worker loads on demand. */
const MODULES = path.join(PROJECT, "build/modules");
const onDemand = readdirSync(MODULES).filter((name) => name.endsWith(".mjs"));

/** Addresses outside the API that a plugin adds. The list of routes does not have them. */
const PAGES = ["/site/", "/mcp", "/mcp-servers/callback"];

/** Starts all of them in one workerd, each with its own sessions, asks each of them, and ends it. They share the database. */
export async function askInWorkerd(
  workers: readonly BuiltWorker[],
): Promise<ReadonlyMap<string, LoadedWorker>> {
  const miniflare = new Miniflare(convertV4MiniflareOptions({ cf: false, workers: workers.map(optionsOf) }));
  try {
    await migrate(miniflare);
    const loaded = new Map<string, LoadedWorker>();
    for (const { name } of workers) {
      // Miniflare types the worker for Workers, not for Node.
      const worker = (await miniflare.getWorker(name)) as unknown as { fetch: Ask };
      loaded.set(name, await askWorker((address, init) => worker.fetch(`http://127.0.0.1${address}`, init)));
    }
    return loaded;
  } finally {
    await miniflare.dispose();
  }
}

async function migrate(miniflare: Miniflare): Promise<void> {
  const migrations = await readD1Migrations(path.join(PROJECT, "migrations"));
  const db = await miniflare.getD1Database("DB");
  await db.batch(migrations.flatMap(({ queries }) => queries).map((query) => db.prepare(query)));
}

const config = readFileSync(path.join(PROJECT, "wrangler.toml"), "utf8");

/** The bindings of wrangler.toml, without the one that needs an account. */
function optionsOf({ name, code }: BuiltWorker): V4WorkerOptions {
  const [, compatibilityDate] = /^compatibility_date = "(.*)"$/m.exec(config) ?? [];
  if (compatibilityDate === undefined) throw new Error("wrangler.toml has no compatibility date");
  return {
    name,
    compatibilityDate,
    compatibilityFlags: ["nodejs_compat"],
    modules: [
      { type: "ESModule", path: "worker.js", contents: code },
      ...onDemand.map((name) => ({
        type: "ESModule" as const,
        path: name,
        contents: readFileSync(path.join(MODULES, name), "utf8"),
      })),
    ],
    bindings: { ALLOW_ANONYMOUS: "true", MODEL: "rehearsal:" },
    durableObjects: {
      SESSION: { className: "Session", useSQLite: true },
      // The class of the channels.
      ...(/\bIntake\b/.test(code) && { INTAKE: { className: "Intake", useSQLite: true } }),
    },
    serviceBindings: { ASSETS: { disk: { path: path.join(PROJECT, "dist/page"), writable: false } } },
    d1Databases: { DB: "cairn" },
    r2Buckets: { MEDIA: "cairn-media" },
  };
}

interface Answer {
  readonly status: number;
  readonly json: () => Promise<unknown>;
  readonly text: () => Promise<string>;
}
type Ask = (
  address: string,
  init?: { method: string; headers: Record<string, string>; body: string },
) => Promise<Answer>;

interface StartedRun {
  readonly outcome?: string;
  readonly profile?: string;
  readonly error?: { readonly code: string };
}

async function askWorker(ask: Ask): Promise<LoadedWorker> {
  const health = (await (await ask("/healthz")).json()) as {
    model: string | null;
    panels: readonly string[];
  };
  const { paths } = (await (await ask("/api/openapi.json")).json()) as { paths: object };
  const { items } = (await (await ask("/api/tools")).json()) as { items: readonly { name: string }[] };
  const pages: string[] = [];
  for (const page of PAGES) {
    const { status } = await ask(page);
    if (status >= 500) throw new Error(`${page} answers ${status}`);
    if (status !== 404) pages.push(page);
  }
  const start = async (objective: string): Promise<{ readonly status: number; readonly run: StartedRun }> => {
    const answer = await ask("/api/runs", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ objective }),
    });
    return { status: answer.status, run: (await answer.json()) as StartedRun };
  };
  const { status, run } = await start("What can you do?");
  const thanks = await start("Thank you very much!");
  return {
    parts: [
      ...Object.keys(paths).map((each) => `route ${each}`),
      ...items.map(({ name }) => `tool ${name}`),
      ...health.panels.map((each) => `panel ${each}`),
      ...pages.map((each) => `page ${each}`),
      ...(health.model === null ? [] : [`model ${health.model}`]),
    ],
    run: `${status} ${run.outcome ?? run.error?.code ?? ""}`.trim(),
    thanks: thanks.run.profile ?? null,
  };
}
