import { dateText, durationText, useIsPast, useNow } from "../parts/time.tsx";

const MINUTE = 60_000;
/** below this the seconds count */
const SOON = 10 * MINUTE;
const SECOND = 1_000;

/** How long there is to decide, counting down; nothing is announced, a screen reader finds it when it reads. */
export function TimeLeft({ at }: { at: string }) {
  const until = Date.parse(at);
  const soon = useIsPast(until - SOON);
  return soon ? (
    <Counting until={until} stepMs={SECOND} at={at} />
  ) : (
    <Counting until={until} stepMs={MINUTE} at={at} />
  );
}

function Counting({ until, stepMs, at }: { until: number; stepMs: number; at: string }) {
  const left = Math.max(0, until - useNow(stepMs));
  return (
    <time className="small soft" dateTime={at} title={`Until ${dateText(at)}`}>
      {durationText(Math.ceil(left / stepMs) * stepMs).replace(/ 0 \w+$/, "")} left
    </time>
  );
}
