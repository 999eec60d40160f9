import type { UIMessage } from "ai";
import { afterEach, describe, expect, test } from "vitest";
import { callsOf, fetchLog } from "./clients/log.ts";
import { useServer } from "./clients/server.ts";
import { connectStockClient, type StockClient } from "./clients/stock-client.ts";

/** The clients of the `agents` package, as they come, against a real server. */

const server = useServer();
const open: StockClient[] = [];
afterEach(() => {
  for (const client of open.splice(0)) client.close();
});

async function connect(session: string): Promise<StockClient> {
  const client = await connectStockClient({ host: new URL(server.url).host, session });
  open.push(client);
  return client;
}

interface Shown {
  readonly type: string;
  readonly state?: string;
  readonly toolCallId?: string;
  readonly text?: string;
}

const shown = (message: UIMessage): readonly Shown[] => message.parts;
const textOf = (message: UIMessage) =>
  shown(message)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("");
const toolsOf = (message: UIMessage) => shown(message).filter((part) => part.type.startsWith("tool-"));
const stored = async (session: string): Promise<UIMessage[]> =>
  (await fetch(`${server.url}/agents/session/${session}/get-messages`)).json() as Promise<UIMessage[]>;

const LOOK = "/call site_overview {}\n/then\n/say Seen.";
const UNPUBLISH =
  '/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"unpublished"}\n/then\n/say Tried.';

describe("AgentClient and WebSocketChatTransport, unmodified", () => {
  test("get a tool's result and the answer, as the server keeps them", async () => {
    const client = await connect("look");
    const message = await client.send(LOOK);
    expect(toolsOf(message)).toMatchObject([{ type: "tool-site_overview", state: "output-available" }]);
    expect(textOf(message)).toContain("Seen.");
    const kept = await stored("look");
    expect(kept.map((each) => each.role)).toEqual(["user", "assistant"]);
    expect(kept.at(-1)?.parts).toEqual(client.messages.at(-1)?.parts);
  });

  test("stop at an approval, and a no of theirs leaves the page as it is", async () => {
    const client = await connect("no");
    const asked = await client.send(UNPUBLISH);
    const [call] = toolsOf(asked);
    expect(call).toMatchObject({ type: "tool-set_status", state: "approval-requested" });
    await client.decide(call?.toolCallId ?? "", false);
    // A run that ends before the client joins the continuation sends its message whole, not as chunks.
    const [, message] = await stored("no");
    expect(message === undefined ? [] : toolsOf(message)).toMatchObject([{ state: "output-denied" }]);
    expect((await fetch(`${server.url}/site/about`)).status).toBe(200);
  });

  test("stop at an approval, and a yes of theirs is carried out once", async () => {
    const client = await connect("yes");
    const asked = await client.send(UNPUBLISH);
    expect((await fetch(`${server.url}/site/about`)).status).toBe(200);
    await client.decide(toolsOf(asked)[0]?.toolCallId ?? "", true);
    const [, message] = await stored("yes");
    expect(message === undefined ? [] : toolsOf(message)).toMatchObject([{ state: "output-available" }]);
    expect(message === undefined ? "" : textOf(message)).toContain("Tried.");
    expect((await fetch(`${server.url}/site/about`)).status).toBe(404);
    expect(callsOf(await fetchLog(server.url, "yes"))).toMatchObject([{ status: "ok", results: 1 }]);
  });

  test("in two tabs end with the same messages", async () => {
    const [first, second] = [await connect("tabs"), await connect("tabs")];
    const updated = second.received("cf_agent_message_updated");
    await first.send(LOOK);
    await updated;
    expect(second.messages).toEqual(await stored("tabs"));
    expect(second.messages.at(-1)?.parts).toEqual(first.messages.at(-1)?.parts);
  });

  test("find their conversation again after the server was killed", async () => {
    const before = await connect("again");
    await before.send(LOOK);
    const kept = await stored("again");
    before.close();
    await server.kill();
    await server.start();
    const after = await connect("again");
    expect(after.messages).toEqual(kept);
    const message = await after.send("/say And again.");
    expect(textOf(message)).toContain("And again.");
    expect(await stored("again")).toHaveLength(4);
  });
});
