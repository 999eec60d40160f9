import { useCallback, useMemo } from "react";
import { sentenceOf } from "../api.ts";
import { useCardMoves } from "../approvals/card-moves.ts";
import { useInboxFollows } from "../approvals/waiting.ts";
import { isStarter } from "../branches/tree.ts";
import { TreeView } from "../branches/tree-view.tsx";
import { useWaitingBelow, WaitingBelow } from "../approvals/waiting-below.tsx";
import { Icon } from "../parts/icon.tsx";
import { useChatState, useCommands, useLastAnswer } from "../open-session/live.tsx";
import { useToast } from "../parts/toasts.tsx";
import { FirstRun } from "../welcome/first-run.tsx";
import { useMay } from "../who.tsx";
import { useScrollAnchor, useNearTop } from "./scroll-anchor.ts";
import { Composer } from "./composer.tsx";
import { Connection } from "./connection.tsx";
import { useEarlier } from "./earlier.ts";
import { LiveLine } from "./live-line.tsx";
import { Message } from "./message/message.tsx";
import { Queue } from "./queue.tsx";
import { useStickToEnd } from "./stick.ts";
import { readTurn, type RunMetadata } from "./turn.ts";
import "./chat.css";

/** The conversation: its messages, what the agent does now, what waits, and the box. */
export function ChatView() {
  const { messages: all, queue, activeRunId, sending, loaded } = useChatState();
  // Queued messages are shown in the queue, and here once their run begins.
  const messages = useMemo(() => {
    const waiting = new Set(queue.map(({ messageId }) => messageId));
    return all.filter(({ id }) => !waiting.has(id));
  }, [all, queue]);
  const { id, retry } = useCommands();
  const { earlier, more, loading, load } = useEarlier(id, all);
  const { scroller, content, away, toEnd } = useStickToEnd(messages.length > 0);
  useCardMoves(scroller);
  useScrollAnchor(content, earlier[0]?.id);
  const nearTop = useNearTop(scroller, () => {
    if (away && more && !loading) void load();
  });
  const showToast = useToast();
  const maySend = useMay("send");
  const answer = useLastAnswer();
  const again = useCallback(
    () => void retry().catch((thrown: unknown) => showToast(sentenceOf(thrown), "bad")),
    [retry, showToast],
  );
  const below = useWaitingBelow(id, activeRunId !== null);
  useInboxFollows(requestedIn(answer?.parts ?? []).join());
  const last = messages.at(-1);
  const mayRetry =
    maySend &&
    activeRunId === null &&
    queue.length === 0 &&
    (last?.metadata as RunMetadata | undefined)?.outcome !== undefined;
  return (
    <div className="chat">
      <Connection />
      <div className="messages" ref={scroller} tabIndex={0} role="region" aria-label="Conversation">
        <div className="messages-inside" ref={content} aria-busy={!loaded}>
          {more ? (
            <button ref={nearTop} className="button" disabled={loading} onClick={() => void load()}>
              Earlier messages
            </button>
          ) : null}
          {loaded && messages.length === 0 ? <FirstRun /> : null}
          {[...earlier, ...messages].map((message) => (
            <Message
              key={message.id}
              message={message}
              sending={message.id === sending}
              retry={mayRetry && message.id === last?.id && message.role === "assistant" ? again : null}
            />
          ))}
          <WaitingBelow {...below} />
          <LiveLine answer={answer} below={below.approvals.length + below.questions.length} />
        </div>
      </div>
      {away ? (
        <button className="button to-end" onClick={toEnd}>
          <Icon name="down" /> To the end
        </button>
      ) : null}
      {activeRunId !== null && answer !== null && hasStarted(answer.parts) ? (
        <TreeView run={activeRunId} />
      ) : null}
      <Queue />
      <Composer waitsFor={waitsFor(answer?.parts ?? [])} />
    </div>
  );
}

/** The approvals that wait in its last step. */
const requestedIn = (parts: readonly unknown[]): readonly string[] =>
  (readTurn(parts).steps.at(-1)?.approvals ?? [])
    .filter(({ state }) => state === "pending")
    .map(({ id }) => id);

/** True if a call of the message starts a run: only then are the runs below loaded. */
const hasStarted = (parts: readonly unknown[]): boolean =>
  readTurn(parts).steps.some(({ calls }) => calls.some(({ tool }) => isStarter(tool)));

/** The decision or answer that the last run waits for; its cards are in its last step. */
function waitsFor(parts: readonly unknown[]): "decision" | "answer" | null {
  const last = readTurn(parts).steps.at(-1);
  if (last === undefined) return null;
  if (requestedIn(parts).length > 0) return "decision";
  return last.questions.some(({ state }) => state === "open") ? "answer" : null;
}
