import { createCairn } from "../../src/cairn/create.ts";
import { createIntake } from "../../src/plugins/channels/intake/plugin.ts";
import { people } from "../fixtures/deployment/plugins.ts";
import { project } from "../fixtures/deployment/project.ts";

/** The worker of the tests: every plugin, and agents and webhooks of the tests. */
const cairn = createCairn(project);

export class Session extends cairn.Session {}
export class Intake extends createIntake(people) {}
export class Api extends cairn.Api {}
export default cairn.worker;
