import * as z from "zod";
import { listOf, recordOf } from "./first-fault.ts";
import { json } from "./json.ts";
import { sha256Hex } from "../core/log/digest.ts";
import { canonicalJson } from "../core/log/json.ts";

/** A session as a file: what an export writes, and an import and `npm run replay` read. */

export const EXPORT_FORMAT = "cairn.session/1";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
/** Validates only the frame of a file: folding and hashes decide whether its entries are a log. */
export const exportSchema = z.strictObject({
  format: z.literal(EXPORT_FORMAT),
  session: z.looseObject({
    id: z.string(),
    title: z.string(),
    titleSource: z.enum(["auto", "user"]),
    metadata: z.record(z.string(), json),
  }),
  entries: listOf(
    z.strictObject({
      seq: z.number().int().min(1),
      at: z.iso.datetime(),
      run: z.string().nullable(),
      step: z.string().nullable(),
      kind: z.string(),
      v: z.literal(1),
      body: z.looseObject({}),
    }),
  ),
  blobs: recordOf(z.string()),
  stateHash: hash,
  seal: hash,
});
export type SessionFile = z.output<typeof exportSchema>;

/** Each part of an export hashed onto the ones before it, so that no byte of it can change unnoticed. */
export const sealed = (seal: string, part: unknown): string => sha256Hex(seal + canonicalJson(part));

/** Returns the seal of a file's content; a different seal in the file means that it was changed. */
export function sealOf({ session, entries, blobs, stateHash }: Omit<SessionFile, "seal">): string {
  let seal = sealed("", session);
  for (const entry of entries) seal = sealed(seal, entry);
  for (const blob of Object.entries(blobs)) seal = sealed(seal, blob);
  return sealed(seal, stateHash);
}
