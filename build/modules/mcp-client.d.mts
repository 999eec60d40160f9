export * from "./mcp-client.entry.ts";
