import type { UIMessage } from "ai";
import { describe, expect, test } from "vitest";
import { openChat, type Door, type PlainChat } from "./clients/chat-client.ts";
import { useServer } from "./clients/server.ts";

/** The AI SDK's clients, as they come, against a real server: `useChat` without React, on both of its transports. */

const server = useServer();

interface Shown {
  readonly type: string;
  readonly state?: string;
  readonly text?: string;
  readonly approval?: { readonly id: string };
}
const shown = (message: UIMessage | undefined): readonly Shown[] => message?.parts ?? [];
const textOf = (message: UIMessage | undefined): string =>
  shown(message)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("");
const toolsOf = (message: UIMessage | undefined): readonly Shown[] =>
  shown(message).filter(({ type }) => type.startsWith("tool-"));
const json = async <Value>(path: string, body?: unknown): Promise<Value> => {
  const response = await fetch(`${server.url}${path}`, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json" },
  });
  return (await response.json()) as Value;
};
const stored = (session: string) => json<UIMessage[]>(`/api/sessions/${session}/messages`);
/** Waits until nothing of the session works or waits. */
const idle = async (session: string): Promise<void> => {
  const url = `${server.url}/api/sessions/${session}/events?until=idle`;
  await (await fetch(url, { headers: { accept: "text/event-stream" } })).text();
};
const until = async (chat: PlainChat, test: () => boolean): Promise<void> => {
  await expect.poll(() => [test(), chat.error], { timeout: 20_000, interval: 20 }).toEqual([true, undefined]);
};
const partsOf = (messages: readonly UIMessage[]) => messages.map(({ role, parts }) => ({ role, parts }));

const LOOK = "/call site_overview {}\n/then\n/say Seen.";
const SLOW = `/wait 2500\n/call site_overview {}\n/then\n/say ${"A long answer. ".repeat(20)}`;
const UNPUBLISH =
  '/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"unpublished"}\n/then\n/say Tried.';

