import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  WebSocketChatTransport,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  type UIMessage,
} from "ai";

/** The AI SDK's own chat without a framework around it: what `useChat` is, with plain fields for its state. */
class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined = undefined;
  messages: UIMessage[];

  constructor(messages: UIMessage[]) {
    this.messages = messages;
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message];
  };
  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.map((known, at) => (at === index ? structuredClone(message) : known));
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

export class PlainChat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    super({
      ...init,
      state: new PlainState(messages),
      // The stock rule: once every approval of the last answer has a response, it is sent.
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }
}

export type Door = "http" | "websocket";

/** A chat on a server's session. `messages` are what a page loads before it; `heard` is told all that its streams send. */
export function openChat(
  server: string,
  session: string,
  door: Door = "http",
  messages: UIMessage[] = [],
  heard: (text: string) => void = () => {},
): PlainChat {
  const listen: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const [own, copy] = response.body.pipeThrough(new TextDecoderStream()).tee();
    void (async () => {
      for await (const text of copy) heard(text);
    })().catch(() => undefined);
    return new Response(own.pipeThrough(new TextEncoderStream()), response);
  };
  const transport =
    door === "http"
      ? new DefaultChatTransport<UIMessage>({ api: `${server}/api/chat`, fetch: listen })
      : new WebSocketChatTransport<UIMessage>({ url: `${server}/api/chat/ws` });
  return new PlainChat({ id: session, transport, messages });
}
