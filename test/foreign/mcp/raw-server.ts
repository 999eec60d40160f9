import type { Parts } from "../../../src/plugins/mcp-client/connection.ts";
import { mcpServer } from "../../../src/plugins/mcp-client/server.ts";
import { mcpSettings } from "../../../src/plugins/mcp-client/settings.ts";
import { isObject, type Json, type JsonObject } from "../../../src/cairn/core/log/json.ts";

/** A server whose answers are written out: the official package would not send them. */

export type Lane = "2026-07-28" | "2025-11-25";
export const LANES: readonly Lane[] = ["2026-07-28", "2025-11-25"];

const ORIGIN = "http://127.0.0.1:3001";
/** fields that every result has in the newer revision */
const MODERN = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

/** The answer of the server to a request: fields of the message, such as `result`. */
export type RawAnswer = (method: string, params: JsonObject) => JsonObject;

export interface RawServer {
  readonly parts: Parts;
  /** requests that arrived, by their methods */
  readonly asked: string[];
  /** arguments of the calls that arrived */
  readonly called: Json[];
}

export function openRaw(lane: Lane, answer: RawAnswer, form: "json" | "stream" = "json"): RawServer {
  const asked: string[] = [];
  const called: Json[] = [];
  const fetch = async (_url: string, init: RequestInit = {}): Promise<Response> => {
    if (init.method !== "POST") return new Response(null, { status: 405 });
    const {
      id,
      method,
      params = {},
    } = JSON.parse(String(init.body)) as {
      readonly id?: number;
      readonly method: string;
      readonly params?: JsonObject;
    };
    if (id === undefined) return new Response(null, { status: 202 });
    asked.push(method);
    if (method === "tools/call") called.push(params["arguments"] ?? null);
    const text = JSON.stringify({ jsonrpc: "2.0", id, ...own(lane, method, () => answer(method, params)) });
    return form === "json"
      ? new Response(text, { headers: { "content-type": "application/json" } })
      : new Response(`event: message\r\ndata: ${text}\r\n\r\n`, {
          headers: { "content-type": "text/event-stream" },
        });
  };
  const { access } = mcpSettings({ MCP_LOCAL: ORIGIN });
  const parts: Parts = {
    server: mcpServer({ name: "raw", url: `${ORIGIN}/mcp` }),
    access: { ...access, fetch },
    shown: { by: "nothing" },
    version: "1.0.0",
    signal: new AbortController().signal,
  };
  return { parts, asked, called };
}

function own(lane: Lane, method: string, answer: () => JsonObject): JsonObject {
  const about = { capabilities: { tools: {} }, serverInfo: { name: "raw", version: "1" } };
  if (method === "initialize") return { result: { protocolVersion: lane, ...about } };
  if (method === "server/discover")
    return lane === "2026-07-28"
      ? { result: { ...MODERN, supportedVersions: [lane], ...about } }
      : { error: { code: -32_601, message: "Method not found" } };
  const message = answer();
  const { result } = message;
  return lane === "2026-07-28" && isObject(result)
    ? { ...message, result: { ...MODERN, ...result } }
    : message;
}
