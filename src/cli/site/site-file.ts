import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import {
  kindOf,
  manifestSchema,
  MANIFEST_NAME,
  NO_SEAL,
  sameSeal,
  SEAL_NAME,
  sealSchema,
  sealWith,
  type Manifest,
  type Seal,
  type Sealed,
} from "../../plugins/cms/protocol/site-file.ts";
import { BLOCK_BYTES, END_OF_ARCHIVE, paddingOf, readHeader } from "../../plugins/cms/protocol/tar.ts";

/** The file of a site, read from its beginning a piece at a time: what of it is whole, and whether its seal fits. */

const PIECE_BYTES = 1_048_576;

export interface PlacedMember extends Sealed {
  /** where its bytes begin */
  readonly at: number;
}

export interface Scan {
  /** whole ones, in order, without the seal */
  readonly members: readonly PlacedMember[];
  readonly manifest: Manifest | null;
  /** of the whole members */
  readonly seal: Seal;
  /** where the last whole member ends: what is behind it was cut */
  readonly end: number;
  /** its last record is the seal of all the others */
  readonly isWhole: boolean;
  /** why it is no file of a site, though it may have been one; null while nothing speaks against it */
  readonly fault: string | null;
}

const NOTHING: Scan = {
  members: [],
  manifest: null,
  seal: NO_SEAL,
  end: 0,
  isWhole: false,
  fault: null,
};

/** Reads on behind what is known of the file. */
export async function scanFile(file: FileHandle, known: Scan = NOTHING): Promise<Scan> {
  const { size: length } = await file.stat();
  const members = [...known.members];
  let { manifest, seal, end } = known;
  const found = (more: Partial<Scan> = {}): Scan => ({
    members,
    manifest,
    seal,
    end,
    isWhole: false,
    fault: null,
    ...more,
  });
  for (;;) {
    if (end + BLOCK_BYTES > length) return found();
    const header = readHeader(await read(file, end, BLOCK_BYTES));
    if (header === null || header === "end")
      return found({ fault: `At byte ${end} it is not as an export of a site.` });
    const at = end + BLOCK_BYTES;
    const next = at + header.size + paddingOf(header.size);
    if (next > length) return found();
    // Padding is in no digest, so it is checked here.
    if (!isEmpty(await read(file, at + header.size, next - at - header.size)))
      return found({ fault: `Behind “${header.name}” it is damaged.` });
    if (header.name === SEAL_NAME) {
      const stored = sealSchema.safeParse(await readJson(file, at, header.size));
      if (!stored.success || !sameSeal(stored.data, seal))
        return found({ fault: "Its seal is not that of what is in it: the file is damaged." });
      if (next + END_OF_ARCHIVE.length > length) return found();
      const isWhole =
        next + END_OF_ARCHIVE.length === length && isEmpty(await read(file, next, END_OF_ARCHIVE.length));
      return found(isWhole ? { isWhole } : { fault: "There is data after its end." });
    }
    if (kindOf(header.name) === null || (members.length === 0) !== (header.name === MANIFEST_NAME))
      return found({ fault: `“${header.name}” has no place in an export of a site.` });
    if (header.name === MANIFEST_NAME) {
      const parsed = manifestSchema.safeParse(await readJson(file, at, header.size));
      if (!parsed.success) return found({ fault: "Its manifest is none of an export of a site." });
      manifest = parsed.data;
    }
    const member = {
      name: header.name,
      size: header.size,
      sha256: await digestOf(file, at, header.size),
      at,
    };
    members.push(member);
    seal = sealWith(seal, member);
    end = next;
  }
}

const isEmpty = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

export async function read(file: FileHandle, at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  for (let got = 0; got < length;) {
    const { bytesRead } = await file.read(bytes, got, length - got, at + got);
    if (bytesRead === 0) return bytes.slice(0, got);
    got += bytesRead;
  }
  return bytes;
}

async function readJson(file: FileHandle, at: number, length: number): Promise<unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(await read(file, at, length)));
  } catch {
    return null;
  }
}

async function digestOf(file: FileHandle, at: number, length: number): Promise<string> {
  const hash = createHash("sha256");
  for (let done = 0; done < length; done += PIECE_BYTES)
    hash.update(await read(file, at + done, Math.min(PIECE_BYTES, length - done)));
  return hash.digest("hex");
}
