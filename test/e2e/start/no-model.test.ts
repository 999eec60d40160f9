import { describe, expect, test } from "vitest";
import { SECRETS, signed } from "../../worker/sessions/webhook-senders.ts";
import { openChat } from "../clients/chat-client.ts";
import { chat } from "../clients/command.ts";
import { fetchLog, ofKind, say, watch, type Logged } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";
import { connectStockClient } from "../clients/stock-client.ts";

/** A deployment whose MODEL is no model, and what it finds of the one before it: no door runs a model, and nothing is lost. */

const WELL = "MODEL:rehearsal:";
const BROKEN = "MODEL:openai:gpt-4";
const WHAT_TO_DO = "GET /healthz names the variable to fix";

let model = WELL;
const server = useServer(() => [model, `WEBHOOK_SECRETS:${JSON.stringify(SECRETS)}`]);

async function deploy(next: string): Promise<void> {
  await server.kill();
  model = next;
  await server.start();
}

const post = (path: string, body: object): Promise<Response> =>
  fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const logOf = (session: string): Promise<Logged[]> => fetchLog(server.url, session);
const kindsOf = async (session: string): Promise<string[]> => (await logOf(session)).map((each) => each.kind);

/** Lines of the rehearsal model that a page is made by, and that wait for a person before they delete it. */
const gated = (name: string): string =>
  [
    `/call page_create ${JSON.stringify({ name })}`,
    "/then",
    `/call page_delete ${JSON.stringify({ pages: [name.toLowerCase()] })}`,
    "/then",
    "/say Done.",
  ].join("\n");

/** A socket of Cairn's own frames: sends one command and answers its ack. */
async function command(
  session: string,
  frame: { readonly type: string; readonly text: string },
): Promise<unknown> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/agents/session/${session}`);
  try {
    return await new Promise((resolve, reject) => {
      socket.addEventListener("error", () => reject(new Error("the socket failed")));
      socket.addEventListener("open", () => socket.send(JSON.stringify({ ...frame, eventId: "e1" })));
      socket.addEventListener("message", ({ data }) => {
        const got = JSON.parse(String(data)) as { type: string };
        if (got.type === "cairn:ack") resolve(got);
      });
    });
  } finally {
    socket.close();
  }
}

describe("with a MODEL that is none", () => {
  test("no door starts a run, and each says what to do; what was there before is kept and goes on when it is fixed", async () => {
    const watcher = await watch(server.url, "waiting");
    await say(server.url, "waiting", gated("Kept"));
    const asked = await watcher.saw("approval_requested");
    await say(server.url, "waiting", "/say I was queued.");
    watcher.close();
    const due = new Date(Date.now() + 3_000).toISOString();
    expect((await post("/api/sessions/planned/schedules", { text: "/say On time.", at: due })).status).toBe(
      201,
    );

    await deploy(BROKEN);

    const health = await fetch(`${server.url}/healthz`);
    expect([health.status, await health.json()]).toMatchObject([503, { problems: [{ variable: "MODEL" }] }]);
    const refused = { error: { code: "model_unavailable", message: expect.stringContaining(WHAT_TO_DO) } };
    const doors = {
      messages: await post("/api/sessions/new-messages/messages", { text: "/say Hello." }),
      steer: await post("/api/sessions/waiting/steer", { text: "Hurry." }),
      schedules: await post("/api/sessions/new-schedule/schedules", { text: "/say Hello.", everyMs: 60_000 }),
      chat: await post("/api/chat", {
        id: "new-chat",
        trigger: "submit-message",
        messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "/say Hello." }] }],
      }),
      hook: await fetch(
        `${server.url}/hooks/stripe`,
        signed("stripe", { body: '{"id":"evt_1","type":"x"}' }),
      ),
    };
    for (const [name, response] of Object.entries(doors))
      expect([name, response.status, await response.json()]).toMatchObject([name, 503, refused]);

    // Cairn's own frames, and the terminal, which speaks them.
    const error = { ok: false, error: refused.error };
    expect(await command("new-native", { type: "cairn:send", text: "/say Hello." })).toMatchObject(error);
    expect(await command("waiting", { type: "cairn:steer", text: "Hurry." })).toMatchObject(error);
    const typed = await chat(server.url, ["--session", "new-terminal", "/say Hello."]).exit;
    expect(typed.code).not.toBe(0);
    expect(typed.out + typed.err).toContain(WHAT_TO_DO);

    // The stock clients: the chat of `agents`, and that of `ai` on its socket.
    const stock = await connectStockClient({
      host: server.url.slice("http://".length),
      session: "new-stock",
    });
    await expect(stock.send("/say Hello.")).rejects.toThrow(WHAT_TO_DO);
    stock.close();
    const useChat = openChat(server.url, "new-ws", "websocket");
    await useChat.sendMessage({ text: "/say Hello." });
    expect(useChat.error?.message).toContain(WHAT_TO_DO);
    for (const session of ["new-native", "new-terminal", "new-stock"])
      expect([session, await kindsOf(session)]).toEqual([session, []]);

    // The approval is decided and its call runs; then the run waits, says so once, and the queued one waits behind it.
    const approval = String(asked.body["approval"]);
    const yes = await post(`/api/sessions/waiting/approvals/${approval}`, { decision: "approve" });
    expect(yes.status).toBe(200);
    await expect.poll(() => kindsOf("waiting"), { timeout: 20_000 }).toContain("note");
    const stopped = await logOf("waiting");
    expect(ofKind(stopped, "note").map(({ body }) => body)).toEqual([
      { code: "model_unavailable", text: expect.stringContaining(WHAT_TO_DO) },
    ]);
    expect(ofKind(stopped, "model_replied")).toHaveLength(2);
    expect(ofKind(stopped, "run_ended")).toHaveLength(0);

    // A schedule that comes now makes no run, and says why.
    const planned = async (): Promise<unknown> =>
      (await fetch(`${server.url}/api/sessions/planned/schedules`)).json();
    await expect.poll(planned, { timeout: 20_000 }).toMatchObject({
      items: [{ missed: { at: due, reason: "model_unavailable" }, nextAt: expect.any(String) }],
    });
    expect(await kindsOf("planned")).toEqual([]);

    await deploy(WELL);

    await say(server.url, "waiting", "/say I came when it was fixed.");
    await expect
      .poll(async () => ofKind(await logOf("waiting"), "run_ended").length, { timeout: 30_000 })
      .toBe(3);
    const whole = await logOf("waiting");
    expect(ofKind(whole, "run_ended").map(({ body }) => body["outcome"])).toEqual([
      "completed",
      "completed",
      "completed",
    ]);
    expect(ofKind(whole, "note")).toHaveLength(1);
    expect(ofKind(whole, "call_settled").map(({ body }) => body["status"])).toEqual(["ok", "ok"]);
  });
});
