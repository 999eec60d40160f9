import * as z from "zod";
import { readToken, signToken } from "../../../cairn/protocol/signed/signed-token.ts";

/** Tokens that show drafts for a while. */

export const PREVIEW_DEFAULT_MS = 60 * 60 * 1_000;
export const PREVIEW_MAX_MS = 24 * 60 * 60 * 1_000;
/** longer texts are refused unread */
const PREVIEW_TOKEN_CHARS_MAX = 1_000;

const payloadSchema = z.strictObject({
  v: z.literal(1),
  env: z.string().min(1),
  scope: z.enum(["site", "page", "entry"]),
  id: z.string().min(1).max(64).optional(),
  set: z.string().min(1).max(64).optional(),
  exp: z.int(),
});

/**
 * The drafts that a token shows. `id` names the page or entry, `set` the change set that the drafts are shown with;
 * `exp` is in ms.
 */
export type PreviewGrant = Readonly<Omit<z.output<typeof payloadSchema>, "v">>;

/** No purpose is needed: the key of these tokens signs nothing else. */
const PURPOSE = "";

/** The token of a grant. */
export function mintPreviewToken(secret: string, grant: PreviewGrant): string {
  const { env, scope, id, set, exp } = grant;
  const payload = JSON.stringify({
    v: 1,
    env,
    scope,
    ...(id === undefined ? {} : { id }),
    ...(set === undefined ? {} : { set }),
    exp,
  });
  return signToken(secret, PURPOSE, payload);
}

/**
 * The grant of a token, or null: malformed, altered, signed with another secret, expired, or valid for longer than
 * allowed. `now` in ms. The result does not name the reason.
 */
export function checkPreviewToken(secret: string, token: string, now: number): PreviewGrant | null {
  if (token.length > PREVIEW_TOKEN_CHARS_MAX) return null;
  const payload = readToken([secret], PURPOSE, token);
  const parsed = payloadSchema.safeParse(payload === null ? null : JSON.parse(payload));
  if (!parsed.success) return null;
  const { env, scope, id, set, exp } = parsed.data;
  if (exp <= now || exp > now + PREVIEW_MAX_MS || (scope === "site") !== (id === undefined)) return null;
  return { env, scope, ...(id === undefined ? {} : { id }), ...(set === undefined ? {} : { set }), exp };
}
