import { text } from "../../../cairn/protocol/variables.ts";

/** The key pair by which push services know this deployment (VAPID, RFC 8292), and whom they may ask. */
export interface Vapid {
  /** an uncompressed point of P-256, in base64url */
  readonly publicKey: string;
  /** its number, in base64url */
  readonly privateKey: string;
  /** `mailto:` or `https:` */
  readonly subject: string;
}

const HOW = "npm run channels -- webpush makes a pair.";

/** The variables, and what each must be. */
const VARIABLES = [
  {
    name: "VAPID_PUBLIC_KEY",
    isRight: (value: string) => /^B[A-P][\w-]{85}$/.test(value),
    must: `Must be a public key of P-256 in base64url, 87 characters: ${HOW}`,
  },
  {
    name: "VAPID_PRIVATE_KEY",
    isRight: (value: string) => /^[\w-]{43}$/.test(value),
    must: `Must be a private key of P-256 in base64url, 43 characters: ${HOW}`,
  },
  {
    name: "VAPID_SUBJECT",
    isRight: (value: string) => /^mailto:[^\s@]+@[^\s@]+$|^https:\/\/[^\s/]+/.test(value),
    must: "Must be mailto: with an address, or an https address: whom a push service may ask.",
  },
] as const;

export const VAPID_VARIABLES: readonly string[] = VARIABLES.map(({ name }) => name);

/** The key pair; null if one of the variables is missing or unreadable. `refuse` gets the reason for the latter. */
export function parseVapid(
  env: Record<string, unknown>,
  refuse: (variable: string, message: string) => void = () => {},
): Vapid | null {
  const read = VARIABLES.map(({ name, isRight, must }) => {
    const value = text(env[name]);
    if (value === null || isRight(value)) return value;
    refuse(name, must);
    return null;
  });
  const [publicKey = null, privateKey = null, subject = null] = read;
  return publicKey === null || privateKey === null || subject === null
    ? null
    : { publicKey, privateKey, subject };
}
