import { useEffect, useMemo } from "react";
import type { Event, MemoryView } from "../../wire/views.ts";
import { useAnswer } from "../api.ts";
import { useCommands } from "../open-session/live.tsx";
import { useLog, useLogEntries } from "../open-session/log.ts";
import { Failed } from "../parts/failed.tsx";
import { Ago } from "../parts/time.tsx";
import { hrefOf } from "../route.ts";
import "./memory.css";
import { changeOfMemory, idText, stepText } from "./memory.ts";

/** What the agent has in mind: the things that it worked with, and what it was to remember. It follows the log. */
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
        <h2>Memory</h2>
        {data === undefined || isEmpty ? null : (
          <p className="soft small">About {data.tokens.toLocaleString("en")} tokens of every prompt.</p>
        )}
      </header>
      {failure === null ? null : (
        <Failed failure={failure} again={() => (unread === null ? void mutate() : log.retry())} />
      )}
      {isEmpty ? <Empty /> : null}
      {data === undefined || isEmpty ? null : (
        <>
          <Facts memory={data} events={events} />
          <Things memory={data} events={events} />
        </>
      )}
    </section>
  );
}

function Empty() {
  return (
    <div className="memory-empty soft">
      <p>The agent has nothing in mind yet.</p>
      <p>
        Here stand the things that it works with, such as a page or an image, so that “it” and “that page”
        mean the right one, and what you ask it to remember: say “Remember that …”.
      </p>
    </div>
  );
}

function Facts({ memory, events }: { memory: MemoryView; events: readonly Event[] }) {
  if (memory.facts.length === 0) return null;
  return (
    <section aria-labelledby="memory-facts">
      <h3 id="memory-facts">Remembered</h3>
      <ul className="memory-list">
        {memory.facts.map(({ key, value, seq }) => (
          <li key={key} className="memory-item">
            <p className="memory-name">{key}</p>
            <p className="memory-value">{value}</p>
            <From seq={seq} events={events} />
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
      <h3 id="memory-things">Things it works with</h3>
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
                  in focus
                </span>
              ) : null}
            </p>
            <p className="memory-name">{entity.name}</p>
            <p className="soft small">{idText(entity)}</p>
            <From seq={entity.seq} events={events} tool={entity.tool} step={entity.step} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FromProps {
  readonly seq: number;
  readonly events: readonly Event[];
  readonly tool?: string | null;
  readonly step?: string | null;
}

/** Which tool put it there, in which step, and when. */
function From({ seq, events, tool = null, step = null }: FromProps) {
  const { id } = useCommands();
  const entry = useMemo(() => events.find((event) => event.seq === seq), [events, seq]);
  const from = step ?? entry?.step ?? null;
  const by = tool ?? (entry?.kind === "memory_changed" ? (entry.body.tool ?? null) : null);
  return (
    <p className="memory-from soft small">
      {by === null ? null : <span>{by}</span>}
      {from === null ? null : (
        <a href={hrefOf({ at: "session", session: id, panel: "trace", step: from })}>{stepText(from)}</a>
      )}
      {entry === undefined ? null : <Ago at={entry.at} />}
    </p>
  );
}
