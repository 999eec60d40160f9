import { useAgentChat } from "agents/chat/react";
import { useAgent } from "agents/react";
import type { FileUIPart, UIMessage } from "ai";
import { createContext, use, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { mutate } from "swr";
import type { QueueItem, ServerFrame } from "../../cairn/protocol/frames.ts";
import type { SessionDetail, SessionView } from "../../cairn/protocol/views.ts";
import { useAnswer, ApiError, ask } from "../api.ts";
import { detailPath } from "../session-list/use-sessions.ts";
import { useHeartbeat } from "./heartbeat.ts";
import { LogProvider } from "./log.ts";
import { createLog } from "./session-log.ts";
import { ShownProvider } from "./shown.tsx";
import { useSteady } from "./steady.ts";

/**
 * One open session: its socket, its messages and its commands. The socket speaks the stock chat protocol, so
 * `useAgentChat` holds the messages (streaming, replay, other tabs). Exact or durable data goes over HTTP.
 */
export interface Chat {
  readonly messages: readonly UIMessage[];
  /** the first list has come, be it empty */
  readonly loaded: boolean;
  /** what was lost is being made again, after a stop of the server */
  readonly recovering: boolean;
  readonly activeRunId: string | null;
  /** runs behind the live one, with the words that asked for them */
  readonly queue: readonly QueueItem[];
  /** the queue waits until somebody continues it */
  readonly held: boolean;
  /** the id of a message that went out and was not accepted yet */
  readonly sending: string | null;
  /** the live run's limits, as last reported; null before */
  readonly budget: Budget | null;
  /** progress of the live step's tool, if it reports any */
  readonly progress: StepProgress | null;
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

/** `data-step` while a tool runs, if it is transient. */
export interface StepProgress {
  readonly step: string;
  readonly note: string | null;
  readonly percent: number | null;
}

/** Stable for as long as the session is open. Each throws an `ApiError` where the server refuses. */
export interface Commands {
  readonly id: string;
  /** Has the first message make the session with this agent. */
  readonly startWith: (agent: string) => void;
  /**
   * Sends a message; while a run is live, `mode` decides (docs/api.md, Messages and runs). `answer`: to its open
   * question.
   */
  readonly send: (
    text: string,
    mode?: "queue" | "join" | "replace" | "answer",
    files?: readonly FileUIPart[],
  ) => Promise<void>;
  /** Lets the live run read this before its next model call. */
  readonly steer: (text: string) => Promise<void>;
  /** Stops a run, or whatever works; `hold` keeps the next one from beginning. */
  readonly stop: (runId?: string, hold?: boolean) => Promise<void>;
  /** Lets a held queue go on. */
  readonly continueQueue: () => Promise<void>;
  /** Continues unfinished work in a new run with so many steps; null: the default number. */
  readonly goOn: (steps: number | null) => Promise<void>;
  /** Answers the last message anew. */
  readonly retry: () => Promise<void>;
  /** Stops everything, hides the conversation and empties the memory; the log stays. The log entry confirms it. */
  readonly clear: () => void;
  /** Answers a question of the agent. */
  readonly answer: (questionId: string, value: string) => Promise<void>;
}

const ChatContext = createContext<Chat | null>(null);

const CommandsContext = createContext<Commands | null>(null);

export const useChatState = (): Chat => required(use(ChatContext));

export const useCommands = (): Commands => required(use(CommandsContext));

function required<T>(value: T | null): T {
  if (value === null) throw new Error("used outside of LiveSession");
  return value;
}

/** A request of the stock client: its promise ends with the whole answer. */
interface Sent {
  readonly taken: () => void;
  readonly refused: (error: Error) => void;
  /** the line that it went out on is gone */
  lost: boolean;
  /** the server's list, `first` when it begins a connection: what is in it was taken */
  readonly listed: (messages: readonly { readonly id: string }[], first: boolean) => void;
}

/** A server answers what it is sent well before that. */
const SILENT_MS_MAX = 10_000;

/** The throttle of what is drawn while text streams in. */
const DRAW_MS = 50;

interface LiveSessionProps {
  readonly id: string;
  readonly onTooOld: () => void;
  readonly children: ReactNode;
}

export function LiveSession({ id, onTooOld, children }: LiveSessionProps) {
  const [runs, setRuns] = useState<Pick<Chat, "activeRunId" | "queue" | "held">>({
    activeRunId: null,
    queue: [],
    held: false,
  });
  const [connection, setConnection] = useState<"connecting" | "open" | "lost">("connecting");
  const [budget, setBudget] = useState<Budget | null>(null);
  const [progress, setProgress] = useState<StepProgress | null>(null);
  const [loaded, setLoaded] = useState(false);
  const [sending, setSending] = useState<string | null>(null);
  const [log] = useState(() => createLog(id, ask));
  const sent = useRef<Sent | null>(null);
  const steady = useRef<ReturnType<typeof useSteady> | null>(null);

  /** the agent that the session begins with, until it has been made */
  const begins = useRef<string | null>(null);
  const onFrame = useRef(() => {});
  const agent = useAgent({
    agent: "session",
    name: id,
    onOpen: () => setConnection("open"),
    onClose: () => {
      setConnection("lost");
      if (sent.current !== null) sent.current.lost = true;
      log.disconnected();
      steady.current?.lost();
    },
    onMessage: (message: MessageEvent<unknown>) => {
      onFrame.current();
      const frame = parseFrame(message.data);
      if (frame === null) return;
      log.receive(frame);
      steady.current?.receive(frame);
      if (frame.type === "cf_agent_chat_messages") {
        setLoaded(true);
        sent.current?.listed(frame.messages, frame.connect === true);
      }
      const budgetData = dataIn(frame, "data-budget") as Budget | null;
      if (budgetData !== null) setBudget(budgetData);
      const noted = dataIn(frame, "data-step") as StepProgress | null;
      if (noted !== null) setProgress(noted);
      if (frame.type === "cairn:queue") sent.current?.taken();
      if (frame.type === "cairn:queue" && frame.activeRunId === null) setBudget(null);
      if (frame.type === "cairn:hello" || frame.type === "cairn:queue") {
        setRuns({
          activeRunId: frame.activeRunId ?? null,
          queue: frame.queue ?? [],
          held: frame.held ?? false,
        });
        // Title and state change when runs begin and end. React may never draw a short run.
        void mutate(detailPath(id));
      }
      if (frame.type === "cairn:hello") log.connected((sent) => agent.send(JSON.stringify(sent)));
    },
  });
  onFrame.current = useHeartbeat(agent);
  const chat = useAgentChat({
    agent,
    // The socket loads the list when it opens.
    getInitialMessages: null,
    resume: true,
    throttle: DRAW_MS,
    syncMessagesToServer: false,
    // Only what is new is read of them, and a long conversation would be too large for a frame.
    prepareSendMessagesRequest: ({ messages }) => ({ body: { messages: messages.slice(-1) } }),
    onError: (error) => {
      // After a lost connection its arrival is unknown; the list of the next connection shows it.
      if (agent.readyState === WebSocket.OPEN) sent.current?.refused(error);
    },
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
    // The stock client shows a change at once and reports a refusal elsewhere; a refused change is reverted.
    const taken = async (messageId: string | null, act: () => Promise<void>): Promise<void> => {
      const before = stock.current.messages;
      const answered = new Promise<void>((resolve, reject) => {
        sent.current = {
          taken: resolve,
          refused: reject,
          lost: false,
          listed: (messages, first) => {
            if (messages.some((message) => message.id === messageId)) return resolve();
            // The list of the line that it went out on may be older than what went out.
            if (!first || sent.current?.lost !== true) return;
            if (messageId === null) return resolve();
            reject(new ApiError(0, { code: "offline", message: "The connection broke before it was sent." }));
          },
        };
      });
      // The connection may be dead without an event: a new one shows it.
      const silent = setTimeout(() => agent.reconnect(), SILENT_MS_MAX);
      setSending(messageId);
      void act();
      try {
        await answered;
      } catch (error) {
        stock.current.clearError();
        stock.current.setMessages([...before]);
        throw error;
      } finally {
        clearTimeout(silent);
        setSending(null);
        sent.current = null;
      }
    };
    /** Makes the session before its first message does, where its agent was chosen. */
    const begin = async (agent: string): Promise<void> => {
      begins.current = null;
      try {
        const made = await ask<SessionView>("/api/sessions", { method: "POST", body: { id, agent } });
        // The session was created meanwhile, in another tab.
        if (made.agent !== agent) await ask(path, { method: "PATCH", body: { agent } });
      } catch (error) {
        begins.current = agent;
        throw error;
      }
    };
    return {
      id,
      startWith: (agent) => {
        begins.current = agent;
      },
      send: async (text, mode, files = []) => {
        if (begins.current !== null) await begin(begins.current);
        // Nothing is live: the stock client shows the message at once and streams the answer to it. On a lost
        // connection it would hold the message in its own memory, and a second message belongs into the queue.
        const idle = mode === undefined && sent.current === null && agent.readyState === WebSocket.OPEN;
        const messageId = `msg_${crypto.randomUUID()}`;
        const ownParts = text === "" ? [] : [{ type: "text" as const, text }];
        const parts = [...ownParts, ...files];
        if (idle)
          await taken(messageId, () => stock.current.sendMessage({ id: messageId, role: "user", parts }));
        else {
          const named = files.map(({ type, mediaType, url }) => ({ type, mediaType, url }));
          const body = files.length === 0 ? { text } : { parts: [...ownParts, ...named] };
          await post("/messages", { ...body, ...(mode === undefined || mode === "answer" ? {} : { mode }) });
        }
      },
      steer: (text) => post("/steer", { text }),
      stop: (runId, hold = false) => post("/cancel", { ...(runId === undefined ? {} : { runId }), hold }),
      continueQueue: () => post("/continue", {}),
      goOn: (steps) =>
        post("/messages", {
          text: "Continue where you stopped.",
          ...(steps === null ? {} : { max_iterations: steps }),
        }),
      retry: () => taken(null, () => stock.current.regenerate()),
      clear: () => stock.current.clearHistory(),
      answer: (questionId, value) => log.command({ type: "cairn:answer", questionId, value }).then(() => {}),
    };
  }, [id, log]);

  const closed = agent.connectionError;
  const tooOld = closed?.reason === "socket_too_old";
  useEffect(() => {
    if (tooOld) onTooOld();
  }, [tooOld, onTooOld]);
  const state = useMemo<Chat>(
    () => ({
      messages: steadied.shown,
      loaded,
      recovering: chat.isRecovering,
      ...runs,
      sending,
      budget,
      progress,
      connection: closed === null ? connection : "closed",
      closedAs: closed?.reason ?? null,
    }),
    [steadied.shown, loaded, chat.isRecovering, runs, sending, budget, progress, connection, closed],
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

/** Data of a transient chunk, which is in no part of the message and has no position in the stream. */
function dataIn(frame: ServerFrame, type: `data-${string}`): unknown {
  if (frame.type !== "cf_agent_use_chat_response" || frame.seq !== undefined) return null;
  if (!frame.body.startsWith(`{"type":"${type}"`)) return null;
  return (JSON.parse(frame.body) as { readonly data: unknown }).data;
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

/**
 * `GET /api/sessions/:id`, asked again when a run begins or ends. The first message makes the session: there is nothing to
 * ask before that (null).
 */
export function useSessionDetail(id: string | null) {
  return useAnswer<SessionDetail>(id === null ? null : detailPath(id));
}
