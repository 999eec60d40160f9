import * as z from "zod";
import { oneLine } from "./screen/ansi.ts";
import type { SessionRequest } from "./session-request.ts";

/** `--agent` and `/agent`: the agent that runs in a session. */

export type Chosen = { readonly ok: boolean; readonly words: string };

const DESCRIPTION_CHARS_MAX = 80;

const session = z.object({ agent: z.string() });
const agents = z.object({
  items: z.array(
    z.object({ name: z.string(), description: z.string(), problem: z.string().nullable().optional() }),
  ),
});

/** Sets the session's agent. Returns the result as text; never throws. */
export async function chooseAgent(request: SessionRequest, name: string): Promise<Chosen> {
  const changed = await request("PATCH", "", { agent: name });
  if (!changed.ok) return { ok: false, words: `The agent is as it was. ${changed.why.text}` };
  return { ok: true, words: `The agent ${name} handles new messages.` };
}

/** The agents that there are, a line each, that of the session marked. `api`: requests below `/api`. Never throws. */
export async function listAgents(request: SessionRequest, api: SessionRequest): Promise<string> {
  const [listed, looked] = await Promise.all([api("GET", "/agents"), request("GET", "")]);
  if (!listed.ok) return `The agents could not be listed. ${listed.why.text}`;
  const own = looked.ok ? session.safeParse(looked.body).data?.agent : undefined;
  const { items } = agents.safeParse(listed.body).data ?? { items: [] };
  const width = Math.max(0, ...items.map(({ name }) => name.length));
  const lines = items.map(({ name, description, problem = null }) => {
    const words = problem === null ? description : `(does not work: ${problem}) ${description}`;
    return `${name === own ? "*" : " "} ${name.padEnd(width)}  ${oneLine(words, DESCRIPTION_CHARS_MAX)}`;
  });
  return [...lines, "/agent NAME chooses one for this session."].join("\n");
}
