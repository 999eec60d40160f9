import { optionText, type AgentView } from "./use-agents.ts";

/** The agents as options of a select. `chosen` is listed too where the deployment no longer has it. */
export function AgentOptions({ agents, chosen }: { agents: readonly AgentView[]; chosen: string | null }) {
  const isGone = chosen !== null && !agents.some(({ name }) => name === chosen);
  return (
    <>
      {agents.map((agent) => (
        <option key={agent.name} value={agent.name}>
          {optionText(agent)}
        </option>
      ))}
      {isGone ? <option value={chosen}>{chosen} (no longer here)</option> : null}
    </>
  );
}
