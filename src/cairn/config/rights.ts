import type { Config } from "./config.ts";
import { isNameOf, parseTokens, SCOPES, type Grant } from "./tokens.ts";
import { parseSwitch } from "../protocol/variables.ts";

/**
 * Rights at the moment of their use. Whatever acts later for a person (a linked chat, a signed link, an assistant, an open
 * socket, a schedule) stores the names of grants and the scopes that it was given, never a copy of rights: `actorOfGrant` looks
 * the grants up in AUTH_TOKENS each time and gives no more than both allow.
 */

type Scope = (typeof SCOPES)[number];

/** Everyone who may log in. */
export type People = Pick<Config, "tokens" | "anonymous">;

/** The subject of callers without a token, where ALLOW_ANONYMOUS lets them in. */
export const ANONYMOUS_SUBJECT = "anonymous";

/** Rights as they are stored. */
export interface HeldRights {
  /** null: the subject of the grants that are named */
  readonly subject: string | null;
  /** names of grants, of which one must still hold; null: any grant of the subject will do */
  readonly grants: readonly string[] | null;
  readonly scopes: readonly string[];
}

/** Rights as they are now. */
export interface CurrentRights {
  readonly subject: string;
  readonly scopes: readonly Scope[];
  /** of several grants, the one that lasts longest; absent for the anonymous of a local host */
  readonly grant?: string;
  /** milliseconds since the epoch; absent when the grant does not end */
  readonly expiresAt?: number;
}

/** Words for every surface. */
export const ACCESS_ENDED = "Your access has ended.";

/** `admin` includes every scope; no other scope includes another one. */
export const includesScope = (scopes: readonly string[], scope: Scope): boolean =>
  scopes.includes("admin") || scopes.includes(scope);

/** The rights that are left of those held; null when every grant has ended or has been given to somebody else. */
export function actorOfGrant(
  config: People,
  { subject, grants, scopes: held }: HeldRights,
  at: number,
): CurrentRights | null {
  const given =
    subject === ANONYMOUS_SUBJECT && config.anonymous
      ? { subject, scopes: SCOPES }
      : rightsOf(config.tokens.filter((grant) => isNamed(grant, subject, grants) && hasNotEnded(grant, at)));
  if (given === null) return null;
  const scopes = SCOPES.filter((scope) => includesScope(held, scope) && includesScope(given.scopes, scope));
  return { ...given, scopes };
}

/** True while this grant is an admin's: a link for a subject without a grant rests on the admin who made it. */
export function isAdminGrant(config: People, maker: string, at: number): boolean {
  const held =
    maker === ANONYMOUS_SUBJECT
      ? { subject: maker, grants: null, scopes: ["admin"] }
      : { subject: null, grants: [maker], scopes: ["admin"] };
  return actorOfGrant(config, held, at)?.scopes.includes("admin") === true;
}

const isNamed = (grant: Grant, subject: string | null, names: readonly string[] | null): boolean =>
  (subject === null ? names !== null : grant.subject === subject) &&
  (names === null || names.some((name) => isNameOf(grant, name)));

/** Together, several grants of one subject give what each of them gives. */
function rightsOf(grants: readonly Grant[]): CurrentRights | null {
  const [longest] = grants.toSorted((a, b) => (b.expiresAt ?? Infinity) - (a.expiresAt ?? Infinity));
  if (longest === undefined) return null;
  const { subject, name: grant, expiresAt } = longest;
  const scopes = SCOPES.filter((scope) => grants.some((each) => each.scopes.includes(scope)));
  return expiresAt === null ? { subject, scopes, grant } : { subject, scopes, grant, expiresAt };
}

/** The grant of this name, until it ends; null for any other name. */
export function grantNamed({ tokens }: Pick<Config, "tokens">, name: string, at: number): Grant | null {
  const grant = tokens.find((each) => isNameOf(each, name));
  return grant !== undefined && hasNotEnded(grant, at) ? grant : null;
}

/** Names of the grants that a person has now, those that last longest first. */
export function grantsOf({ tokens }: Pick<Config, "tokens">, subject: string, at: number): readonly string[] {
  return tokens
    .filter((grant) => grant.subject === subject && hasNotEnded(grant, at))
    .toSorted((a, b) => (b.expiresAt ?? Infinity) - (a.expiresAt ?? Infinity))
    .map((grant) => grant.name);
}

export const hasNotEnded = (grant: Grant, at: number): boolean =>
  grant.expiresAt === null || grant.expiresAt > at;

/** Returns the people of a deployment, from its variables alone; none if they are malformed. */
export const peopleIn = (env: Readonly<Record<string, unknown>>): People => ({
  tokens: parseTokens(env["AUTH_TOKENS"], () => undefined) ?? [],
  anonymous: parseSwitch(env["ALLOW_ANONYMOUS"], ["true"], ["false"]) === true,
});

/**
 * The same for objects that outlive requests; null if everyone is admitted without a name, because no right can end
 * then.
 */
export const peopleWhoseRightsEnd = (people: People): People | null =>
  people.tokens.length === 0 && people.anonymous ? null : people;

/**
 * Returns the creation time of this deployment version, milliseconds since the epoch; null if the platform does not
 * provide it.
 */
export function versionOf(env: object): number | null {
  const { CF_VERSION_METADATA: version }: { readonly CF_VERSION_METADATA?: { readonly timestamp?: string } } =
    env;
  const at = Date.parse(version?.timestamp ?? "");
  return Number.isNaN(at) ? null : at;
}
