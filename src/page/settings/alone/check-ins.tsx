import { useEffect, useId } from "react";
import type { Answer } from "../../../cairn/protocol/api.ts";
import { ask, useAnswer } from "../../api.ts";
import { Failed } from "../../parts/failed.tsx";
import { dateText, useNow } from "../../parts/time.tsx";
import { useAct } from "../../parts/use-act.ts";
import { everyWords, intervals, nextWords, skippedWords } from "./check-in-words.ts";

interface CheckInsProps {
  readonly id: string;
  readonly mayChange: boolean;
  /** of the newest entry after which the times are others */
  readonly changed: number;
}

const MINUTE_MS = 60_000;

/** The session's check-ins: on or off, how often, and the result of the last one. */
export function CheckIns({ id, mayChange, changed }: CheckInsProps) {
  const path = `/api/sessions/${id}/heartbeat`;
  const { data, error, mutate } = useAnswer<Answer<"Heartbeat">>(path);
  const minute = useNow(MINUTE_MS);
  const { fault, run } = useAct();
  const every = useId();
  const isDue = data?.nextAt != null && Date.parse(data.nextAt) < minute;
  // A passed time, and every message since, changes the next time.
  useEffect(() => {
    if (changed > 0 || isDue) void mutate();
  }, [changed, isDue, minute, mutate]);
  const put = (body: object): void =>
    void run(async () => {
      await mutate(await ask<Answer<"Heartbeat">>(path, { method: "PUT", body }), { revalidate: false });
    });
  return (
    <section
      className="settings-part"
      aria-labelledby="settings-check-ins"
      aria-busy={data === undefined && error === undefined}
    >
      <h3 id="settings-check-ins">Check-ins</h3>
      <p className="soft small">
        From time to time the agent checks for failures, missed schedules and long silence, and writes only if
        there is news.
      </p>
      {error === undefined || data !== undefined ? null : (
        <Failed failure={error} again={() => void mutate()} />
      )}
      {fault === null ? null : <p role="alert">{fault}</p>}
      {data === undefined ? null : (
        <>
          <div className="row settings-check-ins">
            <label className="row">
              <input
                type="checkbox"
                role="switch"
                checked={data.enabled}
                disabled={!mayChange}
                onChange={({ target }) => put({ enabled: target.checked })}
              />
              Check in automatically
            </label>
            <label className="visually-hidden" htmlFor={every}>
              How often
            </label>
            <select
              id={every}
              value={data.everyMinutes}
              disabled={!mayChange || !data.enabled}
              onChange={({ target }) => put({ enabled: true, everyMinutes: Number(target.value) })}
            >
              {intervals(data.everyMinutes).map((minutes) => (
                <option key={minutes} value={minutes}>
                  {everyWords(minutes)}
                </option>
              ))}
            </select>
          </div>
          {data.enabled ? <Times beat={data} /> : null}
        </>
      )}
    </section>
  );
}

function Times({ beat }: { beat: Answer<"Heartbeat"> }) {
  const { nextAt, lastAt, skipped } = beat;
  const why = skippedWords(beat);
  return (
    <ul className="settings-times soft small">
      {nextAt === null ? null : (
        <li>
          Next: <time dateTime={nextAt}>{dateText(nextAt)}</time>
          {nextWords(beat)}
        </li>
      )}
      {why === null || skipped === null ? null : (
        <li>
          Skipped at <time dateTime={skipped.at}>{dateText(skipped.at)}</time>: {why}
        </li>
      )}
      <li>
        {lastAt === null ? (
          "It has not checked in yet."
        ) : (
          <>
            Last check-in: <time dateTime={lastAt}>{dateText(lastAt)}</time>
          </>
        )}
      </li>
    </ul>
  );
}
