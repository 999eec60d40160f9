import { agents } from "../../../src/agents/agents.ts";
import { createCairn } from "../../../src/cairn/create.ts";
import { offered } from "../../../src/cairn/plugin.ts";
import { lettersPack } from "../../fixtures/letters.ts";
import { createIntake } from "../../../src/plugins/channels/intake/plugin.ts";
import { channels } from "../../../src/plugins/channels/plugin.ts";

/** A deployment that has the two tools of the loop object, and no plugin that ships. */
const cairn = createCairn({
  agents,
  plugins: [{ name: "letters", tools: () => [offered(lettersPack, null)] }],
});

export class Session extends cairn.Session {}
/** wrangler.toml binds it. */
export class Intake extends createIntake(channels({ vendors: [] })) {}
export default cairn.worker;
