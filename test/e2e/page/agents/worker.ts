import { agents } from "../../../../src/agents/agents.ts";
import { defineAgent } from "../../../../src/agents/define.ts";

/** The project's worker in a deployment that has a second agent. */

Object.assign(agents, {
  reader: defineAgent({
    description: "Only reads the site, and changes nothing.",
    tools: ["page_list", "page_get"],
    instructions: "Name each page once.",
    limits: { steps: 6 },
  }),
});

export { default, Intake, Session } from "../../../../src/worker.ts";
