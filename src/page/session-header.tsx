import { DEFAULT_AGENT } from "../cairn/core/log/names.ts";
import { useTitle } from "./approvals/waiting.ts";
import { Icon } from "./parts/icon.tsx";
import { hrefOf, type Panel } from "./route.ts";
import { usePanels } from "./who.tsx";
import { useSessionDetail, useChatState } from "./open-session/live.tsx";

const NAMES: Readonly<Record<Panel, string>> = {
  site: "Site",
  trace: "Trace",
  memory: "Memory",
  settings: "Settings",
};

export interface SessionProps {
  readonly id: string;
  readonly panel: Panel | null;
  readonly openDrawer: () => void;
}

export function SessionHeader({ id, panel, openDrawer }: SessionProps) {
  const { messages } = useChatState();
  const panels = usePanels();
  // The first message makes the session.
  const detail = useSessionDetail(messages.length > 0 ? id : null);
  const title = detail.data?.title || "New session";
  useTitle(title);
  const agent = detail.data?.agent ?? DEFAULT_AGENT;
  return (
    <header className="bar">
      <button className="button quiet only-narrow" aria-label="Sessions" onClick={openDrawer}>
        <Icon name="menu" />
      </button>
      <div className="bar-title">
        <h1>{title}</h1>
        {agent === DEFAULT_AGENT ? null : (
          <p className="soft small">
            <span className="visually-hidden">Agent: </span>
            {agent}
          </p>
        )}
      </div>
      <nav aria-label="Beside the chat" className="tabs">
        {panels.map((each) => (
          <a
            key={each}
            className="tab"
            data-panel={each}
            aria-current={each === panel ? "true" : undefined}
            href={hrefOf({ at: "session", session: id, panel: each === panel ? null : each })}
          >
            <Icon name={each} />
            <span>{NAMES[each]}</span>
          </a>
        ))}
      </nav>
    </header>
  );
}
