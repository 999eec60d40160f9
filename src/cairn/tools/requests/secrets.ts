import { ownValue } from "../../core/log/json.ts";
import * as z from "zod";
import { HOST_NAME, tableOf } from "../../outbound/bindings.ts";

/**
 * Secrets that a request may carry: named by the model as `secret:NAME`, known to the operator alone, and each bound to the
 * hosts that it is for. The value is put in at the last moment, and is in no argument, preview, log or result.
 */

export interface HttpSecret {
  readonly value: string;
  readonly hosts: readonly string[];
}

export type HttpSecrets = Readonly<Record<string, HttpSecret>>;

const table = z.record(
  z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/),
  z.strictObject({
    value: z.string().min(8).max(4_096),
    hosts: z.array(z.string().regex(HOST_NAME)).min(1).max(20),
  }),
);

/** JSON text, or a table of TOML; null where it cannot be read. */
export function readSecrets(value: unknown): HttpSecrets | null {
  const given = tableOf(value);
  if (given === undefined) return {};
  const parsed = table.safeParse(given);
  return parsed.success ? parsed.data : null;
}

const NAMED = /secret:([A-Z][A-Z0-9_]{0,63})/g;

/** The names in these headers. */
export const namedIn = (headers: Readonly<Record<string, string>>): readonly string[] => [
  ...new Set(
    Object.values(headers).flatMap((value) => [...value.matchAll(NAMED)].map((match) => match[1] ?? "")),
  ),
];

/** Why a name may not be used for this address, or null. A secret never leaves in the clear. */
export function refusalOf(name: string, url: URL, secrets: HttpSecrets): string | null {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (secret === undefined) return `There is no secret ${name}.`;
  if (!secret.hosts.includes(url.hostname)) return `The secret ${name} is not for ${url.hostname}.`;
  return url.protocol === "https:" ? null : `The secret ${name} is only sent by https.`;
}

/** The headers as they leave for this address: with the values in their place, and without those that may not go there. */
export function fillSecrets(headers: Headers, to: URL, secrets: HttpSecrets): Record<string, string> {
  const put = (value: string): string =>
    value.replace(NAMED, (whole, name: string) => ownValue(secrets, name)?.value ?? whole);
  return Object.fromEntries(
    [...headers].flatMap(([name, value]): [string, string][] =>
      namedIn({ [name]: value }).some((secret) => refusalOf(secret, to, secrets) !== null)
        ? []
        : [[name, put(value)]],
    ),
  );
}
