import type { Bindings } from "../../../../cairn/bindings.ts";
import { canonicalJson } from "../../../../cairn/core/log/json.ts";
import { err, ok } from "../../../../cairn/core/log/result.ts";
import { NOT_FOUND } from "../../../../cairn/http/kit/responses.ts";
import { ID_TAKEN } from "../../http/refusals.ts";
import type { SitePortable } from "../../http/site-portable.ts";
import { refusal, type ApiError, type ApiResult } from "../../../../cairn/session/api/session-api.ts";
import { ToolError } from "../../../../cairn/tools/define.ts";
import { readImage } from "../../media/bytes/read-image.ts";
import { sha256Of } from "../../media/library.ts";
import { OWN_ENVIRONMENT, siteRoot } from "../../model/environment.ts";
import { idFor } from "../../model/ids.ts";
import { servicesOf } from "../../pack.ts";
import {
  announce,
  findImport,
  findPart,
  listParts,
  missingOf,
  notePart,
  stagedKey,
  type Part,
  type SiteImport,
} from "../../portable/imports.ts";
import { IMAGE_TYPES } from "../../portable/records.ts";
import { drop, isTaken, isUntouched, mediaKey } from "../../portable/settle-import.ts";
import type { SiteAnswer } from "../../protocol/answers.ts";
import {
  FORMAT_VERSION,
  kindOf,
  manifestSchema,
  MEMBER_KINDS,
  NO_SEAL,
  sameSeal,
  sealWith,
  type Seal,
} from "../../protocol/site-file.ts";
import { environmentId } from "./new-environment.ts";
import type { Seed } from "./on-site.ts";
import { NOT_CONFIGURED } from "./preview-link.ts";
import { damaged, writeSome, type ImportServices } from "./write-import.ts";

/**
 * Imports a site from a file, in parts. Invariants: until every part is there and the seal matches, nothing of the
 * file is in the database; until its last row is written, the site is invisible.
 */

const RANGES_MAX = 100;
const PARTS_PER_QUERY = 1_000;

const UNKNOWN_FORMAT = refusal(
  400,
  "unknown_format",
  `Only files of format version ${FORMAT_VERSION} can be read here.`,
  "Deploy the version of Cairn that wrote the file, or a newer one.",
);
const NOT_EMPTY = refusal(
  409,
  "site_not_empty",
  "The site of this deployment was changed since it was made: it is not replaced.",
  "Name an environment: the file becomes a site of its own there.",
);
const CLOSED = refusal(
  409,
  "import_closed",
  "This import takes no more parts.",
  "GET it: its state says why.",
);
const MISSING = refusal(409, "parts_missing", "Not all parts are there.", "Send the missing ones.");
const damagedPart = (message: string): ApiError =>
  refusal(400, "damaged_part", message, "Send the part again, as it is in the file.");
