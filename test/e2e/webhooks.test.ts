import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SECRETS, signed, type Sending } from "../worker/sessions/webhook-senders.ts";
import { answerOf, fetchLog, ofKind, say } from "./clients/log.ts";
import { useServer } from "./clients/server.ts";
import { startWebhookReceiver, type Arrived, type WebhookReceiver } from "./clients/webhook-receiver.ts";

/** Webhooks through a real server: signed as vendors sign them on the way in, taken by a real receiver on the way out. */

const SECRET = "whsec_Y2Fpcm4tZXhhbXBsZS1zZWNyZXQtMDAw";
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startWebhookReceiver(SECRET);
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.answer = () => ({ status: 204 });
});

const server = useServer(() => [
  `WEBHOOK_SECRETS:${JSON.stringify(SECRETS)}`,
  `WEBHOOK_TARGETS:${JSON.stringify([{ id: "ops", url: receiver.url, secret: SECRET, events: ["run.*", "approval.*"] }])}`,
]);

const send = (source: keyof typeof SECRETS, sending: Sending): Promise<Response> =>
  fetch(`${server.url}/hooks/${source}`, signed(source, sending));
const of =
  (session: string, type: string) =>
  (arrived: Arrived): boolean =>
    arrived.data["sessionId"] === session && arrived.type === type;
async function deliveries(session: string): Promise<readonly { id: string; state: string; tries: number }[]> {
  const response = await fetch(`${server.url}/api/sessions/${session}/deliveries`);
  return ((await response.json()) as { items: { id: string; state: string; tries: number }[] }).items;
}

describe("a webhook that comes in", () => {
  test("becomes a run, whose end goes out signed", async () => {
    const body = '{"id":"evt_1","object":"event","type":"invoice.paid"}';
    const response = await send("stripe", { body });
    expect(response.status).toBe(202);
    const taken = (await response.json()) as { runId: string; sessionId: string; deliveryId: string };
    expect(taken.deliveryId).toBe("evt_1");
    const [end] = await receiver.saw(of(taken.sessionId, "run.ended"));
    expect(end).toMatchObject({ signed: true, data: { runId: taken.runId, status: "completed" } });
    const log = await fetchLog(server.url, taken.sessionId);
    const [ended] = ofKind(log, "run_ended");
    expect(end?.id).toBe(`${taken.sessionId}.${ended?.seq}.${Date.parse(ended?.at ?? "")}`);
    expect(end?.data["answer"]).toBe(answerOf(log).slice(0, 4_096));
    const result = { answer: end?.data["answer"], confidence: null, summary: null };
    expect(end?.data["result"]).toEqual({ result });
    const again = await send("stripe", { body });
    expect([again.status, await again.json()]).toEqual([200, { duplicate: true, runId: taken.runId }]);
  });

  test("twenty times at once is one run", async () => {
    const body = JSON.stringify({ event_id: "Ev1", type: "event_callback" });
    const all = await Promise.all(Array.from({ length: 20 }, () => send("slack", { body })));
    expect(all.map((response) => response.status).toSorted()).toEqual([...Array<number>(19).fill(200), 202]);
    const runs = new Set(
      (await Promise.all(all.map((response) => response.json()))).map(
        (each) => (each as { runId: string }).runId,
      ),
    );
    expect(runs.size).toBe(1);
  });

  test("of which one character was changed is refused, and leaves nothing", async () => {
    const init = signed("github", { body: '{"action":"opened"}' });
    const response = await fetch(`${server.url}/hooks/github`, { ...init, body: '{"action":"opener"}' });
    expect(response.status).toBe(401);
  });

  test("of 1 MiB and a byte is refused, and the connection lives on", async () => {
    const response = await send("bearer", { body: "x".repeat(1_048_577) });
    expect(response.status).toBe(413);
    expect((await send("bearer", { body: "not json" })).status).toBe(422);
  });
});

