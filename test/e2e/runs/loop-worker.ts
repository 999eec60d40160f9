import { agents } from "../../../src/agents/agents.ts";
import { createCairn } from "../../../src/cairn/create.ts";
import { offered } from "../../../src/cairn/plugin.ts";
import { lettersPack } from "../../fixtures/letters.ts";

/** A deployment that has the two tools of the loop object, and no plugin that ships. */
const cairn = createCairn({
  agents,
  plugins: [{ name: "letters", tools: () => [offered(lettersPack, null)] }],
});

export class Session extends cairn.Session {}
export class Intake extends cairn.Intake {}
export default cairn.worker;
