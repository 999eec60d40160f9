import { ownValue } from "../core/log/json.ts";
import type { Secret } from "../core/text/redact.ts";
import { parseLinkSecrets } from "../protocol/signed/approval-link.ts";
import { isObject, parseObject } from "../protocol/variables.ts";
import { parseWebhookSecrets, parseWebhookTargets } from "./webhook-config.ts";

/** Variables of the kernel whose whole value is one secret of the operator. */
export const SECRET_KEYS = [
  "OPENAI_COMPATIBLE_API_KEY",
  "OPENROUTER_API_KEY",
  // read by the packages of the AI SDK, for models of the project
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
];
/** Variables whose values must appear in no row, frame, prompt or log. `npm start` generates the last one. */
const SCRUBBED = [...SECRET_KEYS, "LOCAL_KEY"];

/**
 * Returns the secrets of a deployment by their names in scrubbed text; tokens stored as digests are not among them.
 * `others`: secret variables of plugins, each a text or a JSON object of texts.
 */
export function secretsOf(env: Record<string, unknown>, others: readonly string[] = []): Secret[] {
  const named = [...new Set([...SCRUBBED, ...others])].flatMap((name) => {
    const value = ownValue(env, name);
    return typeof value === "string" && value !== "" ? [{ name, value }] : [];
  });
  const listed = others.flatMap((name) =>
    Object.values(parseObject(ownValue(env, name)) ?? {})
      .filter((value) => typeof value === "string")
      .map((value) => ({ name, value })),
  );
  const tokens = Object.keys(parseObject(env["AUTH_TOKENS"]) ?? {}).filter(
    (token) => !token.startsWith("sha256:"),
  );
  const quiet = (): void => {};
  const incoming = [...parseWebhookSecrets(env["WEBHOOK_SECRETS"], quiet).values()].flat();
  const outgoing = parseWebhookTargets(env["WEBHOOK_TARGETS"], quiet).map((target) => target.secret);
  const of = (name: string, values: readonly string[]): Secret[] => values.map((value) => ({ name, value }));
  const carried = Object.values(parseObject(env["HTTP_SECRETS"]) ?? {}).flatMap((entry) =>
    isObject(entry) && "value" in entry && typeof entry.value === "string" ? [entry.value] : [],
  );
  const links = parseLinkSecrets(env["APPROVAL_LINK_SECRET"], quiet);
  return [
    ...named,
    ...of("APPROVAL_LINK_SECRET", links),
    ...of("HTTP_SECRETS", carried),
    ...listed,
    ...of("AUTH_TOKENS", tokens),
    ...of("WEBHOOK_SECRETS", incoming),
    ...of("WEBHOOK_TARGETS", outgoing),
  ];
}
