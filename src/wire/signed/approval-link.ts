import * as z from "zod";
import { readToken, signToken } from "./signed-token.ts";
import { isSet, text } from "../config/variables.ts";
import { parseJson } from "../json.ts";

/** Links that let one person decide one approval without logging in. */

export interface ApprovalLink {
  readonly approval: string;
  /** of what was asked when the link was made */
  readonly digest: string;
  /** seconds since the epoch; past it the link is gone */
  readonly ends: number;
  readonly session: string;
  /** when it was asked, milliseconds since the epoch: a later session of this name asks at another time. Null: not said */
  readonly asked: number | null;
  readonly subject: string;
}

const PURPOSE = "cairn-approval-link.v1.";
const SECRET_BYTES_MIN = 32;

const payloadSchema = z.strictObject({
  a: z.string(),
  d: z.string(),
  e: z.number().int(),
  s: z.string(),
  t: z.int().optional(),
  u: z.string(),
  v: z.literal(1),
});

/** The token of a link, signed with the first secret. The order of its fields is part of the protocol. */
export function signLink(secrets: readonly string[], link: ApprovalLink): string {
  const [secret] = secrets;
  if (secret === undefined) throw new Error("no secret signs links");
  const { approval, digest, ends, session, asked, subject } = link;
  const when = asked === null ? {} : { t: asked };
  const payload = { a: approval, d: digest, e: ends, s: session, ...when, u: subject, v: 1 };
  return signToken(secret, PURPOSE, JSON.stringify(payload));
}

/** What a token says, whether or not it has ended; null when none of the secrets has signed it, or it says more. */
export function readLink(secrets: readonly string[], token: string): ApprovalLink | null {
  const payload = readToken(secrets, PURPOSE, token);
  if (payload === null) return null;
  const read = payloadSchema.safeParse(JSON.parse(payload));
  if (!read.success) return null;
  const { a, d, e, s, t = null, u } = read.data;
  return { approval: a, digest: d, ends: e, session: s, asked: t, subject: u };
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
