import { useAgentChat } from "agents/chat/react";
import { useAgent } from "agents/react";
import type { UIMessage } from "ai";
import { createContext, use, useMemo, useRef, useState, type ReactNode } from "react";
import type { QueueItem, ServerFrame } from "../../wire/frames.ts";
import { ask } from "../api.ts";
import { createLog, LogProvider } from "./log.ts";
import { ShownProvider } from "./shown.tsx";
import { useSteady } from "./steady.ts";

/**
 * One open session: its socket, its messages and what one can do with it. The socket speaks the stock chat protocol, so
 * `useAgentChat` keeps the messages (streaming, replay, other tabs). What must be exact or durable goes over HTTP.
 */
export interface Chat {
  readonly messages: readonly UIMessage[];
  /** the first list has come, be it empty */
  readonly loaded: boolean;
  /** a model or a tool works now */
  readonly working: boolean;
  /** what was lost is being made again, after a stop of the server */
  readonly recovering: boolean;
  readonly activeRunId: string | null;
  /** runs behind the live one, with the words that asked for them */
  readonly queue: readonly QueueItem[];
  /** what the live run may use, as it was told last; null before that */
  readonly budget: Budget | null;
  readonly connection: "connecting" | "open" | "lost" | "closed";
  /** why it was closed for good, as the server's short code */
  readonly closedAs: string | null;
}

/** `data-budget`, the part of it that is shown while a run works. */
export interface Budget {
  readonly steps: { readonly used: number; readonly limit: number };
  /** the amount that is nearly used up */
  readonly warning: string | null;
}

/** Stable for as long as the session is open. Each throws an `ApiError` where the server refuses. */
export interface Commands {
  readonly id: string;
  /** Says something; while a run is live, `mode` decides (docs/protocol.md, Messages). `answer`: to its open question. */
  readonly send: (text: string, mode?: "queue" | "join" | "replace" | "answer") => Promise<void>;
  /** Lets the live run read this before its next model call. */
  readonly steer: (text: string) => Promise<void>;
  /** Stops a run, or whatever works; `all` empties the queue too. */
  readonly stop: (runId?: string, all?: boolean) => Promise<void>;
  /** Answers the last message anew. */
  readonly retry: () => Promise<void>;
  /** Stops everything, hides what was said and empties the memory; the log stays. The row of it is the answer. */
  readonly clear: () => void;
  /** Answers a question of the agent. */
  readonly answer: (questionId: string, value: string) => Promise<void>;
}

const ChatContext = createContext<Chat | null>(null);
const CommandsContext = createContext<Commands | null>(null);

export const useChatState = (): Chat => within(use(ChatContext));
export const useCommands = (): Commands => within(use(CommandsContext));

function within<T>(value: T | null): T {
  if (value === null) throw new Error("used outside of LiveSession");
  return value;
}

/** What the stock client has asked for: its own promise ends with the whole answer. */
interface Sent {
  readonly taken: () => void;
  readonly refused: (error: Error) => void;
}

/** The throttle of what is drawn while text streams in. */
const DRAW_MS = 50;

