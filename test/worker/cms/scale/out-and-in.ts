import { createExport } from "../../../../src/plugins/cms/renderer/api/site-export.ts";
import { createImport } from "../../../../src/plugins/cms/renderer/api/site-import.ts";
import type { ExportPosition } from "../../../../src/plugins/cms/http/site-portable.ts";
import type { ApiResult } from "../../../../src/cairn/session/api/session-api.ts";
import { sha256Of } from "../../../../src/plugins/cms/media/library.ts";
import {
  MANIFEST_NAME,
  manifestSchema,
  NO_SEAL,
  SEAL_NAME,
  sealWith,
  type Manifest,
  type Seal,
} from "../../../../src/plugins/cms/protocol/site-file.ts";
import { BLOCK_BYTES, readHeader } from "../../../../src/plugins/cms/protocol/tar.ts";

/** A site out and in again, a request at a time, without holding more of it than one member. */

/** Makes a request: whoever measures, measures in it. */
export type Request = <Answer>(
  what: "export" | "part" | "finish",
  act: () => Promise<Answer>,
) => Promise<Answer>;

export interface Member {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const seed = async (): Promise<void> => {};
const AT = Date.UTC(2027, 0, 3);
const WISH = { environment: null, visitor: { subject: "user:1", isAdmin: true } };

function valueOf<Value>(result: ApiResult<Value>): Value {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** The members without the seal, asked for in as many answers as it takes. */
export async function* membersOut(env: Env, request: Request): AsyncGenerator<Member> {
  let [place, state]: [ExportPosition | null, string] = [null, ""];
  let seal = NO_SEAL;
  for (;;) {
    const from = place;
    const members = await request("export", async () => {
      const { body } = valueOf(await createExport(seed)(env, { ...WISH, place: from }, AT));
      const found: Member[] = [];
      // A piece of the stream is a member with its header.
      for await (const piece of body) {
        const header = readHeader(piece.subarray(0, BLOCK_BYTES));
        if (header === null || header === "end") continue;
        found.push({ name: header.name, bytes: piece.subarray(BLOCK_BYTES, BLOCK_BYTES + header.size) });
      }
      return found;
    });
    for (const member of members) {
      if (member.name === SEAL_NAME) return;
      if (member.name === MANIFEST_NAME) state = manifestIn(member).state;
      seal = await sealedWith(seal, member);
      place = { after: member.name, seal, state };
      yield member;
    }
    if (members.length === 0) throw new Error("an answer brought nothing");
  }
}

export const manifestIn = ({ bytes }: Member): Manifest =>
  manifestSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
export const sealedWith = async (seal: Seal, { name, bytes }: Member): Promise<Seal> =>
  sealWith(seal, { name, size: bytes.length, sha256: await sha256Of(bytes) });

/** Asks for the file behind a place, and reads the answer. */
export async function readBehind(env: Env, place: ExportPosition): Promise<void> {
  const { body } = valueOf(await createExport(seed)(env, { ...WISH, place }, AT));
  for await (const _ of body);
}

/** All members as an environment of this name. `seal` and `manifest` are of them. */
export async function comeIn(
  env: Env,
  {
    name,
    manifest,
    seal,
  }: { readonly name: string | null; readonly manifest: Manifest; readonly seal: Seal },
  members: AsyncIterable<Member>,
  request: Request,
): Promise<void> {
  const door = createImport(seed);
  const { id } = valueOf(await door.begin(env, { subject: "root", name, manifest, seal }, AT));
  let n = 0;
  for await (const { name: member, bytes } of members) {
    n += 1;
    const part = { id, n, name: member, bytes, sha256: await sha256Of(bytes) };
    await request("part", async () => valueOf(await door.put(env, part, AT)));
  }
  for (;;) {
    const { state } = await request("finish", async () => valueOf(await door.finish(env, id, AT)));
    if (state === "done") return;
  }
}
