import type { SessionDetail, SessionView } from "../../cairn/protocol/views.ts";
import { AgentAbout } from "../agents/agent-about.tsx";
import { AgentOptions } from "../agents/agent-options.tsx";
import { useAgents } from "../agents/use-agents.ts";
import { ask } from "../api.ts";
import { useAct } from "../parts/use-act.ts";
import { putSession } from "../session-list/use-sessions.ts";
import { useToast } from "../parts/toasts.tsx";

const SAVED = "Applies to your next message, not the current run.";

/** The agent of this session, and its tools. Selectable if the deployment has several. */
export function AgentPart({ session, mayChange }: { session: SessionDetail; mayChange: boolean }) {
  const agents = useAgents().items;
  const showToast = useToast();
  const { busy, fault, run } = useAct();
  const own = agents.find(({ name }) => name === session.agent) ?? null;
  if (agents.length === 0) return null;
  const choose = async (agent: string): Promise<void> => {
    const saved = await run(async () =>
      putSession(await ask<SessionView>(`/api/sessions/${session.id}`, { method: "PATCH", body: { agent } })),
    );
    if (saved) showToast(SAVED);
  };
  const isChoice = agents.length > 1 || own === null;
  return (
    <div className="settings-field">
      {isChoice ? (
        <>
          <label htmlFor="settings-agent">Agent</label>
          <select
            id="settings-agent"
            value={session.agent}
            disabled={!mayChange || busy}
            aria-describedby="settings-agent-help"
            onChange={({ target }) => void choose(target.value)}
          >
            <AgentOptions agents={agents} chosen={session.agent} />
          </select>
          {fault === null ? null : <p role="alert">{fault}</p>}
          <p className="soft small" id="settings-agent-help">
            {own === null ? "" : `${own.description} `}
            {SAVED}
          </p>
        </>
      ) : (
        <p className="small">
          <span className="soft">Agent</span> {own.name}
          <span className="soft">: {own.description}</span>
        </p>
      )}
      {own === null ? null : <AgentAbout agent={own} />}
    </div>
  );
}
