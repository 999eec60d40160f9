import { createCairn } from "../../src/cairn/create.ts";
import { project } from "../fixtures/deployment/project.ts";

/** The worker of the tests: every plugin, and agents and webhooks of the tests. */
const cairn = createCairn(project);

export class Session extends cairn.Session {}
export class Intake extends cairn.Intake {}
export class Api extends cairn.Api {}
export default cairn.worker;
