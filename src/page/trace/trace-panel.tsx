import { useCallback, useDeferredValue, useMemo, useState } from "react";
import { useRoute } from "../route.ts";
import { sentenceOf } from "../api.ts";
import { useCommands } from "../open-session/live.tsx";
import { useLog, useLogEntries } from "../open-session/log.ts";
import { useNow } from "../parts/time.tsx";
import { applyFilter, countKinds, isFiltering, NO_FILTER, type Filter } from "./filter.ts";
import { Filters } from "./filters.tsx";
import { ChildContext } from "./items/child-context.ts";
import { ChildRun } from "./children/child-run.tsx";
import { RunHead } from "./run-head.tsx";
import { Timeline } from "./timeline-list.tsx";
import { AboutRun } from "./run/about-run.tsx";
import { RunSent } from "./run/run-sent.tsx";
import { entriesOfRun, timelineOf } from "./timeline.ts";
import { chosenRun, runsOf } from "./totals.ts";
import "./trace.css";

const SECOND_MS = 1_000;
/** a run that has ended looks the same tomorrow */
const NEVER_MS = 1e15;

/** The trace of a run, from the session's log: live while it runs. */
export default function TracePanel() {
  const { events, loading, failure } = useLogEntries();
  const log = useLog();
  const { id } = useCommands();
  const route = useRoute();
  const requestedStep = route.at === "session" ? (route.step ?? null) : null;
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const clear = useCallback(() => setFilter(NO_FILTER), []);
  const text = useDeferredValue(filter.text);
  const [follows, setFollows] = useState(false);
  const leave = useCallback(() => setFollows(false), []);

  const runs = useMemo(() => runsOf(events), [events]);
  const run = chosenRun(runs, requestedStep);
  const isLive = run?.state === "live" || run?.state === "queued";
  const now = useNow(isLive ? SECOND_MS : NEVER_MS);
  const entries = useMemo(() => (run === null ? [] : entriesOfRun(events, run.run)), [events, run]);
  const groups = useMemo(() => timelineOf(entries), [entries]);
  const counts = useMemo(() => countKinds(groups), [groups]);
  const shown = useMemo(() => applyFilter(groups, { ...filter, text }), [groups, filter, text]);

  if (run === null)
    return (
      <section className="trace trace-empty" aria-busy={loading}>
        <h2>Trace</h2>
        {failure !== null ? (
          <>
            <p role="alert">{sentenceOf(failure)}</p>
            <button className="button" onClick={log.retry}>
              Try again
            </button>
          </>
        ) : loading ? (
          <p className="soft">Reading the log…</p>
        ) : (
          <p className="soft">
            No runs yet. The trace shows every step: requests and replies of the model, tool calls, refusals
            with reasons, approvals, times and cost.
          </p>
        )}
      </section>
    );
  return (
    <section className="trace" aria-label={`Trace of run ${run.run.slice(1)}`}>
      <RunHead runs={runs} run={run} entries={entries} groups={groups} now={now} />
      <AboutRun key={run.run} id={`${id}.${run.run}`} objective={run.objective} entries={entries} />
      <RunSent session={id} run={run.run} events={events} />
      {failure === null ? null : (
        <p role="alert" className="trace-failure">
          {sentenceOf(failure)}{" "}
          <button className="button" onClick={log.retry}>
            Try again
          </button>
        </p>
      )}
      <Filters filter={filter} counts={counts} change={setFilter}>
        {run.state === "live" ? (
          <button className="chip" aria-pressed={follows} onClick={() => setFollows(!follows)}>
            Follow
          </button>
        ) : null}
      </Filters>
      {shown.length === 0 ? (
        <p className="soft trace-none">
          {isFiltering(filter) ? (
            <>
              Nothing in this run matches.{" "}
              <button className="button" onClick={clear}>
                Clear the filters
              </button>
            </>
          ) : (
            "The run has not started."
          )}
        </p>
      ) : (
        <ChildContext value={ChildRun}>
          <Timeline
            key={run.run}
            name={`${[...filter.kinds].join()} ${filter.trouble} ${text}`}
            groups={shown}
            all={groups}
            live={isLive}
            now={now}
            marked={requestedStep?.includes("s") === true ? requestedStep : null}
            follows={follows}
            leave={leave}
          />
        </ChildContext>
      )}
    </section>
  );
}
