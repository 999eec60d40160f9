import { expiresText } from "./expires-text.ts";
import { dateText, durationText, useIsPast, useNow } from "../parts/time.tsx";

const MINUTE = 60_000;
/** time before the end at which the countdown begins */
const SOON = 10 * MINUTE;
const SECOND = 1_000;

/** Time to decide: when it ends, and at last a countdown. Nothing is announced; a screen reader finds it when it reads. */
export function TimeLeft({ at }: { at: string }) {
  const until = Date.parse(at);
  return useIsPast(until - SOON) ? <Countdown until={until} at={at} /> : <Deadline until={until} at={at} />;
}

function Deadline({ until, at }: { until: number; at: string }) {
  return (
    <time className="small soft" dateTime={at} title={dateText(at)}>
      {expiresText(until, useNow(MINUTE))}
    </time>
  );
}

function Countdown({ until, at }: { until: number; at: string }) {
  const left = Math.max(0, until - useNow(SECOND));
  return (
    <time className="small soft" dateTime={at} title={`Until ${dateText(at)}`}>
      {durationText(Math.ceil(left / SECOND) * SECOND).replace(/ 0 \w+$/, "")} left
    </time>
  );
}
