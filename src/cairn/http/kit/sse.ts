import type { Actor } from "../../session/api/session-api.ts";
import type { SessionClient, StreamOf } from "./session-client.ts";
import { readRefusal } from "./session-client.ts";
import type { HttpContext } from "./route.ts";
import { refuse } from "./route.ts";

/** Server-sent events under headers of ours. `run`: a UI message stream of the AI SDK. */
export function streamResponse(body: BodyInit, kind: StreamOf["kind"]): Response {
  const headers = new Headers({
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  });
  if (kind === "run") headers.set("x-vercel-ai-ui-message-stream", "v1");
  return new Response(body, { headers });
}

/** A stream of the session; 204 when no run is live and that was asked for. Leaving it cancels nothing. */
export async function relayStream(
  c: HttpContext,
  client: SessionClient,
  actor: Actor,
  of: StreamOf,
): Promise<Response> {
  const stream = await client.stream(actor, of);
  if (stream.status === 204) return new Response(null, { status: 204 });
  if (!stream.ok || stream.body === null) return refuse(c, await readRefusal(stream));
  return streamResponse(stream.body, of.kind);
}
