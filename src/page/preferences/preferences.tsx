import { useState } from "react";
import { useTitle } from "../approvals/waiting.ts";
import { Icon } from "../parts/icon.tsx";
import { useMay } from "../who.tsx";
import { Channels } from "./channels.tsx";
import { noticesNow, switchNotices, type Notices } from "./notices.ts";
import "./preferences.css";
import { chooseTheme, storedTheme, THEMES, type Theme } from "./theme.ts";
import { Tools } from "./tools.tsx";
import { Usage } from "./usage.tsx";

/** Settings of this person on this device, usage, and the agent's tools. */
export default function Preferences({ openDrawer }: { openDrawer: () => void }) {
  const mayRead = useMay("read");
  useTitle("Preferences");
  return (
    <div className="preferences">
      <header className="bar">
        <button className="button quiet only-narrow" aria-label="Sessions" onClick={openDrawer}>
          <Icon name="menu" />
        </button>
        <h1 className="bar-title">Preferences</h1>
      </header>
      <div className="preferences-inside" tabIndex={0} role="region" aria-label="Preferences">
        <Appearance />
        <Notifications />
        {mayRead ? <Channels /> : null}
        {mayRead ? <Usage /> : null}
        {mayRead ? <Tools /> : null}
      </div>
    </div>
  );
}

const NAMES: Readonly<Record<Theme, string>> = {
  system: "Match system",
  light: "Light",
  dark: "Dark",
};

function Appearance() {
  const [theme, setTheme] = useState(storedTheme);
  return (
    <section aria-labelledby="preferences-theme">
      <h2 id="preferences-theme">Appearance</h2>
      <fieldset className="row">
        <legend className="visually-hidden">Theme</legend>
        {THEMES.map((each) => (
          <label key={each} className="preferences-choice">
            <input
              type="radio"
              name="theme"
              checked={each === theme}
              onChange={() => {
                setTheme(each);
                chooseTheme(each);
              }}
            />
            {NAMES[each]}
          </label>
        ))}
      </fieldset>
    </section>
  );
}

const WHY_NOT: Readonly<Partial<Record<Notices, string>>> = {
  forbidden: "Your browser blocks notifications from this site. Allow them in its settings first.",
  "unknown here": "This browser has no notifications.",
};

function Notifications() {
  const [now, setNow] = useState(noticesNow);
  const whyNot = WHY_NOT[now];
  return (
    <section aria-labelledby="preferences-notices">
      <h2 id="preferences-notices">Notifications</h2>
      <label className="preferences-choice">
        <input
          type="checkbox"
          role="switch"
          checked={now === "on"}
          disabled={whyNot !== undefined}
          onChange={({ target }) => void switchNotices(target.checked).then(setNow)}
        />
        Notify me when I'm needed
      </label>
      <p className="soft small">
        {whyNot ?? "On this device, while Cairn is open in a tab that you are not looking at."}
      </p>
    </section>
  );
}
