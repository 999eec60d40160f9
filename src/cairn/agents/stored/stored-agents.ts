import { AGENT_TTL_MS } from "../../core/limits.ts";
import { err, ok, type Result } from "../../core/log/result.ts";
import { parseJson } from "../../protocol/json.ts";
import type { Agent, AgentFault, Agents } from "../define.ts";
import type { FileAgents } from "../known.ts";
import { readDefinition, type ReadContext } from "./read-definition.ts";

/** Agents that this isolate has read, by name. */
export type AgentCache = Map<string, { readonly at: number; readonly found: Result<Agent, AgentFault> }>;

export interface StoredAgentsDeps {
  readonly files: FileAgents;
  /** the JSON of the agent of this name, or null */
  readonly read: (name: string) => Promise<string | null>;
  readonly context: ReadContext;
  /** of the isolate: its sessions read an agent once for all of them */
  readonly cache: AgentCache;
  readonly clock: () => number;
  /** a fault, for the operator's log */
  readonly report: (error: unknown) => void;
}

/**
 * Agents from the deployment's files and those stored over the API. A file takes precedence over a stored agent of its
 * name. A stored agent is cached for AGENT_TTL_MS and then read again, so that no run is accepted under an outdated
 * agent.
 */
export function deploymentAgents({
  files,
  read,
  context: ground,
  cache,
  clock,
  report,
}: StoredAgentsDeps): Agents {
  const recent = (name: string): Result<Agent, AgentFault> | null => {
    const cached = cache.get(name);
    return cached === undefined || cached.at + AGENT_TTL_MS < clock() ? null : cached.found;
  };
  const look = async (name: string): Promise<Result<Agent, AgentFault>> => {
    try {
      const body = await read(name);
      if (body === null) return err({ kind: "unknown" });
      const made = readDefinition(parseJson(body), ground);
      return made.ok ? ok(made.value.agent) : err({ kind: "broken", issues: made.error });
    } catch (error) {
      report(error);
      return err({ kind: "unavailable" });
    }
  };
  return {
    find: (name) => {
      const file = files.find(name);
      return file === null ? (recent(name) ?? err({ kind: "unread" })) : ok(file);
    },
    names: () => [...files.names, ...[...cache].flatMap(([name, { found }]) => (found.ok ? [name] : []))],
    load: async (name) => {
      // A failed read is tried again: the agent may exist by now.
      if (files.find(name) !== null || recent(name)?.ok === true) return;
      const found = await look(name);
      const at = clock();
      for (const [other, kept] of cache) if (kept.at + AGENT_TTL_MS < at) cache.delete(other);
      cache.set(name, { at, found });
    },
  };
}
