import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseVapid, type Vapid } from "../../plugins/channels/webpush/vapid.ts";

/** The key pair of push: a new one, and the one of this machine. */

/** A new pair: P-256, as browsers and push services require. */
export function makePushKeys(): Omit<Vapid, "subject"> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "", d = "" } = privateKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  return { publicKey: point.toString("base64url"), privateKey: d };
}

const FILE = "push-keys.json";
/** Push services look at its form. */
const SUBJECT = "mailto:local@cairn.example";

/**
 * Variables, `KEY:VALUE`, for push on this machine without setup: the pair is stored next to the databases, because a
 * subscribed browser knows it. None if the operator sets one of them: in `given` (`KEY:VALUE`) or in .dev.vars.
 */
export function localPushKeys(
  directory: string,
  given: readonly string[],
  devVars: string | null,
): readonly string[] {
  if (given.some((each) => each.startsWith("VAPID_")) || /^\s*(?:export\s+)?VAPID_/m.test(devVars ?? ""))
    return [];
  const { publicKey, privateKey } = storedKeys(path.join(directory, FILE));
  return [`VAPID_PUBLIC_KEY:${publicKey}`, `VAPID_PRIVATE_KEY:${privateKey}`, `VAPID_SUBJECT:${SUBJECT}`];
}

function storedKeys(file: string): Omit<Vapid, "subject"> {
  const stored = readKeys(file);
  if (stored !== null) return stored;
  const made = makePushKeys();
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(made)}\n`, { mode: 0o600 });
  return made;
}

function readKeys(file: string): Omit<Vapid, "subject"> | null {
  try {
    const { publicKey, privateKey } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    return parseVapid({
      VAPID_PUBLIC_KEY: publicKey,
      VAPID_PRIVATE_KEY: privateKey,
      VAPID_SUBJECT: SUBJECT,
    });
  } catch {
    return null;
  }
}
