import { open, type FileHandle } from "node:fs/promises";
import { Stopped, type SiteClient } from "./client.ts";
import { scanFile, type Scan } from "./site-file.ts";

/** Downloads the site into a file. Complete members of the file are kept, and the download continues after them. */

/** consecutive responses without new data */
const EMPTY_MAX = 3;
/** times to begin anew, because the site was written to meanwhile */
const BEGINNINGS_MAX = 3;
const PROGRESS_BYTES = 16 * 1_048_576;

export type Print = (line: string) => void;

export async function exportSite(
  client: SiteClient,
  { file: path, environment }: { readonly file: string; readonly environment: string | null },
  print: Print,
): Promise<void> {
  const file = await open(path, "a+").then(async (made) => {
    await made.close();
    return open(path, "r+");
  });
  try {
    let scan = await scanFile(file);
    if (scan.isWhole) return print(`${path} is whole already: ${contentOf(scan)}.`);
    if (scan.fault !== null && scan.members.length === 0)
      throw new Stopped(`${path} is something else: it is not written over. Name another file.`);
    if (scan.fault !== null)
      throw new Stopped(`${path}: ${scan.fault} Delete it, or name another file, to start over.`);
    if (scan.members.length > 0) print(`Going on behind ${scan.members.length} members of ${path}.`);
    for (let beginnings = 1, empty = 0; !scan.isWhole;) {
      await file.truncate(scan.end);
      const before = scan.members.length;
      try {
        await download(client, file, scan, environment, print);
      } catch (error) {
        // A connection that breaks off leaves what has come, and is asked again.
        if (error instanceof Stopped) {
          if (error.code !== "site_changed") throw error;
          beginnings += 1;
          if (beginnings > BEGINNINGS_MAX)
            throw new Stopped("The site is written to all the time. Try again when it rests.");
          print("The site has changed: starting again.");
          await file.truncate(0);
          scan = await scanFile(file);
          continue;
        }
      }
      scan = await scanFile(file, scan);
      if (scan.fault !== null) throw new Stopped(`What came is no export: ${scan.fault}`);
      empty = scan.members.length > before ? 0 : empty + 1;
      if (empty > EMPTY_MAX) throw new Stopped("Nothing more comes. Run the same command again to continue.");
      if (!scan.isWhole) print(`${scan.members.length} members are here.`);
    }
    print(`${path} is whole: ${contentOf(scan)}.`);
  } finally {
    await file.close();
  }
}

/** Writes an answer behind what is whole. One that breaks off leaves what has come. */
async function download(
  client: SiteClient,
  file: FileHandle,
  { members, seal, end, manifest }: Scan,
  environment: string | null,
  print: Print,
): Promise<void> {
  const last = members.at(-1);
  const query = new URLSearchParams({
    ...(environment === null ? {} : { environment }),
    ...(last === undefined || manifest === null
      ? {}
      : {
          after: last.name,
          members: String(seal.members),
          bytes: String(seal.bytes),
          digest: seal.digest,
          state: manifest.state,
        }),
  });
  const response = await client.open(`/api/cms/export?${query.toString()}`);
  if (response.body === null) return;
  let at = end;
  let reported = end;
  const body: AsyncIterable<Uint8Array> = response.body;
  for await (const piece of body) {
    await file.write(piece, 0, piece.length, at);
    at += piece.length;
    if (at - reported < PROGRESS_BYTES) continue;
    reported = at;
    print(`${megabytes(at)} are here.`);
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;

/** Summary of a file's content, for a person. */
export function contentOf({ manifest, end }: Scan): string {
  if (manifest === null) return megabytes(end);
  const { pages, sections, entries, images } = manifest.counts;
  const { site, exportedAt } = manifest;
  return `“${site.name}” as of ${exportedAt}, ${pages} pages with ${sections} sections, ${entries} entries, ${images} images, ${megabytes(end)}`;
}
