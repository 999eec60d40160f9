import {
  globSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  existsSync,
  mkdirSync,
} from "node:fs";
import path from "node:path";
import { build } from "vite";
import { buildModules } from "./build-modules.ts";
import { LIBRARY } from "../places.ts";

/**
 * Builds the files next to the worker: the modules that are loaded on demand (build-modules.ts), and the page into
 * `dist/page`, its static files. wrangler calls it before `dev` and `deploy` (`[build]` in wrangler.toml), and `npm
 * test` before its tests. A page that is newer than its sources stays.
 */

const PAGE = path.join(LIBRARY, "dist/page");
/** written when a build is whole */
const STAMP = path.join(LIBRARY, "dist/page.built");
const MADE_OF = [
  "src/page/**/*",
  "src/cairn/{config,core,protocol,webhooks}/**/*.ts",
  "package.json",
  "vite.config.ts",
  "node_modules/.package-lock.json",
];

const modified = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The newest change below the places that the page is made of; a folder counts too, so that a deleted file is seen. */
function lastChange(): number {
  return Math.max(...globSync(MADE_OF, { cwd: LIBRARY }).map((file) => modified(path.join(LIBRARY, file))));
}

async function buildPage(): Promise<void> {
  const began = Date.now();
  mkdirSync(path.dirname(PAGE), { recursive: true });
  // A server that a test starts hands its own on, and React would come in the size and speed of development.
  process.env["NODE_ENV"] = "production";
  // Two servers may start at once: each builds aside, and the whole takes its place.
  const aside = mkdtempSync(`${PAGE}-`);
  try {
    await build({
      configFile: path.join(LIBRARY, "vite.config.ts"),
      root: path.join(LIBRARY, "src/page"),
      logLevel: "warn",
      build: { outDir: aside, emptyOutDir: true },
    });
    const former = `${aside}-former`;
    if (existsSync(PAGE)) renameSync(PAGE, former);
    renameSync(aside, PAGE);
    rmSync(former, { recursive: true, force: true });
    writeFileSync(STAMP, "");
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  console.log(`Built the page in ${Date.now() - began} ms.`);
}

await buildModules();
if (!existsSync(PAGE) || modified(STAMP) <= lastChange()) await buildPage();
