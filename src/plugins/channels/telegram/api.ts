import * as z from "zod";
import { ChannelFault, type ChannelFaultCode } from "../channel.ts";
import { askVendor, retryAfter, readFile, type Fetch } from "../ask-vendor.ts";

/** Calls to the Bot API (https://core.telegram.org/bots/api#making-requests), and what its failures mean for us. */

export const TELEGRAM_URL = "https://api.telegram.org";
/** of a file that a bot may fetch */
export const TELEGRAM_FILE_BYTES_MAX = 20 * 1_048_576;

export interface TelegramAccess {
  /** of the bot, from @BotFather: `<id>:<secret>` */
  readonly token: string;
  readonly baseUrl: string;
  readonly fetch: Fetch;
  /** milliseconds since 1970 */
  readonly now: () => number;
  /** called when a response reports that a group has become a supergroup, with both IDs; must not throw */
  readonly moved?: (from: string, to: string) => Promise<void>;
}

const answer = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().optional(),
  parameters: z
    .object({
      retry_after: z.number().optional(),
      /** the supergroup that a group has become */
      migrate_to_chat_id: z.number().int().optional(),
    })
    .optional(),
});

export class TelegramApi {
  readonly #access: TelegramAccess;

  constructor(access: TelegramAccess) {
    this.#access = access;
  }

  /** of the bot itself */
  get id(): number {
    return Number(this.#access.token.split(":")[0]);
  }

  /**
   * The method's result, parsed with the schema. Throws ChannelFault, which never holds the token (the token is in
   * the URL).
   */
  async call<T>(
    method: string,
    parameters: object,
    result: z.ZodType<T>,
    signal: AbortSignal,
    isMoved = false,
  ): Promise<T> {
    const { token, baseUrl, fetch, now, moved: noteMove } = this.#access;
    const init = {
      method: "POST",
      body: JSON.stringify(parameters),
      headers: { "content-type": "application/json" },
    };
    const answered = await askVendor(fetch, "Telegram", `${baseUrl}/bot${token}/${method}`, init, signal);
    const { data } = answer.safeParse(answered.body);
    if (data?.ok === true) {
      const parsed = result.safeParse(data.result);
      if (parsed.success) return parsed.data;
    }
    const { status } = answered;
    if (data === undefined || data.ok)
      throw new ChannelFault(codeOfStatus(status), `Telegram gave no answer to ${method} (${status}).`);
    const to = data.parameters?.migrate_to_chat_id;
    // Nothing was done in a group that is a supergroup now. A supergroup moves no more.
    if (to !== undefined && "chat_id" in parameters && !isMoved) {
      await noteMove?.(String(parameters.chat_id), String(to));
      // Messages have other IDs there: an edit would change another message, and an answer would go below one.
      const { reply_parameters: _, ...rest } = parameters as { reply_parameters?: unknown };
      if (!("message_id" in parameters))
        return this.call(method, { ...rest, chat_id: to }, result, signal, true);
    }
    const description = data.description ?? String(status);
    const seconds = data.parameters?.retry_after;
    const wait =
      seconds === undefined ? retryAfter(answered.headers.get("retry-after"), now()) : seconds * 1_000;
    throw new ChannelFault(
      codeOf(status, description),
      `Telegram: ${description}`,
      status === 429 ? wait : null,
    );
  }

  /** Throws ChannelFault `too_large` for a file that a bot may not fetch. */
  async file(id: string, signal: AbortSignal): Promise<Uint8Array> {
    const { token, baseUrl, fetch } = this.#access;
    const found = await this.call("getFile", { file_id: id }, z.object({ file_path: z.string() }), signal);
    const path = found.file_path.split("/").map(encodeURIComponent).join("/");
    const url = `${baseUrl}/file/bot${token}/${path}`;
    return readFile(fetch, "Telegram", url, {}, TELEGRAM_FILE_BYTES_MAX, signal);
  }
}

/** The place is gone, or closed to us: nothing that we could write would arrive there. */
const CLOSED =
  /chat not found|group chat was upgraded|not enough rights|have no rights|CHAT_WRITE_FORBIDDEN|TOPIC_(CLOSED|DELETED)|message thread not found|PEER_ID_INVALID|chat was deleted/i;

function codeOf(status: number, description: string): ChannelFaultCode {
  if (status === 403) return "blocked";
  if (status !== 400) return codeOfStatus(status);
  if (/file is too big/i.test(description)) return "too_large";
  return CLOSED.test(description) ? "blocked" : "refused";
}

/** Only 429 and 503 mean that nothing was done. Telegram may have sent the message before any other server error. */
function codeOfStatus(status: number): ChannelFaultCode {
  // A token that is none is an address that is not there.
  if (status === 401 || status === 404) return "auth";
  if (status === 429) return "rate_limited";
  if (status === 503) return "unavailable";
  return status >= 400 && status < 500 ? "refused" : "unknown";
}
