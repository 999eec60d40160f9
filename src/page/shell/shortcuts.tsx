import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { isWriting } from "../parts/keys.ts";
import { fetchPart } from "../parts/part.ts";
import { openNewSession, goTo, type Route } from "../route.ts";
import { singleKeys, switchSingleKeys, useSingleKeys } from "./single-keys.ts";
import { withoutInputMethod } from "../parts/input-method.ts";

const Palette = lazy(() => fetchPart(async () => ({ default: (await import("./palette.tsx")).Palette })));

type Keys = readonly (readonly [key: string, does: string])[];

const ALWAYS: Keys = [
  ["Ctrl+K ⌘K", "go anywhere"],
  ["y n", "approve or deny, in a card"],
  ["e r", "change or remember, in a card"],
  ["j k", "next or previous card"],
  ["Esc", "close, or leave the box"],
];
/** As long as one is not writing, where they were switched on. */
const FROM_ANYWHERE: Keys = [
  ["n", "new session"],
  ["/", "search sessions"],
  ["a", "what needs you"],
  ["w", "write"],
  ["?", "these keys"],
];

/** Keyboard shortcuts of the whole page. Cards and lists have their own. */
export function Shortcuts({ route }: { route: Route }) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** counts openings; the close event of a dialog comes only after the next key may have come */
  const [palette, setPalette] = useState({ opened: 0, open: false });
  const showKeys = useCallback(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const onKey = withoutInputMethod((event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return setPalette(({ opened }) => ({ opened: opened + 1, open: true }));
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target) || !singleKeys()) return;
      const act = {
        n: openNewSession,
        "/": () => document.getElementById("find-session")?.focus(),
        a: () => goTo({ at: "inbox" }),
        w: () => document.getElementById("composer")?.focus(),
        "?": showKeys,
      }[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    });
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [showKeys]);
  return (
    <>
      <dialog ref={dialog} className="card" aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <KeyList keys={ALWAYS} />
        <Switch />
        <KeyList keys={FROM_ANYWHERE} />
        <form method="dialog">
          <button className="button">Close</button>
        </form>
      </dialog>
      {palette.open ? (
        <Suspense>
          <Palette
            key={palette.opened}
            route={route}
            close={() => setPalette((now) => (now === palette ? { ...now, open: false } : now))}
            showKeys={showKeys}
          />
        </Suspense>
      ) : null}
    </>
  );
}

function Switch() {
  const on = useSingleKeys();
  return (
    <label>
      <input type="checkbox" checked={on} onChange={({ target }) => switchSingleKeys(target.checked)} />{" "}
      Single-key shortcuts everywhere
    </label>
  );
}

function KeyList({ keys }: { keys: Keys }) {
  return (
    <dl className="keys">
      {keys.map(([key, does]) => (
        <div key={key}>
          <dt>
            {key.split(" ").map((each) => (
              <kbd key={each}>{each}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
