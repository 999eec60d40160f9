/** The part of the server of the Model Context Protocol that Cairn uses; src/cli/start/build-modules.ts makes build/modules/mcp-server.mjs of it. */
export { createMcpHandler, McpServer, ProtocolError } from "@modelcontextprotocol/server";
