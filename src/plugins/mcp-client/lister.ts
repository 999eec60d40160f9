import type { ToolLister } from "../../cairn/tools/lister.ts";
import { mcpPack, packName, type ListedServer, type McpServices } from "./pack.ts";
import type { McpServers } from "./servers.ts";

/** The tools of MCP servers, for the runs of a deployment. */
export const listerOf = (servers: Pick<McpServers, "prepare"> & McpServices): ToolLister => ({
  prepare: async (subject) => {
    const { listed, left } = await servers.prepare(subject);
    return { lists: listed.map((one) => ({ name: packName(one.server.name), list: one })), left };
  },
  // A session stores only lists that `prepare` gave it.
  addTo: (registry, list) => {
    registry.add(mcpPack(list as ListedServer), servers);
  },
});
