import { copyFileSync, globSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "vite";
import { buildModules } from "../../src/cli/start/build-modules.ts";

/**
 * Builds the library into `dist/lib`, as it is packed: JavaScript of each module under its own path, prompts inlined as text,
 * and next to `build/modules` the modules that a worker loads on demand.
 */

const ROOT = path.resolve(import.meta.dirname, "../..");
const OUT = path.join(ROOT, "dist/lib");
const ENTRIES = ["src/cairn/index.ts", "src/cairn/on-node.ts", ...globSync("src/plugins/*/plugin.ts", { cwd: ROOT })];
const MODULES = "build/modules";

const textModules: Plugin = {
  name: "text-modules",
  enforce: "pre",
  transform: (code, id) =>
    /\.(?:xml|md)$/.test(id)
      ? { code: `export default ${JSON.stringify(code)};`, map: null, moduleType: "js" }
      : null,
};
/** A module that is loaded on demand stays a file of its own, which wrangler uploads with the worker. */
const modulesOnDemand: Plugin = {
  name: "modules-on-demand",
  enforce: "pre",
  resolveId: (source, importer) =>
    /^\.\/[\w-]+\.mjs$/.test(source) && importer !== undefined && path.dirname(importer) === path.join(ROOT, MODULES)
      ? { id: source, external: true }
      : null,
};

rmSync(OUT, { recursive: true, force: true });
await buildModules();
await build({
  configFile: false,
  root: ROOT,
  logLevel: "warn",
  publicDir: false,
  plugins: [textModules, modulesOnDemand],
  build: {
    ssr: true,
    outDir: OUT,
    target: "es2024",
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(ENTRIES.map((file) => [file.replace(/\.ts$/, ""), path.join(ROOT, file)])),
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
