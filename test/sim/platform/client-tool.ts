import type { ClientTool } from "../../../src/cairn/core/log/client-tool.ts";

/** The tool that clients of the simulation bring. */
export const WHERE: ClientTool = {
  name: "where",
  description: "Where the person is.",
  inputSchema: { type: "object", properties: { name: { type: "string" } } },
};
