import { expect, test } from "vitest";
import { openApi } from "./session-fixture.ts";
import { post, untilClosed } from "../http/routes-fixture.ts";

/** Scenario 10 with real sessions: a ticket opens one socket, once. */

const api = openApi();
const upgrade = { upgrade: "websocket" };

async function ticketFor(session: string, body: object = {}): Promise<string> {
  const minted = await api.json<{ ticket: string }>(
    201,
    "/api/tickets",
    post({ sessionId: session, ...body }),
  );
  return minted.ticket;
}
const openWith = (session: string, ticket: string): Promise<Response> =>
  api.call(`/agents/session/${session}?ticket=${ticket}`, { who: null, headers: upgrade });

/** The types of the frames of the connect sequence, and a socket that is closed again. */
async function greeted(response: Response): Promise<string[]> {
  const socket = response.webSocket;
  if (socket === null) throw new Error(`not upgraded: ${response.status}`);
  const types: string[] = [];
  const whole = new Promise<void>((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      const { type } = JSON.parse(String(data)) as { type: string };
      types.push(type);
      if (type === "cf_agent_chat_messages") resolve();
    });
  });
  socket.accept();
  await whole;
  socket.close();
  return types;
}

test("a ticket opens a new session's socket, and is used up by it, also when many show it at once", async () => {
  const ticket = await ticketFor("ses_ticket");
  expect(await greeted(await openWith("ses_ticket", ticket))).toEqual([
    "cf_agent_identity",
    "cairn:hello",
    "cf_agent_chat_messages",
  ]);
  const used = { code: 4401, reason: "unauthenticated", frames: [] };
  expect(await untilClosed(await openWith("ses_ticket", ticket))).toEqual(used);
  const shown = await ticketFor("ses_ticket");
  const opened = await Promise.all(Array.from({ length: 10 }, () => openWith("ses_ticket", shown)));
  const closed = opened.map(async (response) => {
    const socket = response.webSocket;
    if (socket === null) throw new Error("not upgraded");
    const first = new Promise<string | number>((resolve) => {
      socket.addEventListener("message", () => resolve("opened"));
      socket.addEventListener("close", ({ code }) => resolve(code));
    });
    socket.accept();
    const seen = await first;
    if (seen === "opened") socket.close();
    return seen;
  });
  expect((await Promise.all(closed)).toSorted()).toEqual([...Array<number>(9).fill(4401), "opened"]);
});

test("its scopes are the socket's, whatever its token may", async () => {
  const ticket = await ticketFor("ses_narrow", { scopes: ["read"] });
  const response = await openWith("ses_narrow", ticket);
  // A name that nobody uses is taken by whoever may send: this ticket may not.
  expect(await untilClosed(response)).toEqual({ code: 4403, reason: "not_found", frames: [] });
  await api.json(201, "/api/sessions", post({ id: "ses_narrow" }));
  const again = await openWith("ses_narrow", await ticketFor("ses_narrow", { scopes: ["read"] }));
  const socket = again.webSocket;
  if (socket === null) throw new Error("not upgraded");
  const ack = new Promise<unknown>((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as { type: string };
      if (frame.type === "cairn:ack") resolve(frame);
    });
  });
  socket.accept();
  socket.send(JSON.stringify({ type: "cairn:send", eventId: "e1", text: "/say Hi." }));
  expect(await ack).toMatchObject({ ok: false, error: { code: "missing_scope" } });
  socket.close();
});

test("a ticket of a deleted session opens no socket of the next session of its name", async () => {
  const session = "ses_again";
  const remove = async (): Promise<void> =>
    expect((await api.call(`/api/sessions/${session}`, { method: "DELETE" })).status).toBe(204);
  const refused = { code: 4401, reason: "unauthenticated", frames: [] };
  // One that made the session, and two that were made for it, of which one was used.
  const first = await ticketFor(session);
  await greeted(await openWith(session, first));
  const [used, unused] = [await ticketFor(session), await ticketFor(session)];
  await greeted(await openWith(session, used));
  await remove();
  for (const ticket of [first, used])
    expect(await untilClosed(await openWith(session, ticket))).toEqual(refused);
  await api.call(`/api/sessions/${session}`, { method: "DELETE" });
  await api.json(201, "/api/sessions", post({ id: session }));
  for (const ticket of [first, used, unused])
    expect(await untilClosed(await openWith(session, ticket))).toEqual(refused);
  expect(await greeted(await openWith(session, await ticketFor(session)))).toContain("cairn:hello");
});

test("a foreign session reads as a missing one, and the ticket changes nothing there", async () => {
  await api.json(201, "/api/sessions", { ...post({ id: "ses_bobs" }), who: "bob" });
  const response = await openWith("ses_bobs", await ticketFor("ses_bobs"));
  expect(await untilClosed(response)).toEqual({ code: 4403, reason: "not_found", frames: [] });
});
