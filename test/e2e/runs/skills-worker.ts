import { agents } from "../../../src/agents/agents.ts";
import { createCairn } from "../../../src/cairn/create.ts";
import { rehearsal } from "../../../src/plugins/rehearsal/plugin.ts";
import { projectSkills } from "../../fixtures/docs/skills.ts";
import { createIntake } from "../../../src/plugins/channels/intake/plugin.ts";
import { channels } from "../../../src/plugins/channels/plugin.ts";

/** A deployment with the skills of the documentation in its code. */
const cairn = createCairn({ agents, plugins: [projectSkills, rehearsal()] });

export class Session extends cairn.Session {}
/** wrangler.toml binds it. */
export class Intake extends createIntake(channels({ vendors: [] })) {}
export default cairn.worker;
