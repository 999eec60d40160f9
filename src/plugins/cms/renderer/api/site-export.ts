import { refusal } from "../../../../cairn/session/api/session-api.ts";
import { err, ok } from "../../../../cairn/core/log/result.ts";
import type { ExportPosition, SitePortable } from "../../http/site-portable.ts";
import { sha256Of } from "../../media/library.ts";
import type { CmsServices } from "../../model/types.ts";
import { membersOf } from "../../portable/read-site.ts";
import { countSite, isInState, stateOfSite } from "../../portable/site-state.ts";
import { rowsOf } from "../../storage/rows.ts";
import { text } from "../../model/columns.ts";
import {
  FORMAT,
  FORMAT_VERSION,
  kindOf,
  MANIFEST_NAME,
  NO_SEAL,
  SEAL_NAME,
  sealWith,
  type Manifest,
  type Seal,
} from "../../protocol/site-file.ts";
import { END_OF_ARCHIVE, headerOf, paddingOf } from "../../protocol/tar.ts";
import { onSite, type Seed } from "./on-site.ts";

/**
 * A site as a stream. A response reads as much as one request may; a longer file is requested in several, each
 * continuing after the last one. It is sealed only if nobody has written to the site since its manifest was made.
 */

/** queries and reads of the bucket in one answer; the platform allows 1,000 */
const READS_MAX = 800;
/** bytes of rows in one answer: about 25 rows of the database are read for each kilobyte */
const ROW_BYTES_MAX = 8_000_000;

const CHANGED = refusal(
  409,
  "site_changed",
  "The site was changed since this export began.",
  "Begin again: what was read before belongs to another state of the site.",
);

export function createExport(seed: Seed): SitePortable["export"] {
  return async (env, { place, ...wish }, at) => {
    const opened = await onSite(seed, env, wish, at, async (services) => {
      const [row] = await rowsOf(
        services,
        "SELECT e.name, s.name AS site FROM environments e JOIN sites s ON s.id=e.site_id WHERE e.id=?1",
        services.env,
      );
      if (row === undefined) throw new Error("an environment that was found is there");
      const name = text(row, "name");
      if (place !== null)
        return (await isInState(services, place.state)) ? { services, name, manifest: null } : null;
      const manifest: Manifest = {
        format: FORMAT,
        version: FORMAT_VERSION,
        site: { name: text(row, "site") },
        environment: { id: services.env, name },
        exportedAt: new Date(at).toISOString(),
        // Before anything of the site is read: what is written after this is found out at the end.
        state: await stateOfSite(services),
        counts: await countSite(services, services.env),
      };
      return { services, name, manifest };
    });
    if (!opened.ok) return opened;
    if (opened.value === null) return err(CHANGED);
    const { services, name, manifest } = opened.value;
    const pieces = piecesOf(services, manifest, place);
    return ok({ filename: `${name}-site.tar`, body: streamOf(pieces) });
  };
}

const encoder = new TextEncoder();
const jsonOf = (value: object): Uint8Array => encoder.encode(`${JSON.stringify(value, null, 2)}\n`);

/** The bytes of the file, one member at a time: from the manifest, or from a position. */
async function* piecesOf(
  services: CmsServices,
  manifest: Manifest | null,
  place: ExportPosition | null,
): AsyncGenerator<Uint8Array> {
  let seal: Seal = place?.seal ?? NO_SEAL;
  let [reads, rowBytes] = [0, 0];
  if (manifest !== null) {
    const bytes = jsonOf(manifest);
    seal = sealWith(seal, { name: MANIFEST_NAME, size: bytes.length, sha256: await sha256Of(bytes) });
    yield tarred(MANIFEST_NAME, bytes);
  }
  const after = place === null || place.after === MANIFEST_NAME ? null : place.after;
  for await (const member of membersOf(services, services.media, after)) {
    const { name, bytes } = member;
    seal = sealWith(seal, { name, size: bytes.length, sha256: await sha256Of(bytes) });
    yield tarred(name, bytes);
    reads += member.reads;
    if (kindOf(name) !== "images") rowBytes += bytes.length;
    if (reads >= READS_MAX || rowBytes >= ROW_BYTES_MAX) return;
  }
  // The site changed while it was read: the file stays unsealed, so nobody takes it for complete.
  if (!(await isInState(services, manifest?.state ?? place?.state ?? ""))) return;
  yield tarred(SEAL_NAME, jsonOf(seal));
  yield END_OF_ARCHIVE;
}

function tarred(name: string, bytes: Uint8Array): Uint8Array {
  const header = headerOf({ name, size: bytes.length });
  const whole = new Uint8Array(header.length + bytes.length + paddingOf(bytes.length));
  whole.set(header);
  whole.set(bytes, header.length);
  return whole;
}

/** Reads a piece after the one before it was consumed, so that a slow reader costs no memory. */
function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await pieces.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
