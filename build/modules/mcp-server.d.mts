export * from "../beside/mcp-server.ts";
