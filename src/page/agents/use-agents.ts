import type { Answer } from "../../cairn/protocol/api.ts";
import { useAnswer } from "../api.ts";
import { oneLine } from "../parts/one-line.ts";

export type AgentView = Answer<"Agents">["items"][number];

const NOTHING: Answer<"Agents"> = { items: [], models: [] };

/** The agents of this deployment, and the models that may be named. Empty until they are known. */
export const useAgents = (isWanted = true): Answer<"Agents"> =>
  useAnswer<Answer<"Agents">>(isWanted ? "/api/agents" : null).data ?? NOTHING;

const OPTION_CHARS_MAX = 70;

/** `editor: Writes pages and checks them.` on one line of a list. */
export const optionText = ({ name, description }: Pick<AgentView, "name" | "description">): string =>
  oneLine(description === "" ? name : `${name}: ${description}`, OPTION_CHARS_MAX);
