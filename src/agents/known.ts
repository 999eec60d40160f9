import { DEFAULT_AGENT } from "../core/log/names.ts";
import { agents } from "./agents.ts";
import type { Agent, Agents } from "./define.ts";

/** The agents that are files of this deployment. */
export function fileAgents(): Agents {
  return {
    find: (name) => (Object.hasOwn(agents, name) ? (agents[name] ?? null) : null),
    names: () => Object.keys(agents),
    load: async () => {},
  };
}

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
