import { agents } from "./agents/agents.ts";
import { mcpServers } from "./mcp-servers.ts";
import { createCairn } from "./cairn/index.ts";
import { people } from "./channels.ts";
import { cms } from "./plugins/cms/plugin.ts";
import { code } from "./plugins/code/plugin.ts";
import { files } from "./plugins/files/plugin.ts";
import { mcpServer } from "./plugins/mcp-server/plugin.ts";
import { plainWords } from "./plugins/plain-words/plugin.ts";
import { rehearsal } from "./plugins/rehearsal/plugin.ts";
import { httpRequest } from "./plugins/http-request/plugin.ts";
import { scholar } from "./plugins/scholar/plugin.ts";
import { web } from "./plugins/web/plugin.ts";
import { projectSkills } from "./skills.ts";
import { webhooks } from "./webhooks.ts";

/** The sample deployment, with every plugin. Your own tools: `tools: [readingTime]`. */
const cairn = createCairn({
  agents,
  plugins: [
    cms(),
    files(),
    web(),
    scholar(),
    httpRequest(),
    code(),
    people,
    projectSkills,
    mcpServer(),
    mcpServers,
    plainWords(),
    rehearsal(),
  ],
  webhooks,
});

export { Intake } from "./intake.ts";
export class Session extends cairn.Session {}
export class Api extends cairn.Api {}
export default cairn.worker;
