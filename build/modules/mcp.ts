/**
 * The servers for other people's assistants, loaded when one of them connects (pdf.ts says why it lies here). The two packages
 * import others, so they are no links: src/cli/start/build-modules.ts makes one file of each before the worker is built.
 */
export const loadMcpServer = () => import("./mcp-server.mjs");
export const loadOAuthProvider = () => import("./oauth-provider.mjs");
/** The client of the Model Context Protocol, loaded when a server is asked (pdf.ts says why it lies here). */
export const loadMcpClient = () => import("./mcp-client.mjs");
