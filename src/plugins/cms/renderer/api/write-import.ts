import { err, ok } from "../../../../cairn/core/log/result.ts";
import { refusal, type ApiError, type ApiResult } from "../../../../cairn/session/api/session-api.ts";
import { ToolError } from "../../../../cairn/tools/define.ts";
import type { CmsServices } from "../../model/types.ts";
import { findImport, listParts, stagedKey, type Part, type SiteImport } from "../../portable/imports.ts";
import { Damaged } from "../../portable/marks.ts";
import { countSite } from "../../portable/site-state.ts";
import {
  drop,
  deleteStagedParts,
  imagesWithoutBytes,
  openWriting,
  reveal,
  writeMembers,
} from "../../portable/settle-import.ts";
import {
  loadImportContext,
  recordsIn,
  writingOf,
  type ImportContext,
  type Writing,
} from "../../portable/write-site.ts";
import { kindOf, manifestSchema } from "../../protocol/site-file.ts";

/**
 * Writes a complete import: some members in a request, in order, into an invisible environment; then makes it
 * visible.
 */

/** members of rows that one request writes: each is up to 10,000 rows of the database, and more than a second */
const MEMBERS_PER_REQUEST = 4;

const TAKEN = refusal(
  409,
  "id_taken",
  "There is an environment of this name by now.",
  "Import the file under another name.",
);
const IDS_TAKEN = refusal(
  409,
  "ids_taken",
  "Things of this deployment have the ids that the site would get.",
  "Import the file under another name.",
);
const CHANGED = refusal(
  409,
  "site_not_empty",
  "The site of this deployment was changed meanwhile: it is not replaced.",
  "Name an environment: the file becomes a site of its own there.",
);

export interface ImportServices extends CmsServices {
  readonly media: R2Bucket;
}

export const damaged = (reason: string): ApiError =>
  refusal(400, "damaged", `The file is refused: ${reason}`, "Export the site again. Nothing was changed.");

/** Goes on writing. Refuses, with nothing left of it, what the site cannot have. */
export async function writeSome(
  services: ImportServices,
  one: SiteImport,
  at: number,
): Promise<ApiResult<null>> {
  const { db, media } = services;
  if (one.state === "receiving") {
    const opened = await openWriting(db, one, at);
    if (opened !== "open") {
      // Another request may have opened it just now.
      if ((await findImport(db, one.id))?.state === "writing") return ok(null);
      return err(TAKEN);
    }
  }
  const refuse = async (reason: string): Promise<ApiResult<null>> => {
    await drop(db, media, one, reason, at);
    return err(damaged(reason));
  };
  const hidden = { ...services, env: one.env };
  let context = await loadImportContext(hidden, one.target);
  let { written } = one;
  for (let count = 0; count < MEMBERS_PER_REQUEST && written < one.members; count++) {
    const batch = await nextOf(services, one, written);
    if (batch === null) return refuse("a part that was there is gone.");
    const writing = writingFor(hidden, one, batch, context, at);
    if (!writing.ok) return refuse(writing.error);
    const outcome = await writeMembers(db, one, { from: written, n: batch.upTo, ...writing.value }, at);
    if (outcome === "ids_taken") {
      await drop(db, media, one, IDS_TAKEN.message, at);
      return err(IDS_TAKEN);
    }
    if (outcome === "moved") return ok(null);
    if (outcome === "refused") return refuse(`${batch.part.name} does not fit the rest of the site.`);
    written = batch.upTo;
    if (kindOf(batch.part.name) === "base") context = await loadImportContext(hidden, one.target);
  }
  if (written < one.members) return ok(null);
  return finish(services, one, at, refuse);
}

interface Batch {
  readonly part: Part;
  /** null for images, which stay in the bucket */
  readonly lines: string | null;
  /** the number of the last member of it */
  readonly upTo: number;
}

/** The next member with its lines; images that follow one another are one step. Null when its bytes are gone. */
async function nextOf(
  { db, media }: ImportServices,
  one: SiteImport,
  written: number,
): Promise<Batch | null> {
  const [part] = await listParts(db, one.id, written, 1);
  if (part === undefined || part.n !== written + 1) return null;
  const kind = kindOf(part.name);
  // They are the last kind, and their names were checked when they came.
  if (kind === "images") return { part, lines: null, upTo: one.members };
  if (kind === "manifest") return { part, lines: null, upTo: part.n };
  const stored = await media.get(stagedKey(one.id, part.n));
  return stored === null ? null : { part, lines: await stored.text(), upTo: part.n };
}

function writingFor(
  hidden: ImportServices,
  { target }: SiteImport,
  { part, lines }: Batch,
  context: ImportContext,
  at: number,
): { readonly ok: true; readonly value: Writing } | { readonly ok: false; readonly error: string } {
  if (lines === null) return ok({ statements: [], ids: new Map() });
  try {
    return ok(writingOf(hidden, target, recordsIn(lines), context, at));
  } catch (error) {
    // A link that is none, or a row that is too large.
    if (error instanceof Damaged || error instanceof ToolError || error instanceof TypeError)
      return { ok: false, error: `${part.name}: ${error.message}` };
    throw error;
  }
}

/** All is written: it is counted, and then it is seen. */
async function finish(
  services: ImportServices,
  one: SiteImport,
  at: number,
  refuse: (reason: string) => Promise<ApiResult<null>>,
): Promise<ApiResult<null>> {
  const { db, media } = services;
  const manifest = manifestSchema.parse(JSON.parse(one.manifest));
  const counts = await countSite(services, one.env);
  const names = Object.keys(counts) as (keyof typeof counts)[];
  const wrong = names.find((name) => counts[name] !== manifest.counts[name]);
  if (wrong !== undefined)
    return refuse(`it has ${counts[wrong]} ${wrong}, and its manifest says ${manifest.counts[wrong]}.`);
  const bare = await imagesWithoutBytes(db, one);
  if (bare > 0) return refuse(`${bare} of its images have no bytes in it.`);
  const summary = `Imported the site “${manifest.site.name}” from a file: ${counts.pages} pages, ${counts.entries} entries, ${counts.images} images.`;
  const outcome = await reveal(services, one, { summary, siteName: manifest.site.name }, at);
  if (outcome === "refused") {
    await drop(db, media, one, CHANGED.message, at);
    return err(CHANGED);
  }
  await deleteStagedParts(db, media, one);
  return ok(null);
}
