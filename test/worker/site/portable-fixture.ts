import { expect } from "vitest";
import { createExport } from "../../../src/plugins/cms/renderer/api/site-export.ts";
import { createImport } from "../../../src/plugins/cms/renderer/api/site-import.ts";
import { sha256Of } from "../../../src/plugins/cms/media/library.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import type { SiteAnswer } from "../../../src/plugins/cms/protocol/answers.ts";
import {
  MANIFEST_NAME,
  manifestSchema,
  NO_SEAL,
  SEAL_NAME,
  sealSchema,
  sealWith,
  type Manifest,
  type Seal,
} from "../../../src/plugins/cms/protocol/site-file.ts";
import { BLOCK_BYTES, paddingOf, readHeader } from "../../../src/plugins/cms/protocol/tar.ts";
import { openDoors, post } from "../http/routes-fixture.ts";
import { NOW } from "./fixture.ts";
import { siteRoutes } from "./site-routes.ts";

/** A site out and in through the doors, as a client does it. */

export const doors = openDoors(
  { LIMITS: { requestsPerMinute: 1_000_000 } },
  {
    plugins: siteRoutes({ portable: { export: createExport(ensureSeeded), ...createImport(ensureSeeded) } }),
    now: () => NOW,
  },
);

export interface Member {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export async function exported(query = ""): Promise<Uint8Array> {
  const response = await doors.call(`/api/cms/export${query}`, { who: "admin" });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-tar"]);
  return new Uint8Array(await response.arrayBuffer());
}

export function membersIn(file: Uint8Array): Member[] {
  const members: Member[] = [];
  for (let at = 0; at < file.length;) {
    const header = readHeader(file.subarray(at, at + BLOCK_BYTES));
    if (header === "end") break;
    if (header === null) throw new Error(`no header at ${at}`);
    at += BLOCK_BYTES;
    members.push({ name: header.name, bytes: file.subarray(at, at + header.size) });
    at += header.size + paddingOf(header.size);
  }
  return members;
}

export const jsonOf = (members: readonly Member[], name: string): unknown =>
  JSON.parse(new TextDecoder().decode(members.find((one) => one.name === name)?.bytes));
export const manifestOf = (members: readonly Member[]): Manifest =>
  manifestSchema.parse(jsonOf(members, MANIFEST_NAME));
export const sealOf = (members: readonly Member[]): Seal => sealSchema.parse(jsonOf(members, SEAL_NAME));

/** The seal that these members have, whatever they are: what somebody who forges a file would write. */
export async function sealed(members: readonly Member[]): Promise<Seal> {
  let seal = NO_SEAL;
  for (const { name, bytes } of members)
    seal = sealWith(seal, { name, size: bytes.length, sha256: await sha256Of(bytes) });
  return seal;
}

/** The members without the seal: what is sent. */
export const partsOf = (members: readonly Member[]): Member[] =>
  members.filter((one) => one.name !== SEAL_NAME);

export const begin = (environment: string | null, manifest: Manifest, seal: Seal): Promise<Response> =>
  doors.call("/api/cms/imports", { ...post({ environment, manifest, seal }), who: "admin" });

export async function send(
  id: string,
  n: number,
  { name, bytes }: Member,
  sha256?: string,
): Promise<Response> {
  const query = new URLSearchParams({ name, sha256: sha256 ?? (await sha256Of(bytes)) });
  return doors.call(`/api/cms/imports/${id}/parts/${n}?${query.toString()}`, {
    method: "PUT",
    body: bytes,
    who: "admin",
  });
}

export const progress = async (id: string): Promise<SiteAnswer<"SiteImport">> =>
  (await doors.call(`/api/cms/imports/${id}`, { who: "admin" })).json();

/** Asks until it is done; the refusal where there is one. */
export async function finish(id: string): Promise<Response> {
  for (;;) {
    const response = await doors.call(`/api/cms/imports/${id}/finish`, { method: "POST", who: "admin" });
    if (!response.ok) return response;
    const { state } = await response.clone().json<SiteAnswer<"SiteImport">>();
    if (state === "done") return response;
  }
}

/** All of it, in the order of `order`, which has numbers from 1. */
export async function imported(
  members: readonly Member[],
  environment: string | null,
  order?: readonly number[],
): Promise<Response> {
  const parts = partsOf(members);
  const begun = await begin(environment, manifestOf(members), await sealed(parts));
  if (!begun.ok) return begun;
  const { id, state } = await begun.clone().json<SiteAnswer<"SiteImport">>();
  if (state === "done") return begun;
  for (const n of order ?? parts.map((_, at) => at + 1)) {
    const part = parts[n - 1];
    if (part === undefined) throw new Error(`no part ${n}`);
    const sent = await send(id, n, part);
    if (!sent.ok) return sent;
  }
  return finish(id);
}

/** Content of a file, except who made it and when. */
export const contentOf = (members: readonly Member[]): Record<string, string> =>
  Object.fromEntries(
    partsOf(members)
      .filter((one) => one.name !== MANIFEST_NAME)
      .map(({ name, bytes }) => [
        name,
        name.endsWith(".ndjson")
          ? new TextDecoder().decode(bytes)
          : bytes.reduce((text, byte) => text + byte.toString(16).padStart(2, "0"), ""),
      ]),
  );