export function createImport(seed: Seed): Omit<SitePortable, "export"> {
  const open = async (env: Bindings, at: number): Promise<ApiResult<ImportServices>> => {
    await seed(env, at);
    const services = servicesOf(env);
    if (services === null || services.media === null) return err(NOT_CONFIGURED);
    return ok({ ...services, media: services.media });
  };
  const found = async (
    env: Bindings,
    id: string,
    at: number,
    act: (services: ImportServices, one: SiteImport) => Promise<ApiResult<SiteAnswer<"SiteImport">>>,
  ) => {
    const services = await open(env, at);
    if (!services.ok) return services;
    const one = await findImport(services.value.db, id);
    return one === null ? err(NOT_FOUND) : act(services.value, one);
  };

  return {
    begin: async (env, { subject, name, manifest, seal }, at) => {
      if (manifest.version !== FORMAT_VERSION) return err(UNKNOWN_FORMAT);
      const opened = await open(env, at);
      if (!opened.ok) return opened;
      const { db, media } = opened.value;
      const site = await db
        .prepare("SELECT site_id FROM environments WHERE id=?1")
        .bind(OWN_ENVIRONMENT)
        .first<string>("site_id");
      if (site === null) return err(NOT_CONFIGURED);
      const target = name === null ? OWN_ENVIRONMENT : environmentId(name);
      // The same file for the same place is the same import, however often it begins.
      const id = idFor("si", `${target}/${seal.digest}/${seal.members}`, 0);
      const before = await findImport(db, id);
      if (before !== null && before.state !== "refused") return ok(await viewOf(db, before));
      const one = {
        id,
        target,
        siteId: site,
        name: name ?? "",
        manifest: JSON.stringify(manifest),
        env: name === null ? `env_${id}` : target,
        members: seal.members,
        bytes: seal.bytes,
        digest: seal.digest,
        actor: `user:${subject}`,
        createdAt: at,
      };
      const taken =
        name === null
          ? !(await isUntouched(db))
          : await isTaken(db, { ...one, state: "receiving", written: 0, reason: null });
      if (taken) return err(name === null ? NOT_EMPTY : ID_TAKEN);
      if (before !== null) {
        // Leftovers of the refused import must not be taken for parts of this one.
        await drop(db, media, before, before.reason ?? "", at);
        await db.prepare("DELETE FROM site_imports WHERE id=?1 AND state='refused'").bind(id).run();
      }
      await announce(db, one);
      const begun = await findImport(db, id);
      if (begun === null) throw new Error("an import that was announced is there");
      return ok(await viewOf(db, begun));
    },

    read: (env, id) => found(env, id, 0, async ({ db }, one) => ok(await viewOf(db, one))),

    put: async (env, { id, bytes, ...given }, at) => {
      const opened = await open(env, at);
      if (!opened.ok) return opened;
      const { db, media } = opened.value;
      const one = await findImport(db, id);
      if (one === null || given.n > one.members) return err(NOT_FOUND);
      const part: Part = { ...given, size: bytes.length };
      const known = await findPart(db, id, part.n);
      if (known !== null) {
        const isSame = known.name === part.name && known.sha256 === part.sha256 && known.size === part.size;
        return isSame
          ? ok({ n: part.n, name: part.name, size: part.size, replayed: true })
          : err(refusal(409, "part_taken", `Part ${part.n} is another one already.`, "It is not replaced."));
      }
      if (one.state !== "receiving") return err(CLOSED);
      const fault = await faultOf(part, bytes);
      if (fault !== null) return err(damagedPart(fault));
      await store({ db, media }, one, part, bytes);
      await notePart(db, id, part, at);
      return ok({ n: part.n, name: part.name, size: part.size, replayed: false });
    },

    finish: (env, id, at) =>
      found(env, id, at, async (services, one) => {
        if (one.state === "done") return ok(await viewOf(services.db, one));
        if (one.state === "refused") return err(damaged(one.reason ?? ""));
        if (one.state === "receiving") {
          const whole = await checkWhole(services, one);
          if (!whole.ok) {
            if (whole.error.code === "damaged")
              await drop(services.db, services.media, one, whole.error.message, at);
            return whole;
          }
        }
        const written = await writeSome(services, one, at);
        if (!written.ok) return written;
        const now = await findImport(services.db, id);
        return now === null ? err(NOT_FOUND) : ok(await viewOf(services.db, now));
      }),

    abandon: (env, id, at) =>
      found(env, id, at, async ({ db, media }, one) => {
        if (one.state === "done") return err(CLOSED);
        await drop(db, media, one, "It was abandoned.", at);
        const now = await findImport(db, id);
        return now === null ? err(NOT_FOUND) : ok(await viewOf(db, now));
      }),
  };
}

