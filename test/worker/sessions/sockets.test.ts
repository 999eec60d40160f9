import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import type { UIMessage } from "ai";
import { afterEach, beforeAll, expect, test } from "vitest";
import { connectStockClient, type StockClient } from "../../e2e/clients/stock-client.ts";
import { makeSite } from "../cms/fixture.ts";

/** The sockets on the platform: the real client of `agents` against the real object, in workerd. */

beforeAll(makeSite);

const clients: StockClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

/** A WebSocket of the browser, opened through the worker instead of the network. */
class WorkerSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSING = 2;
  readonly CLOSED = 3;
  readyState = 0;
  binaryType = "blob";
  onopen = null;
  onmessage = null;
  onclose = null;
  onerror = null;
  readonly url: string;
  #socket: WebSocket | null = null;

  constructor(url: string) {
    super();
    this.url = url;
    void this.#open(url.replace(/^ws/, "http"));
  }

  async #open(url: string): Promise<void> {
    const response = await exports.default.fetch(new Request(url, { headers: { upgrade: "websocket" } }));
    const socket = response.webSocket;
    if (socket === null) throw new Error(`not upgraded: ${response.status}`);
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const event = new MessageEvent("message", { data });
      // The client makes a copy of it, and the workerd of today makes none of an event whose source is null.
      this.dispatchEvent(Object.defineProperty(event, "source", { value: undefined }));
    });
    socket.addEventListener("close", ({ code, reason }) => this.#end(code, reason));
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
    socket.accept();
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  close(code = 1000, reason = ""): void {
    this.#socket?.close(code, reason);
    this.#end(code, reason);
  }

  #end(code: number, reason: string): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.dispatchEvent(new CloseEvent("close", { code, reason, wasClean: true }));
  }
}

async function connect(session: string): Promise<StockClient> {
  const client = await connectStockClient({ host: "localhost", session, WebSocket: WorkerSocket });
  clients.push(client);
  return client;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

async function storedMessages(session: string): Promise<UIMessage[]> {
  const response = await exports.default.fetch(`http://localhost/agents/session/${session}/get-messages`);
  return response.json();
}

/** Makes a page, asks to delete it, and says so. */
const deletion = (name: string): string =>
  [
    `/call page_create ${JSON.stringify({ name })}`,
    "/then",
    `/call page_delete ${JSON.stringify({ pages: [name.toLowerCase()] })}`,
    "/then",
    "/say That was it.",
  ].join("\n");

/** The call that waits for a person in the newest message. */
function waitingCall(message: UIMessage): string {
  const part = message.parts.find((item) => "state" in item && item.state === "approval-requested");
  if (part === undefined || !("toolCallId" in part))
    throw new Error(
      `nothing waits: ${JSON.stringify(message.parts.filter((item) => item.type.startsWith("tool-")))}`,
    );
  return part.toolCallId;
}

test("the real client is identified, runs, and both tabs have the stored messages", async () => {
  const first = await connect("ses_sockets");
  const second = await connect("ses_sockets");
  expect(first.agent.identified).toBe(true);
  expect(first.agent.agent).toBe("session");
  const message = await first.send("/say It is there.", "m1");
  const stored = await storedMessages("ses_sockets");
  expect(stored.map(({ id }) => id)).toEqual(["m1", "ses_sockets.r1"]);
  expect(plain(message)).toEqual(stored[1]);
  await expect.poll(() => plain(second.messages), { interval: 5 }).toEqual(stored);
});

test("who only looks at an empty session makes none; the first word does", async () => {
  const listed = async (): Promise<boolean> => {
    const response = await exports.default.fetch("http://localhost/api/sessions?limit=100");
    const { items }: { items: readonly { id: string }[] } = await response.json();
    return items.some(({ id }) => id === "ses_looked_at");
  };
  const client = await connect("ses_looked_at");
  const stub = env.SESSION.get(env.SESSION.idFromName("ses_looked_at"));
  await runInDurableObject(stub, async (_, { storage }) => expect(await storage.getAlarm()).toBeNull());
  expect(await listed()).toBe(false);
  await client.send("/say Now it is one.", "m1");
  await expect.poll(listed, { interval: 5 }).toBe(true);
});

test("a gated call is decided in the other tab and continues there", async () => {
  const first = await connect("ses_gate");
  const second = await connect("ses_gate");
  const waiting = await first.send(deletion("Harbour"), "m1");
  const call = waitingCall(waiting);
  expect(await second.resume()).toBeNull();
  const message = await second.decide(call, true);
  const stored = await storedMessages("ses_gate");
  expect(plain(message)).toEqual(stored[1]);
  expect(JSON.stringify(message.parts)).toContain("That was it.");
  await expect.poll(() => plain(first.messages.at(-1)), { interval: 5 }).toEqual(stored[1]);
  expect(first.frames.some((frame) => frame.includes('"id":"ses_gate.r1.c1"'))).toBe(true);
});

test("sockets outlive their object: who they are and what they wait for is in the attachment", async () => {
  const client = await connect("ses_sleep");
  const waiting = await client.send(deletion("Lighthouse"), "m1");
  const call = waitingCall(waiting);
  await evictDurableObject(env.SESSION.get(env.SESSION.idFromName("ses_sleep")));
  const head = client.received("cairn:head");
  const message = await client.decide(call, false);
  await head;
  expect(plain(message)).toEqual((await storedMessages("ses_sleep"))[1]);
  expect(client.frames.filter((frame) => frame.includes("cf_agent_identity"))).toHaveLength(1);
});

test("plain ping is answered, a bad frame answers its own socket, and the connection stays", async () => {
  const client = await connect("ses_frames");
  const error = client.received("cairn:error");
  client.agent.send("{");
  await error;
  expect(JSON.parse(client.frames.at(-1) ?? "")).toMatchObject({
    type: "cairn:error",
    error: { code: "invalid_json" },
  });
  await expect(client.agent.call("x")).rejects.toThrow("Method x does not exist");
});

test("a probe while nothing runs is answered at once", async () => {
  const client = await connect("ses_probe");
  expect(await client.resume()).toBeNull();
});

test("the log streams as server-sent events until nothing runs", async () => {
  const client = await connect("ses_events");
  const queue = client.received("cairn:queue");
  const said = client.send("/say Streamed.", "m1");
  await queue;
  const response = await exports.default.fetch(
    new Request("http://localhost/api/sessions/ses_events/events?until=idle", {
      headers: { accept: "text/event-stream" },
    }),
  );
  const text = await response.text();
  await said;
  const seqs = [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(text).toContain('"kind":"run_ended"');
});
