import { useEffect, useRef } from "react";
import { isWriting } from "../parts/keys.ts";
import { openNewSession, goTo } from "../route.ts";

/** Single keys, as long as one is not writing. What a card or a list does with keys stands there. */
const KEYS: readonly (readonly [key: string, does: string])[] = [
  ["n", "new session"],
  ["/", "find a session"],
  ["a", "what needs you"],
  ["w", "write"],
  ["j k", "next and last approval, among those that wait"],
  ["y n", "approve or deny, in a card"],
  ["e r", "change or remember, in a card"],
  ["?", "these keys"],
  ["Esc", "close, or leave the box"],
];

export function Shortcuts() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const heard = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isWriting(event.target))
        return;
      const act = {
        n: openNewSession,
        "/": () => document.getElementById("find-session")?.focus(),
        a: () => goTo({ at: "inbox" }),
        w: () => document.getElementById("composer")?.focus(),
        "?": () => dialog.current?.showModal(),
      }[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", heard);
    return () => removeEventListener("keydown", heard);
  }, []);
  return (
    <dialog ref={dialog} className="card" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl className="keys">
        {KEYS.map(([key, does]) => (
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
      <form method="dialog">
        <button className="button">Close</button>
      </form>
    </dialog>
  );
}
