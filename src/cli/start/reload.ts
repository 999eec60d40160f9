import { createHash } from "node:crypto";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
  type FSWatcher,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { EDITS, PROJECT } from "../places.ts";
import { freePort, launchDevServer } from "./dev-server.ts";
import { loadFault } from "./load-fault.ts";
import { LOG_START, sift } from "./wrangler-log.ts";

/**
 * Hands edits to the running server, once they load in one aside. `wrangler dev` holds every request from the moment it begins
 * to build until a build has succeeded, and ends over a worker that throws as it loads. So it watches `EDITS` alone,
 * where a file is written when an edit has been tried.
 */

/** Folders with the sources of the worker and the page. wrangler itself sees changes of wrangler.toml and .dev.vars. */
const FOLDERS = ["src", "prompts"];
/** an editor writes several files at once, or one in several steps */
const QUIET_MS = 100;
/** A worker that computes for ever as it loads makes progress for ever, and further edits wait for it. */
const TRY_MS_MAX = 300_000;
const NAMED_MAX = 3;
const ERROR_LINES_MAX = 20;

type Files = ReadonlyMap<string, string>;

export interface Edits {
  /** call it when the server has loaded the edits; prints a line */
  loaded(): void;
}

/** Watches the sources until the process ends. `vars` are those of the server; `print` gets lines for the developer. */
export function watchEdits(vars: readonly string[], print: (line: string) => void): Edits {
  let served = readFiles();
  /** last, whatever came of it */
  let tried = served;
  /** on its way into the server */
  let ready: Files | null = null;
  let trying = false;

  const tryEdits = async (): Promise<void> => {
    for (let files = readFiles(); !trying && changes(tried, files).length > 0; files = readFiles()) {
      trying = true;
      print(`${named(changes(tried, files))} changed. Trying it…`);
      tried = files;
      const problem = await tryAside(vars);
      trying = false;
      // The tried build may miss edits that were made meanwhile.
      if (changes(files, readFiles()).length > 0) continue;
      if (problem !== null)
        print(`The new version does not load. The server keeps the old one until this is fixed:\n${problem}`);
      else {
        ready = files;
        writeFileSync(path.join(EDITS, "tried"), String(Date.now()));
      }
    }
  };
  let quiet: NodeJS.Timeout | undefined;
  watchFolders(() => {
    clearTimeout(quiet);
    quiet = setTimeout(() => void tryEdits(), QUIET_MS);
  });
  mkdirSync(EDITS, { recursive: true });
  return {
    loaded() {
      const files = ready ?? served;
      const changed = changes(served, files);
      served = files;
      ready = null;
      print(changed.length === 0 ? "Reloaded." : `Reloaded: ${named(changed)}.`);
    },
  };
}

/** Reason in wrangler's words why a server with these sources does not build, load or listen; null if it does. */
async function tryAside(vars: readonly string[]): Promise<string | null> {
  const folder = mkdtempSync(path.join(tmpdir(), "cairn-edit-"));
  let complain = (): void => {};
  // A build that fails leaves wrangler waiting for the next one.
  const complaint = new Promise<"failed">((resolve) => (complain = () => resolve("failed")));
  const server = launchDevServer({
    port: await freePort(),
    persistTo: folder,
    vars,
    readyMsMax: TRY_MS_MAX,
    onLine: (line) => {
      if (sift(LOG_START, line).show) complain();
    },
  });
  const ready = server.ready.then(
    () => "ready" as const,
    () => "failed" as const,
  );
  const outcome = await Promise.race([ready, complaint]);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  if (outcome === "ready") return null;
  const fault = loadFault(server.log());
  return fault === null ? errorsIn(server.log()) : `${fault.what}\n${fault.fix}`;
}

function errorsIn(log: string): string {
  let filter = LOG_START;
  const shown = log.split("\n").filter((line) => {
    const next = sift(filter, line);
    filter = next.filter;
    return next.show && line.trim() !== "";
  });
  return shown.slice(0, ERROR_LINES_MAX).join("\n");
}

/** Path in the project → digest, without temporary files of editors. */
function readFiles(): Files {
  const files = new Map<string, string>();
  for (const file of globSync(
    FOLDERS.map((folder) => `${folder}/**/*.*`),
    { cwd: PROJECT },
  ).toSorted()) {
    if (/(^|\/)\.|~$|\.sw[a-z]$/.test(file)) continue;
    try {
      files.set(
        file,
        createHash("sha256")
          .update(readFileSync(path.join(PROJECT, file)))
          .digest("hex"),
      );
    } catch (error) {
      // gone since it was found
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  return files;
}

const changes = (before: Files, after: Files): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((file) => before.get(file) !== after.get(file));

/** At most three names. */
function named(files: readonly string[]): string {
  const more = files.length - NAMED_MAX;
  return `${files.slice(0, NAMED_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Calls back on every change below the folders, also in folders that are made later. */
function watchFolders(changed: () => void): void {
  const watched = new Map<string, FSWatcher>();
  const follow = (): void => {
    const now = new Set(
      globSync(
        FOLDERS.flatMap((folder) => [folder, `${folder}/**/`]),
        { cwd: PROJECT },
      ),
    );
    for (const [folder, watcher] of watched) {
      if (now.has(folder)) continue;
      watcher.close();
      watched.delete(folder);
    }
    for (const folder of now) {
      if (watched.has(folder)) continue;
      const watcher = watch(path.join(PROJECT, folder), () => {
        follow();
        changed();
      });
      // A deleted folder ends its watcher; the watcher of its parent reports it.
      watched.set(
        folder,
        watcher.on("error", () => watcher.close()),
      );
    }
  };
  follow();
}
