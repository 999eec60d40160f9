import { agents } from "../../../../src/agents/agents.ts";
import { defineAgent } from "../../../../src/cairn/agents/define.ts";
import { createCairn } from "../../../../src/cairn/create.ts";
import { createIntake } from "../../../../src/plugins/channels/intake/plugin.ts";
import { people, plugins } from "../../../fixtures/deployment/plugins.ts";

/** The sample in a deployment that has a second agent. */
const cairn = createCairn({
  agents: {
    ...agents,
    reader: defineAgent({
      description: "Only reads the site, and changes nothing.",
      tools: ["page_list", "page_get"],
      instructions: "Name each page once.",
      limits: { steps: 6 },
    }),
  },
  plugins,
});

export class Session extends cairn.Session {}
export class Intake extends createIntake(people) {}
export default cairn.worker;
