import { DEFAULT_AGENT } from "../core/log/names.ts";
import type { Agent } from "./define.ts";

/** The agents that are in the code of a deployment. */
export interface FileAgents {
  readonly all: Readonly<Record<string, Agent>>;
  readonly names: readonly string[];
  /** The agent of every session that names none. It holds what is for the whole deployment: its admins, and the day's caps. */
  readonly deployment: Agent;
  find(name: string): Agent | null;
}

/** Throws where there is no agent `default`, and where another has admins. */
export function fileAgents(all: Readonly<Record<string, Agent>> = {}): FileAgents {
  const find = (name: string): Agent | null => (Object.hasOwn(all, name) ? (all[name] ?? null) : null);
  const deployment = find(DEFAULT_AGENT);
  if (deployment === null)
    throw new Error(`createCairn: agents has no ${DEFAULT_AGENT}. Every session without an agent uses it.`);
  for (const [name, { admins }] of Object.entries(all))
    if (name !== DEFAULT_AGENT && admins !== null)
      throw new Error(
        `admins of the agent ${name}: they hold for the whole deployment, so they stand in ${DEFAULT_AGENT}`,
      );
  return { all, names: Object.keys(all), deployment, find };
}
