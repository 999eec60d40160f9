import { Suspense, useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { sentenceOf } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { part } from "../parts/part.ts";
import { useNow } from "../parts/time.tsx";
import { goTo, openNewSession, type Route } from "../route.ts";
import { useMay } from "../who.tsx";
import { groupSessions, titleOf, withSession, type Listed } from "./list.ts";
import { Menu, type MenuItem } from "./menu.tsx";
import { SessionItem } from "./session-item.tsx";
import { withoutInputMethod } from "../parts/input-method.ts";
import "./sessions.css";
import { SidebarFoot } from "./sidebar-foot.tsx";
import { useActs } from "./use-acts.ts";
import {
  knowSession,
  useKnown,
  useOpenDetail,
  useRefreshOnLeaving,
  useSessions,
  useSettled,
} from "./use-sessions.ts";

const DeleteDialog = part(() => import("./delete-dialog.tsx"));

const TYPING_MS = 200;
const MINUTE_MS = 60_000;

/** All sessions: found, opened, renamed, put away, copied, deleted; and the way to what waits for a yes. */
export default function Sidebar({ route }: { route: Route }) {
  const openId = route.at === "session" ? route.session : null;
  const maySend = useMay("send");
  const isAdmin = useMay("admin");
  const [find, setFind] = useState("");
  const [archived, setArchived] = useState(false);
  const [pages, setPages] = useState(1);
  const [menu, setMenu] = useState<{ session: Listed | null; anchor: HTMLElement } | null>(null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<{ session: Listed; next: string | null } | null>(null);
  const nav = useRef<HTMLElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const known = useKnown();
  const acts = useActs(openId);

  const q = useSettled(find.trim(), TYPING_MS);
  const list = useSessions({ q, archived, pages });
  const data = list.data?.archived === archived ? list.data : undefined;
  const open = useOpenDetail(openId);
  useRefreshOnLeaving(openId);
  const seen = open === null ? "" : [open.id, open.title, open.status, open.pendingApprovals].join(" ");
  useEffect(() => {
    if (open !== null) knowSession(open);
    // Only what of it is seen in the list: a detail that was asked for again is another object.
  }, [seen]);
  const sessions = useMemo(() => {
    const kind = { search: q !== "", archived };
    const there = (data?.items ?? []).filter(({ id }) => !known.deleted.includes(id));
    const all = [...known.changed, ...(open === null ? [] : [open])];
    return all.reduce<readonly Listed[]>((items, session) => withSession(items, session, kind), there);
  }, [data, known, open, q, archived]);
  const groups = groupSessions(sessions, useNow(MINUTE_MS));

  const focusOn = useCallback((id: string | null) => {
    const item = id === null ? null : nav.current?.querySelector<HTMLElement>(`[data-session="${id}"] a`);
    (item ?? document.getElementById("find-session"))?.focus();
  }, []);
  const openMenu = useCallback((session: Listed, anchor: HTMLElement) => {
    setMenu((shown) => (shown?.anchor === anchor ? null : { session, anchor }));
  }, []);
  const closeMenu = useCallback(() => setMenu(null), []);
  const { rename } = acts;
  const renamed = useCallback(
    (session: Listed, title: string | null) => {
      setRenaming(null);
      if (title !== null) void rename(session, title);
      // The session's link is back once this is drawn.
      requestAnimationFrame(() => focusOn(session.id));
    },
    [rename, focusOn],
  );
  const itemsFor = (session: Listed): readonly MenuItem[] => [
    ...(maySend
      ? [
          { label: "Rename", act: () => setRenaming(session.id) },
          { label: "Make a copy", act: () => void acts.fork(session) },
          {
            label: "Share…",
            act: () => goTo({ at: "session", session: session.id, panel: "settings" }),
          },
          {
            label: session.archived ? "Unarchive" : "Archive",
            act: () => void acts.archive(session),
          },
        ]
      : []),
    ...(isAdmin ? [{ label: "Export", file: `/api/sessions/${session.id}/export` }] : []),
    ...(maySend
      ? [
          {
            label: "Delete…",
            bad: true,
            act: () => {
              const at = sessions.findIndex(({ id }) => id === session.id);
              setDeleting({ session, next: (sessions[at + 1] ?? sessions[at - 1])?.id ?? null });
            },
          },
        ]
      : []),
  ];
  const ownItems: readonly MenuItem[] = [
    ...(maySend ? [{ label: "New run…", act: () => goTo({ at: "new-run" }) }] : []),
    { label: archived ? "Back to sessions" : "Archived sessions", act: () => setArchived(!archived) },
    ...(isAdmin ? [{ label: "Import a session…", act: () => file.current?.click() }] : []),
  ];

  return (
    <nav ref={nav} className="sidebar" aria-label="Sessions">
      <div className="sidebar-head">
        {maySend ? (
          <button className="button primary" aria-keyshortcuts="n" onClick={openNewSession}>
            <Icon name="plus" /> New session
          </button>
        ) : null}
        <button
          className="button quiet"
          aria-label="More options"
          aria-haspopup="menu"
          aria-expanded={menu !== null && menu.session === null}
          onClick={({ currentTarget: anchor }) =>
            setMenu((shown) => (shown?.anchor === anchor ? null : { session: null, anchor }))
          }
        >
          <Icon name="more" />
        </button>
      </div>
      <div className="sidebar-find">
        <Icon name="search" />
        <input
          id="find-session"
          type="search"
          aria-label="Search sessions"
          aria-keyshortcuts="/"
          placeholder={archived ? "Search the archive" : "Search sessions"}
          value={find}
          onChange={(event) => setFind(event.target.value)}
          onKeyDown={withoutInputMethod((event) => {
            if (event.key === "Escape" && find === "") event.currentTarget.blur();
            if (event.key === "Escape") setFind("");
            if (event.key === "ArrowDown") step(nav.current, 1, event);
          })}
        />
      </div>
      <div
        className="sidebar-list"
        aria-busy={data === undefined && list.error === undefined}
        onKeyDown={withoutInputMethod((event) => {
          if (event.key === "ArrowDown") step(nav.current, 1, event);
          if (event.key === "ArrowUp") step(nav.current, -1, event);
        })}
      >
        {archived ? (
          <p className="row">
            <strong>Archive</strong>
            <button className="link-button small" onClick={() => setArchived(false)}>
              Back to sessions
            </button>
          </p>
        ) : null}
        {list.error === undefined || data !== undefined ? null : <p role="alert">{sentenceOf(list.error)}</p>}
        {groups.map((group) => (
          <section key={group.name} aria-label={group.name}>
            <h2>{group.name}</h2>
            <ul>
              {group.sessions.map((session) => (
                <SessionItem
                  key={session.id}
                  session={session}
                  open={session.id === openId}
                  renaming={session.id === renaming}
                  menuOpen={session.id === menu?.session?.id}
                  openMenu={maySend || isAdmin ? openMenu : null}
                  rename={renamed}
                />
              ))}
            </ul>
          </section>
        ))}
        <p role="status" className="soft small sidebar-says">
          {data === undefined ? "" : emptyWords(sessions.length, q, archived)}
        </p>
        {data?.more === true ? (
          <button className="button" disabled={list.isValidating} onClick={() => setPages(pages + 1)}>
            Show more
          </button>
        ) : null}
      </div>
      <SidebarFoot route={route} />
      <input
        ref={file}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label="File to import"
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          if (chosen !== undefined) void acts.bringIn(chosen);
          target.value = "";
        }}
      />
      {menu === null ? null : (
        <Menu
          key={menu.session?.id ?? ""}
          anchor={menu.anchor}
          label={menu.session === null ? "Sessions" : titleOf(menu.session)}
          items={menu.session === null ? ownItems : itemsFor(menu.session)}
          close={closeMenu}
        />
      )}
      {deleting === null ? null : (
        <Suspense>
          <DeleteDialog
            session={deleting.session}
            remove={acts.remove}
            close={(deleted) => {
              setDeleting(null);
              requestAnimationFrame(() => focusOn(deleted ? deleting.next : deleting.session.id));
            }}
          />
        </Suspense>
      )}
    </nav>
  );
}

/** From session to session with the arrows. */
function step(nav: HTMLElement | null, by: 1 | -1, event: KeyboardEvent): void {
  const links = [...(nav?.querySelectorAll<HTMLElement>(".session-link") ?? [])];
  const at = links.findIndex((link) => link.parentElement?.contains(document.activeElement) === true);
  const next = at === -1 ? (by === 1 ? 0 : -1) : at + by;
  if (next < 0) document.getElementById("find-session")?.focus();
  else links[next]?.focus();
  event.preventDefault();
}

function emptyWords(count: number, q: string, archived: boolean): string {
  if (q !== "")
    return count === 0 ? `No results for “${q}”.` : `${count} ${count === 1 ? "result" : "results"}`;
  if (count > 0) return "";
  return archived ? "The archive is empty." : "No sessions yet.";
}
