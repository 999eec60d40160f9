import * as z from "zod";
import { ChannelFault, type ChannelFaultCode } from "../channel.ts";
import { askVendor, readFile, retryAfter, type Fetch } from "../ask-vendor.ts";

/** Calls to Slack's Web API (https://docs.slack.dev/apis/web-api/), and what its failures mean for us. */

export const SLACK_URL = "https://slack.com/api";
/** of a file that is fetched */
export const SLACK_FILE_BYTES_MAX = 20 * 1_048_576;

export interface SlackAccess {
  /** of the bot: `xoxb-…` */
  readonly token: string;
  /** URL of its methods */
  readonly baseUrl: string;
  readonly fetch: Fetch;
  /** milliseconds since 1970 */
  readonly now: () => number;
}

const answer = z.object({
  ok: z.boolean(),
  error: z.string().optional(),
  /** a scope that the app lacks */
  needed: z.string().optional(),
});

export class SlackApi {
  readonly #access: SlackAccess;

  constructor(access: SlackAccess) {
    this.#access = access;
  }

  /** The method's result, parsed with the schema. Throws ChannelFault. */
  async call<T>(method: string, parameters: object, result: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const { baseUrl, token } = this.#access;
    const authorization = { authorization: `Bearer ${token}` };
    const body = await this.#post(`${baseUrl}/${method}`, method, parameters, authorization, signal);
    const parsed = result.safeParse(body);
    if (parsed.success) return parsed.data;
    throw new ChannelFault("unknown", `Slack gave no answer to ${method}.`);
  }

  /** Answers a press or a command out of sight of the others. The address came signed, and still has to be Slack's. */
  async respond(url: string, text: string, signal: AbortSignal): Promise<void> {
    if (!this.#isSlacks(url)) throw new ChannelFault("refused", "The address to respond to is not Slack's.");
    const message = { response_type: "ephemeral", replace_original: false, text };
    await this.#post(url, "the response", message, {}, signal);
  }

  /** Our token goes to Slack and nowhere else, whatever address a file has. */
  async file(url: string, signal: AbortSignal): Promise<Uint8Array> {
    if (!this.#isSlacks(url)) throw new ChannelFault("refused", "The file lies outside of Slack.");
    const { fetch, token } = this.#access;
    const init = { headers: { authorization: `Bearer ${token}` } };
    return readFile(fetch, "Slack", url, init, SLACK_FILE_BYTES_MAX, signal);
  }

  #isSlacks(url: string): boolean {
    const { origin, protocol, hostname } = URL.parse(url) ?? {};
    if (origin === URL.parse(this.#access.baseUrl)?.origin) return true;
    return protocol === "https:" && hostname !== undefined && /(^|\.)slack\.com$/.test(hostname);
  }

  async #post(
    url: string,
    what: string,
    parameters: object,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { fetch, now } = this.#access;
    const init = {
      method: "POST",
      body: JSON.stringify(parameters),
      headers: { "content-type": "application/json; charset=utf-8", ...headers },
    };
    const { status, body, headers: answered } = await askVendor(fetch, "Slack", url, init, signal);
    const { data } = answer.safeParse(body);
    // A response is taken with 200 and "ok", which is no JSON.
    if (status === 200 && (data?.ok === true || (data === undefined && what === "the response"))) return body;
    const wait = status === 429 ? retryAfter(answered.get("retry-after"), now()) : null;
    if (data?.error === undefined)
      throw new ChannelFault(codeOfStatus(status), `Slack gave no answer to ${what} (${status}).`, wait);
    const needs = data.needed === undefined ? "" : ` (the app needs ${data.needed})`;
    throw new ChannelFault(
      CODES.get(data.error) ?? codeOfError(status),
      `Slack: ${data.error}${needs}`,
      wait,
    );
  }
}

const each = (
  code: ChannelFaultCode,
  ...errors: string[]
): readonly (readonly [string, ChannelFaultCode])[] => errors.map((error) => [error, code]);

const CODES: ReadonlyMap<string, ChannelFaultCode> = new Map([
  ...each("blocked", "not_in_channel", "channel_not_found", "is_archived", "restricted_action"),
  ...each("blocked", "messages_tab_disabled", "cannot_dm_bot", "user_disabled", "is_inactive"),
  ...each("auth", "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"),
  ...each("auth", "missing_scope", "no_permission", "access_denied", "org_login_required"),
  ...each("rate_limited", "ratelimited", "rate_limited", "message_limit_exceeded"),
  ...each("unavailable", "service_unavailable", "request_timeout"),
  // "It's possible some aspect of the operation succeeded before the error was raised."
  ...each("unknown", "fatal_error", "internal_error"),
]);

const codeOfError = (status: number): ChannelFaultCode => (status >= 400 ? codeOfStatus(status) : "refused");

function codeOfStatus(status: number): ChannelFaultCode {
  if (status === 401 || status === 403) return "auth";
  if (status === 429) return "rate_limited";
  if (status === 503) return "unavailable";
  return status >= 400 && status < 500 ? "refused" : "unknown";
}
