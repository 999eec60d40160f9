/** The client of the Model Context Protocol, loaded when a server is asked (pdf.ts says why it lies here). */
export const loadMcpClient = () => import("./mcp-client.mjs");
