import { env } from "cloudflare:workers";
import type { AppParts } from "./channel-routes.ts";
import { vi } from "vitest";
import type { Channels } from "../../../src/plugins/channels/channels.ts";
import type { HeldMessage } from "../../../src/plugins/channels/held.ts";
import { createSlack } from "../../../src/plugins/channels/slack/slack.ts";
import { Intake } from "../worker.ts";
import { openApi, type Api } from "../sessions/session-fixture.ts";

/** The channel Slack as it is deployed, with requests as Slack posts and signs them. */

const SECRET = "a-signing-secret";

export interface SlackCall {
  readonly method: string;
  readonly body: Record<string, unknown>;
}

export interface SlackChat {
  readonly api: Api;
  readonly channels: Channels;
  /** every call of the bot */
  readonly calls: SlackCall[];
  /** what was answered out of sight of others */
  readonly responses: string[];
  /** bytes of a file by the end of its path; text for any other */
  readonly files: Map<string, Uint8Array<ArrayBuffer>>;
  /** texts of the messages that were posted */
  readonly sent: () => readonly string[];
  /** Posts an event as Slack does. The status of the answer. */
  event(event: object): Promise<number>;
  /** Posts a payload of `block_actions`. */
  interact(payload: object): Promise<number>;
  /** Links the person of this id as Alice. */
  links(id: string): Promise<void>;
  /** of the session of the conversation */
  entries(place: string): Promise<readonly LoggedEntry[]>;
}

interface LoggedEntry {
  readonly kind: string;
  readonly body: Record<string, unknown>;
}

let events = 0;

export function openSlack(parts: AppParts = {}): SlackChat {
  const calls: SlackCall[] = [];
  const responses: string[] = [];
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { hostname, pathname } = new URL(url);
    const last = pathname.split("/").at(-1) ?? "";
    if (hostname === "files.slack.com") return new Response(files.get(last) ?? `Words of ${last}.`);
    const body = JSON.parse(String(init.body)) as Record<string, unknown>;
    if (hostname === "hooks.slack.com") {
      responses.push(String(body["text"]));
      return new Response("ok");
    }
    calls.push({ method: last, body });
    return Response.json({
      ok: true,
      ts: body["ts"] ?? `1700000001.${String(calls.length).padStart(6, "0")}`,
    });
  };
  const channel = createSlack({
    token: "xoxb-1",
    signingSecret: SECRET,
    baseUrl: "https://slack.example/api",
    fetch,
    now: Date.now,
  });
  const channels: Channels = {
    find: (name) => (name === "slack" ? channel : null),
    names: ["slack"],
    states: [{ name: "slack", missing: [] }],
  };
  const hold: AppParts["hold"] = async (name, part) => {
    await env.INTAKE.get(env.INTAKE.idFromName(name)).take(part);
  };
  const api = openApi({}, { channels, hold, report: () => {}, ...parts });
  const receive = async (words: HeldMessage): Promise<boolean> => await api.held(words);
  vi.spyOn(Intake.prototype as unknown as { receive: typeof receive }, "receive").mockImplementation(receive);
  const post = async (body: string, type: string): Promise<number> => {
    const time = String(Math.floor(Date.now() / 1_000));
    const headers = {
      "content-type": type,
      "x-slack-request-timestamp": time,
      "x-slack-signature": `v0=${await macOf(`v0:${time}:${body}`)}`,
    };
    return (await api.call("/channels/slack", { method: "POST", body, headers, who: null })).status;
  };
  const form = (fields: Record<string, string>): Promise<number> =>
    post(new URLSearchParams(fields).toString(), "application/x-www-form-urlencoded");
  return {
    api,
    channels,
    calls,
    responses,
    files,
    sent: () =>
      calls.flatMap(({ method, body }) => (method === "chat.postMessage" ? [String(body["text"])] : [])),
    event: (event) =>
      post(
        JSON.stringify({
          type: "event_callback",
          team_id: "T1",
          api_app_id: "A1",
          event_id: `Ev${(events += 1)}`,
          event_time: 1_700_000_000,
          authorizations: [{ team_id: "T1", user_id: "UCAIRN" }],
          event,
        }),
        "application/json",
      ),
    interact: (payload) => form({ payload: JSON.stringify(payload) }),
    links: async (id) => {
      const { code } = await api.json<{ code: string }>(201, "/api/links", { method: "POST" });
      await form({
        command: "/cairn",
        text: `link ${code}`,
        user_id: id,
        user_name: "a",
        channel_id: directOf(id),
        trigger_id: `${id}.1`,
        response_url: "https://hooks.slack.com/commands/T1/1/x",
      });
    },
    entries: async (place) => {
      const session = await env.DB.prepare("SELECT session FROM channel_sessions WHERE place = ?1")
        .bind(place)
        .first<string>("session");
      if (session === null) return [];
      const answer = await api.call(`/api/sessions/${session}/events?limit=200`);
      return answer.status === 200 ? (await answer.json<{ items: LoggedEntry[] }>()).items : [];
    },
  };
}

/** The conversation of two of a person with the bot. */
export const directOf = (id: string): string => `D${id.slice(1)}`;

async function macOf(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(SECRET);
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
