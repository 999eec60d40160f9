import { useId } from "react";
import { ask, useAnswer } from "../../api.ts";
import { chatLabel } from "../../parts/channel-words.ts";
import { Failed } from "../../parts/failed.tsx";
import { NOTIFY, type NotifySettings } from "../../parts/chats.ts";
import { useAct } from "../../parts/use-act.ts";
import { useToast } from "../../parts/toasts.tsx";
import { useMay } from "../../who.tsx";
import { QuietHours, type ControlProps } from "./quiet-hours.tsx";

/** Where this person is asked, and when nothing is sent to them. */
export function Notify() {
  const { data, error, mutate } = useAnswer<NotifySettings>(NOTIFY);
  const { fault, run } = useAct();
  const showToast = useToast();
  const mayChange = useMay("send");
  if (data === undefined)
    return error === undefined ? null : <Failed failure={error} again={() => void mutate()} />;
  const put = async (body: Partial<NotifySettings>): Promise<void> => {
    const done = await run(async () => {
      await mutate(await ask<NotifySettings>(NOTIFY, { method: "PUT", body }), { revalidate: false });
    });
    if (done) showToast("Saved.");
  };
  // A control that is being saved keeps the focus, so it is not disabled meanwhile.
  const controls = { settings: data, disabled: !mayChange, put };
  return (
    <div className="preferences-notify" role="group" aria-label="Where and when you are written to">
      {fault === null ? null : <p role="alert">{fault}</p>}
      <AskTarget {...controls} />
      <QuietHours {...controls} />
    </div>
  );
}

function AskTarget({ settings: { ask: chosen, places }, disabled, put }: ControlProps) {
  const id = useId();
  return (
    <div className="preferences-field">
      <label htmlFor={id}>Send approvals and questions to</label>
      <select
        id={id}
        value={chosen}
        disabled={disabled}
        onChange={({ target }) => void put({ ask: target.value })}
      >
        <option value="auto">my latest linked channel and this page</option>
        {places.map((place) => (
          <option key={place.id} value={place.id} disabled={place.blocked}>
            on {chatLabel(place.id, places)}, and on this page
          </option>
        ))}
        <option value="page">on this page only</option>
      </select>
    </div>
  );
}
