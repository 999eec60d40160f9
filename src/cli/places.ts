import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Where a command works, and where its own files are. In the repository of Cairn both are the same folder. */

/** The nearest folder from `start` upwards for which `fits`; null: there is none. */
function findUp(start: string, fits: (folder: string) => boolean): string | null {
  for (let folder = start; ; folder = path.dirname(folder)) {
    if (fits(folder)) return folder;
    if (folder === path.dirname(folder)) return null;
  }
}

function isCairn(folder: string): boolean {
  const file = path.join(folder, "package.json");
  if (!existsSync(file)) return false;
  const read: unknown = JSON.parse(readFileSync(file, "utf8"));
  return typeof read === "object" && read !== null && "name" in read && read.name === "cairn";
}

const isProject = (folder: string): boolean => existsSync(path.join(folder, "wrangler.toml"));

/** The package of Cairn: its page, its migrations and its commands. */
export const LIBRARY = findUp(import.meta.dirname, isCairn) ?? import.meta.dirname;

/** The project that a command works on: the nearest folder with a wrangler.toml, from the current one upwards. */
export const PROJECT = findUp(process.cwd(), isProject) ?? LIBRARY;

/** The path of a page of the docs as a message names it: from the project, which has them in its node_modules. `page`: `deploy.md` */
export const docsPage = (page: string): string =>
  path.relative(PROJECT, path.join(LIBRARY, "docs", page)).replaceAll("\\", "/");

/** A file is written here when an edit loads: the only folder that the local server watches (start/reload.ts). */
export const EDITS = path.join(PROJECT, ".wrangler/edits");

/** True where a command was started outside of any project. */
export const isOutsideProject = (): boolean => findUp(process.cwd(), isProject) === null;

/** The ending of modules: `.ts` in the repository, `.js` in the package. */
export const MODULE = path.extname(import.meta.filename);
