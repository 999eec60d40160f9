import { version } from "../../package.json";
import { mcpServers } from "../agents/mcp.ts";
import type { AgentCache } from "../agents/stored/stored-agents.ts";
import { createChannels, type Channels } from "../channels/create.ts";
import type { Embedder } from "../core/log/model.ts";
import { complaintOf, createRedactor, type Redactor } from "../core/text/redact.ts";
import { createEmbedder } from "../model/embed.ts";
import { complain, setLogLevel } from "../operator-log.ts";
import { McpServers } from "../tools/mcp/servers.ts";
import { StoredTools } from "../tools/stored/stored-tools.ts";
import { parseConfig, type Config } from "../wire/config/config.ts";
import { secretsOf } from "../wire/config/secrets.ts";

/** What is made of the variables, once for all the objects that share an isolate. */
export interface Isolate {
  readonly config: Config;
  readonly redact: Redactor;
  readonly agentCache: AgentCache;
  readonly channels: Channels;
  /** keeps what it was asked last */
  readonly embedder: Embedder | null;
  readonly mcp: McpServers;
  readonly storedTools: StoredTools;
}
const isolates = new WeakMap<Env, Isolate>();

export function isolateOf(env: Env): Isolate {
  const known = isolates.get(env);
  if (known !== undefined) return known;
  const redact = createRedactor(secretsOf({ ...env }));
  const config = parseConfig({ ...env });
  const { AI: ai }: { readonly AI?: Ai } = env;
  const { embedding } = config;
  const embedder = embedding === null ? null : createEmbedder({ ...embedding, ai: ai ?? null });
  const channels = createChannels({ ...env });
  const mcp = McpServers.of({ ...env, DB: env.DB }, mcpServers, version, (error) =>
    complain("MCP servers were not read", complaintOf(error, redact)),
  );
  const storedTools = new StoredTools(env.DB, (error) =>
    complain("stored tools were not read", complaintOf(error, redact)),
  );
  const made: Isolate = { config, redact, agentCache: new Map(), channels, embedder, mcp, storedTools };
  setLogLevel(made.config.logLevel);
  isolates.set(env, made);
  return made;
}
