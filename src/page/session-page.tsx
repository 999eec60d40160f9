import { Suspense, useState, type ComponentType, type ReactNode } from "react";
import { ChatView } from "./chat/chat-view.tsx";
import { part } from "./parts/part.ts";
import { Icon } from "./parts/icon.tsx";
import { isWriting } from "./parts/keys.ts";
import { goTo, type Panel } from "./route.ts";
import { Boundary } from "./shell/boundary.tsx";
import { usePanels } from "./who.tsx";
import { LiveSession } from "./open-session/live.tsx";
import { SessionHeader, type SessionProps } from "./session-header.tsx";
import { withoutInputMethod } from "./parts/input-method.ts";

// Panels next to the chat are loaded when they are first opened.
const PANES: Readonly<Record<Panel, ComponentType>> = {
  site: part(() => import("./site/site-panel.tsx")),
  trace: part(() => import("./trace/trace-panel.tsx")),
  memory: part(() => import("./memory/memory-panel.tsx")),
  settings: part(() => import("./settings/settings-panel.tsx")),
};

/** One session: its chat, and one panel: site, trace, memory or settings. */
export function SessionPage({ id, panel: asked, openDrawer }: SessionProps) {
  const panels = usePanels();
  const panel = asked !== null && panels.includes(asked) ? asked : null;
  // A socket that is too old is closed for good; another life of the session opens a new one.
  const [life, setLife] = useState(0);
  return (
    <LiveSession key={life} id={id} onTooOld={() => setLife(life + 1)}>
      <div className="session" data-panel={panel ?? "none"}>
        <div className="conversation">
          <SessionHeader id={id} panel={panel} openDrawer={openDrawer} />
          <ChatView />
        </div>
        {panel === null ? null : <SidePanel panel={panel} session={id} />}
      </div>
    </LiveSession>
  );
}

function SidePanel({ panel, session }: { panel: Panel; session: string }): ReactNode {
  const Pane = PANES[panel];
  const close = (): void => {
    goTo({ at: "session", session, panel: null });
    document.querySelector<HTMLElement>(`.tabs [data-panel="${panel}"]`)?.focus();
  };
  return (
    <aside
      className="beside"
      aria-label={panel}
      onKeyDown={withoutInputMethod((event) => {
        if (event.key !== "Escape" || event.defaultPrevented || isWriting(event.target)) return;
        event.preventDefault();
        close();
      })}
    >
      <button className="button quiet close-panel" aria-label="Close the panel" title="Close" onClick={close}>
        <Icon name="close" />
      </button>
      <Boundary>
        <Suspense fallback={<div className="place-waits" aria-busy="true" />}>
          <Pane />
        </Suspense>
      </Boundary>
    </aside>
  );
}
