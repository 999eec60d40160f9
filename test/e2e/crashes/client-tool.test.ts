import { expect, test } from "vitest";
import { callsOf, fetchLog, ofKind } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";

/** A tool of the client, as `useChat` brings and answers it, on a server that is killed while it waits and right after. */

const server = useServer();
const clientTools = [{ name: "getTimeZone", description: "The time zone of the person." }];
const asked = {
  id: "m1",
  role: "user",
  parts: [{ type: "text", text: "/call getTimeZone {}\n/then\n/say It is late there." }],
};
const answer = (output: unknown) => ({
  id: "zone.r1",
  role: "assistant",
  parts: [
    { type: "step-start" },
    { type: "tool-getTimeZone", toolCallId: "r1s1c0", state: "output-available", input: {}, output },
  ],
});

const post = (messages: readonly unknown[]): Promise<Response> =>
  fetch(`${server.url}/api/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: "zone", trigger: "submit-message", messages, clientTools }),
  });

test("a call of a client is asked once and answered once, whatever dies in between", async () => {
  const stream = await (await post([asked])).text();
  expect(stream).toContain('"type":"tool-input-available","toolCallId":"r1s1c0","toolName":"getTimeZone"');
  expect(stream).toContain('"finishReason":"tool-calls"');
  await server.kill();
  await server.start();
  const view = (await (await fetch(`${server.url}/api/sessions/zone`)).json()) as {
    activeRun: { status: string; waitingFor: unknown };
  };
  expect(view.activeRun).toMatchObject({ status: "paused", waitingFor: { kind: "client", id: "r1s1c0" } });
  const answered = await post([asked, answer("Europe/Berlin")]);
  expect(answered.status).toBe(200);
  await server.kill();
  await answered.text().catch(() => {});
  await server.start();
  const events = `${server.url}/api/sessions/zone/events?until=idle`;
  await (await fetch(events, { headers: { accept: "text/event-stream" } })).text();
  const log = await fetchLog(server.url, "zone");
  expect(callsOf(log)).toMatchObject([{ call: "r1s1c0", status: "ok", results: 1 }]);
  for (const kind of ["call_intended", "client_asked", "client_answered"])
    expect(ofKind(log, kind)).toHaveLength(1);
  expect(ofKind(log, "run_ended")).toMatchObject([{ body: { outcome: "completed" } }]);
  // The same again is history, another answer is none.
  expect((await post([asked, answer("Europe/Berlin")])).status).toBe(422);
  const other = await post([asked, answer("Europe/Paris")]);
  expect([other.status, JSON.stringify(await other.json())]).toEqual([
    409,
    expect.stringContaining('"code":"already_answered"'),
  ]);
});