async function viewOf(db: D1Database, one: SiteImport): Promise<SiteAnswer<"SiteImport">> {
  const isOpen = one.state === "receiving";
  const { received, missing } = isOpen
    ? await missingOf(db, one, RANGES_MAX)
    : { received: one.members, missing: [] };
  return {
    id: one.id,
    state: one.state,
    members: one.members,
    written: one.written,
    reason: one.reason,
    environment: { id: one.target, name: one.name, path: siteRoot(one.target) },
    received: one.state === "refused" ? 0 : received,
    missing: missing.map(([from, to]): [number, number] => [from, to]),
  };
}

/** Why a part cannot be one; null when it can. */
async function faultOf({ n, name, sha256, size }: Part, bytes: Uint8Array): Promise<string | null> {
  const kind = kindOf(name);
  if (kind === null) return `“${name}” is no member of a site.`;
  if ((kind === "manifest") !== (n === 1)) return "The manifest is the first member, and no other is.";
  if ((await sha256Of(bytes)) !== sha256) return `The bytes of part ${n} are not those of its digest.`;
  if (kind !== "images") return null;
  if (name.endsWith(".missing")) return size === 0 ? null : "An image that is missing has no bytes.";
  const ext = name.split(".").at(-1);
  // An SVG of a sample is text; it is served so that it runs nothing.
  if (ext === "svg") return bytes[0] === 0x3c ? null : `“${name}” is no SVG.`;
  try {
    return readImage(bytes).ext === ext ? null : `“${name}” is an image of another type.`;
  } catch (error) {
    if (error instanceof ToolError) return `“${name}” is no image: ${error.failure.message}`;
    throw error;
  }
}

/** Stores a part in the bucket: rows wait there, images stay there. Bytes of a live image are left as they are. */
async function store(
  { db, media }: Pick<ImportServices, "db" | "media">,
  one: SiteImport,
  { n, name, sha256 }: Part,
  bytes: Uint8Array,
): Promise<void> {
  if (kindOf(name) !== "images") {
    await media.put(stagedKey(one.id, n), bytes, { sha256 });
    return;
  }
  if (name.endsWith(".missing")) return;
  const held = await db
    .prepare("SELECT 1 FROM images WHERE env_id=?1 AND sha256=?2")
    .bind(one.target, name.split("/")[1] ?? "")
    .first();
  if (held !== null) return;
  const ext = name.split(".").at(-1) ?? "";
  const type = Object.entries(IMAGE_TYPES).find(([, other]) => other === ext)?.[0];
  await media.put(mediaKey(one.target, name), bytes, {
    sha256,
    ...(type === undefined ? {} : { httpMetadata: { contentType: type } }),
  });
}

/** Checks that all parts are there, in order, under the seal, with the announced manifest. */
async function checkWhole({ db, media }: ImportServices, one: SiteImport): Promise<ApiResult<null>> {
  const { missing } = await missingOf(db, one, RANGES_MAX);
  if (missing.length > 0)
    return err({ ...MISSING, extra: { missing: missing.map(([from, to]) => [from, to]) } });
  let seal: Seal = NO_SEAL;
  let last = -1;
  const names = new Set<string>();
  for (let after = 0; after < one.members; after += PARTS_PER_QUERY) {
    for (const part of await listParts(db, one.id, after, PARTS_PER_QUERY)) {
      seal = sealWith(seal, part);
      const kind = kindOf(part.name);
      const rank = kind === null ? -1 : MEMBER_KINDS.indexOf(kind);
      if (rank < last) return err(damaged("its members are in another order than they were written in."));
      last = rank;
      names.add(part.name);
    }
  }
  if (!sameSeal(seal, { members: one.members, bytes: one.bytes, digest: one.digest }))
    return err(damaged("its parts are not those that the seal was made of."));
  if (names.size !== one.members) return err(damaged("it has a member twice."));
  const stored = await media.get(stagedKey(one.id, 1));
  const manifest = manifestSchema.safeParse(await stored?.json().catch(() => null));
  if (!manifest.success || canonicalJson(manifest.data) !== canonicalJson(JSON.parse(one.manifest)))
    return err(damaged("its manifest is another one than was announced."));
  return ok(null);
}
