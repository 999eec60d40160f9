import { DEFAULT_AGENT } from "../core/log/names.ts";
import { agents } from "./agents.ts";
import type { Agent } from "./define.ts";

/** An agent that is a file of this deployment, or null. */
export function fileAgent(name: string): Agent | null {
  return Object.hasOwn(agents, name) ? (agents[name] ?? null) : null;
}

export const fileAgentNames = (): readonly string[] => Object.keys(agents);

/** The agent of every session that names none. What holds for the whole deployment is said there: its admins, and the day's caps. */
export function deploymentAgent(): Agent {
  const agent = agents[DEFAULT_AGENT];
  if (agent === undefined) throw new Error(`src/agents/agents.ts names no agent ${DEFAULT_AGENT}`);
  for (const [name, { admins }] of Object.entries(agents))
    if (name !== DEFAULT_AGENT && admins !== null)
      throw new Error(
        `admins of the agent ${name}: they hold for the whole deployment, so they stand in ${DEFAULT_AGENT}`,
      );
  return agent;
}
