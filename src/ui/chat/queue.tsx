import { sentenceOf } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { useChatState, useCommands } from "../open-session/live.tsx";
import { useSay } from "../shell/toasts.tsx";
import { useMay } from "../who.tsx";

/** What waits behind the live run, in its order. */
export function Queue() {
  const { queue } = useChatState();
  const { stop } = useCommands();
  const say = useSay();
  const maySend = useMay("send");
  if (queue.length === 0) return null;
  return (
    <section className="queue" aria-label="Queued messages">
      <h2 className="small soft">Next</h2>
      <ol>
        {queue.map(({ runId, text }) => (
          <li key={runId}>
            <span className="queue-text">{text}</span>
            <button
              className="button quiet"
              hidden={!maySend}
              aria-label={`Remove from the queue: ${text}`}
              title="Remove from the queue"
              onClick={() => void stop(runId).catch((thrown: unknown) => say(sentenceOf(thrown), "bad"))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
