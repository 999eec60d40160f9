import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { SessionView } from "../../cairn/protocol/views.ts";
import { useAnswer } from "../api.ts";
import { goTo, openNewSession, type Panel, type Route } from "../route.ts";
import { useMay, usePanels } from "../who.tsx";
import { withoutInputMethod } from "../parts/input-method.ts";

interface Choice {
  readonly key: string;
  readonly name: string;
  /** what kind of thing it is */
  readonly about: string;
  readonly act: () => void;
}

const PANEL_NAMES: Readonly<Record<Panel, string>> = {
  site: "Site",
  trace: "Trace",
  memory: "Memory",
  settings: "Settings",
};
const SESSIONS_SHOWN = 8;

/** The command palette, `Ctrl+K` or on a Mac `⌘K`: every view by its name. Closes after a choice. */
export function Palette({
  route,
  close,
  showKeys,
}: {
  route: Route;
  close: () => void;
  showKeys: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const choices = useChoices(route, text.trim(), showKeys);
  const chosen = Math.min(at, choices.length - 1);
  useEffect(() => dialog.current?.showModal(), []);

  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    // The opened element takes the focus; closing later would give it back.
    dialog.current?.close();
    choice.act();
  };
  const onKey = withoutInputMethod((event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) setAt((chosen + by + choices.length) % Math.max(1, choices.length));
    else if (event.key === "Enter") choose(choices[chosen]);
    else return;
    event.preventDefault();
  });

  return (
    <dialog ref={dialog} className="card palette" aria-label="Go to" onClose={close}>
      <input
        type="search"
        role="combobox"
        aria-label="Go to"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={choices.length === 0 ? undefined : `${list}-${chosen}`}
        placeholder="Go to a session, a panel or a page"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <ul id={list} role="listbox" aria-label="Places">
        {choices.map((choice, index) => (
          <li
            key={choice.key}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => choose(choice)}
          >
            <span>{choice.name}</span>
            <span className="small soft">{choice.about}</span>
          </li>
        ))}
      </ul>
      <p role="status" className="soft small">
        {choices.length === 0 ? "No matches." : ""}
      </p>
    </dialog>
  );
}

function useChoices(route: Route, text: string, showKeys: () => void): readonly Choice[] {
  const maySend = useMay("send");
  const panels = usePanels();
  const query = new URLSearchParams({ limit: `${SESSIONS_SHOWN}`, ...(text === "" ? {} : { q: text }) });
  const { data } = useAnswer<{ items: readonly SessionView[] }>(`/api/sessions?${query}`, {
    keepPreviousData: true,
  });
  return useMemo(() => {
    const session = route.at === "session" ? route.session : null;
    const pages: readonly Choice[] = [
      ...(maySend
        ? [
            { key: "new", name: "New session", about: "", act: openNewSession },
            { key: "run", name: "New run", about: "as a form", act: () => goTo({ at: "new-run" }) },
          ]
        : []),
      { key: "inbox", name: "Needs you", about: "what waits for you", act: () => goTo({ at: "inbox" }) },
      ...(session === null
        ? []
        : [
            {
              key: "write",
              name: "Write a message",
              about: "this session",
              act: () => document.getElementById("composer")?.focus(),
            },
            ...panels.map((panel) => ({
              key: panel,
              name: PANEL_NAMES[panel],
              about: "this session",
              act: () => goTo({ at: "session", session, panel }),
            })),
          ]),
      { key: "preferences", name: "Preferences", about: "", act: () => goTo({ at: "preferences" }) },
      { key: "keys", name: "Keys", about: "what the keyboard does", act: showKeys },
    ];
    const found = (data?.items ?? []).map(({ id, title }) => ({
      key: `session ${id}`,
      name: title || "Untitled session",
      about: "session",
      act: () => goTo({ at: "session", session: id, panel: null }),
    }));
    const wanted = text.toLocaleLowerCase();
    return [...pages.filter(({ name }) => name.toLocaleLowerCase().includes(wanted)), ...found];
  }, [route, text, data, maySend, panels, showKeys]);
}