describe.each<Door>(["http", "websocket"])("AbstractChat over %s", (door) => {
  const name = (of: string): string => `${door}-${of}`;

  test("builds the message that the server keeps", async () => {
    const chat = openChat(server.url, name("look"), door);
    await chat.sendMessage({ text: LOOK });
    expect([chat.status, chat.error]).toEqual(["ready", undefined]);
    expect(textOf(chat.lastMessage)).toContain("Seen.");
    expect(toolsOf(chat.lastMessage)).toMatchObject([{ state: "output-available" }]);
    const kept = await stored(name("look"));
    expect(partsOf(chat.messages)).toEqual(partsOf(kept));
    expect(chat.lastMessage?.id).toBe(kept.at(-1)?.id);
  });

  test("asks, is answered, and goes on by itself in the same message", async () => {
    const chat = openChat(server.url, name("no"), door);
    await chat.sendMessage({ text: UNPUBLISH });
    const [asked] = toolsOf(chat.lastMessage);
    expect(asked?.state).toBe("approval-requested");
    await chat.addToolApprovalResponse({ id: asked?.approval?.id ?? "", approved: false });
    await until(
      chat,
      () => chat.status === "ready" && toolsOf(chat.lastMessage)[0]?.state === "output-denied",
    );
    await idle(name("no"));
    await until(chat, () => textOf(chat.lastMessage) !== "");
    expect(partsOf(chat.messages)).toEqual(partsOf(await stored(name("no"))));
    expect((await fetch(`${server.url}/site/about`)).status).toBe(200);
  });

  test("comes back in the middle of a run, in a new page, and has the whole of it", async () => {
    const first = openChat(server.url, name("again"), door);
    const sending = first.sendMessage({ text: SLOW }).catch(() => {});
    await until(first, () => first.messages.length === 2);
    // The page is closed: its transport goes, the run does not.
    await first.stop();
    await sending;
    const second = openChat(server.url, name("again"), door, await stored(name("again")));
    await second.resumeStream();
    await until(second, () => second.status === "ready");
    await idle(name("again"));
    expect(textOf(second.lastMessage)).toContain("A long answer. A long answer.");
    expect(partsOf(second.messages)).toEqual(partsOf(await stored(name("again"))));
    const third = openChat(server.url, name("again"), door, await stored(name("again")));
    await third.resumeStream();
    expect([third.status, third.messages.length]).toEqual(["ready", 2]);
  });

  test("decides in the other tab; both end alike", async () => {
    const one = openChat(server.url, name("tabs"), door);
    await one.sendMessage({ text: UNPUBLISH });
    const other = openChat(server.url, name("tabs"), door, await stored(name("tabs")));
    await other.resumeStream();
    const [asked] = toolsOf(other.lastMessage);
    expect(asked?.state).toBe("approval-requested");
    await other.addToolApprovalResponse({ id: asked?.approval?.id ?? "", approved: false });
    await until(other, () => other.status === "ready" && textOf(other.lastMessage) !== "");
    await idle(name("tabs"));
    const kept = partsOf(await stored(name("tabs")));
    expect(partsOf(other.messages)).toEqual(kept);
    // The first tab decides late: what it hears is that there is nothing new.
    const [late] = toolsOf(one.lastMessage);
    await one.addToolApprovalResponse({ id: late?.approval?.id ?? "", approved: true });
    await expect.poll(() => one.status, { timeout: 10_000 }).toBe("error");
    expect(partsOf(await stored(name("tabs")))).toEqual(kept);
  });

  test("is stopped by a cancel, and keeps what it had", async () => {
    const chat = openChat(server.url, name("stop"), door);
    const sending = chat.sendMessage({ text: SLOW });
    await until(chat, () => chat.messages.length === 2);
    const { cancelled } = await json<{ cancelled: string[] }>(`/api/sessions/${name("stop")}/cancel`, {});
    expect(cancelled).toEqual([`${name("stop")}.r1`]);
    await sending;
    expect(chat.status).toBe("ready");
    expect(textOf(chat.lastMessage)).not.toContain("A long answer.");
    expect(
      (await json<{ cancelled: string[] }>(`/api/sessions/${name("stop")}/cancel`, {})).cancelled,
    ).toEqual([]);
  });

  test("queues a second message while a run is live, each with an answer of its own", async () => {
    const session = name("queue");
    const one = openChat(server.url, session, door);
    const sending = one.sendMessage({ text: "/wait 1500\n/say First." });
    await until(one, () => one.messages.length === 2);
    const other = openChat(server.url, session, door, await stored(session));
    await other.sendMessage({ text: "/say Second." });
    await sending;
    expect([textOf(one.lastMessage), textOf(other.lastMessage)]).toEqual([
      expect.stringContaining("First."),
      expect.stringContaining("Second."),
    ]);
    expect((await stored(session)).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
  });

  test("is steered, and shows the words before the next step", async () => {
    const session = name("steer");
    const chat = openChat(server.url, session, door);
    const sending = chat.sendMessage({ text: "/wait 1500\n/call site_overview {}\n/then\n/say Over." });
    await until(chat, () => chat.messages.length === 2);
    await json(`/api/sessions/${session}/steer`, { text: "Mind the tone.", id: "s1" });
    await sending;
    const types = shown(chat.lastMessage).map(({ type }) => type);
    expect(types.filter((type) => type === "steering-message")).toHaveLength(1);
    expect(types.indexOf("steering-message")).toBeLessThan(types.lastIndexOf("step-start"));
  });

  test("makes an answer again, and not one that has changed something", async () => {
    const session = name("redo");
    const chat = openChat(server.url, session, door);
    await chat.sendMessage({ text: "/say First." });
    const before = chat.lastMessage?.id;
    await chat.regenerate();
    expect([chat.status, chat.messages.length]).toEqual(["ready", 2]);
    expect(chat.lastMessage?.id).not.toBe(before);
    expect(partsOf(chat.messages)).toEqual(partsOf(await stored(session)));
    await chat.sendMessage({ text: '/call store_memory {"key":"tone","value":"warm"}\n/then\n/say Stored.' });
    const kept = await stored(session);
    expect(kept).toHaveLength(4);
  });
});
