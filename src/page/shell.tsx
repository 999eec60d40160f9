import { Suspense, lazy, useEffect, useState } from "react";
import { SessionPage } from "./session-page.tsx";
import { fetchPart, part } from "./parts/part.ts";
import { useNotices } from "./preferences/notices.ts";
import { hrefOf, newSessionId, useRoute, type Route } from "./route.ts";
import { Boundary } from "./shell/boundary.tsx";
import { withoutInputMethod } from "./parts/input-method.ts";
import "./shell/shell.css";
import { Shortcuts } from "./shell/shortcuts.tsx";
import { useMay } from "./who.tsx";
import { Toasts } from "./parts/toasts.tsx";

// The list is loaded in parallel with the chat, which does not wait for it.
const sidebar = fetchPart(() => import("./session-list/sidebar.tsx"));

const Sidebar = lazy(() => sidebar);

const Preferences = part(() => import("./preferences/preferences.tsx"));
const NewRun = part(() => import("./new-run/new-run.tsx"));
const Inbox = part(() => import("./approvals/inbox.tsx"));

/** The page's frame: sessions on the left, and the open session or the inbox. */
export function Shell() {
  const route = useRoute();
  useNotices();
  const [drawer, setDrawer] = useState(false);
  // A choice made in the drawer is made: on a phone it covers what was chosen.
  const href = hrefOf(route);
  useEffect(() => setDrawer(false), [href]);
  useEffect(() => {
    if (drawer) document.querySelector<HTMLElement>(".sidebar button")?.focus();
  }, [drawer]);
  const maySend = useMay("send");
  // A read-only visitor creates no session.
  useEffect(() => {
    if (route.at === "start" && maySend) location.replace(`#/s/${newSessionId()}`);
  }, [route.at, maySend]);

  return (
    <Toasts>
      <div
        className="shell"
        data-drawer={drawer}
        onKeyDown={withoutInputMethod(({ key, defaultPrevented }) => {
          if (key === "Escape" && !defaultPrevented) setDrawer(false);
        })}
      >
        <a className="skip" href="#main" onClick={skipToMain}>
          Skip to the conversation
        </a>
        <Boundary>
          <Suspense fallback={<nav className="sidebar" aria-label="Sessions" aria-busy="true" />}>
            <Sidebar route={route} />
          </Suspense>
        </Boundary>
        <button
          className="veil"
          aria-label="Close the list"
          hidden={!drawer}
          onClick={() => setDrawer(false)}
        />
        <main id="main" tabIndex={-1} className="place" inert={drawer}>
          <Boundary>
            <MainView route={route} openDrawer={() => setDrawer(true)} />
          </Boundary>
        </main>
        <Shortcuts route={route} />
      </div>
    </Toasts>
  );
}

function MainView({ route, openDrawer }: { route: Route; openDrawer: () => void }) {
  const maySend = useMay("send");
  if (route.at === "start") return maySend ? null : <ReaderStart openDrawer={openDrawer} />;
  return (
    <Suspense fallback={<div className="place-waits" aria-busy="true" />}>
      {route.at === "inbox" ? (
        <Inbox openDrawer={openDrawer} />
      ) : route.at === "new-run" ? (
        <NewRun openDrawer={openDrawer} />
      ) : route.at === "preferences" ? (
        <Preferences openDrawer={openDrawer} />
      ) : (
        <SessionPage key={route.session} id={route.session} panel={route.panel} openDrawer={openDrawer} />
      )}
    </Suspense>
  );
}

function ReaderStart({ openDrawer }: { openDrawer: () => void }) {
  return (
    <div className="alone">
      <div className="card stack">
        <h1>Choose a session</h1>
        <p>You have read-only access. Pick a session from the list.</p>
        <button className="button only-narrow" onClick={openDrawer}>
          Show the list
        </button>
      </div>
    </div>
  );
}

/** The hash is the route, so a link to `#main` would leave the session. */
function skipToMain(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
