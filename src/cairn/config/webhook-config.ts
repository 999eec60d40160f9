import { ID_PATTERN } from "../core/log/names.ts";
import { parseJson } from "../protocol/json.ts";
import { WEBHOOK_EVENTS, type WebhookEvent } from "../webhooks/events.ts";
import { standardKey } from "../webhooks/signatures.ts";
import { isObject, isSet, parseObject, text, url } from "../protocol/variables.ts";

/** The variables of webhooks: secrets of those that come in, targets of those that go out. */

/** A webhook target and the events it receives. */
export interface WebhookTarget {
  readonly id: string;
  readonly url: string;
  /** `whsec_` and base64 */
  readonly secret: string;
  /** exact, or `run.*` and `approval.*` */
  readonly events: readonly string[];
}

const SECRETS_MAX = 3;
const TARGETS_MAX = 10;
const LOCAL = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/;
const EVENTS: readonly string[] = [...WEBHOOK_EVENTS, "run.*", "approval.*"];

export function isSubscribed(target: Pick<WebhookTarget, "events">, event: WebhookEvent): boolean {
  return target.events.some((each) => each === event || each === `${event.split(".", 1)[0]}.*`);
}

/** Secrets by source. Anything malformed makes it empty, so that every source refuses. */
export function parseWebhookSecrets(
  value: unknown,
  refuse: (message: string) => void,
): ReadonlyMap<string, readonly string[]> {
  const table = parseObject(value);
  if (table === null) {
    refuse(`Must be a JSON object of source → secret, or array of up to ${SECRETS_MAX} secrets.`);
    return new Map();
  }
  let sound = true;
  const secrets = Object.entries(table).map(([source, entry], index): [string, readonly string[]] => {
    const list: readonly unknown[] = Array.isArray(entry) ? entry : [entry];
    const texts = list.flatMap((secret) => text(secret) ?? []);
    if (texts.length !== list.length || texts.length === 0 || texts.length > SECRETS_MAX) {
      sound = false;
      refuse(`Entry ${index + 1}: must be a secret, or an array of 1 to ${SECRETS_MAX}.`);
    }
    return [source, texts];
  });
  return sound ? new Map(secrets) : new Map();
}

/** Targets in their order. Anything malformed makes it empty: nothing is sent. */
export function parseWebhookTargets(
  value: unknown,
  refuse: (message: string) => void,
): readonly WebhookTarget[] {
  const list = parseArray(value);
  if (list === null || list.length > TARGETS_MAX) {
    refuse(`Must be a JSON array of at most ${TARGETS_MAX} {id, url, secret, events}.`);
    return [];
  }
  let sound = true;
  const ids = new Set<string>();
  const targets = list.map((entry, index): WebhookTarget => {
    const wrong = (message: string): void => {
      sound = false;
      refuse(`Entry ${index + 1}: ${message}`);
    };
    const fields = (isObject(entry) && !Array.isArray(entry) ? entry : {}) as Record<string, unknown>;
    const { id, url: address, secret, events, ...others } = fields;
    if (Object.keys(others).length > 0) wrong("only id, url, secret and events are known.");
    if (typeof id !== "string" || !ID_PATTERN.test(id) || ids.has(id))
      wrong("id is 1 to 64 of A-Z a-z 0-9 _ -, and stands once.");
    if (!isAddress(address)) wrong("url is an https URL without a user; http is for this machine only.");
    if (!isSigningSecret(secret)) wrong("secret is whsec_ and base64 of 16 bytes or more.");
    const names = Array.isArray(events)
      ? events.filter((event): event is string => EVENTS.includes(String(event)))
      : [];
    if (!Array.isArray(events) || events.length === 0 || names.length !== events.length)
      wrong(`events is an array of ${EVENTS.join(", ")}.`);
    ids.add(String(id));
    return { id: String(id), url: String(address), secret: String(secret), events: names };
  });
  return sound ? targets : [];
}

function isAddress(value: unknown): boolean {
  const parsed = typeof value === "string" ? url(value) : null;
  if (parsed === null || parsed.username !== "" || parsed.password !== "") return false;
  return parsed.protocol === "https:" || LOCAL.test(parsed.href);
}

function isSigningSecret(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("whsec_") && (standardKey(value)?.length ?? 0) >= 16;
}

function parseArray(value: unknown): readonly unknown[] | null {
  if (!isSet(value)) return [];
  const given = text(value);
  const list: unknown = given === null ? value : parseJson(given);
  return Array.isArray(list) ? list : null;
}
