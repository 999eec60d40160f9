import { env } from "cloudflare:workers";
import type { Api } from "../sessions/session-fixture.ts";

/** Answers the open question of the first run of the session of a chat, as the page does. */
export async function answerOnPage(api: Api, place: string, value: string): Promise<void> {
  const session = await env.DB.prepare("SELECT session FROM channel_sessions WHERE place = ?1")
    .bind(place)
    .first<string>("session");
  const init = { method: "POST", body: JSON.stringify({ value }) };
  await api.json(202, `/api/runs/${session}.r1/resume`, {
    ...init,
    headers: { "content-type": "application/json" },
  });
}
