import { useEffect } from "react";
import type { QueueItem } from "../../cairn/protocol/frames.ts";
import { sentenceOf } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { useChatState, useCommands, useSessionDetail } from "../open-session/live.tsx";
import { useToast } from "../parts/toasts.tsx";
import { useMay } from "../who.tsx";
import { requestText, fromWords, nowWords, ORDER_WORDS } from "./queue-words.ts";

/** The live run and the queue behind it, in order; after a stop the queue waits until somebody continues it. */
export function Queue() {
  const { queue, held } = useChatState();
  const { continueQueue } = useCommands();
  const maySend = useMay("send");
  const fail = useFail();
  if (queue.length === 0) return null;
  return (
    <section className="queue" aria-label="Queued messages">
      <div className="queue-head">
        <h2 className="small soft">{held ? "Queue paused" : "Up next"}</h2>
        {held && maySend ? (
          <button className="button" onClick={() => void continueQueue().catch(fail)}>
            Continue
          </button>
        ) : null}
      </div>
      <ol>
        <Now />
        {queue.map(({ runId, text, source }) => (
          <Row
            key={runId}
            runId={runId}
            text={requestText(text)}
            tag={fromWords(source)}
            cancels="Remove from the queue"
          />
        ))}
      </ol>
      {isMixed(queue) ? <p className="soft small queue-order">{ORDER_WORDS}</p> : null}
    </section>
  );
}

/** A queue of one kind is ordered by age, which needs no explanation. */
const isMixed = (queue: readonly QueueItem[]): boolean =>
  new Set(queue.map(({ source }) => fromWords(source))).size > 1;

function useFail(): (thrown: unknown) => void {
  const showToast = useToast();
  return (thrown) => showToast(sentenceOf(thrown), "bad");
}

/** The live run, in front of what waits for its end. */
function Now() {
  const { activeRunId, messages } = useChatState();
  const { id } = useCommands();
  const { data, mutate } = useSessionDetail(activeRunId === null ? null : id);
  // The message shows first that the run waits or goes on.
  const parts = messages.at(-1)?.parts.length ?? 0;
  useEffect(() => void mutate(), [parts, mutate]);
  const run = data?.activeRun;
  if (activeRunId === null || run?.id !== activeRunId) return null;
  return (
    <Row
      runId={run.id}
      text={requestText(run.objective)}
      tag={nowWords(run)}
      isNow
      cancels="Stop this run and start the next one"
    />
  );
}

interface RowProps {
  readonly runId: string;
  readonly text: string;
  readonly tag: string;
  readonly isNow?: boolean;
  readonly cancels: string;
}

function Row({ runId, text, tag, isNow = false, cancels }: RowProps) {
  const { stop } = useCommands();
  const maySend = useMay("send");
  const fail = useFail();
  return (
    <li aria-current={isNow ? "true" : undefined}>
      <span className="queue-text" dir="auto">
        {text}
      </span>
      <span className="tag" data-tone={isNow ? "waits" : undefined}>
        {tag}
      </span>
      <button
        className="button quiet"
        hidden={!maySend}
        aria-label={`${cancels}: ${text}`}
        title={cancels}
        onClick={() => void stop(runId).catch(fail)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
