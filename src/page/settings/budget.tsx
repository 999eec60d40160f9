import { useMemo, useState } from "react";
import type { Event, SessionDetail } from "../../cairn/protocol/views.ts";
import { ask } from "../api.ts";
import { useNow } from "../parts/time.tsx";
import { useToast } from "../parts/toasts.tsx";
import { totalsOfRun } from "../trace/totals.ts";
import { useMay } from "../who.tsx";
import { amountsOf, parseExtension, type Extension } from "./amounts.ts";
import { useAct } from "../parts/use-act.ts";

const NOTHING: Readonly<Record<keyof Extension, string>> = {
  steps: "",
  tokens: "",
  costUsd: "",
  minutes: "",
};
const FIELDS = [
  ["steps", "Steps"],
  ["tokens", "Tokens"],
  ["costUsd", "Dollars"],
  ["minutes", "Minutes"],
] as const;
const SECOND_MS = 1_000;

/** Usage and limits of the live run, and a form to extend them once. Shows nothing without a live run. */
export function Budget({ session, events }: { session: SessionDetail; events: readonly Event[] }) {
  const run = session.activeRun;
  return run === null ? null : <LiveBudget runId={run.id} session={session.id} events={events} />;
}

interface LiveBudgetProps {
  readonly runId: string;
  readonly session: string;
  readonly events: readonly Event[];
}

function LiveBudget({ runId, session, events }: LiveBudgetProps) {
  const now = useNow(SECOND_MS);
  const name = runId.slice(session.length + 1);
  const totals = useMemo(() => totalsOfRun(events, name, now), [events, name, now]);
  const amounts = amountsOf(totals);
  const mayExtend = useMay("approve");
  if (amounts === null) return null;
  return (
    <section className="settings-part" aria-labelledby="settings-budget">
      <h3 id="settings-budget">Limits of this run</h3>
      <ul className="settings-amounts">
        {amounts.map(({ name: what, label, text, share }) => (
          <li key={what}>
            <span>{label}</span>
            <span className="soft">{text}</span>
            <meter min={0} max={1} high={0.8} value={share} aria-label={`${label} used`} />
          </li>
        ))}
      </ul>
      {totals.extended ? (
        <p className="soft small">The limits of this run were raised. That can be done once.</p>
      ) : mayExtend ? (
        <Extend runId={runId} session={session} />
      ) : (
        <p className="soft small">Someone who may approve can raise them, once.</p>
      )}
    </section>
  );
}

function Extend({ runId, session }: { runId: string; session: string }) {
  const showToast = useToast();
  const { busy, fault, run, setFault } = useAct();
  const [fields, setFields] = useState(NOTHING);
  const submit = async (): Promise<void> => {
    const parsed = parseExtension(fields);
    if ("fault" in parsed) return setFault(parsed.fault);
    const body = { runId, ...parsed.extension };
    if (await run(() => ask(`/api/sessions/${session}/extend`, { method: "POST", body }))) {
      setFields(NOTHING);
      showToast("The limits are raised.");
    }
  };
  return (
    <form
      className="settings-extend"
      aria-label="Raise the limits"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p className="small">Raise the limits, once:</p>
      <div className="settings-numbers">
        {FIELDS.map(([name, label]) => (
          <label key={name}>
            {label}
            <input
              inputMode={name === "costUsd" ? "decimal" : "numeric"}
              autoComplete="off"
              placeholder="+"
              value={fields[name]}
              onChange={({ target }) => {
                setFields({ ...fields, [name]: target.value });
                setFault(null);
              }}
            />
          </label>
        ))}
      </div>
      {fault === null ? null : <p role="alert">{fault}</p>}
      <button className="button" disabled={busy}>
        Raise the limits
      </button>
    </form>
  );
}
