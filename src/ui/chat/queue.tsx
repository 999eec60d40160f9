import { sentenceOf } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { useChatState, useCommands } from "../open-session/live.tsx";
import { useSay } from "../shell/toasts.tsx";
import { useMay } from "../who.tsx";

/** What waits behind the live run, in its order; after a stop until somebody lets it go on. */
export function Queue() {
  const { queue, held } = useChatState();
  const { stop, continueQueue } = useCommands();
  const say = useSay();
  const maySend = useMay("send");
  if (queue.length === 0) return null;
  const fail = (thrown: unknown): void => say(sentenceOf(thrown), "bad");
  return (
    <section className="queue" aria-label="Queued messages">
      <div className="queue-head">
        <h2 className="small soft">{held ? "On hold since you stopped" : "Next"}</h2>
        {held && maySend ? (
          <button className="button" onClick={() => void continueQueue().catch(fail)}>
            Continue
          </button>
        ) : null}
      </div>
      <ol>
        {queue.map(({ runId, text }) => (
          <li key={runId}>
            <span className="queue-text">{text}</span>
            <button
              className="button quiet"
              hidden={!maySend}
              aria-label={`Remove from the queue: ${text}`}
              title="Remove from the queue"
              onClick={() => void stop(runId).catch(fail)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
