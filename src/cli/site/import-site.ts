import { open, type FileHandle } from "node:fs/promises";
import * as z from "zod";
import { Stopped, type SiteClient } from "./client.ts";
import { contentOf, type Print } from "./export-site.ts";
import { read, scanFile, type Scan } from "./site-file.ts";

/** A file as a site: checked here first, then sent in the parts that are not there yet, then written and seen. */

/** parts on their way at once */
const ABREAST = 4;
const PROGRESS_PARTS = 100;

const progressSchema = z.object({
  id: z.string(),
  state: z.enum(["receiving", "writing", "done", "refused"]),
  environment: z.object({ id: z.string(), name: z.string(), path: z.string() }),
  members: z.number(),
  received: z.number(),
  written: z.number(),
  missing: z.array(z.tuple([z.number(), z.number()])),
});
type Progress = z.output<typeof progressSchema>;
const partSchema = z.object({ n: z.number() });

export async function importSite(
  client: SiteClient,
  { file: path, environment }: { readonly file: string; readonly environment: string | null },
  print: Print,
): Promise<void> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw new Stopped(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  try {
    const scan = await scanFile(file);
    if (scan.fault !== null) throw new Stopped(`${path} is refused. ${scan.fault} Nothing was sent.`);
    if (!scan.isWhole || scan.manifest === null)
      throw new Stopped(
        `${path} is refused: it ends before its seal. Nothing was sent. npm run site -- export ${path} continues it.`,
      );
    print(`${path} is whole: ${contentOf(scan)}.`);
    const { manifest, seal } = scan;
    let progress = await client.ask("/api/cms/imports", progressSchema, {
      method: "POST",
      json: { environment, manifest, seal },
    });
    const address = `/api/cms/imports/${progress.id}`;
    if (progress.received > 0) print(`${progress.received} of ${progress.members} parts are there already.`);
    while (progress.missing.length > 0) {
      await sendMissing(client, file, scan, progress, print);
      progress = await client.ask(address, progressSchema);
    }
    while (progress.state !== "done") {
      progress = await client.ask(`${address}/finish`, progressSchema, { method: "POST" });
      if (progress.state === "writing")
        print(`${progress.written} of ${progress.members} parts are written.`);
    }
    const { id, path: place } = progress.environment;
    print(`The site is there: ${id} at ${place}.`);
  } finally {
    await file.close();
  }
}

async function sendMissing(
  client: SiteClient,
  file: FileHandle,
  { members }: Scan,
  { id, missing, received }: Progress,
  print: Print,
): Promise<void> {
  const numbers = missing.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at),
  );
  for (let done = 0; done < numbers.length; done += ABREAST) {
    const some = numbers.slice(done, done + ABREAST);
    await Promise.all(
      some.map(async (n) => {
        const member = members[n - 1];
        if (member === undefined) throw new Stopped(`The server asks for part ${n}, which the file has not.`);
        const { name, sha256, at, size } = member;
        const query = new URLSearchParams({ name, sha256 });
        const bytes = await read(file, at, size);
        await client.ask(`/api/cms/imports/${id}/parts/${n}?${query.toString()}`, partSchema, {
          method: "PUT",
          bytes,
        });
      }),
    );
    const sent = Math.min(done + ABREAST, numbers.length);
    if (sent % PROGRESS_PARTS < ABREAST || sent === numbers.length)
      print(`${received + sent} of ${members.length} parts are there.`);
  }
}