describe("a webhook that goes out", () => {
  test("is tried again under its id when the receiver is down, and not when it refuses", async () => {
    receiver.answer = ({ type }) => {
      const before = receiver.arrived.filter(of("down", type)).length;
      if (type === "run.ended" && before === 1) return { status: 503 };
      return { status: type === "run.started" ? 400 : 204 };
    };
    await say(server.url, "down", "/say Hello.");
    const tries = await receiver.saw(of("down", "run.ended"), 2);
    expect(new Set(tries.map(({ id }) => id)).size).toBe(1);
    expect(new Set(tries.map(({ headers }) => headers["webhook-signature"])).size).toBe(2);
    expect(tries.every((each) => each.signed)).toBe(true);
    expect(receiver.arrived.filter(of("down", "run.started"))).toHaveLength(1);
    await expect
      .poll(async () => (await deliveries("down")).map(({ state, tries: made }) => [state, made]), {
        timeout: 10_000,
      })
      .toEqual([
        ["delivered", 2],
        ["failed", 1],
      ]);
  });

  test("holds up no run, however slow the receiver is", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    receiver.answer = async () => {
      await held;
      return { status: 204 };
    };
    await say(server.url, "slow", "/call page_list {}\n/then\n/say All of them.");
    const idle = await fetch(`${server.url}/api/sessions/slow/events?until=idle`, {
      headers: { accept: "text/event-stream" },
    });
    await idle.text();
    expect(answerOf(await fetchLog(server.url, "slow"))).toBe("All of them.");
    expect((await deliveries("slow")).every(({ state }) => state === "pending")).toBe(true);
    release();
    await expect
      .poll(async () => (await deliveries("slow")).map(({ state }) => state), { timeout: 60_000 })
      .toEqual(["delivered", "delivered"]);
  });

  test("comes although the server was killed while it was on its way", async () => {
    receiver.answer = ({ type }) =>
      receiver.arrived.filter(of("killed", type)).length === 1 && type === "run.ended"
        ? new Promise(() => {})
        : { status: 204 };
    await say(server.url, "killed", "/say Hello.");
    await receiver.saw(of("killed", "run.ended"));
    await server.kill();
    await server.start();
    const both = await receiver.saw(of("killed", "run.ended"), 2);
    expect(new Set(both.map(({ id }) => id)).size).toBe(1);
    await expect
      .poll(async () => (await deliveries("killed")).map(({ state }) => state), { timeout: 20_000 })
      .toEqual(["delivered", "delivered"]);
  });

  test("tells of an approval that waits, without its arguments, and of the decision", async () => {
    await say(server.url, "asked", "Delete the contact page");
    const [asked] = await receiver.saw(of("asked", "approval.requested"));
    expect(asked).toMatchObject({
      signed: true,
      data: { state: "pending", sessionId: "asked", result: null },
    });
    expect(asked?.data).not.toHaveProperty("args");
    const [waiting] = await receiver.saw(of("asked", "run.waiting"));
    expect(waiting?.data).toMatchObject({ runId: "asked.r1", status: "paused" });
    expect(waiting?.id).toBe(`${asked?.id}.run`);
    const response = await fetch(`${server.url}/api/sessions/asked/approvals/${String(asked?.data["id"])}`, {
      method: "POST",
      body: '{"decision":"deny","reason":"Keep it."}',
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(200);
    const [decided] = await receiver.saw(of("asked", "approval.decided"));
    expect(decided?.data).toMatchObject({
      state: "denied",
      result: { decision: "deny", reason: "Keep it." },
    });
    await receiver.saw(of("asked", "run.ended"));
  });
});

test("no secret of a webhook is in any answer, webhook or line of the server", async () => {
  const paths = [
    "/healthz",
    "/api/sessions/asked/events",
    "/api/sessions/asked/trace",
    "/api/sessions/asked/deliveries",
  ];
  const texts = await Promise.all(paths.map(async (path) => (await fetch(`${server.url}${path}`)).text()));
  const all = [
    ...texts,
    JSON.stringify(receiver.arrived.map(({ headers: _, ...told }) => told)),
    server.log(),
  ].join("\n");
  for (const secret of [SECRET, ...Object.values(SECRETS)]) expect(all.includes(secret)).toBe(false);
});
