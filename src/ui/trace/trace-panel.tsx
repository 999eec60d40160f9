import { CopyButton } from "../parts/copy-button.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Ago } from "../parts/time.tsx";
import { useLogRows } from "../session/log.ts";

/** The session's log, row by row. */
export default function TracePanel() {
  const { events } = useLogRows();
  return (
    <ol className="stack">
      {events.map((event) => (
        <li key={event.seq}>
          {event.seq} {event.kind} <Ago at={event.at} />
          <CopyButton text={() => JSON.stringify(event)} label="Copy this row" />
          <JsonView value={event} label={`Row ${event.seq}`} />
        </li>
      ))}
    </ol>
  );
}
