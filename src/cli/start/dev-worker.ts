import { once } from "node:events";
import { createRequire, flushCompileCache } from "node:module";
import path from "node:path";
import * as z from "zod";
import { EDITS, PROJECT } from "../places.ts";
import { withDoublingBuffer } from "./config-buffer.ts";
import { WORKER_OPTIONS, type WorkerOptions } from "./dev-server.ts";

/**
 * One local server of wrangler, in a process of its own that `supervise.ts` ends. Started by `dev-server.ts` in place of
 * `wrangler dev`, which always opens an inspector (and, for its registry of workers, a debug port): every program on this
 * machine, and every page of another local server, could attach to those without a key and read `env`.
 */

const optionsSchema = z.object({
  port: z.number(),
  inspectorPort: z.number().nullable(),
  persistTo: z.string().nullable(),
  vars: z.record(z.string(), z.string()),
  config: z.string().nullable(),
  envFile: z.string().nullable(),
});

interface StartInput {
  readonly config?: string;
  readonly envFiles?: readonly string[];
  /** Absent: as in wrangler.toml. */
  readonly build?: { readonly custom: { readonly command: string; readonly watch: string } };
  readonly bindings: Readonly<
    Record<string, { readonly type: "plain_text"; readonly value: string; readonly hidden: true }>
  >;
  readonly dev: {
    readonly remote: false;
    readonly server: { readonly port: number };
    readonly inspector: false | { readonly hostname: string; readonly port: number };
    readonly persist?: string;
  };
}

interface Wrangler {
  readonly unstable_startWorker: (input: StartInput) => Promise<{ readonly raw: NodeJS.EventEmitter }>;
  readonly experimental_readRawConfig: (from: { readonly config: string }) => { readonly rawConfig: unknown };
}

// Required, because an import would compile 15 MB twice: the package does not declare that it is CommonJS.
// Wrangler's own types of the input name a package that is not published.
const require = createRequire(import.meta.url);
const { unstable_startWorker: startWorker, experimental_readRawConfig: readRawConfig } = withDoublingBuffer(
  () => require("wrangler") as Wrangler,
);

const ownBuild = z.looseObject({ build: z.looseObject({ command: z.string() }) });

/**
 * A project without its own build command gets one that does nothing: only then does wrangler watch a folder of our
 * choice, and not the sources (reload.ts).
 */
function buildOf(config: string): Pick<StartInput, "build"> {
  const { rawConfig } = readRawConfig({ config });
  return ownBuild.safeParse(rawConfig).success
    ? {}
    : { build: { custom: { command: 'node -e ""', watch: EDITS } } };
}

function inputOf(options: WorkerOptions): StartInput {
  const { port, inspectorPort, persistTo, vars, config, envFile } = options;
  const bindings = Object.entries(vars).map(
    ([name, value]) => [name, { type: "plain_text", value, hidden: true } as const] as const,
  );
  return {
    ...(config === null ? buildOf(path.join(PROJECT, "wrangler.toml")) : { config }),
    ...(envFile === null ? {} : { envFiles: [envFile] }),
    bindings: Object.fromEntries(bindings),
    dev: {
      remote: false,
      server: { port },
      inspector: inspectorPort === null ? false : { hostname: "127.0.0.1", port: inspectorPort },
      ...(persistTo === null ? {} : { persist: persistTo }),
    },
  };
}

const eventSchema = z.object({ reason: z.string(), cause: z.unknown() });

/**
 * An error with its causes, or wrangler's event about one, as text for a person. The cause of a failed build has the
 * position.
 */
function messageOf(error: unknown): string {
  if (error instanceof Error)
    return error.cause === undefined ? error.message : `${error.message}\n${messageOf(error.cause)}`;
  const event = eventSchema.safeParse(error);
  return event.success ? `${event.data.reason}\n${messageOf(event.data.cause)}` : String(error);
}

/** Serves until wrangler ends it; exits with 1 after an error that wrangler does not survive. */
async function serve(text: string): Promise<void> {
  try {
    const worker = await startWorker(inputOf(optionsSchema.parse(JSON.parse(text))));
    // A server that is killed writes nothing when it ends.
    flushCompileCache();
    await once(worker.raw, "teardown");
  } catch (error) {
    console.error(`✘ [ERROR] ${messageOf(error)}`);
    process.exit(1);
  }
}

const text = process.env[WORKER_OPTIONS];
delete process.env[WORKER_OPTIONS];
if (text === undefined) throw new Error(`${WORKER_OPTIONS} is not set.`);
await serve(text);
