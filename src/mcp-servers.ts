import { mcpClient } from "./plugins/mcp-client/plugin.ts";

/**
 * The MCP servers of this deployment whose tools its agents have, beside those that are set up over the API (docs/mcp-servers.md). To
 * add one: `{ name: "docs", url: "https://mcp.example.com/mcp", auth: "secret:DOCS", effects: { search: "read" } }`.
 */
export const mcpServers = mcpClient([]);
