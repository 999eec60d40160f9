import { agents } from "../../../src/agents/agents.ts";
import { createCairn } from "../../../src/cairn/create.ts";
import { defineWebhooks } from "../../../src/cairn/webhooks/rules.ts";
import { createIntake } from "../../../src/plugins/channels/intake/plugin.ts";
import { people, plugins } from "../../fixtures/deployment/plugins.ts";

/** The sample with one webhook of the test: its run asks to delete a page, and two people may decide. */
const cairn = createCairn({
  agents,
  plugins,
  webhooks: defineWebhooks({
    bearer: {
      scheme: "bearer",
      owner: "hook:bearer",
      otherwise: {
        session: "hooked-{{delivery}}",
        prompt: '/call page_delete {"pages":["about"]}\n/then\n/say The page is gone.',
        approvers: ["ada", "bob"],
      },
    },
  }),
});

export class Session extends cairn.Session {}
export class Intake extends createIntake(people) {}
export default cairn.worker;
