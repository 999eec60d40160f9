import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { PROJECT } from "../../src/cli/places.ts";
import { pluginsOf, withoutPlugin } from "./leave-out.ts";

/**
 * Leaves each plugin out of the sample in turn: the types still check, nothing of the plugin's folder is in the bundle, and
 * the bundle is smaller by what is printed. That a worker without any plugin loads is tested in test/worker/http.
 */

const SOURCE = readFileSync(path.join(PROJECT, "src/worker.ts"), "utf8");
interface Bundle {
  readonly code: string;
  readonly kib: number;
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
    loader: { ".xml": "text", ".md": "text" },
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
  return { code, kib: gzipSync(code).length / 1_024, inputs: inputsOf(metafile) };
}

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
    include: ["*.ts", `${up}/worker-configuration.d.ts`, `${up}/build/beside/*.d.ts`],
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = path.join(PROJECT, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder], {
    cwd: PROJECT,
    encoding: "utf8",
  });
  return status === 0 ? "" : stdout;
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
  const plugins = pluginsOf(SOURCE);
  const whole = await bundle(write("whole", SOURCE));
  const faults: string[] = [];
  console.log(`With every plugin: ${whole.kib.toFixed(1)} KiB gzipped.`);
  for (const { name, folder: own } of plugins) {
    const file = write(`without-${own}`, withoutPlugin(SOURCE, name));
    const left = await bundle(file);
    const weight = whole.kib - left.kib;
    console.log(`Without ${own}: ${weight.toFixed(1)} KiB less.`);
    if (weight <= 0) faults.push(`Without ${own} the bundle is not smaller.`);
    const found = left.inputs.filter((input) => input.includes(`src/plugins/${own}/`));
    if (found.length > 0) faults.push(`Without ${own} these are still in the bundle: ${found.join(", ")}`);
  }
  const types = typeFaults(folder);
  if (types !== "") faults.push(types);
  if (faults.length > 0) {
    console.error(faults.join("\n"));
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
