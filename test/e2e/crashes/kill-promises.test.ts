import { afterAll, beforeAll, expect, test } from "vitest";
import { Book } from "../kills/book.ts";
import { check } from "../kills/check.ts";
import { fetchLog, say, watch, type Watcher } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../clients/webhook-receiver.ts";

/**
 * A server dies at the very moment at which it has promised something: an entry has come to a socket, a webhook has
 * arrived, a deletion is answered. The next life must keep it. Random moments are tried by `npm run test:kills`.
 */

const SECRET = "whsec_Y2Fpcm4tZXhhbXBsZS1zZWNyZXQtMDAw";
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver(SECRET);
});
afterAll(() => receiver.close());
const server = useServer(() => [
  `WEBHOOK_TARGETS:${JSON.stringify([{ id: "ops", url: receiver.url, secret: SECRET, events: ["run.*", "approval.*"] }])}`,
]);

const ASKS =
  '/call store_memory {"key":"tone","value":"warm"}\n/then\n/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"unpublished"}\n/then\n/say Tried.';
const book = new Book();
const watchers: Watcher[] = [];

/** A session that works until it waits for a person; someone watches. */
async function begin(session: string): Promise<Watcher> {
  const promised = book.make(session, 0);
  const watcher = await watch(server.url, session, (entry) => promised.show(entry, "socket"));
  watchers.push(watcher);
  await say(server.url, session, ASKS);
  return watcher;
}

async function deny(session: string): Promise<void> {
  const response = await fetch(`${server.url}/api/sessions/${session}/approvals/r1s2c0a1`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ decision: "deny" }),
  });
  if (!response.ok) throw new Error(`${session}: ${response.status} ${await response.text()}`);
}

async function waits(session: string): Promise<void> {
  await (await begin(session)).saw("approval_requested");
}

/** The index has the session, and the inbox its approval. */
async function listed(session: string): Promise<void> {
  const page = async (path: string): Promise<string> => (await fetch(`${server.url}/api/${path}`)).text();
  await expect.poll(() => page("sessions"), { timeout: 20_000 }).toContain(`"${session}"`);
  await expect.poll(() => page("approvals?state=pending"), { timeout: 20_000 }).toContain(`"${session}"`);
}

async function remove(session: string): Promise<void> {
  const promised = book.of(session);
  promised.deletion = "asked";
  const { status } = await fetch(`${server.url}/api/sessions/${session}`, { method: "DELETE" });
  expect(status).toBe(204);
  promised.deletion = "answered";
}

/** Kills the server now, starts it again, and answers what the next life breaks of everything that was ever promised. */
async function brokenAfterDeath(): Promise<readonly string[]> {
  await server.kill();
  for (const watcher of watchers.splice(0)) watcher.close();
  await server.start();
  const { broken, compared } = await check(server.url, book, book.sessions, receiver.arrived);
  return compared === 0 ? ["nothing was promised"] : broken;
}

test.each(["user_message", "run_started", "model_replied", "memory_changed", "approval_requested"])(
  "%s has just come to a socket",
  async (kind) => {
    const watcher = await begin(`seen-${kind}`);
    await watcher.saw(kind);
    expect(await brokenAfterDeath()).toEqual([]);
    expect(book.of(`seen-${kind}`).shown.size).toBeGreaterThan(0);
  },
);

test.each(["run.started", "approval.requested"])("%s has just been told outside", async (type) => {
  const session = `told-${type.replace(".", "-")}`;
  await begin(session);
  await receiver.saw((arrived) => arrived.type === type && arrived.data["sessionId"] === session);
  expect(await brokenAfterDeath()).toEqual([]);
});

test.each(["approval.decided", "run.ended"])("%s has just been told outside, after a no", async (type) => {
  const session = `told-${type.replace(".", "-")}`;
  await waits(session);
  await deny(session);
  await receiver.saw((arrived) => arrived.type === type && arrived.data["sessionId"] === session);
  expect(await brokenAfterDeath()).toEqual([]);
});

test("a deletion has just been answered, of a session that is listed and whose approval waits", async () => {
  await waits("deleted");
  await listed("deleted");
  await remove("deleted");
  expect(await brokenAfterDeath()).toEqual([]);
});

test("a deletion has just been answered, in the middle of a step", async () => {
  await (await begin("deleted-at-work")).saw("step_started");
  await remove("deleted-at-work");
  expect(await brokenAfterDeath()).toEqual([]);
});

test("after all these lives nothing of what was deleted has come back, and the others came to their rest", async () => {
  const idle = [...book.sessions].filter(([, { deletion }]) => deletion === "none");
  for (const [session] of idle) {
    const kinds = async () => (await fetchLog(server.url, session)).map(({ kind }) => kind);
    await expect.poll(kinds, { timeout: 20_000 }).toContain("approval_requested");
  }
  expect(await brokenAfterDeath()).toEqual([]);
});
