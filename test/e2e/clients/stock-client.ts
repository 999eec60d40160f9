import { AgentClient } from "agents/client";
import { WebSocketChatTransport } from "agents/chat/transport";
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";

/**
 * The real `AgentClient` and `WebSocketChatTransport` of `agents`, unmodified, with the little that an integration adds:
 * it routes the resume frames to the transport and keeps the list of messages that the server sends.
 */
export interface StockClient {
  readonly agent: AgentClient;
  /** the server's list, with the updates that came after it */
  readonly messages: UIMessage[];
  /** every frame that came, as text */
  readonly frames: string[];
  /** every chunk that the transport handed on, since the client was made */
  readonly chunks: UIMessageChunk[];
  /** Sends a user message; answers the assistant message as it stands when the segment ends. */
  send(text: string, id?: string): Promise<UIMessage>;
  /** Decides a call that waits; answers the message at the end of the continuation. */
  decide(toolCallId: string, approved: boolean): Promise<UIMessage>;
  /** Joins what streams now, or will soon; null when nothing does. */
  resume(): Promise<UIMessage | null>;
  /** Stops the run of the newest request. */
  cancel(): boolean;
  /** Resolves when a frame of this type has come since the last call with it. */
  received(type: string): Promise<void>;
  close(): void;
}

export interface StockClientOptions {
  /** such as `127.0.0.1:8787` */
  readonly host: string;
  readonly session: string;
  readonly query?: { readonly [name: string]: string };
  /** instead of the runtime's own */
  readonly WebSocket?: unknown;
}

/** Connects, and resolves when the server has told its identity and its list of messages. */
export async function connectStockClient(options: StockClientOptions): Promise<StockClient> {
  const { host, session, query, WebSocket } = options;
  const agent = new AgentClient({
    host,
    agent: "session",
    name: session,
    protocol: "ws",
    minReconnectionDelay: 1,
    maxReconnectionDelay: 50,
    ...(query === undefined ? {} : { query: { ...query } }),
    ...(WebSocket === undefined ? {} : { WebSocket }),
  });
  const transport = new WebSocketChatTransport({ agent });
  const messages: UIMessage[] = [];
  const frames: string[] = [];
  const chunks: UIMessageChunk[] = [];
  const awaited = new Map<string, () => void>();
  /** the newest word of the server about a message */
  const settled = new Map<string, UIMessage>();
  let partial: UIMessage | undefined;
  const replace = (message: UIMessage): void => {
    const at = messages.findIndex((item) => item.id === message.id);
    if (at >= 0) messages[at] = message;
    else messages.push(message);
  };
  agent.addEventListener("message", (event) => {
    const text = String(event.data);
    frames.push(text);
    const frame = JSON.parse(text) as { type: string; id: string; probeId?: string } & {
      messages: UIMessage[];
      message: UIMessage;
    };
    switch (frame.type) {
      case "cf_agent_chat_messages":
        messages.splice(0, messages.length, ...frame.messages);
        break;
      case "cf_agent_message_updated":
        // The stream of another tab builds the message there; an observer builds it here.
        replace(frame.message);
        settled.set(frame.message.id, frame.message);
        break;
      case "cf_agent_stream_resuming":
        transport.handleStreamResuming(frame);
        break;
      case "cf_agent_stream_resume_none":
        transport.handleStreamResumeNone(frame);
        break;
      case "cf_agent_stream_pending":
        transport.handleStreamPending();
        break;
    }
    awaited.get(frame.type)?.();
    awaited.delete(frame.type);
  });
  const received = (type: string): Promise<void> => new Promise((resolve) => void awaited.set(type, resolve));
  const read = async (
    stream: ReadableStream<UIMessageChunk>,
    message: UIMessage | undefined,
  ): Promise<UIMessage> => {
    const watched = stream.pipeThrough(
      new TransformStream<UIMessageChunk, UIMessageChunk>({
        transform(chunk, controller) {
          chunks.push(chunk);
          controller.enqueue(chunk);
        },
      }),
    );
    let last = message;
    const states = readUIMessageStream({
      stream: watched,
      terminateOnError: true,
      ...(message === undefined ? {} : { message: structuredClone(message) }),
    });
    for await (const state of states) partial = last = state;
    if (last === undefined) throw new Error("the stream ended without a message");
    replace(last);
    return last;
  };
  const lastAssistant = (): UIMessage | undefined => messages.findLast(({ role }) => role === "assistant");
  const listed = received("cf_agent_chat_messages");
  await agent.ready;
  await listed;
  return {
    agent,
    messages,
    frames,
    chunks,
    received,
    send: async (text, id = crypto.randomUUID()) => {
      messages.push({ id, role: "user", parts: [{ type: "text", text }] });
      const stream = await transport.sendMessages({
        trigger: "submit-message",
        chatId: session,
        messageId: undefined,
        messages: [...messages],
        abortSignal: undefined,
      });
      return read(stream, undefined);
    },
    decide: async (toolCallId, approved) => {
      const before = lastAssistant();
      agent.send(
        JSON.stringify({ type: "cf_agent_tool_approval", toolCallId, approved, autoContinue: true }),
      );
      transport.expectToolContinuation();
      const stream = await transport.reconnectToStream({ chatId: session });
      if (stream === null) throw new Error("the decision was not continued");
      return read(stream, before);
    },
    resume: async () => {
      const stream = await transport.reconnectToStream({ chatId: session });
      if (stream === null) return null;
      const [first, rest] = stream.tee();
      const reader = first.getReader();
      const { value } = await reader.read();
      void reader.cancel();
      if (value?.type === "start")
        return read(
          rest,
          messages.find(({ id }) => id === value.messageId),
        );
      // The transport leaves out what this client had: the stream goes on from there, and a text that was cut becomes two
      // parts, until the server's message, which came before the end, puts it right.
      const built = await read(rest, partial);
      return settled.get(built.id) ?? built;
    },
    cancel: () => transport.cancelActiveServerTurn(),
    close: () => agent.close(),
  };
}
