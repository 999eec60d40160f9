import { useId, useRef, useState } from "react";
import type { NotifySettings } from "../../parts/chats.ts";
import { USUAL_QUIET, zoneText, zonesOf } from "./zones.ts";

export interface ControlProps {
  readonly settings: NotifySettings;
  readonly disabled: boolean;
  readonly put: (body: Partial<NotifySettings>) => Promise<void>;
}

/** Hours without unrequested messages. They depend on a time zone: without one there are none. */
export function QuietHours({ settings: { quiet, zone }, disabled, put }: ControlProps) {
  const { own } = zonesOf(zone);
  const times = quiet ?? USUAL_QUIET;
  return (
    <div className="preferences-field">
      <label className="preferences-choice">
        <input
          type="checkbox"
          role="switch"
          checked={quiet !== null && zone !== null}
          disabled={disabled}
          onChange={({ target }) =>
            void put(target.checked ? { quiet: times, zone: zone ?? own } : { quiet: null })
          }
        />
        Quiet hours
      </label>
      <p className="soft small">
        During quiet hours you get only failures and direct replies. The rest arrives together afterwards.
      </p>
      {quiet === null || zone === null ? null : (
        <>
          <Times key={`${quiet.from} ${quiet.to}`} quiet={quiet} disabled={disabled} put={put} />
          <Zone zone={zone} disabled={disabled} put={put} />
        </>
      )}
    </div>
  );
}

type Change = Pick<ControlProps, "disabled" | "put">;

function Times({ quiet, disabled, put }: Change & { readonly quiet: NonNullable<NotifySettings["quiet"]> }) {
  const [times, setTimes] = useState(quiet);
  const isChanged = quiet.from !== times.from || quiet.to !== times.to;
  return (
    <form
      className="preferences-times"
      aria-label="Quiet hours"
      onSubmit={(event) => {
        event.preventDefault();
        void put({ quiet: times });
      }}
    >
      {(["from", "to"] as const).map((end) => (
        <label key={end}>
          {end === "from" ? "From" : "To"}
          <input
            type="time"
            required
            value={times[end]}
            disabled={disabled}
            onChange={({ target }) => setTimes({ ...times, [end]: target.value })}
          />
        </label>
      ))}
      <button className="button" disabled={disabled || !isChanged}>
        Save
      </button>
    </form>
  );
}

function Zone({ zone, disabled, put }: Change & { readonly zone: string }) {
  const { own, all } = zonesOf(zone);
  const id = useId();
  const chosen = useRef<HTMLSelectElement>(null);
  return (
    <div className="preferences-zone">
      <label htmlFor={id}>By the clock of</label>
      <select
        id={id}
        ref={chosen}
        value={zone}
        disabled={disabled}
        onChange={({ target }) => void put({ zone: target.value })}
      >
        {all.map((each) => (
          <option key={each} value={each}>
            {zoneText(each)}
          </option>
        ))}
      </select>
      {zone === own ? null : (
        <button
          className="button"
          disabled={disabled}
          onClick={() => {
            // The dialog closes when the change is saved.
            chosen.current?.focus();
            void put({ zone: own });
          }}
        >
          Use this browser’s: {zoneText(own)}
        </button>
      )}
    </div>
  );
}
