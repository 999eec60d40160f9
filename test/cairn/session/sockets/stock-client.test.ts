import type { UIMessage } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import { ToolError } from "../../../../src/cairn/tools/define.ts";
import { eventOf, runView } from "../../../../src/cairn/protocol/views.ts";
import { connectStockClient, type StockClient } from "../../../e2e/clients/stock-client.ts";
import { loopback } from "./loopback.ts";
import { LiveSession, SESSION, type Line } from "./session-fixture.ts";

/** The real AgentClient and WebSocketChatTransport of agents 0.32 against the hub. */

const clients: StockClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

const SCRIPT: readonly Line[] = [
  { thought: "It must become public 🗿 first.", text: "I ask you.", calls: [["publish", { name: "about" }]] },
  { text: "The page is public now, as you wished." },
];

async function open(script: readonly Line[]) {
  const session = new LiveSession(script);
  session.service.admitOrCreate(session.actor());
  const network = loopback(session);
  const connect = async (): Promise<StockClient> => {
    const client = await connectStockClient({
      host: "127.0.0.1",
      session: SESSION,
      WebSocket: network.WebSocket,
    });
    clients.push(client);
    return client;
  };
  return { session, network, connect };
}

/** Lets the frames that are on their way arrive. */
async function arrive(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const plain = (message: unknown): unknown => JSON.parse(JSON.stringify(message));

async function stored(session: LiveSession): Promise<unknown> {
  const page = await session.api.messages(session.actor(), 200, null);
  return page.ok ? page.value.items.at(-1) : null;
}

function texts(message: UIMessage | null | undefined): string {
  return (message?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("|");
}

describe("the stock client", () => {
  it("is identified, runs, asks, continues after the decision, and has the stored message", async () => {
    const { session, connect } = await open(SCRIPT);
    const client = await connect();
    expect(client.agent.identified).toBe(true);
    const asked = client.send("publish it", "m1");
    await arrive();
    await session.settle();
    const waiting = await asked;
    expect(waiting.parts.find((part) => part.type === "tool-publish")).toMatchObject({
      state: "approval-requested",
      toolCallId: "r1s1c0",
    });
    const decided = client.decide("r1s1c0", true);
    await arrive();
    await session.settle();
    const message = await decided;
    expect(plain(message)).toEqual(await stored(session));
    expect(texts(message)).toBe("I ask you.|The page is public now, as you wished.");
  });

  it("is given the receipt of what was done, the same in the stream, in the list and after a cut", async () => {
    const { session, network, connect } = await open([
      { calls: [["publish", { name: "about" }]] },
      { calls: [["put", { name: "menu" }]] },
      { text: "About is public. I could not put the menu, because it is locked." },
    ]);
    session.tools.broken.set("put", new ToolError("conflict", "LOCKED", "It is locked."));
    const client = await connect();
    const asked = client.send("publish both", "m1");
    await arrive();
    await session.settle();
    await asked;
    const decided = client.decide("r1s1c0", true);
    await arrive();
    await session.settle();
    const streamed = await decided;
    const item = { verbs: [], state: null };
    const receipt = {
      changed: [
        { ...item, call: "r1s1c0", tool: "publish", title: "Publish", targets: ["about"], reason: null },
      ],
      failed: [
        { ...item, call: "r1s2c0", tool: "put", title: "Put", targets: ["menu"], reason: "It is locked" },
      ],
      unknown: [],
      more: 0,
    };
    const text = "About is public. I could not put the menu, because it is locked.";
    const result = { result: { answer: text, confidence: null, summary: null } };
    expect(plain(streamed.metadata)).toMatchObject({ outcome: "answered", result, receipt });
    expect(plain(streamed)).toEqual(await stored(session));
    expect(plain((await connect()).messages.at(-1))).toEqual(plain(streamed));
    const back = client.received("cf_agent_chat_messages");
    network.cutAll();
    await back;
    expect(plain(client.messages.at(-1))).toEqual(plain(streamed));
    // The events and the view of the run say the same.
    const log = session.store.entriesAfter(0, 1_000);
    const answers = log.flatMap((entry) => (entry.kind === "answer" ? [eventOf(entry).body] : []));
    expect(answers).toMatchObject([{ source: "plain", receipt }]);
    expect(runView(SESSION, session.state, log, "publish both")).toMatchObject({
      status: "completed",
      result,
      receipt,
    });
    const before = log.filter(({ kind }) => kind !== "run_ended");
    expect(runView(SESSION, session.state, before, "publish both")).toMatchObject({
      result: null,
      receipt: null,
    });
  });

  it("is given a receipt by a run that was stopped, too", async () => {
    const { session, connect } = await open([{ calls: [["publish", { name: "about" }]] }]);
    const client = await connect();
    const asked = client.send("publish it", "m1");
    await arrive();
    await session.settle();
    await asked;
    await session.api.cancel(session.actor(), { id: "c1", runId: null, all: false, reason: null });
    await session.settle();
    await arrive();
    expect(((await stored(session)) as UIMessage).metadata).toMatchObject({
      outcome: "cancelled",
      receipt: { changed: [], unknown: [] },
    });
  });

  it("rejects a call of a method at once, and state frames change nothing", async () => {
    const { connect } = await open([]);
    const client = await connect();
    await expect(client.agent.call("x")).rejects.toThrow("Method x does not exist");
  });

  it("shows two tabs the same message", async () => {
    const { session, connect } = await open(SCRIPT);
    const first = await connect();
    const second = await connect();
    const asked = first.send("publish it", "m1");
    await arrive();
    await session.settle();
    await asked;
    await arrive();
    const decided = second.decide("r1s1c0", true);
    await arrive();
    await session.settle();
    await decided;
    await arrive();
    const list = await session.api.messages(session.actor(), 200, null);
    expect(list.ok && plain(second.messages)).toEqual(list.ok && list.value.items);
    expect(plain(first.messages.at(-1))).toEqual(plain(second.messages.at(-1)));
  });

  it("cancels the run that it asked for", async () => {
    const { session, connect } = await open([{ text: "This will take a long while to say." }]);
    const client = await connect();
    session.onPiece = async (index) => {
      if (index !== 2) return;
      client.cancel();
      await arrive();
    };
    const asked = client.send("talk", "m1").catch((error: unknown) => error);
    await arrive();
    await session.settle();
    await asked;
    expect(session.state.ended.at(-1)?.outcome).toBe("cancelled");
    expect(texts((await stored(session)) as UIMessage)).toContain("This will take");
  });

  it("is cut at every piece of every segment, comes back, and never has a text twice", async () => {
    const pieces = 12;
    for (let cut = 0; cut < pieces; cut += 1) {
      const { session, network, connect } = await open(SCRIPT);
      const client = await connect();
      let count = 0;
      let resumed: Promise<UIMessage | null> = Promise.resolve(null);
      session.onPiece = async () => {
        if (count++ !== cut) return;
        await arrive();
        const back = client.received("cf_agent_chat_messages");
        network.cutAll();
        await back;
        resumed = client.resume();
        await arrive();
      };
      const asked = client.send("publish it", "m1").catch(() => null);
      await arrive();
      await session.settle();
      await arrive();
      const waiting = (await asked) ?? (await resumed);
      expect(texts(waiting), `cut at ${cut}`).toBe("I ask you.");
      const decided = client.decide("r1s1c0", true).catch(() => null);
      await arrive();
      await session.settle();
      await arrive();
      const message = (await decided) ?? (await resumed);
      expect(plain(message), `cut at ${cut}`).toEqual(await stored(session));
      client.close();
    }
  });
});
