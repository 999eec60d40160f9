import { runInDurableObject } from "cloudflare:test";
import { people } from "../../fixtures/deployment/plugins.ts";
import type { AppParts } from "./channel-routes.ts";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Channels } from "../../../src/plugins/channels/channels.ts";
import type { HeldMessage } from "../../../src/plugins/channels/held.ts";
import { createTelegram } from "../../../src/plugins/channels/telegram/telegram.ts";
import { Intake } from "../worker.ts";
import { openApi, type Api } from "../sessions/session-fixture.ts";

/** The channel Telegram as it is deployed, with updates as Telegram posts them, and with objects that hold parts of messages. */

const SECRET = "a-secret_of_the_webhook";
const TOKEN = "99:token";

export interface Vendor {
  /** texts of the messages that were sent */
  readonly sent: string[];
  /** every call: the method and its parameters */
  readonly calls: { readonly method: string; readonly body: Record<string, unknown> }[];
  /** ids of the files that were fetched */
  readonly fetched: string[];
  /** bytes of a file by its id; text for any other */
  readonly files: Map<string, Uint8Array<ArrayBuffer>>;
}

function openVendor(): Vendor & { readonly fetch: (url: string, init: RequestInit) => Promise<Response> } {
  const vendor: Vendor = { sent: [], calls: [], fetched: [], files: new Map() };
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url);
    if (pathname.startsWith("/file/")) {
      const id = pathname.split("/").at(-1) ?? "";
      vendor.fetched.push(id);
      return new Response(vendor.files.get(id) ?? `Words of ${id}.`);
    }
    const method = pathname.split("/").at(-1) ?? "";
    const body = JSON.parse(String(init.body)) as Record<string, unknown>;
    vendor.calls.push({ method, body });
    if (method === "sendMessage") vendor.sent.push(String(body["text"]));
    const result =
      method === "getFile"
        ? { file_path: `documents/${String(body["file_id"])}` }
        : method === "getMe"
          ? { id: 99, username: "cairn_bot" }
          : { message_id: 9_000 + vendor.calls.length };
    return Response.json({ ok: true, result });
  };
  return { ...vendor, fetch };
}

export interface TelegramChat {
  readonly api: Api;
  readonly vendor: Vendor;
  readonly channels: Channels;
  /** Posts an update as Telegram does. The status of the answer. */
  posts(update: object): Promise<number>;
  /** Links the person of this id as Alice. */
  links(id: number): Promise<void>;
  /** of the session of the chat */
  entries(place: number): Promise<readonly LoggedEntry[]>;
  entriesOf(session: string): Promise<readonly LoggedEntry[]>;
}

interface LoggedEntry {
  readonly kind: string;
  readonly run: string | null;
  readonly body: Record<string, unknown>;
}

/**
 * Gives the sessions of this isolate the channel, as variables of a deployment would. Ends with the test: call what is
 * returned.
 */
export async function lendToSessions(channels: Channels): Promise<() => void> {
  const stub = env.SESSION.get(env.SESSION.idFromName("whose-environment"));
  const shared = await runInDurableObject(stub, (session) =>
    people.of((session as unknown as { env: object }).env),
  );
  const { find, names, states } = shared;
  Object.assign(shared, channels);
  return () => void Object.assign(shared, { find, names, states });
}

export function openTelegram(
  variables: Record<string, unknown> = {},
  parts: AppParts = {},
  /** called before a held message is received */
  before: (words: HeldMessage) => void = () => {},
): TelegramChat {
  const vendor = openVendor();
  const channel = createTelegram({
    token: TOKEN,
    secret: SECRET,
    baseUrl: "https://telegram.example",
    fetch: vendor.fetch,
    now: Date.now,
  });
  const channels: Channels = {
    find: (name) => (name === "telegram" ? channel : null),
    names: ["telegram"],
    states: [{ name: "telegram", missing: [] }],
  };
  const hold: AppParts["hold"] = async (name, part) => {
    await env.INTAKE.get(env.INTAKE.idFromName(name)).take(part);
  };
  const api = openApi(variables, { channels, hold, report: () => {}, ...parts });
  const receive = async (words: HeldMessage): Promise<boolean> => {
    before(words);
    return await api.held(words);
  };
  vi.spyOn(Intake.prototype as unknown as { receive: typeof receive }, "receive").mockImplementation(receive);
  const posts = async (update: object): Promise<number> => {
    const headers = { "x-telegram-bot-api-secret-token": SECRET, "content-type": "application/json" };
    const init = { method: "POST", body: JSON.stringify(update), headers, who: null };
    return (await api.call("/channels/telegram", init)).status;
  };
  const entriesOf: TelegramChat["entriesOf"] = async (session) => {
    const answer = await api.call(`/api/sessions/${session}/events?limit=200`);
    return answer.status === 200 ? (await answer.json<{ items: LoggedEntry[] }>()).items : [];
  };
  return {
    api,
    vendor,
    channels,
    posts,
    links: async (id) => {
      const { code } = await api.json<{ code: string }>(201, "/api/links", { method: "POST" });
      const from = { id, first_name: "A" };
      const chat = { id, type: "private" };
      await posts({ update_id: id, message: { message_id: 1, date: 1, from, chat, text: `/link ${code}` } });
      vendor.sent.length = 0;
    },
    entriesOf,
    entries: async (place) => {
      const session = await env.DB.prepare("SELECT session FROM channel_sessions WHERE place = ?1")
        .bind(String(place))
        .first<string>("session");
      return session === null ? [] : await entriesOf(session);
    },
  };
}
