import { useEffect, useMemo } from "react";
import type { Event, MemoryView } from "../../cairn/protocol/views.ts";
import { ask, useAnswer } from "../api.ts";
import { useCommands } from "../open-session/live.tsx";
import { useLog, useLogEntries } from "../open-session/log.ts";
import { Failed } from "../parts/failed.tsx";
import { Ago } from "../parts/time.tsx";
import { useAct } from "../parts/use-act.ts";
import { hrefOf } from "../route.ts";
import { useToast } from "../parts/toasts.tsx";
import { useMay } from "../who.tsx";
import "./memory.css";
import { changeOfMemory, addressText, stepText } from "./memory.ts";

/** The agent's working memory: entities it worked with, and facts to remember. Follows the log. */
export default function MemoryPanel() {
  const { id } = useCommands();
  const { events, loading, failure: unread } = useLogEntries();
  const log = useLog();
  const changed = useMemo(() => changeOfMemory(events), [events]);
  const memory = useAnswer<MemoryView>(changed === 0 ? null : `/api/sessions/${id}/memory`);
  const { data, mutate } = memory;
  // Before the first answer there is nothing to ask again.
  const behind = data !== undefined && data.seq < changed;
  useEffect(() => {
    if (behind) void mutate();
  }, [behind, changed, mutate]);
  const failure = unread ?? memory.error ?? null;
  const isEmpty =
    changed === 0 ? !loading : data !== undefined && data.entities.length + data.facts.length === 0;
  return (
    <section
      className="memory"
      aria-label="Memory"
      aria-busy={failure === null && !isEmpty && data === undefined}
    >
      <header className="memory-head">
        <h2 id="memory-title" tabIndex={-1}>
          Memory
        </h2>
        {data === undefined || isEmpty ? null : (
          <p className="soft small">Adds about {data.tokens.toLocaleString("en")} tokens to each prompt.</p>
        )}
      </header>
      {failure === null ? null : (
        <Failed failure={failure} again={() => (unread === null ? void mutate() : log.retry())} />
      )}
      {isEmpty ? <Empty /> : null}
      {data === undefined || isEmpty ? null : (
        <>
          <Facts memory={data} events={events} changed={() => mutate()} />
          <Things memory={data} events={events} />
        </>
      )}
    </section>
  );
}

function Empty() {
  return (
    <div className="memory-empty soft">
      <p>Nothing is remembered yet.</p>
      <p>Pages, images and facts that the agent works with appear here. Say “Remember that…”.</p>
    </div>
  );
}

interface FactsProps {
  readonly memory: MemoryView;
  readonly events: readonly Event[];
  readonly changed: () => Promise<unknown>;
}

function Facts({ memory, events, changed }: FactsProps) {
  const { id } = useCommands();
  const maySend = useMay("send");
  const showToast = useToast();
  const { busy, fault, run } = useAct();
  if (memory.facts.length === 0) return null;
  const forget = async (key: string): Promise<void> => {
    const path = `/api/sessions/${id}/memory?${new URLSearchParams({ key })}`;
    if (!(await run(() => ask(path, { method: "DELETE" })))) return;
    // The focused element is about to disappear.
    document.getElementById("memory-title")?.focus();
    await changed();
    showToast(`“${key}” is forgotten.`);
  };
  return (
    <section aria-labelledby="memory-facts">
      <h3 id="memory-facts">Remembered</h3>
      {fault === null ? null : <p role="alert">{fault}</p>}
      <ul className="memory-list">
        {memory.facts.map(({ key, value, seq }) => (
          <li key={key} className="memory-item">
            <p className="memory-name" dir="auto">
              {key}
            </p>
            <p className="memory-value" dir="auto">
              {value}
            </p>
            <div className="memory-foot">
              <From seq={seq} events={events} />
              {maySend ? (
                <button
                  className="button quiet small"
                  disabled={busy}
                  aria-label={`Forget “${key}”`}
                  onClick={() => void forget(key)}
                >
                  Forget
                </button>
              ) : null}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Things({ memory, events }: { memory: MemoryView; events: readonly Event[] }) {
  if (memory.entities.length === 0) return null;
  return (
    <section aria-labelledby="memory-things">
      <h3 id="memory-things">In context</h3>
      <ul className="memory-list">
        {memory.entities.map((entity) => (
          <li
            key={`${entity.type}:${entity.id}`}
            className="memory-item"
            data-focus={entity.focus || undefined}
          >
            <p className="row">
              <span className="tag">{entity.type}</span>
              {entity.focus ? (
                <span
                  className="tag"
                  data-tone="waits"
                  title={`What “it” and “that ${entity.type}” mean now`}
                >
                  current
                </span>
              ) : null}
            </p>
            <p className="memory-name">{entity.name}</p>
            <p className="soft small">{addressText(entity)}</p>
            <From seq={entity.seq} events={events} step={entity.step} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FromProps {
  readonly seq: number;
  readonly events: readonly Event[];
  readonly step?: string | null;
}

/** In which step it came there, and when. */
function From({ seq, events, step = null }: FromProps) {
  const { id } = useCommands();
  const entry = useMemo(() => events.find((event) => event.seq === seq), [events, seq]);
  const from = step ?? entry?.step ?? null;
  return (
    <p className="memory-from soft small">
      {from === null ? null : (
        <a href={hrefOf({ at: "session", session: id, panel: "trace", step: from })}>{stepText(from)}</a>
      )}
      {entry === undefined ? null : <Ago at={entry.at} />}
    </p>
  );
}
