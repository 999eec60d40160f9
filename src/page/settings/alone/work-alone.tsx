import { useMemo, useRef, useState } from "react";
import type { Answer } from "../../../cairn/protocol/api.ts";
import type { Event, SessionDetail } from "../../../cairn/protocol/views.ts";
import { ask } from "../../api.ts";
import { useCommands } from "../../open-session/live.tsx";
import { dateText, durationText, useNow } from "../../parts/time.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useToast } from "../../parts/toasts.tsx";
import { useMay } from "../../who.tsx";
import { capsuleOf, parseCapsule, SPANS, spanText, type Capsule, type CapsuleFields } from "./capsule.ts";

interface WorkAloneProps {
  readonly session: SessionDetail;
  readonly events: readonly Event[];
  readonly mayStart: boolean;
}

/** Unattended work at one goal with a given time and budget: start, watch, extend once, stop. */
export function WorkAlone({ session, events, mayStart }: WorkAloneProps) {
  const capsule = useMemo(() => capsuleOf(session, events), [session, events]);
  const heading = useRef<HTMLHeadingElement>(null);
  const done = (): void => heading.current?.focus();
  return (
    <section className="settings-part" aria-labelledby="settings-alone">
      <h3 id="settings-alone" ref={heading} tabIndex={-1}>
        Autonomous work
      </h3>
      <p className="soft small">
        The agent works on one goal within the time and budget you set, and reports back by the deadline. You
        can write to it meanwhile.
      </p>
      {capsule !== null ? (
        <AtWork capsule={capsule} session={session.id} mayStop={mayStart} done={done} />
      ) : mayStart ? (
        <NewGoal session={session.id} done={done} />
      ) : null}
    </section>
  );
}

const SECOND_MS = 1_000;
/** minutes that a person gives it more */
const MORE_MINUTES = 30;

interface AtWorkProps {
  readonly capsule: Capsule;
  readonly session: string;
  readonly mayStop: boolean;
  /** gives the keyboard another place: what was pressed goes */
  readonly done: () => void;
}

function AtWork({ capsule: { runId, goal, endsAt, extended }, session, mayStop, done }: AtWorkProps) {
  const { stop } = useCommands();
  const showToast = useToast();
  const mayExtend = useMay("approve");
  const { busy, fault, run } = useAct();
  const extend = async (): Promise<void> => {
    const body = { runId, minutes: MORE_MINUTES };
    if (!(await run(() => ask(`/api/sessions/${session}/extend`, { method: "POST", body })))) return;
    done();
    showToast(`It has ${MORE_MINUTES} minutes more.`);
  };
  const end = async (): Promise<void> => {
    if (await run(() => stop(runId))) done();
  };
  return (
    <div className="settings-alone" role="group" aria-label="Running now">
      <p dir="auto">{goal}</p>
      {endsAt === null ? null : <Deadline at={endsAt} />}
      {fault === null ? null : <p role="alert">{fault}</p>}
      <div className="row">
        {mayStop ? (
          <button className="button danger" disabled={busy} onClick={() => void end()}>
            Stop it
          </button>
        ) : null}
        {mayExtend && !extended ? (
          <button className="button" disabled={busy} onClick={() => void extend()}>
            {MORE_MINUTES} minutes more
          </button>
        ) : null}
      </div>
      <p className="soft small">{extended ? "Already extended once." : "Can be extended once."}</p>
    </div>
  );
}

/** The time that is left is not read out each second. */
function Deadline({ at }: { at: number }) {
  const left = at - useNow(SECOND_MS);
  const time = new Date(at).toISOString();
  return (
    <p className="small">
      Ends at <time dateTime={time}>{dateText(time)}</time>
      <span className="soft" aria-hidden="true">
        {left > 0 ? `, in ${durationText(left)}` : ", now"}
      </span>
    </p>
  );
}

const NOTHING: CapsuleFields = { goal: "", minutes: 60, costUsd: "1.00" };

function NewGoal({ session, done }: Pick<AtWorkProps, "session" | "done">) {
  const showToast = useToast();
  const { busy, fault, run, setFault } = useAct();
  const [fields, setFields] = useState(NOTHING);
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  /** the same goal sent twice, as over a line that broke, is one */
  const key = useRef({ body: "", id: "" });
  const set = (change: Partial<CapsuleFields>): void => {
    setFields({ ...fields, ...change });
    setFault(null);
  };
  const close = (): void => {
    setOpen(false);
    setFields(NOTHING);
    // The button comes back with the next drawing.
    requestAnimationFrame(() => opener.current?.focus());
  };
  const submit = async (): Promise<void> => {
    const parsed = parseCapsule(session, fields);
    if ("fault" in parsed) return setFault(parsed.fault);
    const { body } = parsed;
    const text = JSON.stringify(body);
    if (key.current.body !== text) key.current = { body: text, id: crypto.randomUUID() };
    const headers = { "idempotency-key": key.current.id };
    const isStarted = await run(() =>
      ask<Answer<"Run">>("/api/runs?async=true", { method: "POST", body, headers }),
    );
    if (!isStarted) return;
    setOpen(false);
    setFields(NOTHING);
    done();
    showToast("Started. It begins when no other run is in progress here.");
  };
  if (!open)
    return (
      <button ref={opener} className="button" onClick={() => setOpen(true)}>
        Give it a goal
      </button>
    );
  return (
    <form
      className="settings-schedule"
      aria-label="Goal"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label>
        Goal, described completely
        <textarea
          autoFocus
          rows={3}
          value={fields.goal}
          onChange={({ target }) => set({ goal: target.value })}
        />
      </label>
      <div className="settings-numbers">
        <label>
          For
          <select value={fields.minutes} onChange={({ target }) => set({ minutes: Number(target.value) })}>
            {SPANS.map((minutes) => (
              <option key={minutes} value={minutes}>
                {spanText(minutes)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Budget (US dollars)
          <input
            inputMode="decimal"
            autoComplete="off"
            value={fields.costUsd}
            onChange={({ target }) => set({ costUsd: target.value })}
          />
        </label>
      </div>
      <p className="soft small">Approvals still wait for you, and the time continues meanwhile.</p>
      {fault === null ? null : <p role="alert">{fault}</p>}
      <div className="row">
        <button className="button primary" disabled={busy}>
          Start
        </button>
        <button type="button" className="button" onClick={close}>
          Discard
        </button>
      </div>
    </form>
  );
}
