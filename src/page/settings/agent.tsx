import type { SessionDetail, SessionView } from "../../cairn/protocol/views.ts";
import { AgentOptions } from "../agents/agent-options.tsx";
import { useAgents, type AgentView } from "../agents/use-agents.ts";
import { ask, useAnswer } from "../api.ts";
import { useAct } from "../parts/use-act.ts";
import { putSession } from "../session-list/use-sessions.ts";
import { useToast } from "../parts/toasts.tsx";
import type { Answer } from "../../cairn/protocol/api.ts";
import { Facts } from "../parts/facts.tsx";
import "../agents/agents.css";
import { limitLines } from "../agents/limit-words.ts";

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

/** Tools and limits of an agent. Folded, because it is rarely needed. */
function AgentAbout({ agent: { name, tools, limits } }: { agent: AgentView }) {
  const known = useAnswer<Answer<"Tools">>("/api/tools").data?.items ?? [];
  const titleOf = (tool: string): string => known.find((each) => each.name === tool)?.title ?? tool;
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  return (
    <details className="agent-about small">
      <summary>
        What {name} may use: {count}
      </summary>
      <ul className="agent-tools" aria-label={`Tools of ${name}`}>
        {tools.map((tool) => (
          <li key={tool}>
            {titleOf(tool)} <code className="soft">{tool}</code>
          </li>
        ))}
      </ul>
      <p className="soft">At most, in one run:</p>
      <Facts facts={limitLines(limits)} className="agent-limits" />
    </details>
  );
}
