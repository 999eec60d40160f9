import * as z from "zod";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";

/**
 * A site as one file: a tar file of members in a fixed order, the manifest first, the seal last. The seal has the digest of
 * everything before it, so a file that was cut or altered is known as one.
 */

export const FORMAT = "cairn-site";
export const FORMAT_VERSION = 1;
export { MANIFEST_NAME, SEAL_NAME } from "./member-names.ts";
/** bytes of one member: an image of 10 MB, or the rows of a few pages */
export const MEMBER_BYTES_MAX = 12 * 1024 * 1024;
export const MEMBERS_MAX = 100_000;

/** Kinds of members in their order, which is also the order of writing. */
export const MEMBER_KINDS = [
  "manifest",
  "base",
  "library",
  "pages",
  "entries",
  "navigation",
  "redirects",
  "published",
  "images",
] as const;
export type MemberKind = (typeof MEMBER_KINDS)[number];

const FORMS: readonly (readonly [kind: MemberKind, form: RegExp])[] = [
  ["manifest", /^site\.json$/],
  ["base", /^base\.ndjson$/],
  ["library", /^library\/[\w-]{1,64}\.ndjson$/],
  ["pages", /^pages\/[\w-]{1,64}\.ndjson$/],
  ["entries", /^entries\/[\w-]{1,64}\.ndjson$/],
  ["navigation", /^navigation\.ndjson$/],
  ["redirects", /^redirects\/\d{8}\.ndjson$/],
  ["published", /^published\/(?:page|entry)-[\w-]{1,64}\.ndjson$/],
  ["images", /^images\/[0-9a-f]{64}\/(?:orig|w\d{1,5})\.[a-z0-9]{2,5}(?:\.missing)?$/],
];

/** The kind of a member of this name; null for none of a site. */
export const kindOf = (name: string): MemberKind | null =>
  FORMS.find(([, form]) => form.test(name))?.[0] ?? null;

const count = z.int().min(0);
const digest = z.string().regex(/^[0-9a-f]{64}$/);

export const countsSchema = z.strictObject({
  locales: count,
  settings: count,
  collections: count,
  images: count,
  pages: count,
  sections: count,
  entries: count,
  navigation: count,
  redirects: count,
  published: count,
});
export type SiteCounts = z.output<typeof countsSchema>;

export const manifestSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.int().min(1),
  site: z.strictObject({ name: z.string().min(1).max(200) }),
  environment: z.strictObject({ id: z.string().max(64), name: z.string().max(64) }),
  exportedAt: z.iso.datetime(),
  /** changes with every write to the site: all answers that make up one file have the same */
  state: z.string().regex(/^[\w.-]{1,80}$/),
  counts: countsSchema,
});
export type Manifest = z.output<typeof manifestSchema>;

export const sealSchema = z.strictObject({
  /** number of members before it, and their bytes without headers and padding */
  members: z.int().min(1).max(MEMBERS_MAX),
  bytes: count,
  digest,
});
export type Seal = z.output<typeof sealSchema>;

/** A member as the seal counts it. */
export interface Sealed {
  readonly name: string;
  readonly size: number;
  /** of its bytes, in hex */
  readonly sha256: string;
}

/** The seal of an empty file. */
export const NO_SEAL: Seal = { members: 0, bytes: 0, digest: "0".repeat(64) };

/** The seal with one more member before it: each digest has all earlier ones in it. */
export const sealWith = (seal: Seal, { name, size, sha256 }: Sealed): Seal => ({
  members: seal.members + 1,
  bytes: seal.bytes + size,
  digest: sha256Hex([seal.digest, name, String(size), sha256].join("\n")),
});

export const sameSeal = (left: Seal, right: Seal): boolean =>
  left.members === right.members && left.bytes === right.bytes && left.digest === right.digest;
