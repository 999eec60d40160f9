import { useChat } from "@ai-sdk/react";
import { useAgentChat } from "agents/chat/react";
import { useAgent } from "agents/react";
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  WebSocketChatTransport,
  type ChatTransport,
  type UIMessage,
} from "ai";
import { createElement, Suspense, use, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import type { Tab } from "./tab.ts";

/** A page of somebody else: a stock hook on a session of Cairn, as its package has it, and nothing of ours. */

declare global {
  var tab: Tab | undefined;
}

interface Hook {
  readonly messages: UIMessage[];
  readonly status: string;
  readonly error: Error | undefined;
  sendMessage(message: { text: string }, options?: { body: object }): Promise<void>;
  regenerate(): Promise<void>;
  addToolApprovalResponse(response: { id: string; approved: boolean }): unknown;
  resumeStream(): Promise<void>;
}

function show(hook: Hook): ReactNode {
  globalThis.tab = {
    messages: hook.messages,
    status: hook.status,
    error: hook.error?.message ?? null,
    send: (text, mode) => hook.sendMessage({ text }, mode === undefined ? undefined : { body: { mode } }),
    regenerate: () => hook.regenerate(),
    decide: (id, approved) => void hook.addToolApprovalResponse({ id, approved }),
    resume: () => hook.resumeStream(),
  };
  return createElement("pre", null, JSON.stringify(hook.messages, null, 1));
}

const asked = new URLSearchParams(location.search);
const session = asked.get("session") ?? "";

function AgentChat(): ReactNode {
  const agent = useAgent({ agent: "session", name: session });
  const chat = useAgentChat({ agent });
  // A message sent before the connection opens would stay last in this hook, after every list that the server sends.
  return agent.identified ? show(chat) : null;
}

const loaded = (async (): Promise<UIMessage[]> => {
  const response = await fetch(`/api/sessions/${session}/messages`);
  return response.ok ? ((await response.json()) as UIMessage[]) : [];
})();
const transports: { readonly [door: string]: () => ChatTransport<UIMessage> } = {
  http: () => new DefaultChatTransport({ api: "/api/chat" }),
  websocket: () =>
    new WebSocketChatTransport({ url: `${location.origin.replace("http", "ws")}/api/chat/ws` }),
};
const transport = transports[asked.get("hook") ?? ""]?.();

function Chat(): ReactNode {
  const messages = use(loaded);
  return show(
    useChat({
      id: session,
      messages,
      resume: true,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      ...(transport === undefined ? {} : { transport }),
    }),
  );
}

const root = document.createElement("main");
document.body.append(root);
createRoot(root).render(
  createElement(Suspense, null, createElement(asked.get("hook") === "agents" ? AgentChat : Chat)),
);
