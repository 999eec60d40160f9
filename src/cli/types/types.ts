import { statSync } from "node:fs";
import path from "node:path";
import { PROJECT } from "../places.ts";
import { runProgram } from "../start/programs.ts";
import { readArguments, runCommand, type Parsed } from "../start/start-options.ts";

/**
 * `cairn types`: makes worker-configuration.d.ts, the types of the runtime, of the bindings in wrangler.toml and of imported texts.
 * Prints nothing where that succeeds: `npm install` runs it.
 */

interface TypesOptions {
  readonly ifStale: boolean;
}

const USAGE = `cairn types [--if-stale]    writes worker-configuration.d.ts: the types of the runtime, the bindings and imported texts
  --if-stale              only where it is older than what it is made from`;

const TYPES = "worker-configuration.d.ts";
const SOURCES = ["wrangler.toml", "src/worker.ts", "node_modules/.package-lock.json"];

function parseOptions(argv: readonly string[]): Parsed<TypesOptions> {
  const read = readArguments(argv, { "if-stale": { type: "boolean" } });
  if (read.kind !== "options") return read;
  return { kind: "options", options: { ifStale: read.values["if-stale"] === true } };
}

/** Milliseconds; 0: there is no such file. */
const modified = (file: string): number =>
  statSync(path.join(PROJECT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

async function writeTypes({ ifStale }: TypesOptions): Promise<number> {
  if (ifStale && modified(TYPES) > Math.max(...SOURCES.map(modified))) return 0;
  const { code, out, err } = await runProgram("wrangler", ["types"]);
  if (code === 0) return 0;
  console.error(`The types of the bindings cannot be written.\n${out}${err}`);
  return 1;
}

await runCommand(parseOptions(process.argv.slice(2)), USAGE, writeTypes);
