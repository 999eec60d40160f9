import { useEffect, useRef, useState } from "react";
import { mutate as lookAgain } from "swr";
import type { PushBrowser, PushState } from "../../plugins/channels/webpush/protocol/answers.ts";
import { ask, useAnswer } from "../api.ts";
import { Failed } from "../parts/failed.tsx";
import { NOTIFY } from "../parts/chats.ts";
import { dateText } from "../parts/time.tsx";
import { useAct } from "../parts/use-act.ts";
import { useToast } from "../parts/toasts.tsx";
import { ownBrowser, PUSH, pushSupport, turnOff, turnOn, type PushSupport } from "./push.ts";

const WHY_NOT: Readonly<Partial<Record<PushSupport, string>>> = {
  forbidden: "Your browser blocks notifications from this site. Allow them in its settings first.",
  "unknown here":
    "This browser does not support notifications. On an iPhone or iPad, add this page to the home screen first.",
};

/** Notifications in this browser while no page is open, and the person's other browsers. */
export function Push() {
  const { data, error, mutate } = useAnswer<PushState>(PUSH);
  const [own, setOwn] = useState<string | null>(null);
  const showToast = useToast();
  const { busy, fault, run } = useAct();
  const control = useRef<HTMLInputElement>(null);
  useEffect(() => void ownBrowser().then(setOwn), []);
  const look = async (): Promise<void> => {
    setOwn(await ownBrowser());
    // This browser is one of the places where the person can be asked.
    await Promise.all([mutate(), lookAgain(NOTIFY)]);
    // The pressed button was disabled meanwhile, or is gone.
    control.current?.focus();
  };
  if (error !== undefined) return <Failed failure={error} again={() => void mutate()} />;
  if (data === undefined || data.publicKey === null) return null;
  const { publicKey, items } = data;
  const whyNot = WHY_NOT[pushSupport()];
  const isOn = items.some(({ id }) => id === own);
  const change = async (on: boolean): Promise<void> => {
    const isDone = await run(() => (on ? turnOn(publicKey) : turnOff()));
    await look();
    if (isDone) showToast(on ? "This browser is notified." : "This browser is not notified any more.");
  };
  const end = async ({ id, name }: PushBrowser): Promise<void> => {
    const isDone = await run(() => ask(`${PUSH}/${id}`, { method: "DELETE" }));
    await look();
    if (isDone) showToast(`${name} is not notified any more.`);
  };
  return (
    <div className="preferences-push" role="group" aria-label="Push">
      <label className="preferences-choice">
        <input
          type="checkbox"
          role="switch"
          ref={control}
          checked={isOn}
          disabled={busy || whyNot !== undefined}
          onChange={({ target }) => void change(target.checked)}
        />
        Notify this browser, also while Cairn is closed
      </label>
      <p className="soft small">
        {whyNot ?? "You'll be notified when something needs approval. The notification opens Cairn."}
      </p>
      {fault === null ? null : <p role="alert">{fault}</p>}
      <Others browsers={items.filter(({ id }) => id !== own)} busy={busy} end={end} />
    </div>
  );
}

interface OthersProps {
  readonly browsers: readonly PushBrowser[];
  readonly busy: boolean;
  readonly end: (browser: PushBrowser) => Promise<void>;
}

function Others({ browsers, busy, end }: OthersProps) {
  if (browsers.length === 0) return null;
  return (
    <ul className="preferences-tools" aria-label="Your other browsers">
      {browsers.map((browser) => (
        <li key={browser.id} className="preferences-linked">
          <span>
            <strong dir="auto">{browser.name}</strong>
            <span className="soft small">
              {" "}
              is notified since <time dateTime={browser.since}>{dateText(browser.since)}</time>
            </span>
          </span>
          <button
            className="button"
            disabled={busy}
            aria-label={`Stop notifying ${browser.name}`}
            onClick={() => void end(browser)}
          >
            Stop
          </button>
        </li>
      ))}
    </ul>
  );
}
