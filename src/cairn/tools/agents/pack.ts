import { definePack } from "../define.ts";
import { runAgent } from "./run-agent.ts";

/** The tool by which a run starts another. It is offered to agents that name it, and to no others (tools/governed.ts). */
export const agentsPack = definePack<unknown, null>({
  name: "agents",
  tools: [runAgent],
  prompts: ["agents"],
  services: () => null,
});
