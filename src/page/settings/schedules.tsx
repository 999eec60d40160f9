import { useRef, useState } from "react";
import type { Missed } from "../../cairn/core/schedule.ts";
import { AgentOptions } from "../agents/agent-options.tsx";
import { useAgents } from "../agents/use-agents.ts";
import { ask, sentenceOf, useAnswer } from "../api.ts";
import { dateText } from "../parts/time.tsx";
import { useToast } from "../parts/toasts.tsx";
import { parseSchedule, rhythmText, UNIT_NAMES, type Schedule, type ScheduleFields } from "./schedule.ts";
import { useAct } from "../parts/use-act.ts";

/** Messages that the session gets by itself, and when. */
export function Schedules({ id, mayChange }: { id: string; mayChange: boolean }) {
  const path = `/api/sessions/${id}/schedules`;
  const { data, error, mutate } = useAnswer<{ items: readonly Schedule[] }>(path);
  const showToast = useToast();
  const { busy, fault, run } = useAct();
  const heading = useRef<HTMLHeadingElement>(null);
  const remove = async (schedule: Schedule): Promise<void> => {
    if (!(await run(() => ask(`${path}/${schedule.id}`, { method: "DELETE" })))) return;
    await mutate();
    heading.current?.focus();
    showToast("The schedule is cancelled.");
  };
  const items = data?.items ?? [];
  return (
    <section
      className="settings-part"
      aria-labelledby="settings-schedules"
      aria-busy={data === undefined && error === undefined}
    >
      <h3 id="settings-schedules" ref={heading} tabIndex={-1}>
        Schedules
      </h3>
      {error === undefined ? null : <p role="alert">{sentenceOf(error)}</p>}
      {fault === null ? null : <p role="alert">{fault}</p>}
      {data !== undefined && items.length === 0 ? (
        <p className="soft small">
          None. A schedule sends the agent a message at a time you choose, once or repeatedly.
        </p>
      ) : null}
      <ul className="settings-list">
        {items.map((schedule) => (
          <li key={schedule.id}>
            <span>
              <span className="settings-words">{schedule.text}</span>
              <span className="soft small settings-under">
                {rhythmText(schedule, ownZone())}
                {schedule.cron === null ? null : (
                  <>
                    {" "}
                    (<code>{schedule.cron}</code>)
                  </>
                )}{" "}
                · <Next schedule={schedule} /> · by {schedule.by}
                {schedule.agent === null ? null : <> · agent {schedule.agent}</>}
              </span>
            </span>
            {mayChange ? (
              <button
                className="button"
                disabled={busy}
                aria-label={`Cancel the schedule “${schedule.text}”`}
                onClick={() => void remove(schedule)}
              >
                Cancel
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {mayChange ? <NewSchedule path={path} made={() => void mutate()} /> : null}
    </section>
  );
}

const MISSED: Readonly<Record<Missed["reason"], string>> = {
  late: "",
  queue_full: " because too many runs were waiting",
  model_unavailable: " because no model answered",
  unknown_agent: " because its agent is gone",
  invalid_agent: " because its agent does not fit any more",
  agents_unavailable: " because its agent could not be read",
  unknown_target: " because its target is gone",
  target_unavailable: " because its target could not be read",
  access_ended: " because its creator no longer has access",
};

function Next({ schedule: { nextAt, missed } }: { schedule: Schedule }) {
  const late = missed === null ? "" : `; one was missed${MISSED[missed.reason]}`;
  if (nextAt === null) return <>finished{late}</>;
  return (
    <>
      next <time dateTime={nextAt}>{dateText(nextAt)}</time>
      {late}
    </>
  );
}

/** as the browser knows it */
const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const noFields = (): ScheduleFields => ({
  text: "",
  kind: "once",
  at: "",
  count: "1",
  unit: "day",
  cron: "",
  timeZone: ownZone(),
  agent: "",
});

function NewSchedule({ path, made }: { path: string; made: () => void }) {
  const showToast = useToast();
  const { busy, fault, run, setFault } = useAct();
  const [fields, setFields] = useState(noFields);
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const agents = useAgents().items;
  const set = (change: Partial<ScheduleFields>): void => {
    setFields({ ...fields, ...change });
    setFault(null);
  };
  const close = (): void => {
    setOpen(false);
    setFields(noFields());
    // The button comes back with the next drawing.
    requestAnimationFrame(() => opener.current?.focus());
  };
  const submit = async (): Promise<void> => {
    const parsed = parseSchedule(fields);
    if ("fault" in parsed) return setFault(parsed.fault);
    if (!(await run(() => ask(path, { method: "POST", body: parsed.body })))) return;
    made();
    close();
    showToast("The schedule is saved.");
  };
  if (!open)
    return (
      <button ref={opener} className="button" onClick={() => setOpen(true)}>
        Add a schedule
      </button>
    );
  return (
    <form
      className="settings-schedule"
      aria-label="New schedule"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label>
        Message to the agent
        <textarea
          autoFocus
          rows={2}
          value={fields.text}
          onChange={({ target }) => set({ text: target.value })}
        />
      </label>
      <label>
        When
        <select
          value={fields.kind}
          onChange={({ target }) => set({ kind: target.value as Schedule["kind"] })}
        >
          <option value="once">Once</option>
          <option value="interval">Repeatedly</option>
          <option value="cron">At set times (cron)</option>
        </select>
      </label>
      {fields.kind === "once" ? (
        <label>
          At
          <input
            type="datetime-local"
            value={fields.at}
            onChange={({ target }) => set({ at: target.value })}
          />
        </label>
      ) : fields.kind === "interval" ? (
        <div className="settings-line">
          <label>
            Every
            <input
              inputMode="numeric"
              value={fields.count}
              onChange={({ target }) => set({ count: target.value })}
            />
          </label>
          <label>
            Unit
            <select value={fields.unit} onChange={({ target }) => set({ unit: target.value })}>
              {UNIT_NAMES.map((unit) => (
                <option key={unit} value={unit}>
                  {unit}s
                </option>
              ))}
            </select>
          </label>
        </div>
      ) : (
        <>
          <label>
            Cron expression: minute, hour, day, month, weekday
            <input
              placeholder="0 9 * * 1-5"
              value={fields.cron}
              onChange={({ target }) => set({ cron: target.value })}
            />
          </label>
          <label>
            Time zone
            <input value={fields.timeZone} onChange={({ target }) => set({ timeZone: target.value })} />
          </label>
        </>
      )}
      {agents.length < 2 ? null : (
        <label>
          Agent
          <select value={fields.agent} onChange={({ target }) => set({ agent: target.value })}>
            <option value="">The session's agent</option>
            <AgentOptions agents={agents} chosen={null} />
          </select>
        </label>
      )}
      <p className="soft small">
        Runs unattended: makes only the kinds of changes that the agent allows, and asks for the rest.
      </p>
      {fault === null ? null : <p role="alert">{fault}</p>}
      <div className="row">
        <button className="button primary" disabled={busy}>
          Save the schedule
        </button>
        <button type="button" className="button" onClick={close}>
          Discard
        </button>
      </div>
    </form>
  );
}
