import { memo, useRef, useState } from "react";
import { DEFAULT_AGENT } from "../../cairn/core/log/names.ts";
import { hrefOf } from "../route.ts";
import { Icon } from "../parts/icon.tsx";
import { Ago } from "../parts/time.tsx";
import { doingWords, titleOf, waitsForPerson, type Listed } from "./list.ts";
import { withoutInputMethod } from "../parts/input-method.ts";

export interface SessionItemProps {
  readonly session: Listed;
  readonly open: boolean;
  readonly renaming: boolean;
  readonly menuOpen: boolean;
  /** null: this person may do nothing with it but read */
  readonly openMenu: ((session: Listed, anchor: HTMLElement) => void) | null;
  /** null when it stays as it is */
  readonly rename: (session: Listed, title: string | null) => void;
}

/** One session of the list: its title, what it is doing, and when something last happened. */
export const SessionItem = memo(function SessionItem({
  session,
  open,
  renaming,
  menuOpen,
  openMenu,
  rename,
}: SessionItemProps) {
  const title = titleOf(session);
  const doing = doingWords(session);
  if (renaming)
    return (
      <li className="session-item">
        <Rename title={session.title} done={(text) => rename(session, text)} />
      </li>
    );
  return (
    <li className="session-item" data-open={open} data-session={session.id}>
      <a
        className="session-link"
        href={hrefOf({ at: "session", session: session.id, panel: null })}
        aria-current={open ? "page" : undefined}
      >
        <span className="session-title">{title}</span>
        <span className="session-about">
          {doing === null ? null : (
            <span className="session-doing" data-waits={waitsForPerson(session)}>
              {doing}
            </span>
          )}
          <Ago at={session.updatedAt} />
          {session.agent === DEFAULT_AGENT ? null : (
            <span>
              <span className="visually-hidden">agent </span>
              {session.agent}
            </span>
          )}
        </span>
        {session.snippet === undefined ? null : <span className="session-snippet">{session.snippet}</span>}
      </a>
      {openMenu === null ? null : (
        <button
          className="button quiet session-more"
          aria-label={`Options for ${title}`}
          aria-haspopup="menu"
          aria-expanded={menuOpen}
          onClick={(event) => openMenu(session, event.currentTarget)}
        >
          <Icon name="more" />
        </button>
      )}
    </li>
  );
});

const TITLE_CHARS_MAX = 200;

function Rename({ title, done }: { title: string; done: (title: string | null) => void }) {
  const [text, setText] = useState(title);
  // Ending removes the box, and a removed box loses the focus: that must not end it a second time.
  const ended = useRef(false);
  const end = (saved: string | null): void => {
    if (ended.current) return;
    ended.current = true;
    done(saved === null || saved.trim() === "" || saved.trim() === title ? null : saved.trim());
  };
  return (
    <input
      className="session-rename"
      aria-label="Title of the session"
      value={text}
      maxLength={TITLE_CHARS_MAX}
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => end(text)}
      onKeyDown={withoutInputMethod((event) => {
        // The arrows are the box's while one writes in it.
        event.stopPropagation();
        if (event.key === "Enter") end(text);
        if (event.key === "Escape") end(null);
      })}
    />
  );
}
