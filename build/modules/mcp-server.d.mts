export * from "../on-demand/mcp-server.ts";
