import { useId, useState } from "react";
import { DEFAULT_AGENT } from "../../cairn/core/log/names.ts";
import type { SessionView } from "../../cairn/protocol/views.ts";
import { ask } from "../api.ts";
import { useCommands, useSessionDetail } from "../open-session/live.tsx";
import { useAct } from "../parts/use-act.ts";
import { putSession } from "../session-list/use-sessions.ts";
import { AgentOptions } from "./agent-options.tsx";
import { useAgents } from "./use-agents.ts";

/** Which agent a new session begins with. Where there is only one, nothing is asked. */
export function StartAgent() {
  const agents = useAgents().items;
  return agents.length < 2 ? null : <Choice />;
}

function Choice() {
  const { id, startWith } = useCommands();
  const agents = useAgents().items;
  // Over the API a session can be made before its first message.
  const made = useSessionDetail(id).data ?? null;
  const { busy, fault, run } = useAct();
  const [wanted, setWanted] = useState<string | null>(null);
  const field = useId();
  const value = wanted ?? made?.agent ?? DEFAULT_AGENT;
  const choose = async (agent: string): Promise<void> => {
    if (made === null) {
      startWith(agent);
      return setWanted(agent);
    }
    await run(async () =>
      putSession(await ask<SessionView>(`/api/sessions/${id}`, { method: "PATCH", body: { agent } })),
    );
  };
  return (
    <div className="first-agent small">
      <label htmlFor={field} className="soft">
        Agent
      </label>
      <select id={field} value={value} disabled={busy} onChange={({ target }) => void choose(target.value)}>
        <AgentOptions agents={agents} chosen={value} />
      </select>
      {fault === null ? null : <p role="alert">{fault}</p>}
    </div>
  );
}
