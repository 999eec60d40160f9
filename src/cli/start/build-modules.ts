import { globSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { build } from "vite";
import { buildPdfReader, PDF_READER_FILE } from "./build-pdf-reader.ts";
import { LIBRARY } from "../places.ts";

/**
 * Makes the modules that lie beside the worker of packages that import others: of each file in `build/beside` one module of
 * the same name in `build/modules`, and the reader of PDFs (build-pdf-reader.ts). What is there and newer than all that it is
 * made of stays.
 */

const FROM = path.join(LIBRARY, "build/beside");
const TO = path.join(LIBRARY, "build/modules");

const modified = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

export async function buildModules(): Promise<void> {
  const installed = modified(path.join(LIBRARY, "node_modules/.package-lock.json"));
  for (const entry of globSync("*.ts", { cwd: FROM, exclude: ["*.d.ts"] })) {
    const source = path.join(FROM, entry);
    const module = path.join(TO, entry.replace(/\.ts$/, ".mjs"));
    if (modified(module) <= Math.max(installed, modified(source))) await buildModule(source, module);
  }
  const recipe = modified(path.join(import.meta.dirname, "build-pdf-reader.ts"));
  if (modified(PDF_READER_FILE) <= Math.max(installed, recipe)) buildPdfReader();
}

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
          // The tail of an operator is for what they can do something about (src/operator-log.ts).
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
