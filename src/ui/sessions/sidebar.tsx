import type { SessionView } from "../../wire/session-view.ts";
import { useAnswer } from "../api.ts";
import { hrefOf, type Route } from "../route.ts";
import { openNewSession } from "../shell/shell.tsx";

export function Sidebar({ route }: { route: Route }) {
  const list = useAnswer<{ items: readonly SessionView[] }>("/api/sessions?limit=50");
  return (
    <nav className="sidebar" aria-label="Sessions">
      <button className="button" onClick={openNewSession}>
        New session
      </button>
      <ul>
        {(list.data?.items ?? []).map(({ id, title }) => (
          <li key={id}>
            <a
              href={hrefOf({ at: "session", session: id, panel: null })}
              aria-current={route.at === "session" && route.session === id ? "page" : undefined}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
