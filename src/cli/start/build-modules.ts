import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { build } from "vite";
import * as z from "zod";
import { buildPdfReader, PDF_READER_FILE } from "./build-pdf-reader.ts";
import { LIBRARY } from "../places.ts";

/**
 * Makes the modules that are loaded on demand: of each file in `build/on-demand` one module of the same name in `build/modules`,
 * and the reader of PDFs (build-pdf-reader.ts). An entry exports packages that import others, or parts of Cairn. A module that
 * is newer than all files that it was made of stays.
 */

const FROM = path.join(LIBRARY, "build/on-demand");
const TO = path.join(LIBRARY, "build/modules");
/** for each module, which files of Cairn it was made of */
const SOURCES = path.join(LIBRARY, "dist/module-sources.json");

const sourcesSchema = z.record(z.string(), z.array(z.string()));
type Sources = z.infer<typeof sourcesSchema>;

const modified = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

export async function buildModules(): Promise<void> {
  const installed = modified(path.join(LIBRARY, "node_modules/.package-lock.json"));
  const sources = new Map(Object.entries(readSources()));
  for (const entry of globSync("*.ts", { cwd: FROM, exclude: ["*.d.ts"] })) {
    const module = path.join(TO, entry.replace(/\.ts$/, ".mjs"));
    if (isFresh(modified(module), sources.get(entry), installed)) continue;
    sources.set(entry, await buildModule(path.join(FROM, entry), module));
    writeWhole(SOURCES, JSON.stringify(Object.fromEntries(sources)));
  }
  const recipe = modified(path.join(import.meta.dirname, "build-pdf-reader.ts"));
  if (modified(PDF_READER_FILE) <= Math.max(installed, recipe)) buildPdfReader();
}

/** `built` and `installed` in milliseconds; `sources`: files of Cairn that the module was made of, if that is known. */
export function isFresh(built: number, sources: readonly string[] | undefined, installed: number): boolean {
  if (sources === undefined || built <= installed) return false;
  // A file that is gone has no time.
  const times = sources.map((file) => modified(path.join(LIBRARY, file)));
  return times.every((time) => time > 0 && time < built);
}

/** Empty where nothing readable is there: all modules are built anew. */
function readSources(): Sources {
  try {
    return sourcesSchema.parse(JSON.parse(readFileSync(SOURCES, "utf8")));
  } catch {
    return {};
  }
}

/** The files of Cairn that the module was made of. */
async function buildModule(source: string, module: string): Promise<string[]> {
  const began = Date.now();
  const scratch = path.join(LIBRARY, "dist");
  mkdirSync(scratch, { recursive: true });
  // Two servers may start at once: each builds aside, and the whole takes its place.
  const aside = mkdtempSync(path.join(scratch, "module-"));
  const files = new Set<string>();
  try {
    await build({
      configFile: false,
      root: LIBRARY,
      logLevel: "error",
      // A package may have other conditions for workerd than for a browser.
      resolve: { conditions: ["workerd", "worker", "module"] },
      plugins: [
        {
          name: "sources",
          // Modules on demand import one another by name, and lie in one folder.
          resolveId: {
            order: "pre",
            handler: (id, importer) =>
              id.startsWith("./") && id.endsWith(".mjs") && path.dirname(importer ?? "") === TO
                ? { id, external: true }
                : null,
          },
          buildEnd() {
            for (const id of this.getModuleIds())
              files.add(path.relative(LIBRARY, id).replaceAll(path.sep, "/"));
          },
          // Prompts are text, as in the worker (wrangler.toml: rules).
          transform: (code, id) =>
            /\.(?:xml|md)$/.test(id)
              ? { code: `export default ${JSON.stringify(code)};`, map: null, moduleType: "js" }
              : null,
        },
      ],
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
  return [...files].filter((file) => /^(?:build|src|prompts)\//.test(file)).toSorted();
}

/** Two servers may start at once: none reads half a file. */
function writeWhole(file: string, text: string): void {
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, text);
  renameSync(aside, file);
}
