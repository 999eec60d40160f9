import { useId, useState } from "react";
import { ask, useAnswer } from "../../api.ts";
import { placeWords } from "../../parts/channel-words.ts";
import { Failed } from "../../parts/failed.tsx";
import { NOTIFY, type NotifySettings } from "../../parts/places.ts";
import { useAct } from "../../parts/use-act.ts";
import { useSay } from "../../shell/toasts.tsx";
import { useMay } from "../../who.tsx";
import { USUAL_QUIET, zonesOf } from "./notify-words.ts";

/** Where this person is asked, and when nothing is sent to them. */
export function Notify() {
  const { data, error, mutate } = useAnswer<NotifySettings>(NOTIFY);
  const { busy, fault, run } = useAct();
  const say = useSay();
  const mayChange = useMay("send");
  if (data === undefined)
    return error === undefined ? null : <Failed failure={error} again={() => void mutate()} />;
  const put = async (body: Partial<NotifySettings>): Promise<void> => {
    const done = await run(async () => {
      await mutate(await ask<NotifySettings>(NOTIFY, { method: "PUT", body }), { revalidate: false });
    });
    if (done) say("Saved.");
  };
  const controls = { settings: data, disabled: busy || !mayChange, put };
  return (
    <div className="preferences-notify" role="group" aria-label="Where and when you are written to">
      {fault === null ? null : <p role="alert">{fault}</p>}
      <WhereAsked {...controls} />
      <Quiet key={JSON.stringify(data.quiet)} {...controls} />
    </div>
  );
}

interface ControlProps {
  readonly settings: NotifySettings;
  readonly disabled: boolean;
  readonly put: (body: Partial<NotifySettings>) => Promise<void>;
}

function WhereAsked({ settings: { ask: chosen, places }, disabled, put }: ControlProps) {
  const id = useId();
  return (
    <div className="preferences-field">
      <label htmlFor={id}>When something needs your yes or your answer, ask me</label>
      <select
        id={id}
        value={chosen}
        disabled={disabled}
        onChange={({ target }) => void put({ ask: target.value })}
      >
        <option value="auto">where I was linked last, and on this page</option>
        {places.map((place) => (
          <option key={place.id} value={place.id} disabled={place.blocked}>
            on {placeWords(place.id, places)}, and on this page
          </option>
        ))}
        <option value="page">on this page only</option>
      </select>
    </div>
  );
}

function Quiet({ settings: { quiet, zone }, disabled, put }: ControlProps) {
  const [times, setTimes] = useState(quiet ?? USUAL_QUIET);
  const zones = zonesOf(zone);
  const id = useId();
  const isChanged = quiet !== null && (quiet.from !== times.from || quiet.to !== times.to);
  return (
    <div className="preferences-field">
      <label className="preferences-choice">
        <input
          type="checkbox"
          role="switch"
          checked={quiet !== null}
          disabled={disabled}
          onChange={({ target }) =>
            void put(target.checked ? { quiet: times, zone: zone ?? zones.own } : { quiet: null })
          }
        />
        Quiet hours
      </label>
      <p className="soft small">
        Meanwhile nothing is sent to you but failures, and answers to what you asked just then. The rest comes
        as one message when they end.
      </p>
      {quiet === null ? null : (
        <>
          <form
            className="preferences-times"
            aria-label="Quiet hours"
            onSubmit={(event) => {
              event.preventDefault();
              void put({ quiet: times });
            }}
          >
            <label>
              From
              <input
                type="time"
                required
                value={times.from}
                disabled={disabled}
                onChange={({ target }) => setTimes({ ...times, from: target.value })}
              />
            </label>
            <label>
              To
              <input
                type="time"
                required
                value={times.to}
                disabled={disabled}
                onChange={({ target }) => setTimes({ ...times, to: target.value })}
              />
            </label>
            {isChanged ? (
              <button className="button primary" disabled={disabled}>
                Save
              </button>
            ) : null}
          </form>
          <div className="preferences-zone">
            <label htmlFor={id}>By the clock of</label>
            <select
              id={id}
              value={zone ?? ""}
              disabled={disabled}
              onChange={({ target }) => void put({ zone: target.value })}
            >
              {zone === null ? <option value="">Choose a time zone</option> : null}
              {zones.all.map((each) => (
                <option key={each} value={each}>
                  {each.replaceAll("_", " ")}
                </option>
              ))}
            </select>
            {zone === zones.own ? null : (
              <button className="button" disabled={disabled} onClick={() => void put({ zone: zones.own })}>
                Use this browser’s: {zones.own.replaceAll("_", " ")}
              </button>
            )}
          </div>
        </>
      )}
    </div>
  );
}
