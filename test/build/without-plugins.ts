import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { TEXT_ENDINGS } from "../../src/cairn/testing/text-modules.ts";
import { PROJECT } from "../../src/cli/places.ts";
import { pluginsOf, withoutPlugin } from "./leave-out.ts";
import { askInWorkerd, type BuiltWorker, type LoadedWorker } from "./loaded-workers.ts";
import { goneParts, removalFaults } from "./removal.ts";

/**
 * Leaves each plugin out of the sample in turn: the types still check, nothing of the plugin's folder is in the bundle, the
 * worker is smaller by what is printed, and the worker loads in workerd with the parts of every other plugin.
 */

const readSource = (file: string): string => readFileSync(path.join(PROJECT, "src", file), "utf8");
const SOURCE = readSource("worker.ts");
interface Bundle {
  readonly code: string;
  readonly kib: number;
  /** modules that are loaded when they are asked for, all together */
  readonly laterKib: number;
  readonly inputs: readonly string[];
}

/** As wrangler bundles it: what lies in build/modules is loaded when it is asked for. */
async function bundle(file: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    absWorkingDir: PROJECT,
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    loader: Object.fromEntries(TEXT_ENDINGS.map((ending) => [ending, "text"] as const)),
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
    metafile: true,
    plugins: [
      {
        name: "on-demand",
        setup: ({ onResolve }) =>
          onResolve({ filter: /\.mjs$/ }, ({ path: name, importer }) =>
            path.dirname(importer) === path.join(PROJECT, "build/modules")
              ? { path: name, external: true }
              : null,
          ),
      },
    ],
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`${file} makes no bundle`);
  const code = output.text;
  return {
    code,
    kib: gzippedKib(code),
    laterKib: laterModules(metafile).reduce((sum, file) => sum + gzippedKib(readFileSync(file)), 0),
    inputs: inputsOf(metafile),
  };
}

const gzippedKib = (code: string | Buffer): number => gzipSync(code).length / 1_024;

const laterModules = ({ outputs }: Metafile): readonly string[] =>
  Object.values(outputs)
    .flatMap(({ imports }) => imports.map(({ path: name }) => path.join(PROJECT, "build/modules", name)))
    .filter((file) => file.endsWith(".mjs") && existsSync(file));

/** Files of which something is in the bundle. */
const inputsOf = ({ outputs }: Metafile): readonly string[] =>
  Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );

/** The compiler's complaints about these files; empty where there is none. */
function typeFaults(folder: string): string {
  const up = path.relative(folder, PROJECT);
  const config = {
    extends: `${up}/tsconfig.json`,
    include: ["*.ts", `${up}/worker-configuration.d.ts`, `${up}/build/on-demand/*.d.ts`],
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = path.join(PROJECT, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder], {
    cwd: PROJECT,
    encoding: "utf8",
  });
  return status === 0 ? "" : stdout;
}

/** `2 routes, 1 tool` */
function countOf(parts: readonly string[]): string {
  const kinds = Map.groupBy(parts, (part) => part.slice(0, part.indexOf(" ")));
  return Array.from(kinds, ([kind, { length }]) => `${length} ${kind}${length === 1 ? "" : "s"}`).join(", ");
}

const scratch = path.join(PROJECT, ".wrangler");
mkdirSync(scratch, { recursive: true });
const folder = mkdtempSync(path.join(scratch, "without-"));
const write = (name: string, source: string): string => {
  const file = path.join(folder, `${name}.ts`);
  writeFileSync(
    file,
    source.replaceAll(/from "\.\//g, `from "${path.relative(folder, path.join(PROJECT, "src"))}/`),
  );
  return file;
};
try {
  const plugins = pluginsOf(SOURCE, readSource);
  const whole = await bundle(write("whole", SOURCE));
  const noPlugin = plugins.reduce((source, { name }) => withoutPlugin(source, name, readSource), SOURCE);
  const bare = await bundle(write("bare", noPlugin));
  const faults: string[] = [];
  const built: BuiltWorker[] = [
    { name: "whole", code: whole.code },
    { name: "bare", code: bare.code },
  ];
  const weights = new Map<string, string>();
  for (const { name, folder: own } of plugins) {
    const left = await bundle(write(`without-${own}`, withoutPlugin(SOURCE, name, readSource)));
    built.push({ name: own, code: left.code });
    const weight = whole.kib - left.kib;
    const later = whole.laterKib - left.laterKib;
    weights.set(own, `${weight.toFixed(1)} KiB less, and ${later.toFixed(1)} KiB less on demand`);
    // Modules that a plugin loads on demand are uploaded too, and may be all of its code.
    if (weight + later <= 0) faults.push(`Without ${own} the worker is not smaller.`);
    const found = left.inputs.filter((input) => input.includes(`src/plugins/${own}/`));
    if (found.length > 0) faults.push(`Without ${own} these are still in the bundle: ${found.join(", ")}`);
  }
  const loaded = await askInWorkerd(built);
  const workerOf = (name: string): LoadedWorker => {
    const worker = loaded.get(name);
    if (worker === undefined) throw new Error(`${name} was not loaded`);
    return worker;
  };
  console.log(
    `With every plugin: ${whole.kib.toFixed(1)} KiB gzipped. With none: ${bare.kib.toFixed(1)} KiB.`,
  );
  for (const [own, weight] of weights)
    console.log(`Without ${own}: ${weight}; ${countOf(goneParts(workerOf("whole"), workerOf(own)))} gone.`);
  faults.push(
    ...removalFaults({
      whole: workerOf("whole"),
      bare: workerOf("bare"),
      without: new Map([...weights.keys()].map((own) => [own, workerOf(own)])),
    }),
  );
  const types = typeFaults(folder);
  if (types !== "") faults.push(types);
  if (faults.length > 0) {
    console.error(faults.join("\n"));
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
