import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { build } from "vite";
import { buildPdfReader, PDF_READER_FILE } from "./build-pdf-reader.ts";
import { LIBRARY } from "../places.ts";

/**
 * Makes the modules that are loaded on demand: of each file in `build/beside` one module of the same name in `build/modules`,
 * and the reader of PDFs (build-pdf-reader.ts). An entry exports packages that import others, or a part of a plugin, which may
 * import its own folder and `src/cairn/core`. A module that is newer than its sources stays.
 */

const FROM = path.join(LIBRARY, "build/beside");
const TO = path.join(LIBRARY, "build/modules");

const modified = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

export async function buildModules(): Promise<void> {
  const installed = modified(path.join(LIBRARY, "node_modules/.package-lock.json"));
  const core = lastChange("src/cairn/core");
  for (const entry of globSync("*.ts", { cwd: FROM, exclude: ["*.d.ts"] })) {
    const source = path.join(FROM, entry);
    const module = path.join(TO, entry.replace(/\.ts$/, ".mjs"));
    const folder = ownFolder(source);
    const own = folder === null ? 0 : Math.max(core, lastChange(folder));
    if (modified(module) <= Math.max(installed, modified(source), own)) await buildModule(source, module);
  }
  const recipe = modified(path.join(import.meta.dirname, "build-pdf-reader.ts"));
  if (modified(PDF_READER_FILE) <= Math.max(installed, recipe)) buildPdfReader();
}

/** The folder of the project whose file an entry exports, as `src/plugins/rehearsal`; null for a package. */
const ownFolder = (entry: string): string | null =>
  /"\.\.\/\.\.\/(src\/[^"]+)\/[^/"]+"/.exec(readFileSync(entry, "utf8"))?.[1] ?? null;

/** A folder counts too, so that a deleted file is seen. */
const lastChange = (folder: string): number =>
  Math.max(...globSync(`${folder}/**`, { cwd: LIBRARY }).map((file) => modified(path.join(LIBRARY, file))));

async function buildModule(source: string, module: string): Promise<void> {
  const began = Date.now();
  const scratch = path.join(LIBRARY, "dist");
  mkdirSync(scratch, { recursive: true });
  // Two servers may start at once: each builds aside, and the whole takes its place.
  const aside = mkdtempSync(path.join(scratch, "module-"));
  try {
    await build({
      configFile: false,
      root: LIBRARY,
      logLevel: "error",
      // A package says to workerd what it says to no browser.
      resolve: { conditions: ["workerd", "worker", "module"] },
      build: {
        outDir: aside,
        target: "es2023",
        minify: true,
        copyPublicDir: false,
        lib: { entry: source, formats: ["es"], fileName: () => path.basename(module) },
        rolldownOptions: {
          external: [/^cloudflare:/, /^node:/],
          // The tail of an operator is for what they can do something about (src/cairn/operator-log.ts).
          output: {
            codeSplitting: false,
            minify: { compress: { dropConsole: true }, mangle: true, codegen: { removeWhitespace: true } },
          },
        },
      },
    });
    renameSync(path.join(aside, path.basename(module)), module);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  console.log(`Built ${path.relative(LIBRARY, module)} in ${Date.now() - began} ms.`);
}
