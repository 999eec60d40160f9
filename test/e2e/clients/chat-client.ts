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

/** A chat on a server's session. `messages` are what a page loads before it. */
export function openChat(
  server: string,
  session: string,
  door: Door = "http",
  messages: UIMessage[] = [],
): PlainChat {
  const transport =
    door === "http"
      ? new DefaultChatTransport<UIMessage>({ api: `${server}/api/chat` })
      : new WebSocketChatTransport<UIMessage>({ url: `${server}/api/chat/ws` });
  return new PlainChat({ id: session, transport, messages });
}