export function LiveSession({ id, children }: { id: string; children: ReactNode }) {
  const [runs, setRuns] = useState<{ active: string | null; queue: readonly QueueItem[] }>({
    active: null,
    queue: [],
  });
  const [connection, setConnection] = useState<"connecting" | "open" | "lost">("connecting");
  const [budget, setBudget] = useState<Budget | null>(null);
  const [loaded, setLoaded] = useState(false);
  const [log] = useState(() => createLog(id));
  const sent = useRef<Sent | null>(null);
  const steady = useRef<ReturnType<typeof useSteady> | null>(null);

  const agent = useAgent({
    agent: "session",
    name: id,
    onOpen: () => setConnection("open"),
    onClose: () => {
      setConnection("lost");
      log.disconnected();
      steady.current?.lost();
    },
    onMessage: (message: MessageEvent<unknown>) => {
      const frame = parseFrame(message.data);
      if (frame === null) return;
      log.hear(frame);
      steady.current?.hear(frame);
      if (frame.type === "cf_agent_chat_messages") setLoaded(true);
      const told = budgetIn(frame);
      if (told !== null) setBudget(told);
      if (frame.type === "cairn:queue") sent.current?.taken();
      if (frame.type === "cairn:queue" && frame.activeRunId === null) setBudget(null);
      if (frame.type === "cairn:hello" || frame.type === "cairn:queue")
        setRuns({ active: frame.activeRunId ?? null, queue: frame.queue ?? [] });
      if (frame.type === "cairn:hello") log.connected((sent) => agent.send(JSON.stringify(sent)));
    },
  });
  const chat = useAgentChat({
    agent,
    // The socket brings the list when it opens.
    getInitialMessages: null,
    resume: true,
    throttle: DRAW_MS,
    syncMessagesToServer: false,
    onError: (error) => sent.current?.refused(error),
  });
  const steadied = useSteady(chat.messages);
  steady.current = steadied;
  // Some of its functions are others at each drawing; what is below is made once.
  const stock = useRef(chat);
  stock.current = chat;

  const commands = useMemo<Commands>(() => {
    const path = `/api/sessions/${id}`;
    const post = async (at: string, body: object): Promise<void> => {
      await ask(`${path}${at}`, { method: "POST", body });
    };
    // The stock client shows a change at once and tells a refusal elsewhere; what was refused is taken back.
    const taken = async (act: () => Promise<void>): Promise<void> => {
      const before = stock.current.messages;
      const answered = new Promise<void>((resolve, reject) => {
        sent.current = { taken: resolve, refused: reject };
      });
      void act();
      try {
        await answered;
      } catch (error) {
        stock.current.clearError();
        stock.current.setMessages([...before]);
        throw error;
      } finally {
        sent.current = null;
      }
    };
    return {
      id,
      send: async (text, mode) => {
        // Nothing is live: the stock client shows the message at once and streams the answer to it. It would keep what is
        // said on a lost line in its own memory, and a second one behind the first belongs into the queue.
        const idle = mode === undefined && sent.current === null && agent.readyState === WebSocket.OPEN;
        if (idle) await taken(() => stock.current.sendMessage({ text }));
        else await post("/messages", { text, ...(mode === undefined || mode === "answer" ? {} : { mode }) });
      },
      steer: (text) => post("/steer", { text }),
      stop: (runId, all) =>
        post("/cancel", { ...(runId === undefined ? {} : { runId }), ...(all === true ? { all } : {}) }),
      retry: () => taken(() => stock.current.regenerate()),
      clear: () => stock.current.clearHistory(),
      answer: (questionId, value) => log.command({ type: "cairn:answer", questionId, value }).then(() => {}),
    };
  }, [id, log]);

  const closed = agent.connectionError;
  const state = useMemo<Chat>(
    () => ({
      messages: steadied.shown,
      loaded,
      working: chat.isStreaming || chat.isRecovering,
      recovering: chat.isRecovering,
      activeRunId: runs.active,
      queue: runs.queue,
      budget,
      connection: closed === null ? connection : "closed",
      closedAs: closed?.reason ?? null,
    }),
    [steadied.shown, loaded, chat.isStreaming, chat.isRecovering, runs, budget, connection, closed],
  );
  return (
    <CommandsContext value={commands}>
      <LogProvider value={log}>
        <ShownProvider session={id}>
          <ChatContext value={state}>{children}</ChatContext>
        </ShownProvider>
      </LogProvider>
    </CommandsContext>
  );
}

/** It is told beside the message, in no part of it. */
function budgetIn(frame: ServerFrame): Budget | null {
  if (frame.type !== "cf_agent_use_chat_response" || !frame.body.startsWith('{"type":"data-budget"'))
    return null;
  return (JSON.parse(frame.body) as { readonly data: Budget }).data;
}

function parseFrame(data: unknown): ServerFrame | null {
  if (typeof data !== "string" || !data.startsWith("{")) return null;
  return JSON.parse(data) as ServerFrame;
}

/** The last message of the assistant, which the live run writes; null when there is none yet. */
export function useLastAnswer(): UIMessage | null {
  const { messages } = useChatState();
  return useMemo(() => messages.findLast(({ role }) => role === "assistant") ?? null, [messages]);
}
