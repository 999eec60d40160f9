import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build, type Plugin } from "vite";
import { textModules } from "../../src/cairn/testing/text-modules.ts";
import { buildModules } from "../../src/cli/start/build-modules.ts";

/**
 * Builds the library into `dist/lib`, as it is packed: JavaScript of each module under its own path, prompts inlined as text,
 * and next to `build/modules` the modules that a worker loads on demand.
 */

const ROOT = path.resolve(import.meta.dirname, "../..");
const OUT = path.join(ROOT, "dist/lib");
const ENTRIES = [
  "src/cairn/index.ts",
  "src/cairn/on-node.ts",
  "src/cairn/testing/index.ts",
  ...globSync("src/plugins/**/plugin.ts", { cwd: ROOT }),
];
/** Commands, and the modules that they start as programs of their own. */
const PROGRAMS = ["src/cli/cairn.ts", "src/cli/start/dev-worker.ts", "src/cli/start/supervise.ts"];
const MODULES = "build/modules";

/** A module that is loaded on demand stays a separate file, which wrangler uploads with the worker. */
const modulesOnDemand: Plugin = {
  name: "modules-on-demand",
  enforce: "pre",
  resolveId: (source, importer) =>
    /^\.\/[\w-]+\.mjs$/.test(source) &&
    importer !== undefined &&
    path.dirname(importer) === path.join(ROOT, MODULES)
      ? { id: source, external: true }
      : null,
};

/** Declarations of the entries and of all that they name. Their imports end in `.js`, as the modules do. */
function writeTypes(): void {
  const config = path.join(OUT, "tsconfig.types.json");
  const inRoot = (file: string): string => path.join(ROOT, file);
  writeFileSync(
    config,
    JSON.stringify({
      extends: inRoot("tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: ROOT,
        outDir: OUT,
      },
      include: [inRoot("build/**/*.d.ts"), inRoot("build/**/*.d.mts")],
      files: [inRoot("worker-configuration.d.ts"), ...ENTRIES.map(inRoot)],
    }),
  );
  const tsc = path.join(
    path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin/tsc",
  );
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The types of the library cannot be written.\n${stdout}`);
  rmSync(config);
  for (const file of globSync("**/*.d.ts", { cwd: OUT })) {
    const target = path.join(OUT, file);
    const text = readFileSync(target, "utf8");
    writeFileSync(target, text.replace(/((?:from|import\()\s*"\.{1,2}\/[^"]*)\.ts"/g, '$1.js"'));
  }
  for (const file of globSync("*.d.mts", { cwd: inRoot(MODULES) }))
    copyFileSync(inRoot(`${MODULES}/${file}`), path.join(OUT, MODULES, file));
}

rmSync(OUT, { recursive: true, force: true });
await buildModules();
await build({
  configFile: false,
  root: ROOT,
  logLevel: "warn",
  publicDir: false,
  plugins: [textModules(), modulesOnDemand],
  build: {
    ssr: true,
    outDir: OUT,
    target: "es2024",
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(
        [...ENTRIES, ...PROGRAMS].map((file) => [file.replace(/\.ts$/, ""), path.join(ROOT, file)]),
      ),
      external: [/^cloudflare:/, /^node:/, /^[a-z@][^:]*$/],
      output: {
        format: "es",
        preserveModules: true,
        preserveModulesRoot: ROOT,
        entryFileNames: "[name].js",
      },
    },
  },
});
mkdirSync(path.join(OUT, MODULES), { recursive: true });
for (const file of globSync("*.mjs", { cwd: path.join(ROOT, MODULES) }))
  copyFileSync(path.join(ROOT, MODULES, file), path.join(OUT, MODULES, file));
writeTypes();
copyFileSync(path.join(ROOT, "scripts/package/tsconfig.project.json"), path.join(OUT, "tsconfig.json"));
cpSync(path.join(ROOT, "src/cli/create/project"), path.join(OUT, "src/cli/create/project"), {
  recursive: true,
});
const bin = path.join(OUT, "src/cli/cairn.js");
writeFileSync(bin, `#!/usr/bin/env node\n${readFileSync(bin, "utf8")}`);
chmodSync(bin, 0o755);
