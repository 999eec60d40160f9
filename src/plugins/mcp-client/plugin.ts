import { version } from "../../../package.json";
import type { Plugin } from "../../cairn/plugin.ts";
import { complaintOf, type Redact } from "../../cairn/core/text/redact.ts";
import { logError } from "../../cairn/operator-log.ts";
import { mountMcpCallback, mountMcpServers } from "./http/routes.ts";
import { createServerList } from "./http/server-list.ts";
import { listerOf } from "./lister.ts";
import { MCP_TOOLS } from "./pack.ts";
import { mcpServer, type McpServerDefinition } from "./server.ts";
import { McpServers } from "./servers.ts";
import { MCP_SECRET_VARIABLES, serverProblems } from "./settings.ts";

export type { McpServerDefinition };

/**
 * Tools of MCP servers: of these, and of those that are set up over `/api/mcp`. Throws at load on a server that cannot be.
 *
 *     mcpClient([{ name: "docs", url: "https://mcp.example.com/mcp", effects: { search: "read" } }])
 */
export const mcpClient = (definitions: readonly McpServerDefinition[] = []): Plugin => {
  const files = definitions.map(mcpServer);
  const known = new WeakMap<object, McpServers>();
  const serversOf = (env: object, redact: Redact): McpServers => {
    const made =
      known.get(env) ??
      McpServers.of(env as Bound, files, version, (error) =>
        logError("MCP servers were not read", complaintOf(error, redact)),
      );
    known.set(env, made);
    return made;
  };
  return {
    name: "mcp-client",
    lists: MCP_TOOLS,
    secrets: MCP_SECRET_VARIABLES,
    shared: (env, redact) => {
      const servers = serversOf(env, redact);
      return {
        lister: listerOf(servers),
        problems: async () => [
          ...serverProblems(files, servers.settings),
          ...(await servers.problems()).map((problem) => ({ ...problem, remark: true as const })),
        ],
      };
    },
    routes: ({ api }, deps) => {
      const env = (deps.env ?? {}) as Bound;
      const servers = serversOf(env, (value) => value);
      mountMcpServers(api, deps, createServerList({ db: env.DB, files, servers }));
      mountMcpCallback(api);
    },
  };
};

/** Every deployment has the database. */
type Bound = Parameters<typeof McpServers.of>[0];
