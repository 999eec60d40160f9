import * as z from "zod";
import { readToken, signToken } from "./signed-token.ts";
import { isSet, text } from "../variables.ts";
import { parseJson } from "../json.ts";

/** Links that let one person decide one approval without logging in. */

export interface ApprovalLink {
  readonly approval: string;
  /** of what was asked when the link was made */
  readonly digest: string;
  /** seconds since the epoch; past it the link is gone */
  readonly ends: number;
  readonly session: string;
  /** time of the request, milliseconds since the epoch, which tells later sessions of this name apart. Null: unknown */
  readonly asked: number | null;
  readonly subject: string;
  /** names of the grants that the subject had when it was made, of which one must still hold; absent: any that they have now */
  readonly grants?: readonly string[];
  /** name of the grant of the admin who vouches for a subject without any; absent: the subject's own grants decide */
  readonly maker?: string;
}

/** names of grants that a link carries */
export const LINK_GRANTS_MAX = 8;

const PURPOSE = "cairn-approval-link.v1.";
const SECRET_BYTES_MIN = 32;

const payloadSchema = z.strictObject({
  a: z.string(),
  d: z.string(),
  e: z.number().int(),
  g: z.array(z.string()).optional(),
  m: z.string().optional(),
  s: z.string(),
  t: z.int().optional(),
  u: z.string(),
  v: z.literal(1),
});

/** The token of a link, signed with the first secret. The order of its fields is part of the protocol. */
export function signLink(secrets: readonly string[], link: ApprovalLink): string {
  const [secret] = secrets;
  if (secret === undefined) throw new Error("no secret signs links");
  const { approval, digest, ends, session, asked, subject, grants, maker } = link;
  const payload = {
    a: approval,
    d: digest,
    e: ends,
    ...(grants === undefined ? {} : { g: grants.slice(0, LINK_GRANTS_MAX) }),
    ...(maker === undefined ? {} : { m: maker }),
    s: session,
    ...(asked === null ? {} : { t: asked }),
    u: subject,
    v: 1,
  };
  return signToken(secret, PURPOSE, JSON.stringify(payload));
}

/** Parses a token, expired or not; null if none of the secrets signed it, or if it has extra fields. */
export function readLink(secrets: readonly string[], token: string): ApprovalLink | null {
  const payload = readToken(secrets, PURPOSE, token);
  if (payload === null) return null;
  const read = payloadSchema.safeParse(JSON.parse(payload));
  if (!read.success) return null;
  const { a, d, e, g, m, s, t = null, u } = read.data;
  return {
    approval: a,
    digest: d,
    ends: e,
    session: s,
    asked: t,
    subject: u,
    ...(g === undefined ? {} : { grants: g }),
    ...(m === undefined ? {} : { maker: m }),
  };
}

/** APPROVAL_LINK_SECRET: one text, or two of which the first signs. Empty when unset or malformed: there are no links. */
export function parseLinkSecrets(value: unknown, refuse: (message: string) => void): readonly string[] {
  if (!isSet(value)) return [];
  const given = text(value);
  const listed: unknown = given === null ? value : given.startsWith("[") ? parseJson(given) : [given];
  const secrets = Array.isArray(listed) ? listed.map((entry: unknown) => text(entry)) : [];
  const long = secrets.filter(
    (secret) => secret !== null && new TextEncoder().encode(secret).length >= SECRET_BYTES_MIN,
  );
  const single = given !== null && !given.startsWith("[");
  if (long.length === secrets.length && secrets.length === (single ? 1 : 2))
    return long.flatMap((secret) => secret ?? []);
  refuse(`Must be text of at least ${SECRET_BYTES_MIN} bytes, or a JSON array of two of them.`);
  return [];
}
