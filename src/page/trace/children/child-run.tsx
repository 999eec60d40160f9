import { useMemo } from "react";
import { costText, tokensText } from "../../parts/amount-text.ts";
import { Failed } from "../../parts/failed.tsx";
import { Facts, type Fact } from "../../parts/facts.tsx";
import { durationText, useNow } from "../../parts/time.tsx";
import { whyOf } from "../../log-text/why.ts";
import { Timeline } from "../timeline-list.tsx";
import { entriesOfRun, timelineOf } from "../timeline.ts";
import { runsOf, totalsOf } from "../totals.ts";
import { belowOf, wholeText } from "./below.ts";
import { useChildLog } from "./child-log.ts";
import { StopBranch } from "../../branches/stop-branch.tsx";
import "./children.css";

const SECOND_MS = 1_000;
/** a run that has ended looks the same tomorrow */
const NEVER_MS = 1e15;

/** A run below the open one, in place: why it is in its state, its usage, and its own steps. */
export function ChildRun({ session }: { readonly session: string }) {
  const { events, loading, failure, again } = useChildLog(session);
  const run = useMemo(() => runsOf(events)[0] ?? null, [events]);
  const isLive = run?.state === "live" || run?.state === "queued";
  const now = useNow(isLive ? SECOND_MS : NEVER_MS);
  const entries = useMemo(() => (run === null ? [] : entriesOfRun(events, run.run)), [events, run]);
  const groups = useMemo(() => timelineOf(entries), [entries]);
  const why = useMemo(() => whyOf(entries, now), [entries, now]);
  if (failure !== null && run === null) return <Failed failure={failure} again={again} />;
  if (run === null)
    return loading ? (
      <p className="soft child-run" aria-busy="true">
        Reading its log…
      </p>
    ) : (
      <p className="soft child-run">It has no log yet.</p>
    );
  const stopping = entries.some(
    (entry) => entry.kind === "command_queued" && entry.body.command === "cancel",
  );
  return (
    <section className="child-run" aria-label={`Run: ${run.objective}`} data-state={run.state}>
      <p className="trace-why" data-tone={why.tone}>
        <span aria-live="polite">{why.sentence}</span>
      </p>
      <div className="row child-run-head">
        <Facts facts={factsOf(entries, groups, now)} className="trace-totals" />
        {isLive ? <StopBranch session={session} objective={run.objective} stopping={stopping} /> : null}
      </div>
      {failure === null ? null : <Failed failure={failure} again={again} />}
      <Timeline
        name={session}
        groups={groups}
        all={groups}
        live={isLive}
        now={now}
        marked={null}
        follows={false}
        leave={STAY}
      />
    </section>
  );
}

const STAY = (): void => {};

/** Facts of the run, and totals with all runs below it if there are any. */
function factsOf(
  ...[entries, groups, now]: [Parameters<typeof totalsOf>[0], ReturnType<typeof timelineOf>, number]
): Fact[] {
  const { steps, limits, tokens, cost, workedMs } = totalsOf(entries, now, groups);
  const below = belowOf(entries);
  const own = tokens.input + tokens.output;
  return [
    ["Steps", limits === null ? String(steps) : `${steps} of ${limits.steps}`],
    ["Tokens", tokensText(own)],
    ["Cost", costText((cost ?? 0) / 1e6)],
    ["Worked", durationText(workedMs)],
    ["Total with sub-runs", below === null ? null : wholeText(own + below.tokens, (cost ?? 0) + below.cost)],
  ];
}
